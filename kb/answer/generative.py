"""Answers worded by a chat model, sentence by sentence; a sentence whose figures are not in the evidence is dropped."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kb.answer.draft import Evidence, Sentence, Support
from kb.answer.instructions import foreign_address, repeats
from kb.answer.numbers import NumberGate
from kb.answer.prompts import NO_ANSWER, RULES, messages_for
from kb.llm.base import ChatModel
from kb.text import sentences
from kb.types import Language, Span, Turn

_MARK = re.compile(r"\s*\[(\d{1,3}(?:\s*[,，、]\s*\d{1,3}){0,9})\]")
"""A mark, `[1]`, or several in one pair of brackets, `[1, 2]`."""
_MARKS = re.compile(rf"(?:{_MARK.pattern})+\s*")
_MARK_BEGUN = re.compile(r"(?:\[[\d\s,，、]{0,60}\]?\s*)+")
_REMEMBERED = 400
"""Characters of what was written before, by which a sentence's "it" is understood."""
_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|```.*\Z", re.DOTALL)
"""A code span or a fenced block, closed or still open at the end."""


@dataclass(slots=True)
class GenerativeComposer:
    """Lets a chat model word an answer from numbered evidence.

    Attributes:
        dropped: sentences of the last answer that were not sent: a figure in them had no support, they repeated our
            rules or named an address of no source, or none of the answer's sentences cited anything.
    """

    chat: ChatModel
    gate: NumberGate
    dropped: int = 0
    _sent: str = ""

    def compose(
        self,
        question: str,
        evidence: Sequence[tuple[int, Evidence]],
        history: Sequence[Turn],
        language: Language,
        max_tokens: int | None,
        *,
        style: str = "",
        temperature: float | None = None,
    ) -> Iterator[Sentence]:
        """Verified sentences, as the model writes them.

        Marks for evidence that was not given are removed; marks inside code stay text.

        Raises:
            LlmError: if the model cannot be reached, or stops in the middle.
        """
        self.dropped = 0
        self._sent = ""
        by_number = dict(evidence)
        messages = messages_for(question, evidence, history, language, style)
        reply = self.chat.stream(messages, max_tokens=max_tokens, temperature=temperature)
        line_break = ""
        waiting: list[Sentence] = []
        is_grounded = False
        for text, end in _sentences_of(reply):
            if text.strip(" .。") == NO_ANSWER:
                break
            sentence = self._verified(line_break + text, end, by_number, question)
            if sentence is None:
                self.dropped += 1
                # What stood on a line of its own still does when the sentence before it is gone.
                line_break = end if "\n" in end and self._sent else line_break
            else:
                line_break = ""
                self._sent = (self._sent + sentence.text + (sentence.end or " "))[-_REMEMBERED:]
                waiting.append(sentence)
                # What cites nothing may introduce what does; alone it is no answer from evidence.
                is_grounded = is_grounded or bool(sentence.supports)
                if is_grounded:
                    yield from waiting
                    waiting.clear()
        self.dropped += len(waiting)

    def _verified(self, text: str, end: str, by_number: dict[int, Evidence], question: str) -> Sentence | None:
        body, numbers = _without_marks(text, by_number)
        cited = [by_number[number] for number in numbers if number in by_number]
        if repeats(body, RULES) or foreign_address(body, "\n".join(item.text for item in cited)):
            return None
        facts = self.gate.facts_in(body, cited, question, self._sent)
        if facts is None or not body.strip():
            return None
        supports = tuple(Support(item, Span(item.start, item.end)) for item in dict.fromkeys(cited))
        return Sentence(body, supports, facts, end)


def _without_marks(text: str, known: Collection[int]) -> tuple[str, list[int]]:
    """Text without `[n]` marks, and their numbers in order; code is left alone.

    Several numbers in one pair of brackets are marks only where one of them is known; else they are words, such as
    the sides of a picture.
    """
    pieces: list[str] = []
    numbers: list[int] = []
    position = 0

    def without(mark: re.Match[str]) -> str:
        read = [int(number) for number in re.findall(r"\d+", mark.group(1))]
        if len(read) > 1 and not any(number in known for number in read):
            return mark.group()
        numbers.extend(read)
        return ""

    for code in [*_CODE.finditer(text), None]:
        prose = text[position : code.start() if code else len(text)]
        pieces.append(_MARK.sub(without, prose))
        if code:
            pieces.append(code.group())
            position = code.end()
    return "".join(pieces), numbers


def _sentences_of(pieces: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Whole sentences with the white space behind them, as soon as each is complete.

    Text inside a code fence is one sentence. Marks behind a full stop belong to the sentence before it.
    """
    buffer = ""
    for piece in pieces:
        buffer += piece
        starts = _starts(buffer)
        # The last start may still turn out to be a mark of the sentence before it.
        while len(starts) > 1 and not _MARK_BEGUN.fullmatch(buffer, starts[1]):
            yield _split_space(buffer[: starts[1]])
            buffer = buffer[starts[1] :]
            starts = _starts(buffer)
    ends = [*_starts(buffer)[1:], len(buffer)]
    start = 0
    for end in ends:
        if buffer[start:end].strip():
            yield _split_space(buffer[start:end])
        start = end


def _starts(buffer: str) -> list[int]:
    """Where sentences begin, 0 first; none begins with marks or inside a code fence."""
    starts = [0]
    for span in sentences(buffer)[1:]:
        marks = _MARKS.match(buffer, span.start)
        start = marks.end() if marks else span.start
        if start < len(buffer) and buffer[:start].count("```") % 2 == 0:
            starts.append(start)
    return starts


def _split_space(text: str) -> tuple[str, str]:
    body = text.rstrip()
    return body, text[len(body) :]
