"""Which card comes first: a weighted mean over what matters, each part relative to the best of the cards ranked.

A part is a field, a quotient of two fields (`int8_tops/tdp_w`), or `fit`. Where more is better a card's part is its
figure over the best one's, where less is better the best one's over its own; so 0.5 means half as good. Of several
figures, or of a range, the less favourable end counts. What nobody publishes scores nothing and is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from kb.errors import RequestError
from kb.selection.attributes import kind_of, label_of, unit_of_field
from kb.selection.columns import PASS, Columns, Floats
from kb.selection.evaluation import Evaluation
from kb.selection.requirement import BOUNDS, Requirement
from kb.specs.fields import FIELDS
from kb.types import Language

Order = Literal["desc", "asc"]
FIT: Final = "fit"
COUNT: Final = "count"
_OWN: Final[Mapping[str, tuple[str, str, Order]]] = {
    FIT: ("贴合程度", "fit", "desc"),
    COUNT: ("需要的张数", "cards needed", "asc"),
}


@dataclass(frozen=True, slots=True)
class Criterion:
    """One part of a ranking; make it with `criterion`, which checks it.

    Attributes:
        field: a number or date field, a quotient `a/b` of two number fields, `fit` or `count`.
        order: `desc` puts the highest first.
        weight: its share, relative to the other parts' weights.
    """

    field: str
    order: Order
    weight: float = 1.0

    @property
    def keys(self) -> tuple[str, ...]:
        """The catalogue's fields it is made of."""
        return () if self.field in _OWN else tuple(self.field.split("/"))

    @property
    def unit(self) -> str:
        """The unit of its values; empty where it has none."""
        units = [unit_of_field(key) for key in self.keys]
        return "/".join(units) if all(units) else ""

    def label(self, language: Language) -> str:
        """What it is called."""
        return measure_label(self.field, language)


def measure_label(field: str, language: Language) -> str:
    """What a field, a quotient of two, or one of the ranking's own measures is called."""
    if field in _OWN:
        return _OWN[field][0 if language == "zh" else 1]
    return " / ".join(label_of(key, language) for key in field.split("/"))


def criterion(field: str, order: str | None = None, weight: float = 1.0) -> Criterion:
    """A checked part of a ranking; without `order` the better end of the field comes first.

    Raises:
        RequestError: no such field, one that has no order, or a weight that is not above 0.
    """
    if not 0 < weight < float("inf"):
        raise RequestError(
            f"{field}: a weight is a number above 0, not {weight!r}.", zh=f"{field}：权重要大于 0，不是 {weight!r}。"
        )
    if order not in (None, "asc", "desc"):
        raise RequestError(
            f"{field}: the order {order!r} is unknown.", "Use asc or desc.", zh=f"{field}：顺序用 asc 或 desc。"
        )
    if field in _OWN:
        return Criterion(field, order or _OWN[field][2], weight)  # type: ignore[arg-type]
    keys = field.split("/")
    kinds = [kind_of(key) for key in keys]
    if len(keys) > 2 or "text" in kinds or (len(keys) == 2 and "date" in kinds):
        raise RequestError(
            f"{field} has no order.",
            "Rank by a number, a date, a quotient a/b of two numbers, or fit.",
            zh=f"{field} 不能排序；可用数字、日期、两个数字之比 a/b，或 fit、count。",
        )
    return Criterion(field, order or _better(keys), weight)  # type: ignore[arg-type]


def _better(keys: Sequence[str]) -> Order:
    return "asc" if keys[0] in FIELDS and FIELDS[keys[0]].better == "lower" else "desc"


