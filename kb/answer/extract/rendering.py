"""Chosen units as readable, cited pieces of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kb.answer.draft import Evidence, Sentence, Support
from kb.answer.extract.aspects import Asked
from kb.answer.extract.choice import Choice
from kb.answer.extract.scoring import Candidate
from kb.answer.extract.table import TableCell, TableRow
from kb.answer.extract.terms import Term, Text, coverage
from kb.types import Language, Span

_LONGEST_UNIT: Final = 600
_ROW_CHARS: Final = 300
_WHOLE_ROW_CHARS: Final = 140
_WHOLE_ROW_COLUMNS: Final = 4
_CODE_LINES: Final = 12
_PLAIN_NAMES: Final = re.compile(
    r"参数|参数名称?|项目?|名称|指标|属性|规格|字段|特性|配置项?|值|数值|说明|描述|内容|"
    r"parameters?|items?|propert(?:y|ies)|specs?|specifications?|attributes?|fields?|features?|keys?|names?|metrics?|values?|descriptions?|",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of an answer.

    Attributes:
        order: for sorting within the answer.
        is_row: it is a table row.
    """

    text: str
    supports: tuple[Support, ...]
    is_row: bool = False
    is_code: bool = False


class Renderer:
    """Writes chosen units.

    Args:
        asked: the question.
        language: of the answer.
        evidence: of each passage by its chunk id.
    """

    def __init__(self, asked: Asked, language: Language, evidence: dict[str, Evidence]) -> None:
        self._asked = asked
        self._language = language
        self._evidence = evidence

    def parts(self, choices: Sequence[Choice]) -> tuple[Sentence, ...]:
        """The answer's pieces."""
        pieces = [self._piece(run) for run in _runs(choices)]
        several = sum(piece.is_row for piece in pieces) > 1
        sentences: list[Sentence] = []
        for number, piece in enumerate(pieces):
            is_last = number == len(pieces) - 1
            bullet = "- " if several and piece.is_row else ""
            following = pieces[number + 1] if not is_last else None
            tight = bool(bullet) and following is not None and following.is_row
            sentences.append(
                Sentence(bullet + piece.text, piece.supports, end="" if is_last else "\n" if tight else "\n\n")
            )
        return tuple(sentences)

    def _piece(self, run: Sequence[Choice]) -> Piece:
        first = run[0].candidate
        evidence = self._evidence[first.hit.chunk.chunk_id]
        if first.unit.row is not None:
            return self._row(run[0], evidence)
        if first.unit.kind == "code":
            return self._code(run, evidence)
        texts = [_short(choice.candidate.unit.shown) for choice in run]
        glue = "" if first.hit.chunk.language == "zh" else " "
        text = glue.join(texts)
        supports = [Support(evidence, Span(first.unit.span.start, run[-1].candidate.unit.span.end))]
        lead = self._lead(first, text)
        return Piece(lead + text, tuple(supports) + self._lead_supports(first, evidence, lead))

    # ------------------------------------------------------------ leads

    def _lead(self, item: Candidate, text: str) -> str:
        """The heading, where the words themselves do not name what they are about."""
        if item.unit.lead and item.unit.kind == "item":
            return item.unit.lead + ("" if self._language == "zh" else " ")
        own = Text.of(text)
        missing = [code for code in self._asked.codes if code not in own.latin]
        headings = item.passage.headings
        heading = item.passage.heading
        named = Text.of(heading)
        terms = [term for term in self._asked.terms if not term.share_in(own) and term.share_in(named) > 0]
        helps = (
            any(code in named.latin for code in missing) or coverage(self._asked.terms, named) > 0.15 and bool(terms)
        )
        if not helps or not heading or heading.lower() in text.lower() or not headings.folded:
            return ""
        return f"**{_bare(heading)}** — "

    def _lead_supports(self, item: Candidate, evidence: Evidence, lead: str) -> tuple[Support, ...]:
        if lead and item.unit.lead_span is not None:
            return (Support(evidence, item.unit.lead_span),)
        return ()

    # ------------------------------------------------------------ kinds

    def _code(self, run: Sequence[Choice], evidence: Evidence) -> Piece:
        first = run[0].candidate
        span = Span(first.unit.span.start, run[-1].candidate.unit.span.end)
        body = _dedented("\n".join(choice.candidate.unit.shown for choice in run))
        lead = first.unit.lead or f"**{_bare(first.passage.heading)}**"
        supports = [Support(evidence, span)]
        if first.unit.lead_span is not None:
            supports.append(Support(evidence, first.unit.lead_span))
        return Piece(f"{lead}\n\n```{first.unit.language}\n{body}\n```", tuple(supports), is_code=True)

    def _row(self, choice: Choice, evidence: Evidence) -> Piece:
        row = choice.candidate.unit.row
        assert row is not None
        terms = self._asked.terms
        shown = _shown_cells(row, terms)
        colon, stop = ("：", "；") if choice.candidate.hit.chunk.language == "zh" else (": ", "; ")
        told = stop.join(_told(row, shown, colon))
        label = _bare(row.label)
        text = f"**{label}** — {told}" if label and told else label or told
        spans = [
            row.span,
            row.label_span,
            *(row.header.spans[c.column] for c in shown if c.column < len(row.header.spans)),
        ]
        return Piece(text, tuple(Support(evidence, span) for span in dict.fromkeys(spans)), is_row=True)


