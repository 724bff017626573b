"""Selecting cards: requirements and a ranking in, every card's verdict, the order and the nearest ways out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from kb.errors import RequestError
from kb.selection.choice import Choice
from kb.selection.columns import FAIL, PASS, UNKNOWN, Columns, Verdicts
from kb.selection.evaluation import SKIPPED, Evaluation, evaluate
from kb.selection.interpretation import ConstraintReader, Interpretation
from kb.selection.note import Note
from kb.selection.ranking import COUNT, Criterion, Ranking, criterion, default_criteria, rank
from kb.selection.relaxation import Relaxation, relaxations
from kb.selection.requirement import Requirement
from kb.selection.scenarios import Scenario, Scenarios, Wish, scenario_named
from kb.selection.words import in_catalog_words
from kb.selection.workload import WorkloadFit
from kb.sizing import Workload
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.specs.schema import Entry, GpuSpec

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


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement held against one card.

    Attributes:
        choice: number of the choice it is part of, from 1; 0 for a requirement that must be met itself.
    """

    requirement: Requirement
    verdict: int
    entry: Entry | None
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """What came of a request.

    Attributes:
        requirements: as held against the cards, a scenario's included.
        choices: as held against the cards.
        scenario: what the ranking is for, if anything.
        wishes: preferences that count in the ranking.
        notes: what was assumed.
        interpretation: what was read out of the question.
        fit: the workload held against the cards, if there is one.
        timings_ms: by step.
    """

    columns: Columns
    requirements: tuple[Requirement, ...]
    choices: tuple[Choice, ...]
    scenario: Scenario | None
    wishes: tuple[Wish, ...]
    evaluation: Evaluation
    ranking: Ranking
    relaxations: tuple[Relaxation, ...]
    notes: tuple[Note, ...]
    interpretation: Interpretation = field(default_factory=Interpretation)
    fit: WorkloadFit | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    def require_understood(self) -> None:
        """Refuse a question of which nothing was understood: every card would seem to be meant.

        Raises:
            RequestError: names what was not understood.
        """
        read = self.interpretation
        if read.not_understood and not (self.stated or read.criteria or self.scenario or self.fit):
            lost = ", ".join(read.not_understood)
            raise RequestError(
                f"No condition was understood in the question: {lost}.",
                "Write it like: at least 80 GB, under 400 W / 显存不少于 80GB、功耗 400W 以内.",
                zh=f"问题里没有读出任何条件：{lost}。请写成：显存不少于 80GB、功耗 400W 以内。",
            )

    @property
    def stated(self) -> tuple[Requirement, ...]:
        """Every requirement, those of the choices included."""
        return (*self.requirements, *(one for choice in self.choices for one in choice.requirements))

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
        """Every requirement held against a card, those of choices last."""
        plain = self._checks(row, self.evaluation.requirements, self.evaluation.verdicts)
        return (*plain, *(check for number, _ in enumerate(self.choices, 1) for check in self._of_choice(row, number)))

    def _of_choice(self, row: int, number: int) -> Iterator[Check]:
        requirements = self.choices[number - 1].requirements
        verdicts = [self.columns.column(one.field).verdicts(one) for one in requirements]
        for check in self._checks(row, requirements, verdicts):
            yield replace(check, choice=number)

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


__all__ = ["FAIL", "PASS", "UNKNOWN", "Check", "Selection", "SelectionRequest", "Selector"]
