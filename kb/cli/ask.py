"""`gpukb ask`: a question answered without a server."""

from __future__ import annotations

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
    from kb.cli.opening import opened, require_documents
    from kb.cli.question_text import question_text
    from kb.types import AskRequest, Filters

    request = AskRequest(
        question=question_text(question, "question", "ask"),
        language=cast(Literal["auto", "zh", "en"], lang),
        mode=cast(Literal["auto", "generate", "extract"], mode),
        filters=Filters(doc_id=doc_ids),
        top_k=settings.top_k,
    )
    with opened(settings) as kb:
        require_documents(kb, doc_ids)
        answer = kb.ask(request)
    if as_json:
        from kb.wire.answers import answer_json, answer_out, new_answer_id

        click.echo(answer_json(answer_out(answer, new_answer_id(), with_trace=False)))
    else:
        from kb.cli.answers import print_answer

        print_answer(answer)
