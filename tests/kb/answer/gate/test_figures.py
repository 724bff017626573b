"""Properties: a figure of the catalogue is right however it is written, and wrong with another digit or unit."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kb.answer.gate import FactChecker
from kb.answer.gate.fields import UNITS
from kb.answer.gate.rounding import Written, written_numbers
from kb.quantity import convert, parse_quantities
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.specs.names import NameResolver

CATALOG = Catalog.load()
CHECKER = FactChecker(CATALOG, NameResolver(CATALOG))
SPELT = {
    "GB/s": (("GB/s", 1.0), ("TB/s", 1e-3), ("Gb/s", 8.0)),
    "GB": (("GB", 1.0), ("G", 1.0), ("MB", 1e3), ("TB", 1e-3)),
    "TFLOPS": (("TFLOPS", 1.0), ("PFLOPS", 1e-3), ("GFLOPS", 1e3), ("万亿次", 1.0)),
    "TOPS": (("TOPS", 1.0), ("POPS", 1e-3)),
    "W": (("W", 1.0), ("瓦", 1.0), ("kW", 1e-3), ("watts", 1.0)),
    "bit": (("bit", 1.0), ("-bit", 1.0)),
    "MHz": (("MHz", 1.0), ("GHz", 1e-3)),
    "MB": (("MB", 1.0), ("GB", 1e-3)),
    "nm": (("nm", 1.0), ("纳米", 1.0)),
}
"""For each unit spellings of it and others, and what the number is in them."""
FIGURES = [
    (card.gpu_id, entry.key, entry.preferred)
    for card in CATALOG.gpus.values()
    if card.tier == 1 and card.per == "card"
    for entry in card.entries.values()
    if entry.state == "known" and entry.preferred and entry.preferred.low and FIELDS[entry.key].unit in SPELT
]
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
# Examples only: what they find is kept as cases, so that a run says the same on every machine.
repeatable = settings(max_examples=60, derandomize=True, deadline=None, database=None)


def verdict_of(gpu_id, key, shown, language):
    card, field = CATALOG.get(gpu_id), FIELDS[key]
    label = field.label(language)
    text = f"{card.label(language)}，{label}：{shown}。" if language == "zh" else f"{card.name} | {label}: {shown}"
    facts = [f for f in CHECKER.check(text).facts if shown.startswith(f.text) or f.text.startswith(shown)]
    assert facts, text
    return facts[0].verdict, text


@repeatable
@given(
    figure=st.sampled_from(FIGURES),
    spelling=st.integers(0, 3),
    thousands=st.booleans(),
    wide=st.booleans(),
    language=st.sampled_from(["zh", "en"]),
)
def test_a_known_figure_is_right_however_it_is_written(figure, spelling, thousands, wide, language):
    gpu_id, key, held = figure
    spellings = SPELT[held.unit]
    unit, factor = spellings[spelling % len(spellings)]
    number = float(f"{held.value * factor:.10g}")
    assume(unit != "MB" or held.unit == "MB" or number < 1e6)
    shown = f"{number:,.10g}" if thousands else f"{number:.10g}"
    shown = shown.translate(FULL_WIDTH) if wide and "." not in shown and "," not in shown else shown
    gap = "" if unit.startswith("-") else " "
    verdict, text = verdict_of(gpu_id, key, f"{shown}{gap}{unit}", language)
    assert verdict == "supported", text


@repeatable
@given(figure=st.sampled_from(FIGURES), factor=st.sampled_from([0.1, 0.7, 1.3, 2.6, 10.0, 1000.0]))
def test_another_number_is_wrong(figure, factor):
    gpu_id, key, held = figure
    number = float(f"{held.value * factor:.6g}")
    entries = CATALOG.get(gpu_id).entries
    same_unit = [f for e in entries.values() for f in (*e.figures, *e.rejected) if f.unit == held.unit and f.low]
    assume(not any(math.isclose(number, f.low, rel_tol=0.06) for f in same_unit))
    assume(held.unit != "bit" or number >= 64)
    verdict, text = verdict_of(gpu_id, key, f"{number:.10g} {held.unit}", "en")
    assert verdict == "contradicted", text


@given(value=st.floats(1, 1e5), decimals=st.integers(0, 3))
def test_what_is_rounded_half_up_is_the_same_figure(value, decimals):
    step = 10.0**-decimals
    rounded = math.floor(value / step + 0.5) * step
    assume(abs(rounded - value) <= 0.05 * value)
    assert Written(rounded, step).is_rounded_from(value)
    assume(len(f"{value:.10g}".partition(".")[2]) > decimals)
    assert not Written(rounded + 1.01 * step, step).is_rounded_from(value)


@given(value=st.integers(1, 10**6), factor=st.sampled_from([0.125, 8.0, 1e-3, 1e3]))
def test_a_unit_there_and_back_changes_no_figure(value, factor):
    written = Written(float(value), 1.0)
    assert written.scaled(factor).scaled(1 / factor).is_rounded_from(value)


@given(value=st.integers(1, 10**6), unit=st.sampled_from(sorted(unit for units in UNITS.values() for unit in units)))
def test_units_of_a_field_convert_as_they_do_elsewhere(value, unit):
    for field_unit, factors in UNITS.items():
        loose = {"GiB", "MiB", "AI TOPS", "", "million"} & {unit, field_unit}
        if unit in factors and not loose:
            assert value * factors[unit] == pytest.approx(convert(value, unit, field_unit))


@pytest.mark.parametrize(
    ("text", "value", "right"),
    [
        ("1,979 TFLOPS", 1979, True),
        ("1,978 TFLOPS", 1979, False),
        ("1,980 TFLOPS", 1979, False),
        ("about 2,000 TFLOPS", 1979, True),
        ("约 2000 TFLOPS", 1979, True),
        ("2,000 TFLOPS", 1979, False),
        ("2 PFLOPS", 1979, True),
        ("1.98 PFLOPS", 1979, True),
        ("1.97 PFLOPS", 1979, False),
        ("2 TB/s", 2039, True),
        ("2 TB/s", 1555, False),
        ("3.4 TB/s", 3350, True),
        ("3.3 TB/s", 3350, False),
        ("about 3.3 TB/s", 3350, True),
        ("989.4 TFLOPS", 989, True),
        ("990.4 TFLOPS", 989, False),
        ("about 300 W", 350, False),
    ],
)
def test_rounding_goes_by_the_digits_written(text, value, right):
    (quantity,) = parse_quantities(f"It is {text}.")
    assert written_numbers(quantity)[0].is_rounded_from(value) is right
