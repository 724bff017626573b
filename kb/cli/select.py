"""`gpukb select`: which cards meet requirements, without opening the index."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import click

from kb.cli.options import json_option, lang_option, language_of, settings_options
from kb.config import Settings
from kb.types import Language

if TYPE_CHECKING:
    from kb.selection.ranking import Criterion
    from kb.selection.requirement import Requirement
    from kb.sizing import Workload

_CONDITION = re.compile(r"\s*([a-z0-9_]+)\s*(>=|<=|!=|=|>|<|≥|≤|≠|\bin\b)\s*(.+?)\s*")
_OPERATORS = {">=": "gte", "≥": "gte", "<=": "lte", "≤": "lte", ">": "gt", "<": "lt", "=": "eq"}
_RANK = re.compile(r"([a-z0-9_]+(?:/[a-z0-9_]+)?)(?::(asc|desc))?(?:\*(\d+(?:\.\d+)?))?")


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
@click.option("--model", help="A language model to be run, by name or size (70B): cards are counted that hold it.")
@click.option("--precision", help="Number format of its weights: fp16, fp8, int4 …")
@click.option("--context", "context_tokens", type=click.IntRange(1, 100_000_000), help="Tokens of a sequence.")
@click.option("--concurrency", "sequences", type=click.IntRange(1, 1_000_000), help="Sequences at once.")
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
    model: str | None,
    precision: str | None,
    context_tokens: int | None,
    sequences: int | None,
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
    from kb.selection.scenarios import load_scenarios, scenario_named
    from kb.selection.selector import SelectionRequest, Selector
    from kb.text import language_of as text_language
    from kb.wire.select import DEFAULT_LIMIT, select_out

    if not (question or conditions or scenario or ranks or model):
        raise click.UsageError("There is nothing to select by. Try: gpukb select --scenario inference")
    stated = {"precision": precision, "context_tokens": context_tokens, "sequences": sequences}
    scenarios = load_scenarios(settings.scenarios)
    if scenario is not None:
        scenario_named(scenarios, scenario)
    request = SelectionRequest(
        requirements=tuple(_requirement(text) for text in conditions),
        question=" ".join(question),
        scenario=scenario,
        rank_by=tuple(_criterion(text) for text in ranks),
        workload=_workload(model, stated),
    )
    selector = Selector(open_catalog(settings), scenarios)
    text = " ".join(question)
    language = text_language(text) if text and lang == "auto" else cast(Language, language_of(lang))
    selection = selector.select(request)
    selection.require_understood()
    limit = limit or selection.interpretation.limit or DEFAULT_LIMIT
    found = select_out(selection, limit=limit, explain=explain, language=language)
    if as_json:
        click.echo(found.model_dump_json())
        return
    from kb.cli.selections import print_selection

    print_selection(found, explain=explain)


def _workload(model: str | None, stated: Mapping[str, str | int | None]) -> Workload | None:
    if model is None:
        given = next((name for name, value in stated.items() if value is not None), None)
        if given is not None:
            raise click.UsageError("--precision, --context and --concurrency go with --model.")
        return None
    from kb.sizing import describe_workload, refined
    from kb.sizing.formats import number_format
    from kb.specs.model_shapes import ModelShapes

    precision = number_format(str(stated["precision"])).name if stated["precision"] else None
    return refined(describe_workload(ModelShapes.load(), model=model), **{**stated, "precision": precision})


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
