"""Ranking, scenarios and relaxations over the shipped catalogue."""

from __future__ import annotations

import itertools

import pytest

from kb.errors import ConfigError, RequestError
from kb.selection.columns import FAIL, PASS, UNKNOWN
from kb.selection.ranking import criterion
from kb.selection.requirement import Requirement, read_constraints, require
from kb.selection.scenarios import load_scenarios
from kb.selection.selector import SelectionRequest, Selector


def select(selector, constraints=(), **request):
    return selector.select(SelectionRequest(read_constraints(dict(constraints)), **request))


def entry(selector, gpu_id, field):
    return selector.columns.catalog.entry(gpu_id, field)


# ---------------------------------------------------------------- order


def test_one_criterion_orders_by_its_figure(selector):
    found = select(selector, {"memory_gb": {"gte": 64}}, rank_by=(criterion("memory_bandwidth_gb_s"),))
    figures = [
        bounds[0]
        for gpu_id in found.passing
        if (bounds := entry(selector, gpu_id, "memory_bandwidth_gb_s").bounds) is not None
    ]
    assert figures == sorted(figures, reverse=True)
    assert found.score(found.ranking.rows[0]) == 1.0


def test_less_is_better_where_the_field_says_so(selector):
    found = select(selector, {"memory_gb": {"gte": 80}}, rank_by=(criterion("tdp_w"),))
    watts = [selector.columns.column("tdp_w").high[row] for row in found.ranking.rows]
    known = [value for value in watts if value == value]
    assert known == sorted(known)
    assert watts[: len(known)] == known  # what nobody publishes comes last


def test_what_nobody_publishes_scores_nothing_and_is_named(selector):
    found = select(selector, {"memory_gb": {"gte": 80}}, rank_by=(criterion("price_usd"),))
    last = found.ranking.rows[-1]
    assert found.score(last) == 0
    assert [one.field for one in found.ranking.missing(last)] == ["price_usd"]


def test_a_quotient_counts_a_board_as_a_whole(selector):
    """The A16 carries four GPUs: their throughput together over the board's power, not one GPU's."""
    ranking = select(selector, {"gpu_id": {"eq": "a16"}}, rank_by=(criterion("memory_bandwidth_gb_s/tdp_w"),)).ranking
    value = ranking.parts[0][selector.columns.row_of["a16"]]
    one = entry(selector, "a16", "memory_bandwidth_gb_s").value
    assert value == pytest.approx(4 * one / 250)


def test_a_board_of_the_second_tier_counts_as_a_whole_too(selector):
    ranking = select(selector, {"gpu_id": {"eq": "tesla-k80"}}, rank_by=(criterion("fp32_tflops/tdp_w"),)).ranking
    one = entry(selector, "tesla-k80", "fp32_tflops").value
    assert ranking.parts[0][selector.columns.row_of["tesla-k80"]] == pytest.approx(2 * one / 300)
    of_board = select(selector, {"per": {"eq": "gpu_of_board"}}).passing
    assert {"a16", "tesla-k80", "grid-k1"} <= set(of_board)


def test_weights_decide(selector):
    constraints = {"gpu_id": {"in": ["l4", "a100-pcie-80gb"]}}
    parts = [("int8_tops", 1.0), ("tdp_w", 1.0)]
    heavy = [
        tuple(criterion(field, weight=w * (9 if field == first else 1)) for field, w in parts) for first, _ in parts
    ]
    first, second = (select(selector, constraints, rank_by=criteria).passing for criteria in heavy)
    assert (first[0], second[0]) == ("a100-pcie-80gb", "l4")


def test_equal_cards_keep_tier_and_order(selector):
    found = select(selector, {"vendor": {"eq": "NVIDIA"}})
    tiers = [int(selector.columns.tiers[row]) for row in found.ranking.rows]
    assert tiers == sorted(tiers)
    assert found.score(found.ranking.rows[0]) is None


