"""An answer while it is being written: its parts, its status, and how they are laid out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kb.answer.draft import Documents, Draft, DraftCell, DraftRow, DraftTable, Sentence
from kb.answer.phrases import head_note, say
from kb.answer.structured.said import cell, combine, counted
from kb.answer.structured.voice import Voice
from kb.types import AnswerStatus, Column, Language, Reason

Group = tuple[str, tuple[str, ...]]
"""Cards shown as one, under a name."""
_QUALIFIED = {"price_usd", "tdp_w", "memory_gb"}
"""Fields whose cells say on what basis they stand."""


@dataclass(slots=True)
class Page:
    """Parts in reading order.

    Attributes:
        answered, missing: how many of the things asked for were answered, and how many are nowhere published.
        reason: what a caller should know of the answer; the first one set stays.
        documents: how documents join the answer, where they may know more.
        is_whole: documents have nothing to add.
    """

    language: Language
    parts: list[Sentence | DraftTable] = field(default_factory=list)
    answered: int = 0
    missing: int = 0
    reason: Reason | None = None
    documents: Documents | None = None
    is_whole: bool = False

    def add(self, *parts: Sentence | DraftTable) -> None:
        """Write parts, none twice."""
        for part in parts:
            if isinstance(part, DraftTable) or all(part.text != getattr(other, "text", None) for other in self.parts):
                self.parts.append(part)

    def extend(self, parts: Iterable[Sentence | DraftTable]) -> None:
        """Write parts, none twice."""
        self.add(*parts)

    def mark(self, reason: Reason) -> None:
        """Set the reason, unless there is one."""
        if self.reason is None:
            self.reason = reason

    def draft(self) -> Draft:
        """The finished answer."""
        status: AnswerStatus = "answered"
        if self.missing and not self.answered:
            status = "no_answer"
            self.mark("not_published")
        elif self.missing:
            status = "partial"
        return Draft(status, self.reason, lay_out(self.parts, self.language), (), self.documents, self.is_whole)


def lay_out(parts: Sequence[Sentence | DraftTable], language: Language) -> tuple[Sentence | DraftTable, ...]:
    """Parts with what separates them: list items on lines, tables after a blank line, sentences in a row."""
    laid: list[Sentence | DraftTable] = []
    for position, part in enumerate(parts):
        following = parts[position + 1] if position + 1 < len(parts) else None
        if isinstance(part, DraftTable) or following is None:
            laid.append(part)
        elif isinstance(following, DraftTable):
            laid.append(replace(part, end="\n\n"))
        elif following.text.startswith("- "):
            laid.append(replace(part, end="\n"))
        elif part.text.startswith("- "):
            laid.append(replace(part, end="\n\n"))
        else:
            laid.append(replace(part, end="" if language == "zh" else " "))
    return tuple(laid)


def cards_table(voice: Voice, gpu_ids: Sequence[str], keys: Sequence[str], title: str = "") -> DraftTable:
    """One row per card, one column per field."""
    return groups_table(voice, [(voice.name(gpu_id), (gpu_id,)) for gpu_id in gpu_ids], keys, title)


def groups_table(voice: Voice, groups: Sequence[Group], keys: Sequence[str], title: str = "") -> DraftTable:
    """One row per group of cards with the same figures, one column per field."""
    everyone = [gpu_id for _, ids in groups for gpu_id in ids]
    columns = tuple(Column(key, column_label(voice, key, everyone)) for key in keys)
    rows = tuple(DraftRow(ids[0], name, {key: _cell(voice, ids, key) for key in keys}) for name, ids in groups)
    return DraftTable(title, say("names.card", voice.language), columns, rows)


def with_tiers(voice: Voice, table: DraftTable) -> DraftTable:
    """A table of cards, with the tier of each where they are of both."""
    tiers = {row.key: voice.spec(row.key).tier for row in table.rows}
    if len(set(tiers.values())) < 2:
        return table
    rows = tuple(
        replace(row, cells={**row.cells, "tier": cell(counted(tiers[row.key]), float(tiers[row.key]), None)})
        for row in table.rows
    )
    return replace(table, columns=(*table.columns, Column("tier", say("filter.tier", voice.language))), rows=rows)


def fields_table(voice: Voice, groups: Sequence[Group], keys: Sequence[str], title: str = "") -> DraftTable:
    """One row per field, one column per group of cards with the same figures."""
    everyone = [gpu_id for _, ids in groups for gpu_id in ids]
    columns = tuple(Column(ids[0], name) for name, ids in groups)
    rows = tuple(
        DraftRow(key, column_label(voice, key, everyone), {ids[0]: _cell(voice, ids, key) for _, ids in groups})
        for key in keys
    )
    return DraftTable(title, say("names.field", voice.language), columns, rows)


def column_label(voice: Voice, key: str, gpu_ids: Sequence[str]) -> str:
    """A field's name at the head of a column or row."""
    stated = [gpu_id for gpu_id in gpu_ids if voice.is_stated(gpu_id, key)]
    labels = {voice.label(key, gpu_id) for gpu_id in stated or gpu_ids}
    text = labels.pop() if len(labels) == 1 else voice.label(key)
    return text[:1].upper() + text[1:] + head_note(key, voice.language)


def _cell(voice: Voice, gpu_ids: Sequence[str], key: str) -> DraftCell:
    figure = voice.entry(gpu_ids[0], key).preferred
    saids = [voice.value(gpu_id, key, qualified=key in _QUALIFIED) for gpu_id in gpu_ids]
    qualifier = " ".join(figure.qualifiers) or None if figure else None
    said = combine(saids[0].text, saids)
    return cell(said, figure.value if figure else None, figure.unit or None if figure else None, qualifier)
