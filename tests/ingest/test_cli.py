from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from ingest.cli import index
from kb.errors import CorpusError, IndexCorruptError, IndexMissingError


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*args, ok=True):
        data = ["--data-dir", str(tmp_path / "data")]
        result = CliRunner().invoke(index, [args[0], *data, *args[1:]], catch_exceptions=not ok)
        assert (result.exit_code == 0) is ok
        return result

    return call


BUILD = ("--set", "cross_embedding=none", "--catalog", "none")


def test_build_status_and_verify(run, corpus):
    built = run("build", "--corpus-dir", str(corpus), *BUILD)
    assert "empty.txt: It is empty" in built.output
    assert "built with problems" in built.output
    status = run("status", "--documents").output
    assert "documents: 3" in status
    assert "zh/登记.csv (gb18030, 1 chunks)" in status
    assert "multilingual-e5-small" in status
    assert "agree with their checksums" in run("verify").output


def test_json_lines_are_events_and_then_the_report(run, corpus):
    lines = [
        json.loads(line) for line in run("build", "--corpus-dir", str(corpus), "--json", *BUILD).stdout.splitlines()
    ]
    assert lines[0]["stage"] == "scan"
    assert lines[-1]["report"]["state"] == "done_with_problems"
    assert lines[-1]["report"]["failed"][0]["doc_id"] == "empty.txt"
    assert json.loads(run("status", "--json").stdout)["generation"] == lines[-1]["report"]["generation"]


def test_a_dry_run_leaves_nothing(run, corpus, tmp_path):
    assert "would be indexed" in run("build", "--dry-run", "--corpus-dir", str(corpus), *BUILD).output
    assert not (tmp_path / "data").exists()


def test_a_changed_corpus_is_shown_built_and_rolled_back(run, corpus):
    build = ("build", "--corpus-dir", str(corpus), *BUILD)
    first = json.loads(run(*build, "--json").stdout.splitlines()[-1])["report"]["generation"]
    assert "Nothing has changed" in run(*build).output
    (corpus / "fans.md").rename(corpus / "racks.md")
    (corpus / "zh/登记.csv").unlink()
    dry = run(*build, "--dry-run").output
    assert "fans.md → racks.md" in dry
    assert "1 gone:\n  zh/登记.csv" in dry
    second = json.loads(run(*build, "--json").stdout.splitlines()[-1])["report"]
    assert second["changes"]["renamed"] == [["fans.md", "racks.md"]]
    diff = json.loads(run("diff", "--json").stdout)
    assert (diff["before"], diff["after"], diff["removed"]) == (first, second["generation"], ["fans.md", "zh/登记.csv"])
    assert f"From {second['generation']} to {first}" in run("diff", second["generation"], first).output
    assert f"Now {first}" in run("rollback").output
    assert json.loads(run("status", "--json").stdout)["generation"] == first
    assert isinstance(run("rollback", "gen-000009-abcd", ok=False).exception, IndexMissingError)
    assert json.loads(run("rollback", "--json").stdout)["generation_after"] == second["generation"]
    assert json.loads(run("prune", "--keep", "1", "--json").stdout) == {
        "deleted": [first], "generations": [second["generation"]],
    }  # fmt: skip
    assert "only generation" in str(run("diff", ok=False).exception)
    assert "no older generation" in str(run("rollback", ok=False).exception)


def test_a_missing_corpus_is_one_error(run, tmp_path):
    result = run("build", "--corpus-dir", str(tmp_path / "nothing"), ok=False)
    assert isinstance(result.exception, CorpusError)
    assert "does not exist" in str(result.exception)


def test_status_without_an_index(run):
    assert isinstance(run("status", ok=False).exception, IndexMissingError)


def test_verify_names_the_damaged_file(run, corpus, tmp_path):
    run("build", "--corpus-dir", str(corpus), *BUILD)
    [path] = (tmp_path / "data").glob("gen-*/chunks.jsonl")
    data = bytearray(path.read_bytes())
    data[10] ^= 1
    path.write_bytes(bytes(data))
    result = run("verify", ok=False)
    assert isinstance(result.exception, IndexCorruptError)
    assert "chunks.jsonl" in str(result.exception)


def test_an_interrupted_build_is_one_line_and_leaves_no_half_index(tmp_path):
    corpus, data = tmp_path / "corpus", tmp_path / "data"
    corpus.mkdir()
    for number in range(400):
        words = " ".join(f"rack{number}x{place}" for place in range(120))
        (corpus / f"{number}.md").write_text(f"# Rack {number}\n\nThe cables of {words} were changed.\n")
    settings = ["--data-dir", str(data), "--corpus-dir", str(corpus), *BUILD]
    command = [sys.executable, "-m", "kb.cli", "index", "build", *settings]
    # Who runs the tests in the background may have them ignore what this build must not.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as build:
        signal.signal(signal.SIGINT, before)
        assert build.stderr is not None
        for line in build.stderr:
            if "cutting" in line:  # the next stage is embedding, which takes minutes
                break
        time.sleep(1)
        build.send_signal(signal.SIGINT)
        said = build.stderr.read()
    assert build.returncode == 130
    assert said.strip() == (
        "error: interrupted: the index in use stays as it was; what was embedded is kept for the next build."
    )
    assert [path.name for path in data.iterdir() if "gen" in path.name or "building" in path.name] == []
