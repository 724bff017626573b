"""Every figure that a document quotes is in the catalogue or accounted for in `corpus/figures.yaml`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
import yaml

from ingest.loaders.registry import load
from tests.corpus.figure_ledger import Ledger
from tests.corpus.quoted_figures import WRONG, FigureJudge, FigureReader
from tests.corpus.written_arithmetic import equations


@pytest.fixture(scope="module")
def ledger(corpus, catalog):
    return Ledger(yaml.safe_load((corpus / "figures.yaml").read_text(encoding="utf-8")), catalog)


@pytest.fixture(scope="module")
def judged(documents, catalog):
    """Every quoted figure with what the catalogue says of it."""
    reader, judge = FigureReader(catalog), FigureJudge(catalog)
    return [(figure, judge.verdict(figure)) for document in documents.values() for figure in reader.figures(document)]


def _results(document):
    """Where results of arithmetic that holds stand, and how they are written."""
    starts = set()
    for line in re.finditer(r"[^\n]+", document.text):
        starts |= {line.start() + e.result for e in equations(line.group()) if e.holds}
    return starts


def test_every_quoted_figure_is_in_the_catalogue_or_accounted_for(documents, judged, ledger):
    results = {doc_id: _results(document) for doc_id, document in documents.items()}
    derived = defaultdict(set)
    for figure, _ in judged:
        if figure.start in results[figure.doc_id]:
            derived[figure.doc_id].add(figure.text)
    strange = []
    ways: Counter[str] = Counter()
    for figure, verdict in judged:
        way = verdict if verdict in ("held", "source") else ledger.accounts_for(figure, documents[figure.doc_id])
        if way is None and verdict == "rejected" and WRONG.search(figure.words + figure.label):
            way = "quoted as wrong"
        elif way is None and figure.text in derived[figure.doc_id]:
            way = "result of arithmetic in the text"
        if way is None:
            strange.append(f"{figure.doc_id}: [{figure.text}] {verdict} in: {figure.words.strip()}")
        ways[way or "nothing"] += 1

    assert not strange, "\n".join(strange)
    assert ways["held"] > ways.total() / 3


def test_no_line_of_the_ledger_is_stale(documents, judged, ledger):
    for figure, verdict in judged:
        if verdict not in ("held", "source"):
            ledger.accounts_for(figure, documents[figure.doc_id])
    faults = ledger.faults(documents) + ledger.unused()

    assert not faults, "\n".join(faults)


def test_what_is_known_to_be_wrong_is_called_wrong(documents, catalog, judged, ledger):
    judge = FigureJudge(catalog)
    unlabelled = [
        f"{figure.doc_id}: [{figure.text}] in: {figure.words.strip()}"
        for figure, _ in judged
        if judge.rejected_in(figure)
        and not WRONG.search(figure.words + figure.label)
        and ledger.accounts_for(figure, documents[figure.doc_id]) not in ("wrong", "source")
    ]

    assert not unlabelled, "\n".join(unlabelled)


def test_sparse_figures_are_called_sparse_and_directions_are_right(judged):
    mislabelled = [f"{f.doc_id}: [{f.text}] in: {f.words}" for f, verdict in judged if verdict == "mislabelled"]

    assert not mislabelled, "\n".join(mislabelled)


@pytest.mark.parametrize(
    ("sentence", "verdicts"),
    [
        ("The T4 has 320 GB/s and draws 70 W.", ["held", "held"]),
        ("The T4 has 340 GB/s.", ["unknown"]),
        ("H100 SXM5 的显存带宽是 3.35 TB/s。", ["held"]),
        ("H100 PCIe 的显存带宽是 3.35 TB/s。", ["unknown"]),
        ("An A100 reaches 312 TFLOPS in FP16.", ["held"]),
        ("An A100 reaches 624 TFLOPS in FP16.", ["mislabelled"]),
        ("An A100 reaches 624 TFLOPS in FP16 with sparsity.", ["held"]),
        ("The H100 SXM5 sends 450 GB/s per direction.", ["held"]),
        ("The H100 SXM5 sends 900 GB/s per direction.", ["mislabelled"]),
        ("The MI300X has 10.3 TB/s.", ["rejected"]),
        ("A P100 link moves 20 GB/s (Tesla P100 whitepaper).", ["source"]),
    ],
)
def test_a_figure_is_judged(catalog, tmp_path, sentence, verdicts):
    path = tmp_path / "sentence.md"
    path.write_text(f"# One sentence\n\n{sentence}\n", encoding="utf-8")
    judge = FigureJudge(catalog)
    figures = FigureReader(catalog).figures(load(path, "sentence.md"))

    assert [judge.verdict(figure) for figure in figures] == verdicts
