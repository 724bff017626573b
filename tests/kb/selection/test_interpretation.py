"""Conditions read out of words: many phrasings of one meaning, and what is not understood."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.selection.choice import as_any_of
from kb.selection.columns import FAIL, UNKNOWN
from kb.selection.requirement import as_constraints, read_constraints
from kb.selection.scenarios import load_scenarios
from kb.selection.selector import SelectionRequest, Selector
from kb.specs.catalog import Catalog

_spec = importlib.util.spec_from_file_location("wordings", Path(__file__).with_name("wordings.py"))
wordings = importlib.util.module_from_spec(_spec)
sys.modules["wordings"] = wordings  # dataclasses look their module up
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
            if got != ordered(constraints) or found.choices or found.not_understood:
                wrong.append((text, constraints, got, found.not_understood))
    return wrong


def test_a_hundred_sets_read_alike_in_both_languages(selector):
    assert misread(selector, 100, seed=20261130, each=2) == []


@pytest.mark.slow
def test_a_thousand_sets_read_alike_in_both_languages(selector):
    assert misread(selector, 1000, seed=4, each=3) == []


READINGS = yaml.safe_load(Path(__file__).with_name("readings.yaml").read_text(encoding="utf-8"))
TEXTS = [(text, row) for row in READINGS for text in row["texts"]]


@pytest.mark.parametrize(("text", "row"), TEXTS, ids=[text for text, _ in TEXTS])
def test_is_read_as(selector, text, row):
    got, found = read(selector, text)
    assert got == ordered(row["constraints"])
    assert as_any_of(found.choices) == row.get("any_of", [])
    assert list(found.not_understood) == row.get("lost", [])
    assert [[one.field, one.order] for one in found.criteria] == row.get("rank_by", [])
    assert (found.limit, found.scenario) == (row.get("limit"), row.get("scenario"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("48GB 显存的卡", "正好等于"),
        ("算力 ≥ 300 TFLOPS", "FP16"),
        ("2022 年之后发布", "包含 2022"),
        ("显存约 48GB", "10%"),
        ("显存≥48GB 或带宽≥1TB/s", "或"),
    ],
)
def test_what_is_assumed_is_said(selector, text, words):
    assert any(words in note.zh and note.en for note in selector.interpret(text).notes)


@pytest.mark.parametrize(
    "text", ["", "   ", "？", "≥", "GB", "≥ ≤", "不", "显存", "的的的", "\x00\n", "200", "x" * 2000]
)
def test_any_text_is_read(selector, text):
    assert selector.interpret(text).requirements == ()


@pytest.mark.parametrize(
    "text", ["显存至少 80GB、功耗低于 400W", "at least 80 GB, under 400 W, dense FP16 over 300 TFLOPS"]
)
def test_width_case_and_spaces_change_nothing(selector, text):
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)
    plain, _ = read(selector, text)
    assert plain
    for other in (wide, text.upper(), text.lower(), text.replace(" ", "  "), f" {text} ", f"{text}。"):
        got, found = read(selector, other)
        assert got == plain
        assert found.not_understood == ()


PIECES = """
    显存 带宽 功耗 算力 INT8 FP16 至少 不超过 以上 以内 超过 低于 ≥ < = 到 和 或 、 ， ( ) 不 没有 支持 非 除 外
    英伟达 AMD 国产 HBM3 PCIe5.0 NVLink L4 A100 80GB 300W 2TB/s 200TOPS 2022年 之后 约 前 5 款 按 排序 每瓦 -5 1e3 两百
    memory at-least under between and or-more without sparse dense more than the 比 高 大
"""


@given(st.lists(st.sampled_from(PIECES.split()), max_size=14), st.sampled_from(["", " "]))
@settings(max_examples=150, deadline=None)
def test_any_words_are_read_into_requirements_that_can_be_held(pieces, joint):
    found = SELECTOR.select(SelectionRequest(question=joint.join(pieces)))
    assert read_constraints(as_constraints(found.requirements)) == found.requirements
    assert len(found.passing) + found.evaluation.count(FAIL) + found.evaluation.count(UNKNOWN) <= len(found.columns)


SELECTOR = Selector(Catalog.load(), load_scenarios())
