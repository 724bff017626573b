"""What came of a selection: every card's verdict, the order, the nearest ways out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.errors import RequestError
from kb.selection.choice import Choice
from kb.selection.columns import Columns, Verdicts
from kb.selection.evaluation import Evaluation
from kb.selection.interpretation import Interpretation
from kb.selection.note import Note
from kb.selection.ranking import Ranking
from kb.selection.relaxation import Relaxation
from kb.selection.requirement import Requirement
from kb.selection.scenarios import Scenario, Wish
from kb.selection.workload import WorkloadFit
from kb.specs.schema import Entry, GpuSpec


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
