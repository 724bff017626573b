"""`gpukb gpus`: the catalogue of cards, without opening the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from kb.cli.catalog import open_catalog
from kb.cli.options import json_option, lang_option, language_of, settings_options
from kb.cli.terminal import console
from kb.config import Settings
from kb.errors import NotFoundError
from kb.types import Language

if TYPE_CHECKING:
    from kb.specs.catalog import Catalog
    from kb.specs.schema import GpuSpec

_LIST_FIELDS = ("released_on", "memory_gb", "memory_type", "memory_bandwidth_gb_s", "tdp_w")


@click.group()
def gpus() -> None:
    """Look cards up in the catalogue."""


@gpus.command("list")
@click.option("--vendor", help="Only this vendor's cards.")
@click.option("--query", "-q", help="Part of a name.")
@click.option("--all", "everything", is_flag=True, help="Also cards from a single database.")
@lang_option
@json_option
@settings_options("catalog")
def list_gpus(
    vendor: str | None, query: str | None, everything: bool, lang: str, as_json: bool, settings: Settings
) -> None:
    """List cards."""
    from kb.wire.gpus import GpuList, gpu_summary, is_called, is_of

    catalog, language = open_catalog(settings), cast(Language, language_of(lang))
    found = [
        gpu
        for gpu in catalog.gpus.values()
        if (everything or query or gpu.tier == 1) and is_of(gpu, vendor) and is_called(gpu, query)
    ]
    data = [gpu_summary(gpu, catalog, _LIST_FIELDS, language) for gpu in found]
    if as_json:
        click.echo(GpuList(data=data, total=len(data)).model_dump_json())
        return
    from rich.table import Table

    from kb.specs.fields import FIELDS

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("id", "", *(FIELDS[key].label(language) for key in _LIST_FIELDS)):
        table.add_column(title)
    for row in data:
        specs = row.specs or {}
        cells = [specs[key].text if specs[key].source else "" for key in _LIST_FIELDS]
        table.add_row(row.id, row.name, *cells)
    console().print(table)
    console().print(f"{len(data)} / {len(catalog.gpus)}", style="dim")


@gpus.command("show")
@click.argument("name", nargs=-1, required=True)
@lang_option
@json_option
@settings_options("catalog")
def show(name: tuple[str, ...], lang: str, as_json: bool, settings: Settings) -> None:
    """Show all that is known of one card; NAME is its id or what people call it."""
    from kb.wire.gpus import gpu_out

    catalog, language = open_catalog(settings), cast(Language, language_of(lang))
    card = gpu_out(_card(catalog, " ".join(name)), catalog, language)
    if as_json:
        click.echo(card.model_dump_json())
        return
    from rich.table import Table

    out = console()
    out.print(f"{card.name}  [dim]{card.id}[/]")
    for note in card.notes:
        out.print(note, markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold", show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    table.add_column(style="dim", overflow="fold")
    for spec in (card.specs or {}).values():
        if spec.state == "not_published":
            continue
        value = " ".join(part for part in (spec.text, f"({spec.qualifier})" if spec.qualifier else "") if part)
        others = " / ".join(figure.text for figure in spec.conflicts)
        table.add_row(spec.label, value + (f"  ≠ {others}" if others else ""), spec.source.title if spec.source else "")
    out.print(table)


@gpus.command("compare")
@click.argument("names", nargs=-1, required=True)
@lang_option
@json_option
@settings_options("catalog")
def compare(names: tuple[str, ...], lang: str, as_json: bool, settings: Settings) -> None:
    """Set cards side by side; each of NAMES is an id or a quoted name."""
    from kb.specs.fields import FIELDS
    from kb.wire.gpus import comparison_out

    catalog, language = open_catalog(settings), cast(Language, language_of(lang))
    cards = [_card(catalog, name) for name in names]
    comparison = comparison_out(cards, catalog, FIELDS, language)
    if as_json:
        click.echo(comparison.model_dump_json())
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for card in comparison.gpus:
        table.add_column(card.name, overflow="fold")
    for field in comparison.fields:
        table.add_row(field.label, *(field.cells[card.id].text for card in comparison.gpus))
    console().print(table)


def _card(catalog: Catalog, name: str) -> GpuSpec:
    """The card of that id or name.

    Raises:
        NotFoundError: there is none, or the name fits several; the hint lists ids.
    """
    if name in catalog.gpus:
        return catalog.gpus[name]
    from kb.specs.names import NameResolver

    mentions = NameResolver(catalog).resolve(name)
    ids = mentions[0].gpu_ids or mentions[0].nearest if mentions else ()
    if mentions and mentions[0].status == "one":
        return catalog.gpus[ids[0]]
    if mentions and mentions[0].status == "several":
        raise NotFoundError(f"{name!r} fits several cards.", f"Name one of: {', '.join(ids)}.")
    near = f"Near: {', '.join(ids)}." if ids else "`gpukb gpus list` shows the cards."
    raise NotFoundError(f"There is no card {name!r}.", near)
