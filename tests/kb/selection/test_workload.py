"""A workload as a requirement: the counts of sizing, for every card."""

from __future__ import annotations

import numpy as np
import pytest

from kb.selection.columns import FAIL, PASS, UNKNOWN
from kb.selection.selector import SelectionRequest
from kb.selection.workload import WorkloadFit
from kb.sizing import accelerators_of, describe_workload, estimate_memory, refined
from kb.sizing.placement import place
from kb.specs.model_shapes import ModelShapes


@pytest.fixture(scope="module", params=["Llama 3.1 70B", "7B"])
def workload(request):
    return refined(describe_workload(ModelShapes.load(), model=request.param), context_tokens=4096, sequences=4)


def test_counts_are_those_of_sizing_each_card(selector, catalog, workload):
    fit = WorkloadFit(selector.columns, workload)
    memory = estimate_memory(workload)
    differing = [selector.columns.row_of[gpu_id] for gpu_id in ("mlu590", "atlas-300i-duo", "b200-sxm", "gb200")]
    for row in (*differing, *range(0, len(selector.columns), 7)):
        gpu_id = selector.columns.gpu_ids[row]
        if np.isnan(selector.columns.column("memory_gb").low[row]):
            assert fit.verdicts[row] == UNKNOWN
            continue
        smallest = min(accelerators_of(catalog.get(gpu_id)), key=lambda card: card.memory.value.low)
        planned = place(memory, smallest).planned
        assert fit.verdicts[row] == (FAIL if planned is None else PASS), gpu_id
        assert planned is None or fit.counts[row] == planned.cards, gpu_id


def test_fewest_cards_come_first_and_requirements_still_hold(selector, workload):
    request = SelectionRequest(question="显存至少 40GB 的英伟达卡", workload=workload)
    found = selector.select(request)
    counts = [found.fit.counts[row] for row in found.ranking.rows]
    assert counts[0] == min(counts)
    assert set(found.passing) <= set(selector.select(SelectionRequest(question=request.question)).passing)
    assert all(selector.columns.catalog.get(gpu_id).vendor == "NVIDIA" for gpu_id in found.passing)
