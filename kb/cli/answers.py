"""How an answer and found passages look on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.terminal import console
from kb.types import STAGES, Answer, Language, Source, Stage

if TYPE_CHECKING:
    from rich.console import Console

    from kb.wire.common import SourceOut
    from kb.wire.search import SearchOut

_WORDS: dict[Language, dict[str, str]] = {
    "zh": {"sources": "来源", "page": "第 {} 页", "total": "用时", "generation": "索引"},
    "en": {"sources": "Sources", "page": "page {}", "total": "took", "generation": "index"},
}
_UNSHOWN_STAGES: frozenset[Stage] = frozenset({"queue", "first_token", "total"})
_SHOWN_STAGES = tuple(stage for stage in STAGES if stage not in _UNSHOWN_STAGES)
_SNIPPET_CHARACTERS = 240


def print_answer(answer: Answer) -> None:
    """Text, sources and the time it took."""
    out = console()
    if out.is_terminal:
        from rich.markdown import Markdown

        out.print(Markdown(answer.text))
    else:
        out.print(answer.text, markup=False, soft_wrap=True)
    words = _WORDS[answer.language]
    if answer.sources:
        out.print()
        out.print(words["sources"], style="bold")
        quotes = {citation.source_id: citation.quote for citation in reversed(answer.citations)}
        for source in answer.sources:
            _print_source(out, source, quotes.get(source.source_id, ""), words)
    for warning in answer.warnings:
        out.print(f"! {warning}", style="yellow", markup=False)
    out.print()
    out.print(_receipt(answer, words), style="dim", markup=False, soft_wrap=True)


def _print_source(out: Console, source: Source, quote: str, words: dict[str, str]) -> None:
    title = source.title + (f" › {source.section}" if source.section and source.section != source.title else "")
    where = source.doc_id + (f", {words['page'].format(source.page)}" if source.page else "")
    out.print(f"[{source.index}] {title}", markup=False, soft_wrap=True)
    out.print(f"    {where}", style="dim", markup=False, soft_wrap=True)
    if quote:
        out.print(f"    “{_one_line(quote)}”", style="italic", markup=False, soft_wrap=True)


def _receipt(answer: Answer, words: dict[str, str]) -> str:
    timings = answer.timings_ms
    stages = [f"{stage} {ms:.1f}" for stage in _SHOWN_STAGES if (ms := timings.get(stage)) is not None]
    total = f"{words['total']} {timings.get('total') or 0.0:.1f} ms"
    return " · ".join([f"{total} ({', '.join(stages)})", answer.model, f"{words['generation']} {answer.generation}"])


def print_hits(found: SearchOut) -> None:
    """Found passages, best first."""
    out = console()
    if not found.data:
        out.print("nothing found")
    for source in found.data:
        _print_hit(out, source)
    total = found.timings_ms.get("total")
    if total is not None:
        out.print(f"{len(found.data)} passages, {total:.1f} ms", style="dim", markup=False)


def _print_hit(out: Console, source: SourceOut) -> None:
    score = "" if source.score is None else f"{source.score:.3f}"
    out.print(f"{source.index:>2}. {score}  {source.title}", style="bold", markup=False, soft_wrap=True)
    where = source.doc_id + (f" › {source.section}" if source.section else "")
    out.print(f"     {where}", style="dim", markup=False, soft_wrap=True)
    out.print(f"     {_one_line(source.text)}", markup=False, soft_wrap=True)
    out.print()


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SNIPPET_CHARACTERS else f"{line[:_SNIPPET_CHARACTERS].rstrip()}…"
