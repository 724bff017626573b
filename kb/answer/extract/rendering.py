"""Chosen units as readable, cited pieces of an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kb.answer.draft import Evidence, Sentence, Support
from kb.answer.extract.aspects import Asked
from kb.answer.extract.candidate import Candidate
from kb.answer.extract.glossary import NO_VARIANTS
from kb.answer.extract.picked import Run
from kb.answer.extract.screens import is_options, is_printed, telling_lines
from kb.answer.extract.table import TableCell, TableRow
from kb.answer.extract.terms import Term, Text, coverage
from kb.answer.extract.wording import say
from kb.text import sentences
from kb.types import Language, Span

_NAMED_PART: Final = 0.15
_ROW_NAMED_PART: Final = 0.25
_FULL_STOPS: Final = {"；": "。", ";": "."}
_LONGEST_UNIT: Final = 600
_ROW_CHARS: Final = 300
_OPEN_ROW_CHARS: Final = 420
_WHOLE_ROW_CHARS: Final = 140
_LONGEST_CELL: Final = 260
_CODE_LINES: Final = 12
_LEAST_NAMED: Final = 0.1
_NEARLY: Final = 0.85
_PLAIN_NAMES: Final = re.compile(
    r"参数|参数名称?|项目?|名称|指标|属性|规格|字段|特性|配置项?|值|数值|说明|描述|内容|"
    r"parameters?|items?|propert(?:y|ies)|specs?|specifications?|attributes?|fields?|features?|keys?|names?|metrics?|values?|descriptions?|",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of an answer; `is_row` if it is a table row, `language` is its passage's."""

    text: str
    supports: tuple[Support, ...]
    language: Language
    is_row: bool = False


