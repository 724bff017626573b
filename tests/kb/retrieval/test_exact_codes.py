"""Requirement R13: card and part numbers are exact."""

from __future__ import annotations

import pytest

CABINETS = {
    "A100": "C-11",
    "a100": "C-11",
    "A1000": "C-12",
    "A10": "C-13",
    "A100X": "C-14",
    "RTX-4090": "D-01",
    "RTX 4090": "D-01",
    "rtx4090": "D-01",
    "4090D": "D-02",
    "MI300A": "E-02",
    "PPR-9087": "F-01",
    "9087": "F-01",
    "gfx90a": "G-01",
}


@pytest.fixture(scope="module")
def one_line_each(build_files, shared):
    """Every line of the trial file as a document of its own, so that the rank shows which code was found."""
    text = (shared / "requirements" / "files" / "R13_ids.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    return build_files({f"{number:02d}.md": line[2:] + "\n" for number, line in enumerate(lines)})


@pytest.fixture(scope="module")
def trial_file(build_files, shared):
    return build_files({"R13_ids.md": (shared / "requirements" / "files" / "R13_ids.md").read_bytes()})


@pytest.mark.parametrize(("code", "cabinet"), CABINETS.items())
def test_the_asked_code_comes_first(retriever, one_line_each, code, cabinet):
    assert cabinet in retriever.search(one_line_each, code).hits[0].chunk.text


@pytest.mark.parametrize("question", ["{} 在哪个柜子？", "In which cabinet is the {} stored?"])
@pytest.mark.parametrize("code", ["A100", "A10", "A100X", "RTX 4090", "4090D", "MI300A", "PPR-9087"])
def test_a_question_about_a_code_finds_it(retriever, one_line_each, code, question):
    result = retriever.search(one_line_each, question.format(code))
    assert CABINETS[code] in result.hits[0].chunk.text


@pytest.mark.parametrize("question", ["A1001", "Where is the A1001?", "A1001 在哪个柜子？"])
def test_an_unknown_code_is_unknown(retriever, trial_file, question):
    assert retriever.search(trial_file, question).signals.unknown_codes == ("a1001",)


@pytest.mark.parametrize("code", CABINETS)
def test_every_known_code_is_known(retriever, trial_file, code):
    result = retriever.search(trial_file, code)
    assert result.hits
    assert result.signals.unknown_codes == ()
