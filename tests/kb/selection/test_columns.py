from __future__ import annotations

import numpy as np
import pytest

from kb.selection.attributes import ATTRIBUTES, kind_of, value_of
from kb.selection.columns import FAIL, PASS, UNKNOWN, Cell, Column, Columns, cell_of, judge
from kb.selection.requirement import require
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS


def test_columns_made_without_records_are_those_of_the_records(selector, catalog):
    for key in FIELDS:
        words: dict[str, int] = {}
        cells = [cell_of(spec.entries[key], kind_of(key), words) for spec in catalog.gpus.values()]
        slow, quick = Column(key, cells, words), selector.columns.column(key)
        assert quick.words == slow.words
        for name in ("low", "high", "has", "is_whole"):
            np.testing.assert_array_equal(getattr(quick, name), getattr(slow, name), err_msg=key)
        silent = require(key, "exists", True)
        np.testing.assert_array_equal(quick.verdicts(silent), slow.verdicts(silent), err_msg=key)


@pytest.mark.parametrize(
    ("gpu_id", "field", "operator", "value", "verdict"),
    [
        # a range: 40 to 60 W
        ("a2", "tdp_w", "lte", 60, PASS),
        ("a2", "tdp_w", "lte", 59, UNKNOWN),
        ("a2", "tdp_w", "lt", 40, FAIL),
        ("a2", "tdp_w", "eq", 50, UNKNOWN),
        ("a2", "tdp_w", "eq", 70, FAIL),
        # sources disagree, 192 or 384 TOPS: a bound that both meet is met
        ("iluvatar-mr-v100", "int8_tops", "gte", 192, PASS),
        ("iluvatar-mr-v100", "int8_tops", "gt", 192, UNKNOWN),
        ("iluvatar-mr-v100", "int8_tops", "gt", 384, FAIL),
        ("iluvatar-mr-v100", "int8_tops", "eq", 192, UNKNOWN),
        ("iluvatar-mr-v100", "int8_tops", "eq", 256, FAIL),
        ("iluvatar-mr-v100", "int8_tops", "in", [192, 384], PASS),
        # versions of 48 and 96 GB
        ("atlas-300i-duo", "memory_gb", "gte", 48, PASS),
        ("atlas-300i-duo", "memory_gb", "gte", 64, UNKNOWN),
        ("atlas-300i-duo", "memory_gb", "eq", 64, FAIL),
        # no settled figure, but all that circulate agree on the bound
        ("mlu590", "memory_gb", "gte", 40, PASS),
        ("mlu590", "memory_gb", "gte", 80, UNKNOWN),
        # one doubtful figure decides nothing
        ("mtt-s80", "tdp_w", "lte", 500, UNKNOWN),
        # a known lack is a failure, whatever the bound
        ("a100-sxm4-80gb", "fp8_tensor_tflops", "gte", 1, FAIL),
        ("a100-sxm4-80gb", "fp8_tensor_tflops", "lte", 1, FAIL),
        ("a100-sxm4-80gb", "fp8_tensor_tflops", "exists", False, PASS),
        ("a100-sxm4-80gb", "rt_cores", "exists", True, FAIL),
        ("t4", "rt_cores", "exists", True, PASS),
        ("t4", "interconnect", "not_in", ["NVLink 4"], PASS),
        # nobody publishes it
        ("t4", "video_decode_1080p30", "gte", 1, UNKNOWN),
        ("t4", "video_decode_1080p30", "exists", True, UNKNOWN),
        ("t4", "video_decode_1080p30", "not_in", [64], UNKNOWN),
        # announced in 2023, on sale in 2024
        ("h200-sxm-141gb", "released_on", "gte", "2023", PASS),
        ("h200-sxm-141gb", "released_on", "gte", "2024", UNKNOWN),
        ("h200-sxm-141gb", "released_on", "gt", "2024", FAIL),
        # dense is not sparse
        ("a100-sxm4-80gb", "int8_tops", "gte", 1000, FAIL),
        ("a100-sxm4-80gb", "int8_tops_sparse", "gte", 1000, PASS),
    ],
)
def test_three_values(selector, catalog, gpu_id, field, operator, value, verdict):
    requirement = require(field, operator, value)
    row = selector.columns.row_of[gpu_id]
    assert selector.columns.column(field).verdicts(requirement)[row] == verdict
    assert judge(catalog.entry(gpu_id, field), requirement) == verdict


def test_a_catalogue_without_cards_has_empty_columns():
    columns = Columns(Catalog.empty())
    assert len(columns.column("memory_gb").verdicts(require("memory_gb", "gte", 1))) == 0
    assert len(columns.column("tier").low) == 0


def test_columns_of_attributes_are_those_of_the_records(selector, catalog):
    for key in ATTRIBUTES:
        words: dict[str, int] = {}
        cells = []
        for spec in catalog.gpus.values():
            value = value_of(spec, key)
            if value is None:
                cells.append(Cell((), 2))
                continue
            number = value if isinstance(value, float) else float(words.setdefault(value, len(words)))
            cells.append(Cell(((number, number),), 0))
        slow, quick = Column(key, cells, words), selector.columns.column(key)
        assert quick.words == slow.words
        np.testing.assert_array_equal(quick.low, slow.low, err_msg=key)
