"""Reads conditions: every word either becomes part of one, carries nothing of its own, or is reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kb.selection.choice import Choice
from kb.selection.columns import Columns
from kb.selection.interpretation.amounts import join_parted_units, read_amounts
from kb.selection.interpretation.binding import bind
from kb.selection.interpretation.choices import read_choices
from kb.selection.interpretation.dates import read_dates
from kb.selection.interpretation.features import read_features
from kb.selection.interpretation.lexicon import Lexicon
from kb.selection.interpretation.order import Ordering, read_order
from kb.selection.interpretation.placed import Placed
from kb.selection.interpretation.references import read_references
from kb.selection.interpretation.sets import ends_set_aside, read_sets
from kb.selection.interpretation.tokens import Token, tokenize
from kb.selection.interpretation.topics import Topic, find_topics
from kb.selection.note import Note
from kb.selection.ranking import Criterion
from kb.selection.requirement import Requirement, as_constraints, read_constraints
from kb.selection.scenarios import Scenarios
from kb.specs.names import NameResolver

_SILENT: Final = ("filler", "and", "has", "range_end", "unit", "compute", "rank_end")
"""Kinds of words that may stand unused without a loss."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What a text asks of cards.

    Attributes:
        requirements: all of which hold.
        choices: alternatives that it gives ("80 GB or 2 TB/s").
        scenario: name of the use it says the cards are for.
        criteria: the ranking it asks for.
        limit: how many cards it asks for.
        notes: what was assumed.
        not_understood: stretches of the text that nothing was made of, as written.
    """

    requirements: tuple[Requirement, ...] = ()
    choices: tuple[Choice, ...] = ()
    scenario: str | None = None
    criteria: tuple[Criterion, ...] = ()
    limit: int | None = None
    notes: tuple[Note, ...] = ()
    not_understood: tuple[str, ...] = ()

    @property
    def stated(self) -> tuple[Requirement, ...]:
        """Every requirement, those of the choices included."""
        return (*self.requirements, *(one for choice in self.choices for one in choice.requirements))


class ConstraintReader:
    """Reads texts against one catalogue. Safe to share between threads."""

    def __init__(self, columns: Columns, resolver: NameResolver, scenarios: Scenarios) -> None:
        self._columns = columns
        self._resolver = resolver
        self._lexicon = Lexicon(columns.catalog, scenarios)

    def read(self, text: str) -> Interpretation:
        """The conditions of a text in Chinese or English."""
        text = " ".join(text.split())
        tokens = tokenize(text, self._resolver.resolve(text), self._lexicon)
        join_parted_units(tokens)
        dates, date_notes = read_dates(tokens)
        amounts = read_amounts(tokens)
        topics = find_topics(tokens)
        bounds = bind(tokens, amounts, topics)
        for amount in amounts:
            for token in tokens[amount.first : amount.last + 1] if amount.used else ():
                token.used = token.used or "amount"
        references, reference_notes = read_references(tokens, topics, self._columns)
        ordering = read_order(tokens, topics)
        _free_links(tokens, topics)
        named = _named(tokens)
        sets = read_sets(tokens, self._columns)
        features, feature_notes = read_features(tokens, topics)
        scenario = _scenario(tokens)
        conditions = [*named, *(bound.placed for bound in bounds), *references, *dates, *sets, *features]
        chosen = read_choices(tokens, conditions)
        _use_neighbours(tokens, topics, {one.field for found in conditions for one in found.requirements})
        notes = [note for bound in bounds for note in bound.notes] + date_notes + reference_notes + feature_notes
        notes += chosen.notes
        left = _left_over(text, tokens, notes)
        return Interpretation(
            requirements=read_constraints(as_constraints(chosen.requirements)),
            choices=chosen.choices,
            scenario=scenario,
            criteria=ordering.criteria,
            limit=ordering.limit,
            notes=tuple(dict.fromkeys(notes)),
            not_understood=left,
        )


def _free_links(tokens: Sequence[Token], topics: Sequence[Topic]) -> None:
    """A bound on the bandwidth of a link by name holds for cards with that link only: the name is a condition too."""
    for topic in topics:
        for token in tokens[topic.first : topic.last + 1] if topic.used else ():
            if token.is_a("link_kind"):
                token.used = ""


def _named(tokens: Sequence[Token]) -> list[Placed]:
    """Cards named: those to choose among, and those to leave out."""
    among: list[str] = []
    without: list[str] = []
    places: dict[bool, list[int]] = {False: [], True: []}
    for position, token in enumerate(tokens):
        mention = token.mention
        if mention is None or not mention.gpu_ids or token.used:
            continue
        near = tokens[max(0, position - 2) : position]
        before = next((one for one in reversed(near) if one.is_a("not") or not one.is_filler), None)
        if _is_a_bound(tokens, position):
            continue
        token.used = "name"
        negated = ends_set_aside(tokens, position) or mention.negated or (before is not None and before.is_a("not"))
        places[negated].append(position)
        if negated:
            without += mention.gpu_ids
            if before is not None:
                before.used = before.used or "not"
        else:
            among += mention.gpu_ids
    found = []
    for negated, operator, ids in ((False, "in", among), (True, "not_in", without)):
        if ids:
            requirement = Requirement("gpu_id", operator, tuple(dict.fromkeys(ids)))  # type: ignore[arg-type]
            found.append(Placed(min(places[negated]), max(places[negated]), (requirement,)))
    return found


def _is_a_bound(tokens: Sequence[Token], position: int) -> bool:
    """Whether a card is named for its own figure ("more memory than the L4", "the memory of the L4")."""
    for token in reversed(tokens[max(0, position - 4) : position]):
        if token.is_a("than") or (token.is_a("before", "date_before") and not token.is_filler and not token.used):
            return True
        if not token.is_filler:
            return token.is_a("field", "bandwidth", "compute", "precision", "link") and not token.used
    return False


def _scenario(tokens: Sequence[Token]) -> str | None:
    found = [token for token in tokens if token.is_a("scenario")]
    names = list(dict.fromkeys(token.get("scenario") for token in found))
    if len(names) != 1:
        return None
    for token in found:
        token.used = "scenario"
    return names[0]


_BESIDE: Final = {
    "memory_type": ("memory_gb", "memory_type"),
    "interconnect": ("interconnect", "interconnect_gb_s"),
    "pcie": ("pcie",),
    "vendor": ("vendor",),
    "architecture": ("architecture",),
    "form_factor": ("form_factor",),
    "released_on": ("released_on",),
}
"""Fields whose name may stand beside a condition of another one ("HBM 显存") or repeat it."""


def _use_neighbours(tokens: Sequence[Token], topics: Sequence[Topic], fields: set[str]) -> None:
    named = {key for field in fields for key in (field, *_BESIDE.get(field, ()))}
    is_sparse = any(field.endswith("_sparse") for field in fields)
    for topic in topics:
        says_sparse = not topic.key and topic.feature.endswith("_sparse") and is_sparse
        if not topic.used and (says_sparse or {topic.key, topic.feature} & named):
            topic.used = True
            for token in tokens[topic.first : topic.last + 1]:
                token.used = token.used or "topic"


def _left_over(text: str, tokens: Sequence[Token], notes: list[Note]) -> tuple[str, ...]:
    """Stretches of the text that nothing was made of."""
    spans: list[list[int]] = []
    joined = False
    for position, token in enumerate(tokens):
        if token.is_a("or") and not token.used and _parts_conditions(tokens, position):
            notes.append(_OR)
        elif not _is_lost(token):
            joined = joined and (token.is_filler or token.is_a("unit", "compute", "and", "to", "before", "after"))
            continue
        if joined and spans:
            spans[-1][1] = token.end
        else:
            spans.append([token.start, token.end])
        joined = True
    return tuple(dict.fromkeys(text[start:end].strip() for start, end in spans))


def _is_lost(token: Token) -> bool:
    if token.used or token.kind == "mark":
        return False
    if token.kind in ("amount", "date", "name", "unknown"):
        return True
    return not token.is_a(*_SILENT, "or", "to", "between", "rank", "limit")


def _parts_conditions(tokens: Sequence[Token], position: int) -> bool:
    around = [tokens[i] for i in (position - 1, position + 1) if 0 <= i < len(tokens)]
    return len(around) == 2 and not any(token.is_filler and not token.used for token in around)


_OR: Final = Note(
    "两个条件之间的“或”没有按二选一处理：列出的条件都要满足。",
    'An "or" between conditions was not read as a choice: all the conditions listed are required.',
)


__all__ = ["ConstraintReader", "Interpretation", "Ordering"]