def test_fit_prefers_the_card_that_just_does(selector):
    found = select(selector, {"memory_gb": {"gte": 40}, "vendor": {"eq": "NVIDIA"}}, rank_by=(criterion("fit"),))
    assert entry(selector, found.passing[0], "memory_gb").value == 40


@pytest.mark.parametrize("field", ["memory_type", "int8_tops/vendor", "a/b/c", "nothing"])
def test_what_has_no_order_ranks_nothing(field):
    with pytest.raises(RequestError):
        criterion(field)


# ---------------------------------------------------------------- relaxations

SETS = (
    {"memory_gb": {"gte": 100}, "tdp_w": {"lt": 100}, "memory_type": {"eq": "HBM3"}},
    {"int8_tops": {"gt": 600}, "tdp_w": {"lte": 250}},
    {"memory_gb": {"gte": 400}},
    {"released_on": {"gte": "2026"}, "memory_gb": {"gte": 24}},
    {"rt_cores": {"exists": True}, "memory_type": {"in": ["HBM2", "HBM2e"]}},
    {"fp16_tensor_tflops": {"gte": 900}, "tdp_w": {"lte": 300}, "interconnect": {"exists": True}},
)


@pytest.mark.parametrize("constraints", SETS)
def test_relaxations_add_what_they_say_and_nothing_smaller_does(selector, constraints):
    found = select(selector, constraints)
    assert found.relaxations
    for relaxation in found.relaxations:
        relaxed = _with_changes(found, relaxation.changes)
        again = selector.select(SelectionRequest(relaxed))
        added = set(again.passing) - set(found.passing)
        assert added == {selector.columns.gpu_ids[row] for row in relaxation.added} != set()
        for change in relaxation.changes:  # half of it, or one change fewer, adds none of these cards
            part = [one for one in relaxation.changes if one is not change]
            halfway = _halfway(change)
            for fewer in (part, [*part, halfway] if halfway else part):
                passing = set(selector.select(SelectionRequest(_with_changes(found, fewer))).passing)
                assert not passing & added


def _with_changes(found, changes):
    to = {change.requirement: change.to for change in changes}
    kept = (to.get(requirement, requirement) for requirement in found.requirements)
    return tuple(requirement for requirement in kept if requirement is not None)


def _halfway(change):
    if change.to is None or not isinstance(change.to.value, float):
        return None
    value = (float(change.requirement.value) + change.to.value) / 2
    return type(change)(change.requirement, Requirement(change.to.field, change.to.operator, value))


def test_relaxations_come_cheapest_first(selector):
    costs = [one.cost for one in select(selector, SETS[1]).relaxations]
    assert costs == sorted(costs)


# ---------------------------------------------------------------- scenarios


@pytest.mark.parametrize("name", ["inference", "training", "finetuning", "graphics"])
def test_a_scenario_requires_ranks_and_wishes(selector, name):
    found = select(selector, scenario=name)
    scenario = selector.scenarios[name]
    assert found.requirements == scenario.require
    assert found.ranking.criteria == scenario.rank_by
    assert found.passing


def test_a_wish_leaves_no_card_out_and_lifts_those_that_meet_it(selector):
    scenario = selector.scenarios["video"]
    found = select(selector, {"gpu_id": {"in": ["l4", "iluvatar-mr-v100", "t4"]}}, scenario="video")
    assert len(found.passing) == 3
    assert found.passing[0] == "iluvatar-mr-v100"
    row = selector.columns.row_of["t4"]
    assert [check.verdict for check in found.wished(row)] == [UNKNOWN] * len(scenario.prefer)


def test_a_named_use_without_conditions_brings_its_own(selector):
    plain = select(selector, question="推荐几款推理卡")
    assert plain.requirements == selector.scenarios["inference"].require
    own = select(selector, question="推荐几款 75 瓦以内的推理卡")
    assert own.requirements == (require("tdp_w", "lte", 75),)
    assert own.ranking.criteria == selector.scenarios["inference"].rank_by
    assert "t4" in own.passing


