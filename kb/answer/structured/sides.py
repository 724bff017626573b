"""One side of a comparison: a card, or all cards of a name that have the same figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.structured.names import common_name, mention_name
from kb.answer.structured.page import Group
from kb.answer.structured.said import Said, combine
from kb.answer.structured.several import variants_in_parentheses
from kb.answer.structured.voice import Voice
from kb.specs.names import Mention


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a card, or all cards of a name with the same figure."""

    name: str
    gpu_ids: tuple[str, ...]
    value: float | str | None
    said: Said


def side_of(voice: Voice, gpu_id: str, key: str) -> Side:
    """A card with its figure."""
    value = voice.entry(gpu_id, key).value
    return Side(voice.name(gpu_id), (gpu_id,), value, voice.value(gpu_id, key))


def sides_of(voice: Voice, mention: Mention, key: str) -> list[Side]:
    """The sides of a name: one for each figure that its cards have."""
    groups: dict[str, list[str]] = {}
    for gpu_id in mention.gpu_ids:
        groups.setdefault(voice.value(gpu_id, key).text, []).append(gpu_id)
    sides: list[Side] = []
    for text, ids in groups.items():
        if len(groups) == 1:
            name = mention_name(voice, mention)
        elif len(ids) == 1:
            name = voice.name(ids[0])
        else:
            name = f"{common_name(voice, mention.gpu_ids)}{variants_in_parentheses(voice, ids)}"
        said = combine(text, [voice.value(gpu_id, key) for gpu_id in ids])
        sides.append(Side(name, tuple(ids), voice.entry(ids[0], key).value, said))
    return sides


def figures_of(voice: Voice, mention: Mention, key: str) -> list[tuple[float, Said]]:
    """The plain figures of one field of all cards of a name."""
    found = []
    for gpu_id in mention.gpu_ids:
        value = voice.entry(gpu_id, key).value
        if isinstance(value, float | int):
            found.append((float(value), voice.value(gpu_id, key)))
    return found


def figure_groups(voice: Voice, mentions: Sequence[Mention], keys: Sequence[str]) -> list[Group]:
    """The cards named as a table shows them; all cards of a name as one where no figure differs between them."""
    groups: list[Group] = []
    for mention in mentions:
        if len(mention.gpu_ids) > 1 and all(len(sides_of(voice, mention, key)) == 1 for key in keys):
            groups.append((mention_name(voice, mention), mention.gpu_ids))
        else:
            groups += [(voice.name(gpu_id), (gpu_id,)) for gpu_id in mention.gpu_ids]
    return groups
