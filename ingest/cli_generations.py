"""`gpukb index diff`, `rollback` and `prune`: the generations that are kept, and moving between them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from kb.cli.options import json_option, settings_options
from kb.cli.terminal import console
from kb.config import Settings

if TYPE_CHECKING:
    from kb.index.changes import Changes
    from kb.index.root import IndexRoot

_NAMES_SHOWN = 20


@click.command()
@click.argument("before", required=False)
@click.argument("after", required=False)
@json_option
@settings_options()
def diff(before: str | None, after: str | None, as_json: bool, settings: Settings) -> None:
    """Show what differs between two generations; without AFTER the current one, without BEFORE the one before it."""
    from kb.errors import IndexMissingError
    from kb.index.changes import changes_between
    from kb.index.root import IndexRoot

    root = IndexRoot(settings.data_dir)
    new = after or root.require_current()
    old = before or root.previous_name()
    if old is None:
        raise IndexMissingError(f"{new} is the only generation in {settings.data_dir}.", "There is nothing to compare.")
    changes = changes_between(_checksums(root, old), _checksums(root, new))
    if as_json:
        click.echo(json.dumps({"before": old, "after": new, **changes.as_dict()}, ensure_ascii=False))
        return
    print_changes(changes)
    counts = changes.counts()
    line = ", ".join(f"{count} {name}" for name, count in counts.items())
    console().print(f"From {old} to {new}: {line}.", markup=False, soft_wrap=True)


def _checksums(root: IndexRoot, name: str) -> dict[str, str]:
    from kb.errors import IndexMissingError

    if name not in root.generations():
        raise IndexMissingError(f"There is no generation {name!r}.", "`gpukb index status` lists those there are.")
    with root.open(name, verify=False) as generation:
        return {summary.doc_id: summary.sha256 for summary in generation.documents.summaries()}


@click.command()
@click.argument("generation", required=False)
@json_option
@settings_options()
def rollback(generation: str | None, as_json: bool, settings: Settings) -> None:
    """Publish the generation before the current one again, or the one named; running services move to it."""
    from kb.index.root import IndexRoot

    root = IndexRoot(settings.data_dir)
    root.require_current()
    with root.lock():
        before, now = root.rollback(generation)
    if as_json:
        click.echo(json.dumps({"generation_before": before, "generation_after": now}))
    else:
        console().print(f"Now {now}; it was {before}.", markup=False)


@click.command()
@click.option("--keep", type=click.IntRange(1, 1000), help="How many generations stay, instead of the setting.")
@json_option
@settings_options()
def prune(keep: int | None, as_json: bool, settings: Settings) -> None:
    """Delete older generations and what interrupted builds left; the current one always stays."""
    from kb.index.root import IndexRoot

    root = IndexRoot(settings.data_dir)
    root.require_current()
    with root.lock():
        deleted = root.prune(keep or settings.keep_generations)
    if as_json:
        click.echo(json.dumps({"deleted": list(deleted), "generations": list(root.generations())}))
    else:
        shown = ", ".join(deleted) or "nothing to delete"
        console().print(f"Deleted: {shown}. Kept: {', '.join(root.generations())}.", markup=False, soft_wrap=True)


def print_changes(changes: Changes) -> None:
    """What became of documents, a few names of each kind."""
    out = console()
    renamed = dict(changes.renamed)
    lists = {
        "new": [doc_id for doc_id in changes.added if doc_id not in renamed.values()],
        "changed": list(changes.updated),
        "gone": [doc_id for doc_id in changes.removed if doc_id not in renamed],
        "renamed": [f"{old} → {new}" for old, new in changes.renamed],
    }
    for title, names in lists.items():
        if not names:
            continue
        out.print(f"{len(names)} {title}:", markup=False)
        for name in names[:_NAMES_SHOWN]:
            out.print(f"  {name}", markup=False, soft_wrap=True)
        if len(names) > _NAMES_SHOWN:
            out.print(f"  … and {len(names) - _NAMES_SHOWN} more (--json lists all)", markup=False)
