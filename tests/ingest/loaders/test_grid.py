from __future__ import annotations

import pytest

from ingest.loaders.grid import Merge, header_rows_of, spread, tables_of
from kb.errors import DocumentError


def sheet(text):
    """Cells of a drawn sheet: `|` parts columns, a blank cell is empty."""
    return {
        (row, column): cell.strip()
        for row, line in enumerate(text.strip("\n").split("\n"))
        for column, cell in enumerate(line.split("|"))
        if cell.strip()
    }


def test_tables_are_parted_by_blank_rows_and_columns():
    tables = tables_of(
        sheet(
            """
Card | W  |  | Slot | Rack
T4   | 70 |  | 1    | A
A2   | 60 |  | 2    | B
     |    |  |      |
Name | GB |  |      |
K100 | 32 |  |      |
"""
        )
    )
    assert [table.rows for table in tables] == [
        (("Card", "W"), ("T4", "70"), ("A2", "60")),
        (("Slot", "Rack"), ("1", "A"), ("2", "B")),
        (("Name", "GB"), ("K100", "32")),
    ]
    assert all(table.header_rows == 1 for table in tables)


def test_titles_and_remarks_are_lines_beside_the_table():
    (table,) = tables_of(sheet("Register of cards |\nas of May |\nCard | W\nT4 | 70\nA2 | 60\nWithout fans |"))
    assert (table.above, table.below) == (("Register of cards", "as of May"), ("Without fans",))
    assert table.rows[0] == ("Card", "W")


def test_a_blank_row_does_not_cut_a_table_that_goes_on():
    (table,) = tables_of(sheet("Card | W\nT4 | 70\n | \nA2 | 60"))
    assert table.rows == (("Card", "W"), ("T4", "70"), ("A2", "60"))


def test_merged_cells_repeat_their_text():
    cells = sheet("Card | FP16 | | W\n | dense | sparse | \nA | 1 | 2 | 70\n | 3 | 4 | 75")
    merges = [Merge(0, 0, 1, 0), Merge(0, 1, 0, 2), Merge(0, 3, 1, 3), Merge(2, 0, 3, 0)]
    (table,) = tables_of(cells, merges)
    assert table.header_rows == 2
    assert table.rows == (
        ("Card", "FP16", "FP16", "W"),
        ("Card", "dense", "sparse", "W"),
        ("A", "1", "2", "70"),
        ("A", "3", "4", "75"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Card | W\nT4 | 70", 1),
        (" | FP16 | | FP8 | \nCard | dense | sparse | dense | sparse\nA | 1 | 2 | 3 | 4", 2),
        ("Card | Memory | Power\n | GB | W\nT4 | 16 | 70\nA2 | 16 | 60", 2),
        ("1 | 2\n3 | 4", 0),
    ],
)
def test_header_rows(text, expected):
    cells = sheet(text)
    width = 1 + max(column for _, column in cells)
    rows = [[cells.get((row, column), "") for column in range(width)] for row in range(1 + max(r for r, _ in cells))]
    assert header_rows_of(rows) == expected


def test_a_group_name_stands_over_all_its_columns():
    rows = [["Card", "FP16", "", "W"], ["", "dense", "sparse", ""]]
    assert spread(rows, [], 2)[0] == ["Card", "FP16", "FP16", "W"]


def test_one_name_over_two_columns_of_labels_is_a_header():
    rows = [["Page Type", "", "4 KB", "64 KB"], ["Page", "Size", "4", "64"], ["", "Reach", "2", "2"]]
    assert header_rows_of(rows, [Merge(0, 0, 0, 1), Merge(1, 0, 2, 0)]) == 1


def test_a_band_across_the_table_is_said_once():
    (table,) = tables_of(sheet("Card | W\nServer | \nT4 | 70\nA2 | 60"), [Merge(1, 0, 1, 1)])
    assert table.rows[1] == ("Server", "")


def test_a_stray_merge_over_the_whole_sheet_costs_nothing():
    (table,) = tables_of(sheet("Card | W\nT4 | 70"), [Merge(0, 0, 1_048_575, 16_383)])
    assert len(table.rows) <= 2


def test_more_merged_cells_than_a_sheet_can_show_are_refused():
    cells = {(0, 0): "x", (2000, 2000): "y"}
    with pytest.raises(DocumentError, match="merged"):
        tables_of(cells, [Merge(0, 0, 2000, 2000)])


def test_figures_side_by_side_without_names_are_one_table():
    (table,) = tables_of(sheet("4218 | 1874 | | 1 | 21.5\n2965 | 1749 | | 2 | 15.5\n2280 | 1598 | | 3 | 11.5"))
    assert table.rows[1] == ("2965", "1749", "", "2", "15.5")
    assert table.header_rows == 0


def test_figures_beside_a_table_with_names_stay_apart():
    tables = tables_of(sheet("Card | W | | 1 | 21.5\nT4 | 70 | | 2 | 15.5\nA2 | 60 | | 3 | 11.5"))
    assert [len(table.rows[0]) for table in tables] == [2, 2]
