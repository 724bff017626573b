# gpukb: `make serve` runs the service, `make test` runs every check. Nothing else is needed.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# The first Python that is new enough; name another with `make serve PYTHON=…`.
ifndef PYTHON
PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$python; break; fi; done)
endif
VENV := .venv
TEST_VENV := .venv-test
PIP_INSTALL := python -m pip install --disable-pip-version-check --no-input --progress-bar off
# Of pip's many lines: the large downloads, and when it begins to install.
PIP_PROGRESS := awk '/\([0-9.]+ [MG]B\)/ {print "   ", $$1, $$2, $$3, $$4; fflush()} \
  /^Installing collected/ {print "    Installing packages"; fflush()}'
# Each holds the models: more of them want a gigabyte each.
TEST_PROCESSES ?= 2
CHECKED := $(wildcard kb ingest api tests bench)

.PHONY: help serve index test lint format long clean distclean python

help: ## show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(VENV)/.installed ## install, build the index if there is none, serve on 127.0.0.1:8000
	@$(VENV)/bin/gpukb serve $(ARGS)

index: $(VENV)/.installed ## build the index again from corpus/
	@$(VENV)/bin/gpukb index build $(ARGS)

test: lint ## every check: lint, format, types, import rules, tests
	@echo "== tests"
	@$(TEST_VENV)/bin/python -m pytest -m "not slow" -n $(TEST_PROCESSES) --dist loadfile $(ARGS)

lint: $(TEST_VENV)/.installed ## ruff, mypy, import rules
	@echo "== ruff"
	@$(TEST_VENV)/bin/ruff check $(CHECKED)
	@$(TEST_VENV)/bin/ruff format --check $(CHECKED)
	@echo "== mypy"
	@$(TEST_VENV)/bin/mypy
	@echo "== import rules"
	@$(TEST_VENV)/bin/lint-imports --no-logo

format: $(TEST_VENV)/.installed ## rewrite the code in its format
	@$(TEST_VENV)/bin/ruff check --fix-only $(CHECKED)
	@$(TEST_VENV)/bin/ruff format $(CHECKED)

long: $(TEST_VENV)/.installed ## the tests and measurements that take long
	@$(TEST_VENV)/bin/python -m pytest -m slow $(ARGS) || test $$? -eq 5  # 5: no test is marked so

clean: ## remove caches and build results; keeps environments and the index
	@rm -rf build dist .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis *.egg-info
	@find $(CHECKED) -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## also remove environments and the index
	@rm -rf $(VENV) $(TEST_VENV) .gpukb

# An environment is made anew when what it should hold has changed; a second run finds the stamp and does nothing.
$(VENV)/.installed: pyproject.toml | python
	@echo "== installing gpukb into $(VENV) (once; about two minutes)"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/$(PIP_INSTALL) -e . | $(PIP_PROGRESS)
	@touch $@

$(TEST_VENV)/.installed: pyproject.toml | python
	@echo "== installing gpukb and its checks into $(TEST_VENV) (once; a few minutes)"
	@$(PYTHON) -m venv $(TEST_VENV)
	@$(TEST_VENV)/bin/$(PIP_INSTALL) -e '.[test]' | $(PIP_PROGRESS)
	@touch $@

python:
	@test -n "$(PYTHON)" || { \
	  echo "error: there is no Python 3.11 or newer. Install one, or name it: make serve PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: $(PYTHON) is missing or older than 3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "error: $(PYTHON) cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
