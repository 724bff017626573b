"""What a text has spoken of so far, and so what stands around its next piece."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from kb.answer.gate.finder import SubjectFinder
from kb.answer.gate.lexicon import fold_in_place, words_in
from kb.answer.gate.piece import Piece
from kb.answer.gate.reading import Claims
from kb.answer.gate.scene import Scene
from kb.answer.gate.subjects import NOBODY, Cards
from kb.answer.gate.surroundings import FRAGMENT, Ambient, folded_words
from kb.answer.question.scanner import Hit, blank

_AHEAD = 5
"""In so many sentences a card may be named whose figures came first."""
_SHEET_COLUMNS = 2
"""A table of so many columns may be one card's sheet, whose name stands above."""
_LABELLED = re.compile(
    r"[^\w\u4e00-\u9fff]{0,6}([\w\u4e00-\u9fff][^:：.。，,;；\n]{0,30}?)\W{0,3}(?:[:：]|\s?\.{3,})"
    r"(?:[^.。\n]|\.(?=\d)){1,48}[.。]?$"
)
"""A line of a data sheet: `**Memory:** 48 GB`."""
_NAMES_A_FIELD = frozenset({"field", "memory", "bandwidth", "memory_type", "precision", "link", "says"})


class Narration:
    """One text while it is read from top to bottom."""

    def __init__(self, text: str, pieces: Sequence[Piece], finder: SubjectFinder) -> None:
        self._text = text
        self._pieces = pieces
        self._finder = finder
        self._cards = NOBODY
        self._members: tuple[Cards, ...] = ()
        self._keys: tuple[str, ...] = ()
        self._named: set[tuple[str, ...]] = set()
        self._words: dict[str, list[Hit]] = {}
        self._cards_in: dict[str, Cards] = {}

    def around(self, number: int) -> Ambient:
        """What stands around a piece; the pieces before it must have been heard."""
        piece = self._pieces[number]
        if piece.is_cell:
            return self._around_cell(piece)
        if not self._named and len(piece) <= FRAGMENT:
            self._cards = self._named_next(self._pieces[number + 1 : number + _AHEAD])
        return self._around(piece)

    def hear(self, piece: Piece, scene: Scene, claims: Claims) -> None:
        """Take in what a piece spoke of."""
        self._named.update(mention.gpu_ids for mention in scene.mentions)
        if not piece.is_cell:
            self._cards = claims.main if not claims.main.is_empty else self._cards
            self._members = scene.subjects.members() or self._members
            self._keys = claims.keys or self._keys
        elif piece.head is None:
            self._keys = ()

    @property
    def _only(self) -> Cards:
        """The one card that all of the text so far is about."""
        return Cards((next(iter(self._named)),)) if len(self._named) == 1 else NOBODY

    def _around(self, piece: Piece) -> Ambient:
        above = [self._text[span.start : span.end] for span in piece.above]
        cards = self._cards if piece.follows or not self._named else self._named_in(above)
        words = [self._words_of(line) for line in above[:2]] if not piece.follows else []
        keys = self._keys if piece.follows else ()
        label = _LABELLED.match(self._text, piece.span.start, piece.span.end)
        is_labelled = label is not None and any(map(_names_a_field, folded_words(label.group(1))))
        is_far = cards.is_empty and not is_labelled
        cards = self._only if cards.is_empty else cards
        follows = (piece.follows or is_far) and not (is_labelled or piece.is_rest)
        members = self._members if piece.follows else ()
        return Ambient(cards=cards, words=words, keys=keys, follows=follows, is_far=is_far, members=members)

    def _around_cell(self, piece: Piece) -> Ambient:
        text = self._text
        head = text[piece.head.start : piece.head.end] if piece.head else ""
        label = text[piece.label.start : piece.label.end] if piece.label else ""
        corner = text[piece.corner.start : piece.corner.end] if piece.corner else ""
        names = [label, head, text[piece.name.start : piece.name.end] if piece.name else ""]
        cards = self._named_in([name for name in names if name])
        if cards.is_empty and piece.columns <= _SHEET_COLUMNS:
            cards = self._named_in([text[span.start : span.end] for span in piece.above])
            cards = self._only if cards.is_empty else cards
        words = [self._words_of(part) for part in (head, label) if part]
        text_around = fold_in_place(f"{label}\n{head}")
        is_first = piece.label is None
        return Ambient(
            cards=cards,
            words=words,
            words_text=text_around,
            is_cell=True,
            is_first=is_first,
            corner=self._words_of(corner),
        )

    def _words_of(self, text: str) -> list[Hit]:
        """The lexicon's words in a header or label; not those in names (RTX PRO 6000 Blackwell Server)."""
        if text not in self._words:
            folded = fold_in_place(text)
            for mention in self._finder.mentions(text):
                folded = blank(folded, mention.start, mention.end)
            self._words[text] = words_in(folded)
        return self._words[text]

    def _named_next(self, following: Sequence[Piece]) -> Cards:
        """`48 GB. 275 W. That is the L20.`: the card that the paragraph names first."""
        texts = (self._text[p.span.start : p.span.end] for p in takewhile(lambda p: p.follows, following))
        return self._named_in(texts)

    def _named_in(self, texts: Iterable[str]) -> Cards:
        """The cards of the first text that names any."""
        return next((cards for text in texts if not (cards := self._first_named(text)).is_empty), NOBODY)

    def _first_named(self, text: str) -> Cards:
        if text not in self._cards_in:
            groups = self._finder.groups(text, fold_in_place(text), self._finder.mentions(text), NOBODY)
            self._cards_in[text] = groups[0].cards if groups else NOBODY
        return self._cards_in[text]


def _names_a_field(hit: Hit) -> bool:
    return any(tag.kind in _NAMES_A_FIELD for tag in hit.tags)
