"""Conditions on words: vendors, kinds of memory, PCIe generations, forms, architectures, links, product lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kb.selection.columns import PASS, Columns
from kb.selection.interpretation.generations import LINEAGES, generations
from kb.selection.interpretation.placed import Placed
from kb.selection.interpretation.tokens import Token
from kb.selection.requirement import BOUNDS, Requirement
from kb.selection.words import holding, matches
from kb.text import fold

_GENERAL_MEMORY: Final = frozenset({"hbm", "gddr", "lpddr", "ddr"})
_JOINS: Final = ("and", "or", "filler")
_KINDS: Final = ("vendor", "memory_kind", "pcie", "form", "architecture", "link_kind", "group", "series")
_SEGMENTS: Final = ("consumer", "datacentre")


def read_sets(tokens: Sequence[Token], columns: Columns) -> list[Placed]:
    """One requirement for each field that words set, one more for what is set aside.

    Words of one field are alternatives ("HBM2e, HBM3"), but forms that are not joined by "or" hold together
    ("passive single slot").
    """
    chosen: dict[tuple[str, bool], list[str]] = {}
    places: dict[tuple[str, bool], list[int]] = {}
    for position, token in enumerate(tokens):
        kind = next((kind for kind in _KINDS if token.is_a(kind)), None)
        if kind is None or token.used:
            continue
        field, values = _READERS[kind](tokens, position, columns)
        if not values:
            continue
        negated = _is_set_aside(tokens, position, kind)
        token.used = "set"
        places.setdefault((field, negated), []).append(position)
        before = chosen.setdefault((field, negated), [])
        both = [value for value in before if value in values]
        if kind == "form" and both and not negated and not _is_alternative(tokens, position):
            chosen[field, negated] = both
        else:
            before.extend(values)
    _use_joints(tokens, {position: field for (field, _), found in places.items() for position in found})
    return [
        Placed(min(places[key]), max(places[key]), _requirements(columns, key, values, chosen))
        for key, values in chosen.items()
    ]


def _requirements(
    columns: Columns, key: tuple[str, bool], values: Sequence[str], chosen: Mapping[tuple[str, bool], Sequence[str]]
) -> tuple[Requirement, ...]:
    """The requirement on a field; an architecture also sets whose it is, where no vendor is named."""
    field, negated = key
    found = _requirement(field, negated, values)
    if field == "architecture" and not negated and ("vendor", False) not in chosen:
        return found, _requirement("vendor", False, _makers(columns, values))
    return (found,)


def _makers(columns: Columns, architectures: Sequence[str]) -> list[str]:
    """Whose architectures these are; of other vendors' cards many have no architecture on record."""
    has = columns.column("architecture").verdicts(Requirement("architecture", "in", tuple(architectures))) == PASS
    vendors = columns.catalog.gpus
    return sorted({vendors[columns.gpu_ids[row]].vendor for row in range(len(columns)) if has[row]})


def _requirement(field: str, negated: bool, values: Sequence[str]) -> Requirement:
    distinct = tuple(dict.fromkeys(values))
    if negated:
        return Requirement(field, "not_in", distinct)
    return Requirement(field, "eq", distinct[0]) if len(distinct) == 1 else Requirement(field, "in", distinct)


def _is_set_aside(tokens: Sequence[Token], position: int, kind: str) -> bool:
    """Whether a word for "not" stands before it or behind it, or before others of its kind joined to it."""
    ahead = _is_set_aside_before(tokens, position, kind)
    return ends_set_aside(tokens, position) or ahead


def _is_set_aside_before(tokens: Sequence[Token], position: int, kind: str) -> bool:
    for earlier in range(position - 1, -1, -1):
        token = tokens[earlier]
        if token.is_a("not", "lacks"):
            token.used = "not"
            _mark_end(tokens, position)
            return True
        is_comma = token.kind == "mark" and (token.text == "、" or earlier == position - 1)
        if token.is_a("has") or not (token.is_a(*_JOINS, kind) or is_comma):
            return False
        if token.is_a(kind):
            is_set_aside = token.used == "set" and _is_set_aside_before(tokens, earlier, kind)
            if is_set_aside:
                _mark_end(tokens, position)
            return is_set_aside
    return False


