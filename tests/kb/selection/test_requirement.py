from __future__ import annotations

import pytest

from kb.errors import RequestError
from kb.selection.requirement import as_constraints, days_of, read_constraints, require


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("memory_bandwidth_gb_s", "3.35 TB/s", 3350.0),
        ("tdp_w", "0.7kW", 700.0),
        ("memory_gb", "80GiB", 80.0),
        ("int8_tops", "200", 200.0),
        ("fp16_tensor_tflops", "1.979 PFLOPS", 1979.0),
        ("fp16_tensor_tflops", "312 TOPS", 312.0),
        ("interconnect_gb_s", "2400 Gb/s", 300.0),
    ],
)
def test_amounts_are_read_in_the_unit_of_the_field(field, text, value):
    assert require(field, "gte", text).value == value


@pytest.mark.parametrize(
    ("field", "operator", "value", "words"),
    [
        ("memory_gbs", "gte", 1, "memory_gb"),
        ("memory_gb", "ge", 1, "gte"),
        ("memory_gb", "gte", "80 W", "number in GB"),
        ("memory_gb", "gte", True, "number in GB"),
        ("memory_gb", "gte", float("nan"), "number in GB"),
        ("memory_gb", "gte", None, "number in GB"),
        ("memory_gb", "in", 80, "list"),
        ("memory_gb", "in", [], "empty"),
        ("memory_type", "gte", "HBM2", "dates"),
        ("memory_type", "eq", 3, "text"),
        ("released_on", "gte", "2023-02-30", "date"),
        ("released_on", "gte", 2023, "text"),
        ("rt_cores", "exists", 1, "true or false"),
    ],
)
def test_what_cannot_be_is_refused_by_name(field, operator, value, words):
    with pytest.raises(RequestError, match=words):
        require(field, operator, value)


def test_there_and_back():
    constraints = {
        "memory_gb": {"gte": 24.0, "lt": 48.0},
        "vendor": {"in": ["NVIDIA", "AMD"]},
        "rt_cores": {"exists": True},
    }
    assert as_constraints(read_constraints(constraints)) == constraints


def test_of_two_bounds_the_stricter_one_stands():
    both = (require("memory_gb", "gte", 24), require("memory_gb", "gte", 48), require("tdp_w", "lte", 300))
    assert as_constraints((*both, require("tdp_w", "lte", 250))) == {"memory_gb": {"gte": 48}, "tdp_w": {"lte": 250}}


@pytest.mark.parametrize(
    ("text", "days"), [("2024", 366), ("2023", 365), ("2024-02", 29), ("2023-12", 31), ("2023-12-31", 1)]
)
def test_a_year_or_month_stands_for_all_its_days(text, days):
    first, last = days_of(text)
    assert last - first + 1 == days
