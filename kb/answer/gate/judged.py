"""What the catalogue says of a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.answer.gate.model import CheckVerdict
from kb.specs.schema import Entry, Figure


@dataclass(frozen=True, slots=True)
class Judged:
    """What the catalogue says of a claim.

    Attributes:
        ids: the cards it is right for; where it is wrong, those it could be about.
        key: the field.
        figures: the catalogue's figures by card: what holds, or what would.
        reason: key in `reasons.yaml`, empty where nothing need be said.
        detail: what else the reason names (another card, another field, a note).
    """

    verdict: CheckVerdict
    ids: tuple[str, ...] = ()
    key: str | None = None
    figures: tuple[tuple[str, Figure], ...] = ()
    reason: str = ""
    detail: Mapping[str, str] | None = None
    entry: Entry | None = None


def joined(found: Sequence[Judged]) -> Judged:
    """Several cards for each of which it holds, as one."""
    first = found[0]
    ids = tuple(dict.fromkeys(gpu_id for judged in found for gpu_id in judged.ids))
    figures = tuple(pair for judged in found for pair in judged.figures)
    return Judged("supported", ids, first.key, figures, first.reason, first.detail, first.entry)


def denied_by_text(judged: Judged) -> Judged:
    """A figure that the text itself calls wrong."""
    if judged.verdict == "contradicted":
        return Judged("supported", judged.ids, judged.key, judged.figures, "named_wrong", None, judged.entry)
    if judged.verdict == "supported":
        return Judged("contradicted", judged.ids, judged.key, judged.figures, "denies_right", None, judged.entry)
    return judged
