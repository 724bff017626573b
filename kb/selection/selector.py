"""Selecting cards: requirements and a ranking in, every card's verdict, the order and the nearest ways out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from kb.selection.columns import FAIL, PASS, UNKNOWN, Columns, Verdicts
from kb.selection.evaluation import SKIPPED, Evaluation, evaluate
from kb.selection.note import Note
from kb.selection.ranking import Criterion, Ranking, default_criteria, rank
from kb.selection.relaxation import Relaxation, relaxations
from kb.selection.requirement import Requirement
from kb.selection.scenarios import Scenario, Scenarios, Wish, scenario_named
from kb.selection.words import in_catalog_words
from kb.specs.catalog import Catalog
from kb.specs.schema import Entry, GpuSpec

_NO_CARDS = ("system", "slice")
"""Records that are no cards; only a requirement on `per` brings them in."""


@dataclass(frozen=True, slots=True)
class SelectionRequest:
    """What to select by.

    Attributes:
        requirements: stated ones; one on a field that a scenario also bounds stands in its place.
        scenario: name of one whose requirements, wishes and ranking apply.
        ranked_as: name of one whose wishes and ranking apply, without its requirements.
        rank_by: instead of the scenario's ranking.
    """

    requirements: tuple[Requirement, ...] = ()
    scenario: str | None = None
    ranked_as: str | None = None
    rank_by: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement held against one card."""

    requirement: Requirement
    verdict: int
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class Selection:
    """What came of a request.

    Attributes:
        requirements: as held against the cards, a scenario's included.
        scenario: what the ranking is for, if anything.
        wishes: preferences that count in the ranking.
        notes: what was assumed.
        not_understood: words of the question that nothing was made of.
        timings_ms: by step.
    """

    columns: Columns
    requirements: tuple[Requirement, ...]
    scenario: Scenario | None
    wishes: tuple[Wish, ...]
    evaluation: Evaluation
    ranking: Ranking
    relaxations: tuple[Relaxation, ...]
    notes: tuple[Note, ...]
    not_understood: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def passing(self) -> tuple[str, ...]:
        """Ids of the cards that pass, best first."""
        return tuple(self.columns.gpu_ids[row] for row in self.ranking.rows)

    def ids(self, verdict: int) -> tuple[str, ...]:
        """Ids of the cards of a verdict, in the order of the catalogue."""
        return tuple(self.columns.gpu_ids[row] for row in self.evaluation.rows(verdict))

    def spec(self, row: int) -> GpuSpec:
        """The record of a card."""
        return self.columns.catalog.get(self.columns.gpu_ids[row])

    def score(self, row: int) -> float | None:
        """Its score from 0 to 1; `None` where nothing ranks."""
        return self.ranking.scores.get(row)

    def checks(self, row: int) -> tuple[Check, ...]:
        """Every requirement held against a card."""
        return self._checks(row, self.evaluation.requirements, self.evaluation.verdicts)

    def wished(self, row: int) -> tuple[Check, ...]:
        """Every wish held against a card."""
        verdicts = [self.columns.column(w.requirement.field).verdicts(w.requirement) for w in self.wishes]
        return self._checks(row, [wish.requirement for wish in self.wishes], verdicts)

    def _checks(
        self, row: int, requirements: Sequence[Requirement], verdicts: Sequence[Verdicts] | Verdicts
    ) -> tuple[Check, ...]:
        entries = self.spec(row).entries
        return tuple(
            Check(one, int(found[row]), entries.get(one.field))
            for one, found in zip(requirements, verdicts, strict=True)
        )


class Selector:
    """Selects from one catalogue. Safe to share between threads."""

    def __init__(self, catalog: Catalog, scenarios: Scenarios) -> None:
        self.columns = Columns(catalog)
        self.scenarios = scenarios

    def select(self, request: SelectionRequest) -> Selection:
        """Every card's verdict, those that pass in order, and the smallest relaxations.

        Raises:
            RequestError: there is no scenario of that name.
        """
        clock = _Clock()
        scenario = scenario_named(self.scenarios, request.scenario) if request.scenario else None
        ranked_as = scenario or (scenario_named(self.scenarios, request.ranked_as) if request.ranked_as else None)
        requirements, notes = self._requirements(request, scenario)
        with clock.step("evaluate"):
            evaluation = self._evaluate(requirements)
        wishes = ranked_as.prefer if ranked_as else ()
        criteria = request.rank_by or (ranked_as.rank_by if ranked_as else default_criteria(requirements))
        with clock.step("rank"):
            preferred = [(wish.weight, evaluate(self.columns, [wish.requirement])) for wish in wishes]
            ranking = rank(self.columns, evaluation, criteria, preferred)
        with clock.step("relax"):
            relaxed = relaxations(self.columns, evaluation)
        return Selection(
            columns=self.columns,
            requirements=requirements,
            scenario=ranked_as,
            wishes=wishes,
            evaluation=evaluation,
            ranking=ranking,
            relaxations=relaxed,
            notes=notes,
            timings_ms=clock.timings_ms,
        )

    def _requirements(
        self, request: SelectionRequest, scenario: Scenario | None
    ) -> tuple[tuple[Requirement, ...], tuple[Note, ...]]:
        stated = {one.field for one in request.requirements}
        notes: list[Note] = []
        found = list(request.requirements)
        for one in scenario.require if scenario else ():
            if one.field not in stated:
                found.append(one)
            elif scenario is not None:
                notes.append(_in_place(one.field, scenario))
        resolved: list[Requirement] = []
        for one in found:
            read, said = in_catalog_words(self.columns, one)
            resolved.append(read)
            notes += said
        return tuple(dict.fromkeys(resolved)), tuple(dict.fromkeys(notes))

    def _evaluate(self, requirements: Sequence[Requirement]) -> Evaluation:
        evaluation = evaluate(self.columns, requirements)
        if any(one.field in ("per", "gpu_id") for one in requirements):
            return evaluation
        per = self.columns.column("per").verdicts(Requirement("per", "in", _NO_CARDS))
        overall = np.where(per == PASS, SKIPPED, evaluation.overall).astype(np.int8)
        return replace(evaluation, overall=overall)


def _in_place(key: str, scenario: Scenario) -> Note:
    return Note(
        f"{key}：用给出的条件代替场景“{scenario.name}”的条件。",
        f"{key}: the condition given stands in place of that of the scenario {scenario.name}.",
    )


class _Clock:
    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timings_ms[name] = round((time.perf_counter() - started) * 1e3, 3)


__all__ = ["FAIL", "PASS", "UNKNOWN", "Check", "Selection", "SelectionRequest", "Selector"]
