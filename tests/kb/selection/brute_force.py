"""A second, slow opinion on which cards meet constraints: entry by entry, figure by figure, from the rules in words.

It shares nothing with `kb.selection`: no arrays, no ordinals, its own reading of dates.
"""

from __future__ import annotations

import math

from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.specs.schema import Entry, GpuSpec

PASS, FAIL, UNKNOWN = "pass", "fail", "unknown"


def sets(catalog: Catalog, constraints: dict[str, dict[str, object]], any_of: list = ()) -> dict[str, set[str]]:
    """Ids of the cards that pass, fail and are unknown."""
    found: dict[str, set[str]] = {PASS: set(), FAIL: set(), UNKNOWN: set()}
    for spec in catalog.gpus.values():
        verdicts = {verdict(spec, constraints), *(_best(spec, alternatives) for alternatives in any_of)}
        found[FAIL if FAIL in verdicts else UNKNOWN if UNKNOWN in verdicts else PASS].add(spec.gpu_id)
    return found


def _best(spec: GpuSpec, alternatives: list[dict[str, dict[str, object]]]) -> str:
    """One alternative that passes is enough; without any, one unknown leaves the choice unknown."""
    verdicts = {verdict(spec, one) for one in alternatives}
    return PASS if PASS in verdicts else UNKNOWN if UNKNOWN in verdicts else FAIL


def verdict(spec: GpuSpec, constraints: dict[str, dict[str, object]]) -> str:
    """One failure fails a card; without any, one unknown leaves it unknown."""
    verdicts = {
        of_entry(spec.entries[field], operator, value)
        for field, operators in constraints.items()
        for operator, value in operators.items()
    }
    return FAIL if FAIL in verdicts else UNKNOWN if UNKNOWN in verdicts else PASS


def of_entry(entry: Entry, operator: str, value: object) -> str:
    if operator == "exists":
        present = _present(entry)
        return present if value else {PASS: FAIL, FAIL: PASS, UNKNOWN: UNKNOWN}[present]
    if entry.state == "not_supported":
        return PASS if operator == "not_in" else FAIL
    if not entry.figures or (entry.state == "unresolved" and len(entry.figures) == 1):
        return UNKNOWN
    # A range is judged at its ends: both meet the requirement, neither does, or one of them.
    opinions = set()
    for figure in entry.figures:
        ends = [figure.value] if figure.value is not None else [figure.low, figure.high]
        holds = {_holds(end, operator, value, _kind(entry.key)) for end in ends}
        if figure.value is None and operator in ("eq", "in", "not_in"):
            among = value if isinstance(value, list) else [value]
            inside = any(figure.low <= one <= figure.high for one in among)
            holds = {None} if inside else {operator == "not_in"}
        opinions |= holds
    if opinions == {True}:
        return PASS
    return FAIL if opinions == {False} else UNKNOWN


def _kind(key: str) -> str:
    """Versions are compared as numbers: 10.0 comes after 8.9."""
    return "number" if key == "compute_capability" else FIELDS[key].kind


def _present(entry: Entry) -> str:
    if entry.state == "not_supported" or (entry.figures and all(figure.value == 0 for figure in entry.figures)):
        return FAIL
    return PASS if entry.figures else UNKNOWN


def _holds(published: object, operator: str, value: object, kind: str) -> bool | None:
    if operator in ("eq", "in"):
        among = value if isinstance(value, list) else [value]
        opinions = {_equal(published, one, kind) for one in among}
        return True if True in opinions else None if None in opinions else False
    if operator == "not_in":
        opposite = _holds(published, "in", value, kind)
        return None if opposite is None else not opposite
    if kind == "date":
        return _date_holds(str(published), operator, str(value))
    number, bound = float(published), float(value)
    if operator == "gte":
        return number >= bound or math.isclose(number, bound, rel_tol=1e-9)
    if operator == "gt":
        return number > bound and not math.isclose(number, bound, rel_tol=1e-9)
    if operator == "lte":
        return number <= bound or math.isclose(number, bound, rel_tol=1e-9)
    return number < bound and not math.isclose(number, bound, rel_tol=1e-9)


def _equal(published: object, value: object, kind: str) -> bool | None:
    if kind == "number":
        return math.isclose(float(published), float(value), rel_tol=1e-9)
    if kind == "date":
        if str(published).startswith(str(value)):
            return True
        return None if str(value).startswith(str(published)) else False
    return str(published).lower() == str(value).lower()


def _date_holds(published: str, operator: str, bound: str) -> bool | None:
    """ISO dates compare as text; of different precision they may not be comparable."""
    first, last = _padded(published, "-01-01"), _padded(published, "-12-31")
    start, end = _padded(bound, "-01-01"), _padded(bound, "-12-31")
    low, high = {
        "gte": (first >= start, last >= start),
        "gt": (first > end, last > end),
        "lte": (last <= end, first <= end),
        "lt": (last < start, first < start),
    }[operator]
    return low if low == high else None


def _padded(date: str, tail: str) -> str:
    # A month's last day as text: any day of it is at most "31", and no month is compared by its own last day here.
    return date + tail[len(date) - 4 :] if len(date) < 10 else date
