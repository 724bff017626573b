from __future__ import annotations

import datetime

import pytest

from ingest.loaders.number_format import shown


@pytest.mark.parametrize(
    ("value", "number_format", "expected"),
    [
        (0.85, "0%", "85%"),
        (0.1234, "0.0%", "12.3%"),
        (1599, '"$"#,##0', "$1,599"),
        (1599.5, "[$¥-804]#,##0.00", "¥1,599.50"),
        (900, '0" GB/s"', "900 GB/s"),
        (900, "0\\ \\W", "900 W"),
        (16, "General", "16"),
        (16.0, "", "16"),
        (0.1 + 0.2, "General", "0.3"),
        (2.5, "0.0##", "2.5"),
        (-3, "#,##0;(#,##0)", "(3)"),
        (-3, "0.0", "-3.0"),
        (0, '0;-0;"none"', "0"),
        (1e20, "General", "1e+20"),
        (12345.678, "0.00E+00", "12345.678"),
        (True, "General", "TRUE"),
        (None, "0", ""),
        (datetime.datetime(2026, 5, 1), "yyyy-mm-dd", "2026-05-01"),
        (datetime.datetime(2026, 5, 1, 8, 30), "General", "2026-05-01 08:30:00"),
        ("K100", "0", "K100"),
        (float("inf"), "0", "inf"),
    ],
)
def test_a_value_is_shown_as_the_sheet_shows_it(value, number_format, expected):
    assert shown(value, number_format) == expected
