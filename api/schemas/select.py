"""`/v1/select`: what is required and how to rank."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from api.schemas.common import Count, Flag, Number, RequestModel, ShortText, wrong
from api.schemas.size import WorkloadIn
from kb.errors import RequestError
from kb.selection.choice import read_choices
from kb.selection.ranking import Criterion, criterion
from kb.selection.requirement import OPERATORS, read_constraints
from kb.selection.selector import SelectionRequest
from kb.sizing import Workload
from kb.types import MAX_QUESTION

_MOST_CONSTRAINTS = 50
_MOST_RESULTS = 5000

Value = Flag | Number | ShortText | Annotated[list[Number | ShortText], Field(min_length=1, max_length=2000)]
Operators = Annotated[dict[str, Value], Field(min_length=1, max_length=len(OPERATORS))]
Alternatives = Annotated[list[dict[ShortText, Operators]], Field(min_length=2, max_length=_MOST_CONSTRAINTS)]


class RankIn(RequestModel):
    """One part of the ranking."""

    field: Annotated[ShortText, Field(description="A field, a quotient `a/b` of two fields, `fit` or `count`.")]
    order: Literal["asc", "desc"] | None = None
    weight: Annotated[Number, Field(gt=0, le=1e6)] = 1.0

    def to_criterion(self) -> Criterion:
        """The library's criterion."""
        return criterion(self.field, self.order, self.weight)


class SelectIn(RequestModel):
    """A selection: constraints, a question, a scenario, or several of them together.

    Without `limit` 20 cards are sent, or as many as the question asks for.
    """

    constraints: Annotated[dict[ShortText, Operators], Field(max_length=_MOST_CONSTRAINTS, default_factory=dict)]
    any_of: Annotated[
        list[Alternatives],
        Field(
            max_length=_MOST_CONSTRAINTS,
            default_factory=list,
            description="Choices; of each one of the alternatives has to be met, in full.",
        ),
    ]
    question: Annotated[str, StringConstraints(max_length=MAX_QUESTION)] = ""
    scenario: ShortText | None = None
    workload: WorkloadIn | None = None
    rank_by: Annotated[tuple[RankIn, ...], Field(max_length=20)] = ()
    limit: Annotated[Count, Field(ge=1, le=_MOST_RESULTS)] | None = None
    explain: Annotated[Flag, Field(description="Show every check of the rejected and unknown cards too.")] = False
    language: Literal["auto", "zh", "en"] = "auto"

    @field_validator("constraints")
    @classmethod
    def _possible(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            read_constraints(value)
        except RequestError as error:
            raise wrong(str(error), error.zh or str(error)) from None
        return value

    @field_validator("any_of")
    @classmethod
    def _choosable(cls, value: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
        try:
            read_choices(value)
        except RequestError as error:
            raise wrong(str(error), error.zh or str(error)) from None
        return value

    @field_validator("rank_by")
    @classmethod
    def _rankable(cls, value: tuple[RankIn, ...]) -> tuple[RankIn, ...]:
        try:
            for part in value:
                part.to_criterion()
        except RequestError as error:
            raise wrong(str(error), error.zh or str(error)) from None
        return value

    @model_validator(mode="after")
    def _asks_something(self) -> SelectIn:
        asks = any(map(str.isalnum, self.question))
        if not (self.constraints or self.any_of or asks or self.scenario or self.workload or self.rank_by):
            raise wrong(
                "Give constraints, a question, a scenario, a workload or rank_by",
                "请给出 constraints、question、scenario、workload、rank_by 中的至少一项",
            )
        return self

    def to_request(self, workload: Workload | None) -> SelectionRequest:
        """The library's request."""
        return SelectionRequest(
            requirements=read_constraints(self.constraints),
            choices=read_choices(self.any_of),
            question=self.question,
            scenario=self.scenario,
            rank_by=tuple(part.to_criterion() for part in self.rank_by),
            workload=workload,
        )
