"""Selection against the second opinion of `brute_force.py`, over the whole catalogue."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

from kb.selection.choice import read_choices
from kb.selection.columns import FAIL, PASS, UNKNOWN
from kb.selection.requirement import read_constraints
from kb.selection.selector import SelectionRequest
from kb.specs.fields import FIELDS

_spec = importlib.util.spec_from_file_location("brute_force", Path(__file__).with_name("brute_force.py"))
brute_force = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(brute_force)

_COMMON = (
    "memory_gb",
    "memory_bandwidth_gb_s",
    "tdp_w",
    "int8_tops",
    "fp16_tensor_tflops",
    "fp32_tflops",
    "interconnect_gb_s",
    "released_on",
    "price_usd",
    "rt_cores",
    "memory_type",
)


def generated(catalog, count: int, seed: int = 20261130):
    """Sets of one to four constraints; bounds lie on, beside and between published figures."""
    rng = random.Random(seed)
    figures = {
        key: sorted({end for spec in catalog.gpus.values() for end in _ends(spec.entries[key])}) for key in FIELDS
    }
    return [_one(rng, figures) for _ in range(count)]


def _ends(entry):
    for figure in entry.figures:
        if figure.value is not None:
            yield figure.value
        else:
            yield from (figure.low, figure.high)


def _one(rng, figures):
    constraints: dict[str, dict[str, object]] = {}
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
        key = rng.choice(_COMMON) if rng.random() < 0.7 else rng.choice(list(figures))
        constraints.setdefault(key, {}).update(_operator(rng, key, figures[key]))
    return constraints


def _operator(rng, key, values):
    if not values or rng.random() < 0.1:
        return {"exists": rng.random() < 0.7}
    kind = "number" if key == "compute_capability" else FIELDS[key].kind
    if kind == "text" or rng.random() < 0.15:
        operator = rng.choice(("eq", "in", "not_in"))
        chosen = rng.sample(values, min(len(values), rng.randint(1, 4)))
        return {operator: chosen[0] if operator == "eq" else chosen}
    value = float(rng.choice(values)) if key == "compute_capability" else rng.choice(values)
    if kind == "date":
        value = value[: rng.choice((4, 7, 10))]
    elif rng.random() < 0.5:
        value = round(value * rng.choice((0.5, 0.9, 0.999, 1.001, 1.1, 2)), 6)
    return {rng.choice(("gte", "gt", "lte", "lt")): value}


def differences(selector, catalog, constraints, any_of=()):
    selection = selector.select(SelectionRequest(read_constraints(constraints), read_choices(any_of)))
    expected = brute_force.sets(catalog, constraints, any_of)
    found = {
        "pass": set(selection.passing),
        "fail": set(selection.ids(FAIL)),
        "unknown": set(selection.ids(UNKNOWN)),
    }
    assert set(selection.ids(PASS)) == found["pass"]
    return {name: expected[name] ^ found[name] for name in expected if expected[name] != found[name]}


def test_the_sets_are_those_of_brute_force(selector, catalog):
    wrong = [(c, d) for c in generated(catalog, 150) if (d := differences(selector, catalog, c))]
    assert wrong == []


def with_choices(catalog, count: int, seed: int):
    """Constraints with one or two choices of two or three alternatives beside them."""
    rng = random.Random(seed)
    rows = generated(catalog, count * 8, seed)
    for _ in range(count):
        choices = [[rng.choice(rows) for _ in range(rng.choice((2, 2, 3)))] for _ in range(rng.choice((1, 1, 2)))]
        yield (rng.choice(rows) if rng.random() < 0.5 else {}), choices


def test_choices_are_those_of_brute_force(selector, catalog):
    sets = with_choices(catalog, 60, seed=11)
    wrong = [(c, choices, d) for c, choices in sets if (d := differences(selector, catalog, c, choices))]
    assert wrong == []


@pytest.mark.slow
def test_the_sets_of_two_thousand_are_those_of_brute_force(selector, catalog):
    wrong = [(c, d) for c in generated(catalog, 2000, seed=7) if (d := differences(selector, catalog, c))]
    assert wrong == []
