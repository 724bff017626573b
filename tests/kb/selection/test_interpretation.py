"""Conditions read out of words: many phrasings of one meaning, and what is not understood."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from kb.selection.requirement import as_constraints

_spec = importlib.util.spec_from_file_location("wordings", Path(__file__).with_name("wordings.py"))
wordings = importlib.util.module_from_spec(_spec)
import sys  # noqa: E402

sys.modules["wordings"] = wordings
_spec.loader.exec_module(wordings)


def read(selector, text):
    found = selector.interpret(text)
    return ordered(as_constraints(found.requirements)), found


def ordered(constraints):
    return {
        field: {operator: sorted(value) if isinstance(value, list) else value for operator, value in operators.items()}
        for field, operators in constraints.items()
    }


def misread(selector, count, seed, each):
    wrong = []
    for constraints, chinese, english in wordings.sets_with_wordings(count, seed, each):
        for text in (*chinese, *english):
            got, found = read(selector, text)
            if got != ordered(constraints) or found.not_understood:
                wrong.append((text, constraints, got, found.not_understood))
    return wrong


def test_a_hundred_sets_read_alike_in_both_languages(selector):
    assert misread(selector, 100, seed=20261130, each=2) == []


@pytest.mark.slow
def test_a_thousand_sets_read_alike_in_both_languages(selector):
    assert misread(selector, 1000, seed=4, each=3) == []
