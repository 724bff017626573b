"""Selecting cards: requirements and a ranking in, every card's verdict, the order and the nearest ways out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from kb.selection.choice import Choice
from kb.selection.columns import PASS, Columns
from kb.selection.evaluation import SKIPPED, Evaluation, evaluate
from kb.selection.interpretation import ConstraintReader, Interpretation
from kb.selection.note import Note
from kb.selection.ranking import COUNT, Criterion, criterion, default_criteria, rank
from kb.selection.relaxation import relaxations
from kb.selection.requirement import Requirement
from kb.selection.result import Selection
from kb.selection.scenarios import Scenario, Scenarios, scenario_named
from kb.selection.words import in_catalog_words
from kb.selection.workload import WorkloadFit
from kb.sizing import Workload
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

_NO_CARDS = ("system", "slice")
"""Records that are no cards; only a requirement on `per` brings them in."""


@dataclass(frozen=True, slots=True)
class SelectionRequest:
    """What to select by.

    Attributes:
        requirements: stated ones; they stand in place of a question's or a scenario's on the same field.
        choices: of each a card has to meet one alternative.
        question: conditions in words. The use it names ranks; where it names no condition, that use's requirements
            apply too.
        scenario: name of one whose requirements, wishes and ranking apply.
        rank_by: instead of the question's or the scenario's ranking.
        workload: cards are counted that hold it; a card that cannot, in any number, fails.
    """

    requirements: tuple[Requirement, ...] = ()
    choices: tuple[Choice, ...] = ()
    question: str = ""
    scenario: str | None = None
    rank_by: tuple[Criterion, ...] = ()
    workload: Workload | None = None


class Selector:
    """Selects from one catalogue. Safe to share between threads."""

    def __init__(self, catalog: Catalog, scenarios: Scenarios, resolver: NameResolver | None = None) -> None:
        self.columns = Columns(catalog)
        self.scenarios = scenarios
        self._reader = ConstraintReader(self.columns, resolver or NameResolver(catalog), scenarios)

    def interpret(self, question: str) -> Interpretation:
        """The conditions of a question in Chinese or English, and what of it was not understood."""
        return self._reader.read(question)

    def select(self, request: SelectionRequest) -> Selection:
        """Every card's verdict, those that pass in order, and the smallest relaxations.

        Raises:
            RequestError: there is no scenario of that name.
        """
        clock = _Clock()
        with clock.step("interpret"):
            read = self.interpret(request.question) if request.question.strip() else Interpretation()
        scenario = self._scenario(request, read)
        ranked_as = scenario or (self.scenarios[read.scenario] if read.scenario else None)
        requirements, notes = self._requirements(request, read, scenario)
        choices, choice_notes = self._choices(request, read)
        with clock.step("evaluate"):
            evaluation = self._evaluate(requirements, choices)
        with clock.step("size"):
            fit = WorkloadFit(self.columns, request.workload) if request.workload is not None else None
            evaluation = evaluation if fit is None else _with_fit(evaluation, fit)
        wishes = ranked_as.prefer if ranked_as else ()
        criteria = request.rank_by or read.criteria or (ranked_as.rank_by if ranked_as else ())
        bounded = (*requirements, *(one for choice in choices for one in choice.requirements))
        criteria = criteria or _plain_criteria(bounded, fit)
        with clock.step("rank"):
            preferred = [(wish.weight, evaluate(self.columns, [wish.requirement])) for wish in wishes]
            ranking = rank(self.columns, evaluation, criteria, preferred, None if fit is None else fit.counts)
        with clock.step("relax"):
            held = evaluation if fit is None else _only_fitting(evaluation, fit)
            relaxed = relaxations(self.columns, held)
        return Selection(
            columns=self.columns,
            requirements=requirements,
            choices=choices,
            scenario=ranked_as,
            wishes=wishes,
            evaluation=evaluation,
            ranking=ranking,
            relaxations=relaxed,
            notes=tuple(dict.fromkeys((*read.notes, *notes, *choice_notes))),
            interpretation=read,
            fit=fit,
            timings_ms=clock.timings_ms,
        )

    def _scenario(self, request: SelectionRequest, read: Interpretation) -> Scenario | None:
        """The use whose requirements apply."""
        if request.scenario:
            return scenario_named(self.scenarios, request.scenario)
        is_all = read.scenario is not None and not (read.stated or request.requirements or request.choices)
        return self.scenarios[read.scenario] if is_all and read.scenario else None

    def _requirements(
        self, request: SelectionRequest, read: Interpretation, scenario: Scenario | None
    ) -> tuple[tuple[Requirement, ...], tuple[Note, ...]]:
        notes: list[Note] = []
        found = list(request.requirements)
        for name, further in (("question", read.requirements), ("scenario", scenario.require if scenario else ())):
            stated = {one.field for one in found}
            found += [one for one in further if one.field not in stated]
            replaced = dict.fromkeys(one.field for one in further if one.field in stated)
            notes += [_in_place(key, name) for key in replaced]
        resolved = self._in_catalog_words(found, notes)
        return tuple(dict.fromkeys(resolved)), tuple(dict.fromkeys(notes))

    def _choices(self, request: SelectionRequest, read: Interpretation) -> tuple[tuple[Choice, ...], tuple[Note, ...]]:
        """The choices of a request; one of the question gives way where the request says something of its fields."""
        notes: list[Note] = []
        stated = {one.field for one in request.requirements}
        kept = [choice for choice in read.choices if not stated & set(choice.fields)]
        dropped = [key for choice in read.choices if choice not in kept for key in choice.fields if key in stated]
        notes += [_in_place(key, "question") for key in dict.fromkeys(dropped)]
        resolved = [
            Choice(tuple(tuple(self._in_catalog_words(one, notes)) for one in choice.alternatives))
            for choice in (*request.choices, *kept)
        ]
        return tuple(dict.fromkeys(resolved)), tuple(notes)

    def _in_catalog_words(self, requirements: Iterable[Requirement], notes: list[Note]) -> list[Requirement]:
        found = []
        for one in requirements:
            written, said = in_catalog_words(self.columns, one)
            found.append(written)
            notes += said
        return found

    def _evaluate(self, requirements: Sequence[Requirement], choices: Sequence[Choice]) -> Evaluation:
        evaluation = evaluate(self.columns, requirements, choices)
        stated = (*requirements, *(one for choice in choices for one in choice.requirements))
        if any(one.field in ("per", "gpu_id") for one in stated):
            return evaluation
        per = self.columns.column("per").verdicts(Requirement("per", "in", _NO_CARDS))
        overall = np.where(per == PASS, SKIPPED, evaluation.overall).astype(np.int8)
        return replace(evaluation, overall=overall)


def _plain_criteria(requirements: Sequence[Requirement], fit: WorkloadFit | None) -> tuple[Criterion, ...]:
    """What ranks where nobody says: few cards for a workload, and what is bounded."""
    return (*((criterion(COUNT),) if fit is not None else ()), *default_criteria(requirements))


def _with_fit(evaluation: Evaluation, fit: WorkloadFit) -> Evaluation:
    overall = np.minimum(evaluation.overall, fit.verdicts)
    return replace(evaluation, overall=overall)


def _only_fitting(evaluation: Evaluation, fit: WorkloadFit) -> Evaluation:
    """What relaxing a requirement cannot help is left out of account."""
    return replace(evaluation, overall=np.where(fit.verdicts == PASS, evaluation.overall, SKIPPED).astype(np.int8))


def _in_place(key: str, of: str) -> Note:
    zh = {"question": "问题里", "scenario": "场景里"}[of]
    return Note(f"{key}：用给出的条件代替{zh}的条件。", f"{key}: the condition given stands in place of the {of}'s.")


class _Clock:
    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timings_ms[name] = round((time.perf_counter() - started) * 1e3, 3)