def test_a_file_of_ones_own(tmp_path, catalog):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "edge:\n  zh: 做边缘\n  en: the edge\n  words: [边缘卡]\n  require: {tdp_w: {lte: 75 W}}\n"
        "  rank_by: [{field: int8_tops/tdp_w, weight: 2}, {field: price_usd}]\n",
        encoding="utf-8",
    )
    selector = Selector(catalog, load_scenarios(path))
    found = select(selector, scenario="edge")
    assert found.requirements == (require("tdp_w", "lte", 75),)
    assert [(one.field, one.order, one.weight) for one in found.ranking.criteria] == [
        ("int8_tops/tdp_w", "desc", 2.0),
        ("price_usd", "asc", 1.0),
    ]
    assert selector.interpret("边缘卡").scenario == "edge"
    with pytest.raises(RequestError, match="edge"):
        select(selector, scenario="inference")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("edge: {zh: 边缘}", r"edge.en"),
        ("edge: {zh: a, en: b, requires: {}}", r"edge.requires"),
        ("edge: {zh: a, en: b, require: {tdp: {lte: 75}}}", r"edge: There is no field 'tdp'"),
        ("edge: {zh: a, en: b, require: {tdp_w: {below: 75}}}", r"edge: .*no operator"),
        ("edge: {zh: a, en: b, rank_by: [{field: memory_type}]}", r"edge: memory_type has no order"),
        ("edge: {zh: a, en: b, rank_by: [{field: tdp_w, weight: -1}]}", r"edge.rank_by.0.weight"),
        ("edge: {zh: a, en: b, prefer: [{field: tdp_w, weight: 1}]}", r"needs one operator"),
        ("edge: {zh: a, en: b, show: [tdp]}", r"edge: There is no field 'tdp'"),
        ("Edge: {zh: a, en: b}", r"Edge"),
        ("- edge", r"the file|dictionary"),
        ("edge: [", r"no valid YAML"),
    ],
)
def test_a_wrong_file_is_named_with_the_place(tmp_path, text, words):
    path = tmp_path / "wrong.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=words) as caught:
        load_scenarios(path)
    assert "wrong.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"nothing\.yaml"):
        load_scenarios(tmp_path / "nothing.yaml")


# ---------------------------------------------------------------- words of the catalogue


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("vendor", "英伟达", {"NVIDIA"}),
        ("vendor", "moore-threads", {"Moore Threads"}),
        ("pcie", "pcie 5.0", {"PCIe 5.0 x16", "PCIe 5.0 x8"}),
        ("memory_type", "hbm2E", {"HBM2e"}),
        ("interconnect", "NVLink 4", {"NVLink 4"}),
        ("architecture", "RDNA 3", {"RDNA 3.0"}),
    ],
)
def test_texts_are_taken_as_the_catalogue_writes_them(selector, field, value, words):
    (found,) = select(selector, {field: {"eq": value}}).requirements
    assert set(found.values) == words


def test_a_text_that_no_card_has_is_said(selector):
    found = select(selector, {"memory_type": {"eq": "HBM9"}})
    assert found.passing == ()
    assert any("HBM9" in note.en and "HBM2" in note.en for note in found.notes)


# ---------------------------------------------------------------- the whole


def test_systems_are_no_cards(selector):
    columns = selector.columns
    per = {gpu_id: columns.catalog.get(gpu_id).per for gpu_id in columns.gpu_ids}
    found = select(selector, {"memory_gb": {"gte": 1}})
    judged = {*found.ids(PASS), *found.ids(FAIL), *found.ids(UNKNOWN)}
    assert judged == {gpu_id for gpu_id, what in per.items() if what not in ("system", "slice")}


def test_sets_do_not_depend_on_the_order_of_constraints(selector):
    for constraints in SETS:
        for order in itertools.permutations(constraints.items()):
            assert set(select(selector, dict(order)).ids(UNKNOWN)) == set(select(selector, constraints).ids(UNKNOWN))
