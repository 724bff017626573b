"""Names of chips: GH100 and Navi 31 are no cards, but cards have them; sm_90 and gfx90a are what they compile to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kb.answer.question.model import Chip
from kb.answer.question.scanner import fold_in_place
from kb.answer.question.table import read_table
from kb.specs.catalog import Catalog
from kb.specs.names import Mention

_COMPUTE_CAPABILITY = re.compile(r"(?<![a-z0-9])(?:sm_?|compute_)(\d{1,2})(\d)[af]?(?![a-z0-9])")
_OTHER_CHIP = re.compile(
    r"(?<![a-z0-9])(?:g[ahkmpv]1\d[0-9a-z]|g[mk]2\d\d|gb(?:1[01]\d|2(?:0[1-9]|[1-9]\d))|gr1\d\d|ad10\d|tu1\d\d|navi\s?\d\d"
    r"|gfx\d{2}[0-9a-f]{1,2}|邃思\s?\d(?:\.\d)?)(?![a-z0-9])"
)
"""Codes of chips that need no catalogue to be recognised."""


class ChipNames:
    """Finds the chips of a catalogue in texts."""

    def __init__(self, catalog: Catalog) -> None:
        table = read_table()
        words = set(table["chip_word"])
        self._cards = catalog.cards_by("chip")
        self._capabilities = catalog.cards_by("compute_capability")
        names = {_key(name): name for name in self._cards if name in words or any(char.isdigit() for char in name)}
        aliases: Mapping[str, str] = table["chip_alias"]
        names.update({_key(alias): name for alias, name in aliases.items() if name in self._cards})
        self._names = names
        spellings = sorted((_spelling(name) for name in {*names.values(), *aliases}), key=lambda s: (-len(s), s))
        self._pattern = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(spellings) or '(?!)'})(?![a-z0-9])")

    def find(self, text: str, mentions: Sequence[Mention]) -> tuple[Chip, ...]:
        """The chips named in `text`, in order, where no known card is named."""
        folded = fold_in_place(text)
        taken = [(mention.start, mention.end) for mention in mentions if mention.status != "unknown"]
        found: dict[int, Chip] = {}
        for chip in (*self._known(folded, text), *self._targets(folded, text), *_others(folded, text)):
            overlaps = any(start < chip.end and chip.start < end for start, end in taken)
            if not overlaps and not any(other.start < chip.end and chip.start < other.end for other in found.values()):
                found[chip.start] = chip
        return tuple(found[start] for start in sorted(found))

    def _known(self, folded: str, text: str) -> list[Chip]:
        chips: list[Chip] = []
        for match in self._pattern.finditer(folded):
            name = self._names.get(_key(match.group()))
            if name is not None:
                written = text[match.start() : match.end()]
                chips.append(Chip(match.start(), match.end(), written, name, self._cards[name]))
        return chips

    def _targets(self, folded: str, text: str) -> list[Chip]:
        chips: list[Chip] = []
        for match in _COMPUTE_CAPABILITY.finditer(folded):
            capability = f"{match.group(1)}.{match.group(2)}"
            ids = self._capabilities.get(capability, ())
            written = text[match.start() : match.end()]
            chips.append(Chip(match.start(), match.end(), written, written, ids, "compute_capability"))
        return chips


def _others(folded: str, text: str) -> list[Chip]:
    found = list(_OTHER_CHIP.finditer(folded))
    return [Chip(m.start(), m.end(), text[m.start() : m.end()], text[m.start() : m.end()], ()) for m in found]


def _key(name: str) -> str:
    return re.sub(r"[\s\-_]+", "", fold_in_place(name))


def _spelling(name: str) -> str:
    """A pattern for a chip's name, with or without what stands between its words."""
    return r"[\s\-_]?".join(re.escape(part) for part in re.findall(r"[a-z]+|\d+", fold_in_place(name)))