def _runs(choices: Sequence[Choice]) -> Iterator[list[Choice]]:
    """Choices in reading order within each passage, neighbours together; passages in the order of their best choice."""
    by_passage: dict[str, list[Choice]] = {}
    for choice in choices:
        by_passage.setdefault(choice.candidate.hit.chunk.chunk_id, []).append(choice)
    for group in by_passage.values():
        run: list[Choice] = []
        for choice in sorted(group, key=lambda choice: choice.candidate.number):
            unit = choice.candidate.unit
            if run and (
                run[-1].candidate.number + 1 != choice.candidate.number
                or unit.row is not None
                or unit.kind != run[-1].candidate.unit.kind
                or not (unit.follows or unit.kind == "code")
            ):
                yield run
                run = []
            run.append(choice)
        if run:
            yield run


def _shown_cells(row: TableRow, terms: Sequence[Term]) -> list[TableCell]:
    """The cells that tell what was asked; all of them where the row is short."""
    cells = [cell for cell in row.cells if cell.span != row.label_span and not cell.is_empty]
    if len(row.cells) <= _WHOLE_ROW_COLUMNS or sum(len(cell.shown) for cell in cells) <= _WHOLE_ROW_CHARS:
        return cells
    by_name = {cell.column: coverage(terms, Text.of(row.header.name(cell.column))) for cell in cells}
    by_text = {cell.column: coverage(terms, Text.of(cell.shown)) for cell in cells}
    best = max(by_name.values(), default=0.0)
    wanted = [cell for cell in cells if (best > 0 and by_name[cell.column] >= best / 3) or by_text[cell.column] > 0.05]
    if not any(by_name[cell.column] for cell in wanted):
        wanted = cells
    kept: list[TableCell] = []
    room = _ROW_CHARS
    for cell in wanted:
        room -= len(cell.shown) + len(row.header.name(cell.column))
        if room < 0 and kept:
            break
        kept.append(cell)
    return kept


def _told(row: TableRow, cells: Sequence[TableCell], colon: str) -> Iterator[str]:
    """Cells with the names of their columns; neighbours that say the same are told once."""
    position = 0
    while position < len(cells):
        end = position + 1
        while end < len(cells) and cells[end].shown == cells[position].shown and row.header.name(cells[end].column):
            end += 1
        names = [row.header.name(cell.column) for cell in cells[position:end]]
        name = ", ".join(_bare(name) for name in names if name)
        value = cells[position].shown
        yield value if not name or _PLAIN_NAMES.fullmatch(name) else f"{name}{colon}{value}"
        position = end


def _bare(text: str) -> str:
    return text.strip(" *:：")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_UNIT else text[:_LONGEST_UNIT].rstrip() + "…"


def _dedented(code: str) -> str:
    lines = code.split("\n")[:_CODE_LINES]
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:].rstrip() for line in lines)
