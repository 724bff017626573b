"""One thing required of a card: a field, an operator and a value in the field's own unit.

eq, in, not_in     one of the values; text compares folded
gte, gt, lte, lt   numbers and dates; `gt` and `lt` are strict. A year or month stands for all its days
exists             the card has it (`true`) or is known to lack it (`false`)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

from kb.errors import RequestError
from kb.quantity import convert, parse_quantities
from kb.selection.attributes import kind_of, unit_of_field

Operator = Literal["eq", "in", "not_in", "gte", "gt", "lte", "lt", "exists"]
Value = float | str | bool | tuple[float | str, ...]
OPERATORS: Final[tuple[Operator, ...]] = ("eq", "in", "not_in", "gte", "gt", "lte", "lt", "exists")
SIGNS: Final[Mapping[Operator, str]] = {"eq": "=", "gte": "≥", "gt": ">", "lte": "≤", "lt": "<"}
BOUNDS: Final = frozenset({"gte", "gt", "lte", "lt"})
_DATE = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?")
_SAME_UNITS: Final = frozenset({("TOPS", "TFLOPS"), ("TFLOPS", "TOPS"), ("GiB", "GB"), ("MiB", "MB")})
"""Written one for the other: operations of any format; memory is sold in "GB" that are GiB on the device."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement; make it with `require`, which checks it.

    Attributes:
        field: key of a field or attribute.
        value: a number in the field's unit, an ISO date, a text, a tuple of them for `in` and `not_in`, or a bool for
            `exists`.
    """

    field: str
    operator: Operator
    value: Value

    @property
    def values(self) -> tuple[float | str, ...]:
        """The values compared with, one or several."""
        return self.value if isinstance(self.value, tuple) else (self.value,)


def require(field: str, operator: str, value: object) -> Requirement:
    """A checked requirement; an amount may be a text with its unit (`3.35 TB/s`).

    Raises:
        RequestError: no such field or operator, or a value that the field cannot have.
    """
    kind = kind_of(field)
    if operator not in OPERATORS:
        raise RequestError(
            f"{field}: {operator!r} is no operator.",
            f"Use one of {', '.join(OPERATORS)}.",
            zh=f"{field}：没有运算符 {operator}，可用的有 {'、'.join(OPERATORS)}。",
        )
    checked: Operator = operator
    if checked == "exists":
        if not isinstance(value, bool):
            raise RequestError(
                f"{field}: `exists` is true or false, not {value!r}.",
                zh=f"{field}：exists 的值是 true 或 false，不是 {value!r}。",
            )
        return Requirement(field, checked, value)
    if checked in BOUNDS and kind == "text":
        raise RequestError(
            f"{field}: {operator} needs numbers or dates.",
            "Use eq, in, not_in or exists.",
            zh=f"{field}：{operator} 只用于数字和日期；文字用 eq、in、not_in 或 exists。",
        )
    if checked in ("in", "not_in"):
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise RequestError(f"{field}: `{operator}` needs a list.", zh=f"{field}：{operator} 的值要用列表。")
        values = tuple(dict.fromkeys(_checked(field, kind, one) for one in value))
        if not values:
            raise RequestError(f"{field}: the list of `{operator}` is empty.", zh=f"{field}：{operator} 的列表是空的。")
        return Requirement(field, checked, values)
    return Requirement(field, checked, _checked(field, kind, value))


def _checked(field: str, kind: str, value: object) -> float | str:
    if kind == "number":
        return _number(field, value)
    if not isinstance(value, str) or not value.strip():
        raise RequestError(f"{field}: a text is needed, not {value!r}.", zh=f"{field}：要用文字，不是 {value!r}。")
    if kind == "date" and not is_date(value):
        raise RequestError(
            f"{field}: {value!r} is no date.",
            "Write it as 2023, 2023-03 or 2023-03-21.",
            zh=f"{field}：{value!r} 不是日期，写成 2023、2023-03 或 2023-03-21。",
        )
    return value.strip()


def _number(field: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if isinstance(value, str):
        try:
            amount: float | None = float(value)
        except ValueError:
            amount = _amount(field, value)
        if amount is not None and math.isfinite(amount):
            return amount
    unit = unit_of_field(field)
    raise RequestError(
        f"{field}: a number{f' in {unit}' if unit else ''} is needed, not {value!r}.",
        zh=f"{field}：要用{f'以 {unit} 为单位的' if unit else ''}数字，不是 {value!r}。",
    )


def _amount(field: str, text: str) -> float | None:
    found = parse_quantities(text)
    if len(found) != 1 or found[0].high is not None or found[0].text.strip() != text.strip():
        return None
    return in_unit_of(field, found[0].value, found[0].unit)


def in_unit_of(field: str, value: float, unit: str) -> float | None:
    """A value in the unit of a field; `None` if its unit measures something else."""
    target = unit_of_field(field)
    if unit == target or (unit, target) in _SAME_UNITS:
        return value
    if not unit or not target:
        return None
    try:
        return convert(value, unit, target)
    except RequestError:
        return None


def is_date(text: str) -> bool:
    """Whether a text is an ISO date, maybe only a year or month, that exists."""
    try:
        days_of(text)
    except ValueError:
        return False
    return True


def days_of(text: str) -> tuple[int, int]:
    """First and last day of an ISO date, as ordinals; a year or month stands for all its days.

    Raises:
        ValueError: it is no date.
    """
    match = _DATE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no ISO date")
    year, month, day = int(match[1]), match[2], match[3]
    if day:
        one = date(year, int(month), int(day)).toordinal()
        return one, one
    if month:
        following = date(year + int(month) // 12, int(month) % 12 + 1, 1)
        return date(year, int(month), 1).toordinal(), (following - timedelta(days=1)).toordinal()
    return date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()


Constraints = Mapping[str, Mapping[str, object]]


def read_constraints(constraints: Constraints) -> tuple[Requirement, ...]:
    """Requirements from `{field: {operator: value}}`.

    Raises:
        RequestError: a wrong field, operator or value; an operator's value is missing.
    """
    found: list[Requirement] = []
    for field, operators in constraints.items():
        kind_of(field)
        if not operators:
            raise RequestError(f"{field}: nothing is required of it.", f"Give one of {', '.join(OPERATORS)}.")
        found += [require(field, operator, value) for operator, value in operators.items()]
    return tuple(found)


def as_constraints(requirements: Iterable[Requirement]) -> dict[str, dict[str, object]]:
    """`{field: {operator: value}}`, of two equal operators on a field the stricter one or what both allow."""
    found: dict[str, dict[str, object]] = {}
    for one in requirements:
        operators = found.setdefault(one.field, {})
        value = list(one.value) if isinstance(one.value, tuple) else one.value
        before = operators.get(one.operator)
        operators[one.operator] = value if before is None else _both(one.operator, before, value)
    return found


def _both(operator: Operator, first: object, second: object) -> object:
    if operator in ("gte", "gt"):
        return max(first, second)  # type: ignore[call-overload]
    if operator in ("lte", "lt"):
        return min(first, second)  # type: ignore[call-overload]
    if operator == "in" and isinstance(first, list) and isinstance(second, list):
        return [value for value in first if value in second]
    if operator == "not_in" and isinstance(first, list) and isinstance(second, list):
        return list(dict.fromkeys([*first, *second]))
    return second