class Renderer:
    """Writes chosen units.

    Args:
        asked: the question.
        evidence: of each passage by its chunk id.
        language: of the answer.
    """

    def __init__(self, asked: Asked, evidence: Mapping[str, Evidence], language: Language) -> None:
        self._asked = asked
        self._evidence = evidence
        self._language = language

    def parts(self, runs: Sequence[Run]) -> tuple[Sentence, ...]:
        """The answer's pieces."""
        kept = [run for number, run in enumerate(runs) if not _is_shown_with_next(runs, number)]
        shown = {candidate.unit.span for run in kept for candidate in run.candidates}
        pieces = [self._piece(run, shown) for run in kept]
        several = sum(piece.is_row for piece in pieces) > 1
        sentences: list[Sentence] = []
        language = self._language
        for number, piece in enumerate(pieces):
            following = pieces[number + 1] if number + 1 < len(pieces) else None
            bullet = "- " if several and piece.is_row else ""
            is_tight = bool(bullet) and following is not None and following.is_row
            end = "" if following is None else "\n" if is_tight else "\n\n"
            if piece.language != language:
                if piece.language != self._language:
                    sentences.append(Sentence(say("from_other_language", self._language), end="\n\n"))
                language = piece.language
            sentences.append(Sentence(bullet + piece.text, piece.supports, end=end))
        return tuple(sentences)

    def _piece(self, run: Run, shown: Collection[Span]) -> Piece:
        first = run.candidates[0]
        evidence = self._evidence[first.hit.chunk.chunk_id]
        if first.unit.row is not None:
            return self._row(first, evidence)
        if first.unit.kind == "code":
            return self._code(first, evidence, shown)
        text = _prose(run.candidates)
        lead = "" if first.unit.lead_span in shown else self._lead(first, text)
        span = Span(first.unit.span.start, run.candidates[-1].unit.span.end)
        supports = (Support(evidence, span), *self._lead_supports(first, evidence, lead))
        return Piece(lead + text, supports, first.hit.chunk.language)

    # ------------------------------------------------------------ leads

    def _lead(self, item: Candidate, text: str) -> str:
        """What introduces the words, or the heading where they do not name what they are about."""
        if item.unit.lead and item.unit.kind == "item":
            return item.unit.lead + ("" if item.hit.chunk.language == "zh" else " ")
        if self._asked.form.since and item.passage.release_span is not None:
            return f"**{_bare(item.passage.release)}** — "
        own = Text.of(text)
        heading = item.passage.heading
        named = Text.of(heading)
        if not heading or heading.lower() in text.lower() or not self._is_citable(item, heading, text):
            return ""
        missing = [code for code in self._asked.codes if code not in own.latin]
        terms = [term for term in self._asked.terms if not term.share_in(own) and term.share_in(named) > 0]
        if any(code in named.latin for code in missing) or (terms and coverage(self._asked.terms, named) > _NAMED_PART):
            return f"**{_bare(heading)}** — "
        return ""

    def _is_citable(self, item: Candidate, heading: str, text: str) -> bool:
        """Whether every figure of a heading can be shown to stand in the document."""
        return item.passage.heading_span is not None or not re.search(r"\d", heading)

    def _lead_supports(self, item: Candidate, evidence: Evidence, lead: str) -> tuple[Support, ...]:
        if lead.startswith("**") and self._asked.form.since and item.passage.release_span is not None:
            return (Support(evidence, item.passage.release_span),)
        if lead.startswith("**") and item.passage.heading_span is not None:
            return (Support(evidence, item.passage.heading_span),)
        if lead and item.unit.lead_span is not None:
            return (Support(evidence, item.unit.lead_span),)
        return ()

    # ------------------------------------------------------------ kinds

    def _code(self, item: Candidate, evidence: Evidence, shown: Collection[Span]) -> Piece:
        unit, passage = item.unit, item.passage
        is_told_in_part = is_printed(unit.shown) or is_options(unit.shown)
        lines = telling_lines(unit.shown, self._asked.terms) if is_told_in_part else [Span(0, len(unit.shown))]
        supports = [Support(evidence, span) for span in _joined_spans(lines, unit.span.start)]
        lead = unit.lead
        if unit.lead_span in shown:
            lead = ""
        elif lead and unit.lead_span is not None:
            supports.append(Support(evidence, unit.lead_span))
        elif self._is_citable(item, passage.heading, ""):
            lead = lead or f"**{_bare(passage.heading)}**"
            if passage.heading_span is not None:
                supports.append(Support(evidence, passage.heading_span))
        code = _dedented("\n".join(unit.shown[line.start : line.end] for line in lines))
        fenced = f"```{unit.language}\n{code}\n```"
        text = f"{lead}\n\n{fenced}" if lead else fenced
        return Piece(text, tuple(supports), item.hit.chunk.language)

    def _row(self, item: Candidate, evidence: Evidence) -> Piece:
        row = item.unit.row
        if row is None:
            raise ValueError("the unit is no table row")
        colon, stop = ("：", "；") if item.hit.chunk.language == "zh" else (": ", "; ")
        subject = self._subject(row)
        cells = [cell for cell in row.cells if not cell.is_empty and cell.span != subject.span]
        told = stop.join(_told(row, _shown_cells(row, cells, self._asked), colon))
        label = _bare(subject.shown)
        text = f"**{label}** — {told}" if label and told else label or told
        lead = self._row_lead(item, f"{label} {told}")
        spans = [row.span, row.label_span, *row.header.spans]
        if lead and item.passage.heading_span is not None:
            spans.append(item.passage.heading_span)
        supports = tuple(Support(evidence, span) for span in dict.fromkeys(spans))
        return Piece(lead + text, supports, item.hit.chunk.language, is_row=True)

    def _subject(self, row: TableRow) -> TableCell:
        """The cell that says what a row is about: the one with the code asked for, else the label."""
        label = TableCell(0, row.label, row.label_span)
        for cell in (label, *row.cells):
            if any(code in Text.of(cell.shown).latin for code in self._asked.codes):
                return cell
        return label

    def _row_lead(self, item: Candidate, text: str) -> str:
        """The heading above a table, where it says much of what was asked and the row does not."""
        heading = item.passage.heading
        if not heading or not self._is_citable(item, heading, text):
            return ""
        named, own = Text.of(heading), Text.of(text)
        adds = any(not term.share_in(own) and term.share_in(named) for term in self._asked.terms)
        if not adds or coverage(self._asked.terms, named) < _ROW_NAMED_PART:
            return ""
        return f"{_bare(heading)}: " if item.hit.chunk.language == "en" else f"{_bare(heading)}："


def _is_shown_with_next(runs: Sequence[Run], number: int) -> bool:
    """Whether a run is only the line that the next one shows above itself."""
    run = runs[number]
    following = runs[number + 1].candidates[0].unit if number + 1 < len(runs) else None
    is_code = following is not None and following.kind == "code"
    return (
        is_code
        and len(run.candidates) == 1
        and following is not None
        and following.lead_span == run.candidates[0].unit.span
    )