def ends_set_aside(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word for "other than" stands right behind (L40S 以外的); it is marked as used."""
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if following is None or not following.is_a("not_end"):
        return False
    following.used = "not"
    return True


def _is_alternative(tokens: Sequence[Token], position: int) -> bool:
    before = next((token for token in reversed(tokens[:position]) if not token.is_filler), None)
    return before is not None and (before.is_a("or") or before.text in ("、", "/"))


def _use_joints(tokens: Sequence[Token], fields: Mapping[int, str]) -> None:
    """What joins two words of one field, or two names, is part of them: `HBM2e 或 HBM3`."""
    for position, token in enumerate(tokens):
        if token.is_a("or") and not token.used:
            before = next((i for i in range(position - 1, -1, -1) if not tokens[i].is_filler), None)
            after = next((i for i in range(position + 1, len(tokens)) if not tokens[i].is_filler), None)
            if before is None or after is None:
                continue
            are_names = tokens[before].used == tokens[after].used == "name"
            if are_names or fields.get(before, "") == fields.get(after, "none"):
                token.used = "joint"


def _mark_end(tokens: Sequence[Token], position: int) -> None:
    for token in tokens[position + 1 : position + 3]:
        if token.is_a("not_end"):
            token.used = "not"
            return


# ---------------------------------------------------------------- what each kind of word stands for


def _vendor(tokens: Sequence[Token], position: int, columns: Columns) -> tuple[str, list[str]]:
    return "vendor", [tokens[position].get("vendor")]


def _group(tokens: Sequence[Token], position: int, columns: Columns) -> tuple[str, list[str]]:
    group = tokens[position].get("group")
    if group in _SEGMENTS:
        return "segment", [group]
    vendors = columns.catalog.vendors.values()
    return "vendor", sorted(vendor.name for vendor in vendors if vendor.domestic == (group == "domestic"))


def _memory(tokens: Sequence[Token], position: int, columns: Columns) -> tuple[str, list[str]]:
    wanted = tokens[position].get("memory_kind")
    known = columns.column("memory_type").words
    first_words = [(word, fold(word).replace("/", " ").split()[0]) for word in known]
    if wanted in _GENERAL_MEMORY:
        return "memory_type", sorted(word for word, first in first_words if first.startswith(wanted))
    return "memory_type", sorted(word for word, first in first_words if first == wanted) or [wanted.upper()]


def _pcie(tokens: Sequence[Token], position: int, columns: Columns) -> tuple[str, list[str]]:
    """All slots of a generation; with "or newer" those of the later ones too."""
    written, _, lanes = tokens[position].value.partition(" ")
    generation = int(float(written))
    operator = _operator(tokens, position)
    wanted = {"gte": range(generation, 10), "lte": range(1, generation + 1), "gt": range(generation + 1, 10)}
    generations = wanted.get(operator, range(generation, generation + 1))
    words = columns.column("pcie").words
    return "pcie", sorted(
        word for one in generations for word in matches(columns, "pcie", f"PCIe {one}.0 {lanes}", words)
    )


def _operator(tokens: Sequence[Token], position: int) -> str:
    """How a generation is bounded, by a word behind it or before it; empty where it is not."""
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    operator = (after.get("after") or after.get("date_after")) if after is not None else ""
    if operator and after is not None:
        after.used = "comparator"
        return operator
    return _operator_before(tokens, position)


def _operator_before(tokens: Sequence[Token], position: int) -> str:
    for earlier in range(position - 1, max(-1, position - 3), -1):
        if tokens[earlier].is_a("before", "date_before") and not tokens[earlier].used:
            tokens[earlier].used = "comparator"
            return tokens[earlier].get("before") or tokens[earlier].get("date_before")
        if not tokens[earlier].is_filler and not tokens[earlier].is_a("has"):
            break
    return ""


def _form(tokens: Sequence[Token], position: int, columns: Columns) -> tuple[str, list[str]]:
    words = columns.column("form_factor").words
    return "form_factor", sorted(matches(columns, "form_factor", tokens[position].get("form"), words))


def _architecture(tokens: Sequence[Token], position: int, columns: Columns) -> tuple[str, list[str]]:
    """An architecture's cards; with "or newer" those of its vendor's later ones too."""
    words = columns.column("architecture").words
    name = tokens[position].get("architecture")
    numbered = _numbered(tokens, position, name, words)
    if numbered:
        name, position = numbered, position + 1
    operator = _operator(tokens, position) if any(name in line for line in LINEAGES) else ""
    names = generations(name, operator) if operator in BOUNDS else (name,)
    return "architecture", sorted({word for one in names for word in holding(one, words)})


def _numbered(tokens: Sequence[Token], position: int, name: str, words: Sequence[str]) -> str:
    """The name with the number behind it (`RDNA 3`), which is marked as used; empty where there is none such."""
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    quantity = following.quantity if following is not None else None
    if following is None or quantity is None or quantity.unit or following.used:
        return ""
    if not holding(f"{name} {quantity.value:g}", words):
        return ""
    following.used = "set"
    return f"{name} {quantity.value:g}"


def _series(tokens: Sequence[Token], position: int, columns: Columns) -> tuple[str, list[str]]:
    return "series", sorted(holding(tokens[position].get("series"), columns.column("series").words))


def _link(tokens: Sequence[Token], position: int, columns: Columns) -> tuple[str, list[str]]:
    name = tokens[position].get("link_kind")
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    words = columns.column("interconnect").words
    if following is not None and following.kind == "amount" and following.quantity is not None:
        quantity = following.quantity
        numbered = [] if quantity.unit else matches(columns, "interconnect", f"{name} {quantity.value:g}", words)
        if numbered:
            following.used = "set"
            return "interconnect", sorted(numbered)
    return "interconnect", sorted(matches(columns, "interconnect", name, words)) or [name]


_READERS: Final[dict[str, Callable[[Sequence[Token], int, Columns], tuple[str, list[str]]]]] = {
    "vendor": _vendor,
    "group": _group,
    "memory_kind": _memory,
    "pcie": _pcie,
    "form": _form,
    "architecture": _architecture,
    "link_kind": _link,
    "series": _series,
}
