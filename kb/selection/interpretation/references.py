"""Bounds that another card sets: "more memory than the L4", 比 L4 功耗低, 显存大于 A100 80G."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kb.selection.attributes import kind_of, label_of
from kb.selection.columns import Columns
from kb.selection.interpretation.placed import Placed
from kb.selection.interpretation.tokens import Token
from kb.selection.interpretation.topics import Topic
from kb.selection.note import Note
from kb.selection.requirement import Operator, Requirement
from kb.selection.wording import written
from kb.specs.names import Mention

_NEAR: Final = 8
_UPWARD: Final = ("gt", "gte")
_SPEED: Final = ("强", "快", "更强", "更快", "faster")
"""Comparatives that mean throughput where no field is named."""
_THROUGHPUT: Final = "fp16_tensor_tflops"
_FASTER: Final = {"memory_gb": "memory_bandwidth_gb_s", "interconnect": "interconnect_gb_s"}
"""What is faster of a field that has a size: "faster memory" has more bandwidth."""


def read_references(
    tokens: Sequence[Token], topics: Sequence[Topic], columns: Columns
) -> tuple[list[Placed], list[Note]]:
    """Requirements that cards named for their own figures set; what they are read from is marked as used.

    A name that several cards share bounds by all of them: more than the most, less than the least. "It" is the card
    named before.
    """
    found: list[Placed] = []
    notes: list[Note] = []
    named: Mention | None = None
    for position, token in enumerate(tokens):
        named = token.mention if token.mention is not None and token.mention.gpu_ids else named
        if named is None or not (token.mention is named or token.is_a("pronoun")) or token.used:
            continue
        sign = _sign(tokens, position)
        if sign is None:
            continue
        words, operator, key = sign
        topic = None if key else _topic(tokens, topics, position, words)
        is_of_speed = any(word.text in _SPEED for word in words)
        key = key or (topic.key if topic else _THROUGHPUT if is_of_speed else "")
        key = _FASTER.get(key, key) if is_of_speed else key
        value = _figure(columns, named.gpu_ids, key, operator) if key else None
        if value is None:
            continue
        for word in (token, *words, *(tokens[topic.first : topic.last + 1] if topic else ())):
            word.used = "reference"
        if topic is not None:
            topic.used = True
        places = [position, *(tokens.index(word) for word in words), *([topic.first, topic.last] if topic else [])]
        found.append(Placed(min(places), max(places), (Requirement(key, operator, value),)))
        name = named.text.strip()
        zh, en = label_of(key, "zh"), label_of(key, "en")
        zh_value, en_value = written(key, value, "zh"), written(key, value, "en")
        notes.append(Note(f"{name} 的{zh}按 {zh_value} 计。", f"The {name} is taken at {en_value} ({en})."))
    return found, notes


def _sign(tokens: Sequence[Token], position: int) -> tuple[list[Token], Operator, str] | None:
    """How cards are to compare with the one at `position`: the words, the operator, and the field if they name one."""
    for earlier in range(position - 1, max(-1, position - 4), -1):
        token = tokens[earlier]
        if token.is_a("before") and not token.used:
            return [token], token.get("before"), ""  # type: ignore[return-value]
        if token.get("date_before") and not token.used:
            return [token], token.get("date_before"), "released_on"  # type: ignore[return-value]
        if token.is_a("than"):
            return _compared(tokens, earlier, position)
        if not token.is_filler:
            return None
    return None


def _compared(tokens: Sequence[Token], than: int, position: int) -> tuple[list[Token], Operator, str] | None:
    """The comparative that goes with "than": before it in English, after the name in Chinese."""
    before = reversed(tokens[max(0, than - _NEAR) : than])
    after = tokens[position + 1 : position + 1 + _NEAR]
    for token in (*after, *before) if tokens[than].text in ("比", "较") else before:
        if token.kind in ("amount", "name"):
            break
        own = token.get("comparative_field")
        if own and not token.used:
            key, _, operator = own.partition(" ")
            return [tokens[than], token], operator, key  # type: ignore[return-value]
        if token.is_a("comparative") and not token.used:
            return [tokens[than], token], token.get("comparative"), ""  # type: ignore[return-value]
    return None


def _topic(tokens: Sequence[Token], topics: Sequence[Topic], position: int, words: Sequence[Token]) -> Topic | None:
    """The field compared: the nearest one that no other amount has taken."""
    near = [
        (min(abs(topic.last - position), abs(topic.first - position)), topic.first, topic)
        for topic in topics
        if not topic.used and topic.key and kind_of(topic.key) in ("number", "date")
    ]
    best = min(near, key=lambda one: one[:2], default=None)
    return best[2] if best is not None and best[0] <= _NEAR else None


def _figure(columns: Columns, gpu_ids: Sequence[str], key: str, operator: str) -> float | str | None:
    """The bound: the greatest figure of all the cards, or the least; `None` where none is certain."""
    if kind_of(key) == "date":
        dates = [value for gpu_id in gpu_ids if isinstance(value := columns.catalog.entry(gpu_id, key).value, str)]
        return (max(dates) if operator in _UPWARD else min(dates)) if dates else None
    column = columns.column(key)
    rows = [columns.row_of[gpu_id] for gpu_id in gpu_ids]
    figures = (column.high if operator in _UPWARD else column.low)[rows]
    known = figures[~np.isnan(figures)]
    if not len(known):
        return None
    return float(known.max() if operator in _UPWARD else known.min())