def _joined_spans(lines: Sequence[Span], offset: int) -> Iterator[Span]:
    """Places in the document of some lines of a unit; neighbouring lines are one place."""
    start: int | None = None
    end = 0
    for line in lines:
        if start is not None and line.start > end + 1:
            yield Span(offset + start, offset + end)
            start = None
        start = line.start if start is None else start
        end = line.end
    if start is not None:
        yield Span(offset + start, offset + end)


def _prose(candidates: Sequence[Candidate]) -> str:
    """Sentences in a row, list items line by line."""
    glue = "" if candidates[0].hit.chunk.language == "zh" else " "
    text = ""
    items = sum(item.unit.kind == "item" and not item.unit.follows for item in candidates)
    for number, item in enumerate(candidates):
        unit = item.unit
        shown = _short(unit.shown)
        if unit.kind == "item" and not unit.follows and (items > 1 or number):
            text += ("\n" if text else "") + f"- {shown}"
        else:
            text += (glue if text else "") + shown
    return text[:-1] + _FULL_STOPS[text[-1]] if text[-1:] in _FULL_STOPS else text


def _shown_cells(row: TableRow, cells: Sequence[TableCell], asked: Asked) -> Sequence[TableCell]:
    """The cells that tell what was asked; all where that is short, or, while there is room, where a part names none."""
    if sum(len(told) for told in _told(row, cells, ": ")) <= _WHOLE_ROW_CHARS:
        return cells
    about = Text.of(row.label)
    terms = [term for term in asked.terms if not term.share_in(about)]
    wanted, is_complete = _asked_columns([row.header.spoken(cell.column) for cell in cells], asked, about)
    own = [replace(term, variants=NO_VARIANTS) for term in terms]
    kept = {
        number
        for number, cell in enumerate(cells)
        if number in wanted or coverage(own, Text.of(cell.shown)) > _LEAST_NAMED / 2
    }
    sizes = [len(_excerpt(cell.shown, terms)) + len(row.header.name(cell.column)) for cell in cells]
    order = sorted(range(len(cells)), key=lambda number: (number not in wanted, number not in kept))
    room = _ROW_CHARS if is_complete else _OPEN_ROW_CHARS
    shown: set[int] = set()
    for number in order if not (wanted and is_complete) else [number for number in order if number in kept]:
        room -= sizes[number]
        if room < 0 and shown:
            break
        shown.add(number)
    return [replace(cell, shown=_excerpt(cell.shown, terms)) for number, cell in enumerate(cells) if number in shown]


def _excerpt(text: str, terms: Sequence[Term]) -> str:
    """A long cell, shortened to the sentences that hold most of what was asked, in their order."""
    if len(text) <= _LONGEST_CELL:
        return text
    parts = [text[span.start : span.end] for span in sentences(text)]
    covers = [coverage(terms, Text.of(part)) for part in parts]
    room = _LONGEST_CELL
    shown: set[int] = set()
    for number in sorted(range(len(parts)), key=lambda number: -covers[number]):
        room -= len(parts[number])
        if room < 0 and shown:
            break
        shown.add(number)
    return " ".join(part for number, part in enumerate(parts) if number in shown)


def _asked_columns(names: Sequence[str], asked: Asked, about: Text) -> tuple[set[int], bool]:
    """Numbers of the columns that the parts of the question name, and whether each part names one.

    Of columns that a part names alike, those are meant that hold most of the other words, too: `fp16` under the name of
    the model asked about. Words that stand in `about`, the row's label, name no column.
    """
    texts = [Text.of(name) for name in names]
    others = [term.weight * (not term.share_in(about)) for term in asked.terms]
    weighed = list(zip(asked.terms, others, strict=True))
    shares = [[term.share_in(text) * weight for term, weight in weighed] for text in texts]
    found: set[int] = set()
    is_complete = True
    for aspect in asked.aspects:
        total = sum(weight for weight, focus in zip(others, aspect.focus, strict=True) if focus)
        covers = [sum(part for part, focus in zip(share, aspect.focus, strict=True) if focus) for share in shares]
        best = max(covers, default=0.0)
        if best <= _LEAST_NAMED * total:
            is_complete = is_complete and not total
            continue
        near = [number for number, cover in enumerate(covers) if cover >= _NEARLY * best]
        own = [number for number, share in enumerate(shares) if aspect.own and all(share[term] for term in aspect.own)]
        near = own or near
        most = max(sum(shares[number]) for number in near)
        found.update(number for number in near if sum(shares[number]) >= _NEARLY * most)
    return found, is_complete


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
