"""`gpukb search`: passages without an answer."""

from __future__ import annotations

from typing import cast

import click

from kb.cli.options import json_option, settings_options
from kb.config import Settings
from kb.types import SearchMode


@click.command()
@click.argument("query", nargs=-1)
@click.option("--top-k", type=click.IntRange(1, 100), default=10, show_default=True, help="How many passages.")
@click.option("--mode", type=click.Choice(["hybrid", "dense", "sparse"]), default="hybrid", show_default=True)
@click.option("--doc", "doc_ids", multiple=True, metavar="ID", help="Search this document only.")
@json_option
@settings_options()
def search(
    query: tuple[str, ...], top_k: int, mode: str, doc_ids: tuple[str, ...], as_json: bool, settings: Settings
) -> None:
    """Find passages about QUERY (or what comes in on standard input), best first."""
    from kb.cli.opening import opened, require_documents
    from kb.cli.question_text import question_text
    from kb.types import Filters
    from kb.wire.search import search_out

    text = question_text(query, "search text", "search")
    with opened(settings) as kb:
        require_documents(kb, doc_ids)
        snapshot = kb.snapshot()
        result = snapshot.search(text, top_k=top_k, mode=cast(SearchMode, mode), filters=Filters(doc_id=doc_ids))
        found = search_out(result, snapshot.generation)
    if as_json:
        click.echo(found.model_dump_json())
    else:
        from kb.cli.answers import print_hits

        print_hits(found)
