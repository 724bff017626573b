"""`gpukb select`: which cards meet requirements, without opening the index."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, cast

import click

from kb.cli.options import json_option, lang_option, language_of, settings_options
from kb.config import Settings
from kb.types import Language

if TYPE_CHECKING:
    from rich.console import Console

    from kb.selection.ranking import Criterion
    from kb.selection.requirement import Requirement
    from kb.wire.select import CandidateOut, SelectOut

_CONDITION = re.compile(r"\s*([a-z0-9_]+)\s*(>=|<=|!=|=|>|<|≥|≤|≠|\bin\b)\s*(.+?)\s*")
_OPERATORS = {">=": "gte", "≥": "gte", "<=": "lte", "≤": "lte", ">": "gt", "<": "lt", "=": "eq"}
_RANK = re.compile(r"([a-z0-9_]+(?:/[a-z0-9_]+)?)(?::(asc|desc))?(?:\*(\d+(?:\.\d+)?))?")
_MOST_NAMED = 8


@click.command()
@click.argument("question", nargs=-1)
@click.option(
    "--where",
    "-w",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="'memory_gb>=80', 'memory_type=HBM3,HBM3e', 'vendor!=NVIDIA', 'rt_cores' (has them), '!interconnect'.",
)
@click.option("--scenario", metavar="NAME", help="Requirements and ranking of a use: inference, training, graphics …")
@click.option(
    "--rank-by",
    "-r",
    "ranks",
    multiple=True,
    metavar="FIELD[:asc|desc][*WEIGHT]",
    help="'int8_tops/tdp_w', 'price_usd:asc', 'memory_gb*2', 'fit'.",
)
@click.option("--limit", type=click.IntRange(1, 5000), help="How many to show; 20, or as many as QUESTION asks for.")
@click.option("--explain", is_flag=True, help="Also name the cards left out, and why.")
@lang_option
@json_option
@settings_options("catalog", "scenarios")
def select(
    question: tuple[str, ...],
    conditions: tuple[str, ...],
    scenario: str | None,
    ranks: tuple[str, ...],
    limit: int | None,
    explain: bool,
    lang: str,
    as_json: bool,
    settings: Settings,
) -> None:
    """Select cards by conditions: in words (QUESTION), as --where, by --scenario, or together.

    \b
    gpukb select "显存不少于 80GB、功耗 400 瓦以内的卡"
    gpukb select --where 'int8_tops>=200' --where 'tdp_w<=300' --rank-by int8_tops/tdp_w
    """  # noqa: D301  (\b keeps click from joining the lines)
    from kb.cli.catalog import open_catalog
    from kb.selection.scenarios import load_scenarios
    from kb.selection.selector import SelectionRequest, Selector
    from kb.text import language_of as text_language
    from kb.wire.select import DEFAULT_LIMIT, select_out

    if not (question or conditions or scenario or ranks):
        raise click.UsageError("There is nothing to select by. Try: gpukb select --scenario inference")
    request = SelectionRequest(
        requirements=tuple(_requirement(text) for text in conditions),
        question=" ".join(question),
        scenario=scenario,
        rank_by=tuple(_criterion(text) for text in ranks),
    )
    selector = Selector(open_catalog(settings), load_scenarios(settings.scenarios))
    text = " ".join(question)
    language = text_language(text) if text and lang == "auto" else cast(Language, language_of(lang))
    selection = selector.select(request)
    limit = limit or selection.interpretation.limit or DEFAULT_LIMIT
    found = select_out(selection, limit=limit, explain=explain, language=language)
    if as_json:
        click.echo(found.model_dump_json())
        return
    _print(found, explain=explain)


def _requirement(text: str) -> Requirement:
    from kb.selection.requirement import require

    match = _CONDITION.fullmatch(text)
    if match is None:
        field = text.strip()
        return require(field.removeprefix("!").strip(), "exists", not field.startswith("!"))
    field, sign, value = match.groups()
    values = [part.strip() for part in value.split(",") if part.strip()]
    if sign in ("!=", "≠"):
        return require(field, "not_in", values)
    if sign == "in" or (sign == "=" and len(values) > 1):
        return require(field, "in", values)
    return require(field, _OPERATORS[sign], value)


def _criterion(text: str) -> Criterion:
    from kb.selection.ranking import criterion

    match = _RANK.fullmatch(text.strip())
    if match is None:
        raise click.UsageError(f"--rank-by {text} cannot be read. Write it like int8_tops/tdp_w or price_usd:asc*2.")
    field, order, weight = match.groups()
    return criterion(field, order, float(weight or 1.0))


# ---------------------------------------------------------------- for people


def _print(found: SelectOut, *, explain: bool) -> None:
    from kb.cli.terminal import console

    out = console()
    zh = found.language == "zh"
    _print_reading(out, found)
    if found.data:
        out.print(_table(found))
    counts = found.counts
    more = counts.passed - len(found.data)
    if zh:
        line = f"查了 {counts.searched} 款：满足 {counts.passed}，不满足 {counts.rejected}，无法判断 {counts.unknown}"
        line += f"；另有 {more} 款未列出，用 --limit {counts.passed} 看全部" if more else ""
    else:
        line = f"{counts.passed} pass, {counts.rejected} fail, {counts.unknown} cannot be judged, of {counts.searched}"
        line += f"; {more} more with --limit {counts.passed}" if more else ""
    out.print(line, style="dim", markup=False, soft_wrap=True)
    if not found.data or explain:
        _print_relaxations(out, found)
    if explain:
        _print_left_out(out, found)


def _print_reading(out: Console, found: SelectOut) -> None:
    zh = found.language == "zh"
    read = found.interpreted
    if read.text:
        out.print(f"{'条件' if zh else 'conditions'}: {read.text}", markup=False, soft_wrap=True)
    if read.rank_by:
        parts = ", ".join(f"{one.field} {'↓' if one.order == 'desc' else '↑'} ×{one.weight:g}" for one in read.rank_by)
        wishes = "".join(f", + {wish.field} ×{wish.weight:g}" for wish in read.prefer)
        out.print(f"{'排序' if zh else 'ranked by'}: {parts}{wishes}", style="dim", markup=False, soft_wrap=True)
    for note in read.assumptions:
        out.print(f"· {note}", style="dim", markup=False, soft_wrap=True)
    if read.not_understood:
        head = "没有理解" if zh else "not understood"
        out.print(f"! {head}: {' · '.join(read.not_understood)}", style="yellow", markup=False, soft_wrap=True)


def _table(found: SelectOut) -> Any:
    from rich.table import Table

    from kb.selection.attributes import label_of

    zh = found.language == "zh"
    table = Table(box=None, pad_edge=False, header_style="bold")
    fields = list(dict.fromkeys(check.field for check in found.data[0].checks if check.state))
    parts = [one.field for one in found.interpreted.rank_by if one.field not in fields]
    for title in ("", "id", "型号" if zh else "card", "层" if zh else "tier", "得分" if zh else "score"):
        table.add_column(title)
    for key in fields:
        table.add_column(label_of(key, found.language), overflow="fold")
    for key in parts:
        table.add_column(key, overflow="fold")
    for row in found.data:
        table.add_row(*_cells(row, fields, parts))
    return table


def _cells(row: CandidateOut, fields: list[str], parts: list[str]) -> list[str]:
    checks = {check.field: check.text for check in row.checks}
    values = {part.field: f"{part.value:g}" if part.value is not None else "–" for part in row.parts}
    score = "" if row.score is None else f"{row.score:.3f}"
    head = [str(row.rank), row.gpu_id, row.name, str(row.tier), score]
    return [*head, *(checks.get(key, "") for key in fields), *(values.get(key, "") for key in parts)]


def _print_relaxations(out: Console, found: SelectOut) -> None:
    zh = found.language == "zh"
    if found.relaxations:
        out.print("最小的放宽:" if zh else "smallest relaxations:")
    for one in found.relaxations:
        names = ", ".join(one.gpu_ids[:_MOST_NAMED]) + (" …" if one.adds > _MOST_NAMED else "")
        out.print(f"  {one.text}  → +{one.adds}: {names}", markup=False, soft_wrap=True)


def _print_left_out(out: Console, found: SelectOut) -> None:
    zh = found.language == "zh"
    for title, rows in (
        ("不满足:" if zh else "fail:", [(row.gpu_id, row.failed) for row in found.rejected]),
        ("无法判断:" if zh else "cannot be judged:", [(row.gpu_id, row.missing) for row in found.unknown]),
    ):
        if rows:
            out.print(title)
        for gpu_id, fields in rows:
            out.print(f"  {gpu_id}: {', '.join(fields)}", markup=False, soft_wrap=True)
    sys.stdout.flush()