def default_criteria(requirements: Sequence[Requirement]) -> tuple[Criterion, ...]:
    """The fields that are bounded, each by its better end and alike in weight: who asks for at least wants more."""
    found: dict[str, Criterion] = {}
    for one in requirements:
        if one.operator in BOUNDS and one.field in FIELDS and FIELDS[one.field].kind == "number":
            found.setdefault(one.field, Criterion(one.field, "asc" if one.operator in ("lte", "lt") else "desc"))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranked cards.

    Attributes:
        rows: the cards, best first.
        scores: by card, from 0 to 1; empty where nothing ranks them.
        parts: for each criterion the value of every card, NaN where it has none.
    """

    criteria: tuple[Criterion, ...]
    rows: tuple[int, ...]
    scores: Mapping[int, float]
    parts: tuple[Floats, ...]

    def missing(self, row: int) -> tuple[Criterion, ...]:
        """The criteria that a card has no certain figure for."""
        return tuple(one for one, part in zip(self.criteria, self.parts, strict=True) if np.isnan(part[row]))


def rank(
    columns: Columns,
    evaluation: Evaluation,
    criteria: Sequence[Criterion],
    preferred: Sequence[tuple[float, Evaluation]] = (),
    counts: Floats | None = None,
) -> Ranking:
    """Order the cards that pass; equal ones by tier, then as the catalogue lists them.

    Args:
        columns: of the catalogue.
        evaluation: of the requirements.
        criteria: what counts.
        preferred: wishes with their weights; one that is met adds its weight, an unknown one nothing.
        counts: how many of each card are needed, where a workload says so.
    """
    rows = np.array(evaluation.rows(PASS), np.intp)
    parts = tuple(values_of(columns, one, evaluation.requirements, counts) for one in criteria)
    total = np.zeros(len(rows))
    weight = 0.0
    for one, part in zip(criteria, parts, strict=True):
        total += one.weight * _relative(part[rows], one.order, is_date=_is_date(one))
        weight += one.weight
    for wish_weight, wish in preferred:
        total += wish_weight * (wish.overall[rows] == PASS)
        weight += wish_weight
    scores = np.round(total / weight, 6) if weight else total
    order = np.lexsort((rows, columns.tiers[rows], -scores))
    ranked = tuple(int(rows[position]) for position in order)
    by_row = {int(row): float(score) for row, score in zip(rows, scores, strict=True)} if weight else {}
    return Ranking(tuple(criteria), ranked, by_row, parts)


def _is_date(one: Criterion) -> bool:
    return len(one.keys) == 1 and kind_of(one.keys[0]) == "date"


def values_of(
    columns: Columns, one: Criterion, requirements: Sequence[Requirement] = (), counts: Floats | None = None
) -> Floats:
    """The value of a criterion for every card; NaN where it has none."""
    if one.field == FIT:
        return fit(columns, requirements)
    if one.field == COUNT:
        return counts if counts is not None else np.full(len(columns), np.nan)
    top = columns.column(one.keys[0])
    values: Floats = top.low if one.order == "desc" else top.high
    if len(one.keys) == 1:
        return values
    bottom = columns.column(one.keys[1])
    divisor: Floats = bottom.high if one.order == "desc" else bottom.low
    # One GPU's figure over the whole board's would favour boards that carry several.
    boards = columns.board_counts()
    scale = np.where(bottom.is_whole & ~top.is_whole, boards, 1.0)
    scale = np.where(top.is_whole & ~bottom.is_whole, 1.0 / boards, scale)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Floats = values * scale / divisor
    quotient[~np.isfinite(quotient)] = np.nan
    return quotient


def fit(columns: Columns, requirements: Sequence[Requirement]) -> Floats:
    """How close a card is to what is asked: 1 at the bound, 0.5 where it has twice what is needed; mean over bounds."""
    parts: list[Floats] = []
    for one in requirements:
        if one.operator not in BOUNDS or one.field not in FIELDS or FIELDS[one.field].kind != "number":
            continue
        column = columns.column(one.field)
        bound = float(one.values[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(bound / column.high if one.operator in ("gte", "gt") else column.high / bound)
    if not parts:
        return np.full(len(columns), np.nan)
    mean: Floats = np.clip(np.stack(parts), 0.0, 1.0).mean(axis=0)
    return mean


def _relative(values: Floats, order: Order, *, is_date: bool) -> Floats:
    """Each value relative to the best, from 0 to 1; 0 where there is none."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values))
    least, most = float(known.min()), float(known.max())
    if is_date or least < 0:
        spread = most - least or 1.0
        share = (values - least) / spread if order == "desc" else (most - values) / spread
        if most == least:
            share = np.where(np.isnan(values), np.nan, 1.0)
    elif order == "desc":
        share = values / most if most else np.where(np.isnan(values), np.nan, 1.0)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(values == least, 1.0, least / values)
    result: Floats = np.nan_to_num(share, nan=0.0)
    return result
