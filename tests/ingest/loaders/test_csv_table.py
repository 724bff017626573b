from __future__ import annotations

import pytest

from ingest.loaders.base import LoadLimits
from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError


def read(text, name="cards.csv"):
    return load_bytes(text.encode(), name)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(mark):
    text = "\n".join(mark.join(row) for row in (["型号", "显存"], ["K100", "41 GB"], ["K1000", "63 GB"]))
    assert read(text).text == "| 型号 | 显存 |\n|---|---|\n| K100 | 41 GB |\n| K1000 | 63 GB |"


def test_quoted_line_breaks_and_pipes_stay_in_their_row():
    assert '| K1 | two lines, "and" a \\| |' in read('name,note\nK1,"two\nlines, ""and"" a |"\n').text


def test_a_file_without_header_gets_no_made_up_names():
    document = read("K1,5\nK2,6\n")
    assert document.text == "| K1 | 5 |\n| K2 | 6 |"
    assert document.blocks[0].header_end == document.blocks[0].start


def test_versions_can_name_columns():
    assert read("ROCm,6.3.3,6.3.2\nThrust,2.3.2,2.3.2\n").text.startswith("| ROCm | 6.3.3 | 6.3.2 |\n|---")


def test_comments_are_headings_names_and_commented_rows():
    document = read("# field, kind\n\n# Clocks\nSM, gauge\n# MEM, gauge\n\n# Power\nWATT, counter\n")
    assert document.text == (
        "## Clocks\n\n| field | kind |\n|---|---|\n| SM | gauge |\n| # MEM | gauge |\n\n"
        "## Power\n\n| field | kind |\n|---|---|\n| WATT | counter |"
    )


def test_sphinx_markup_and_empty_columns_go():
    text = read("a,b,\n:doc:`Thrust <x:y>`,2 [#note]_,\n`UCX <https://u>`_,.. _target:,\n").text
    assert text == "| a | b |\n|---|---|\n| Thrust | 2 |\n| UCX |  |"


def test_too_many_columns_are_refused():
    with pytest.raises(DocumentError, match="columns"):
        load_bytes(b"a," * 50, "x.csv", LoadLimits(max_table_columns=10))
