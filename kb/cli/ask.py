"""`gpukb ask`: a question answered without a server."""

from __future__ import annotations

import sys
from typing import Literal, cast

import click

from kb.cli.options import json_option, settings_options
from kb.config import Settings


@click.command()
@click.argument("question", nargs=-1)
@click.option("--lang", type=click.Choice(["auto", "zh", "en"]), default="auto", help="Language of the answer.")
@click.option(
    "--mode", type=click.Choice(["auto", "generate", "extract"]), default="auto", help="extract: without a chat model."
)
@click.option("--doc", "doc_ids", multiple=True, metavar="ID", help="Answer from this document only.")
@json_option
@settings_options("top_k", "catalog", "llm_base_url", "llm_model")
def ask(
    question: tuple[str, ...], lang: str, mode: str, doc_ids: tuple[str, ...], as_json: bool, settings: Settings
) -> None:
    """Answer QUESTION (or what comes in on standard input) with figures and sources."""
    text = _text_of(question, "question")
    from kb.cli.opening import opened
    from kb.types import AskRequest, Filters

    request = AskRequest(
        question=text,
        language=cast(Literal["auto", "zh", "en"], lang),
        mode=cast(Literal["auto", "generate", "extract"], mode),
        filters=Filters(doc_id=doc_ids),
        top_k=settings.top_k,
    )
    with opened(settings) as kb:
        answer = kb.ask(request)
    if as_json:
        from kb.wire.answers import answer_json, answer_out, new_answer_id

        click.echo(answer_json(answer_out(answer, new_answer_id(), with_trace=False)))
    else:
        from kb.cli.answers import print_answer

        print_answer(answer)


def _text_of(words: tuple[str, ...], name: str) -> str:
    """The words as one text; without words (or with `-`) what comes in on a pipe."""
    text = " ".join(words).strip()
    if text in ("", "-") and not sys.stdin.isatty():
        text = sys.stdin.read().strip()
    if not text:
        raise click.UsageError(f'The {name} is empty. Try: gpukb ask "T4 的显存带宽是多少？"')
    return text
