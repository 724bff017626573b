"""`gpukb size`: what a model needs and how fast it runs, from the catalogue alone; the index is not opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from kb.cli.catalog import open_catalog
from kb.cli.options import json_option, lang_option, language_of, settings_options
from kb.cli.terminal import console
from kb.config import Settings
from kb.types import Language

if TYPE_CHECKING:
    from rich.console import Console

    from kb.wire.sizing import CardSizeOut, LineOut, SizeOut

_WORDS: dict[str, dict[Language, str]] = {
    "assumed": {"zh": "假设", "en": "Assumed"},
    "total": {"zh": "合计", "en": "Total"},
    "none": {"zh": "没有布局放得下", "en": "no layout holds it"},
    "layout": {
        "zh": "{cards} 张（TP {tp} × PP {pp} × DP {dp}），每张 {each}",
        "en": "{cards} cards (TP {tp} × PP {pp} × DP {dp}), {each} on each",
    },
    "by_capacity": {"zh": "按容量至少 {low} 张，稳妥 {high} 张", "en": "by capacity at least {low}, safely {high}"},
    "longest": {
        "zh": "每路上下文最长 {tokens}（{sequences} 路），受限于{limit}",
        "en": "longest context of each sequence {tokens} ({sequences} at once); {limit} binds",
    },
    "memory": {"zh": "显存", "en": "memory"},
    "model": {"zh": "模型本身", "en": "the model itself"},
    "replicas": {
        "zh": "达到 {wanted} tokens/s 约需 {cards} 张："
        "{copies} 个副本，每个 {each} 张、并发 {sequences} 路；按上限至少 {least} 张",
        "en": "{wanted} tokens/s take about {cards} cards: "
        "{copies} copies of {each}, {sequences} sequences at once on each; by the roofline at least {least}",
    },
    "no_replicas": {
        "zh": "算不出达到 {wanted} tokens/s 的张数：要有上下文长度（--context），且卡的速率已公开",
        "en": "cards for {wanted} tokens/s cannot be counted: it takes a context (--context) and published rates",
    },
    "fits": {"zh": "装得下", "en": "fits"},
    "tight": {"zh": "很紧", "en": "tight"},
    "does_not_fit": {"zh": "装不下", "en": "does not fit"},
}


def _precision(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    from kb.sizing.formats import number_format

    return number_format(value).name if value else None


@click.command()
@click.argument("model", nargs=-1, required=True)
@click.option("--gpu", "gpus", multiple=True, help="Card by name or id; may be repeated.")
@click.option("--cards", type=click.IntRange(1, 65536), help="How many there are; left out, how many it takes.")
@click.option("--task", type=click.Choice(["inference", "finetune", "pretrain"]), help="What is done with it.")
@click.option("--method", type=click.Choice(["full", "lora", "qlora"]), help="How it is trained.")
@click.option("--precision", callback=_precision, help="Number format of the weights: fp16, fp8, int4 …")
@click.option("--kv-precision", callback=_precision, help="Number format of the KV cache.")
@click.option("--context", "context_tokens", type=click.IntRange(1, 100_000_000), help="Tokens of a sequence.")
@click.option("--concurrency", "sequences", type=click.IntRange(1, 1_000_000), help="Sequences at once.")
@click.option("--target-tpot-ms", type=click.FloatRange(0, min_open=True), help="Longest time between two tokens.")
@click.option(
    "--target-tokens-s", type=click.FloatRange(0, min_open=True), help="Speed wanted in all: counts the cards for it."
)
@click.option("--zero-stage", type=click.IntRange(0, 3), help="What data-parallel cards share.")
@click.option("--recompute", type=click.Choice(["none", "full"]), help="Whether layers are computed anew.")
@click.option("--optimizer", help="adamw, adamw8bit, muon, sgd_momentum, adafactor or sgd.")
@click.option("--lora-rank", type=click.IntRange(1, 100_000), help="Rank of adapters.")
@click.option("--training-tokens", type=click.FloatRange(0, min_open=True), help="Tokens of the whole training.")
@lang_option
@json_option
@settings_options("catalog")
def size(
    model: tuple[str, ...],
    gpus: tuple[str, ...],
    cards: int | None,
    lang: str,
    as_json: bool,
    settings: Settings,
    **stated: Any,
) -> None:
    """Size MODEL: its name (Llama 3.1 70B) or its size alone (70B)."""
    from kb.sizing import Sizer, describe_workload, refined, require_fitting
    from kb.wire.size import size_out

    if stated["method"] in {"lora", "qlora"} and stated["task"] is None:
        stated["task"] = "finetune"
    given = [name for name, value in stated.items() if value is not None]
    require_fitting(given, task=stated["task"] or "inference", method=stated["method"] or "full")
    sizer = Sizer(open_catalog(settings))
    workload = refined(describe_workload(sizer.models, model=" ".join(model)), **stated)
    language = cast(Language, language_of(lang))
    sized = size_out(sizer.size(workload, gpus, cards), language)
    if as_json:
        click.echo(sized.model_dump_json())
        return
    out = console()
    _memory(out, sized, language)
    for card in sized.data:
        _card(out, card, language)
        _reach(out, card, sized.workload.target_tokens_s, language)
    out.print(f"\n{_WORDS['assumed'][language]}", style="bold")
    lines = [*sized.memory.lines, *(line for card in sized.data for line in card.lines)]
    for assumption in dict.fromkeys((*sized.assumptions, *(note for line in lines for note in line.notes))):
        out.print(f"- {assumption}", markup=False)


def _memory(out: Console, sized: SizeOut, language: Language) -> None:
    model = sized.workload.model
    out.print(f"[bold]{model.name}[/]  [dim]{sized.workload.task} · {sized.workload.precision}[/]")
    _lines(out, sized.memory.lines)
    out.print(f"{_WORDS['total'][language]}  [bold]{sized.memory.total_text}[/]")


def _card(out: Console, card: CardSizeOut, language: Language) -> None:
    memory = card.memory.text if card.memory else f"{card.memory_gb:g} GB"
    out.print(f"\n[bold]{card.name}[/]  [dim]{memory}[/]")
    low, high = card.cards_by_capacity_low, card.cards_by_capacity_high
    counted = _WORDS["by_capacity"][language].format(low=low, high="∞" if high is None else high)
    if card.layout is None or card.bytes_each_low is None or card.bytes_each_high is None:
        out.print(f"{_WORDS['none'][language]}; {counted}")
        return
    from kb.sizing.bounds import Bounds
    from kb.sizing.words import bounds_text

    each = bounds_text(Bounds(card.bytes_each_low, card.bytes_each_high), "bytes")
    layout = card.layout
    text = _WORDS["layout"][language].format(
        cards=layout.cards,
        tp=layout.tensor_parallel,
        pp=layout.pipeline_parallel,
        dp=layout.data_parallel,
        each=each,
    )
    out.print(text + (f"  [bold]{_WORDS[card.verdict][language]}[/]" if card.verdict else ""))
    out.print(counted, style="dim")
    _lines(out, card.lines)


def _reach(out: Console, card: CardSizeOut, wanted: float | None, language: Language) -> None:
    """The longest context, and the cards for the speed that is wanted."""
    longest, found = card.longest_context, card.replicas
    if longest is not None:
        limit = _WORDS[longest.limit][language]
        words = {"tokens": longest.text, "sequences": longest.sequences, "limit": limit}
        out.print(_WORDS["longest"][language].format(**words), style="dim", soft_wrap=True)
    if wanted is None:
        return
    if found is None:
        out.print(_WORDS["no_replicas"][language].format(wanted=f"{wanted:g}"), soft_wrap=True)
        return
    words = {
        "wanted": f"{wanted:g}",
        "cards": found.cards,
        "copies": found.copies,
        "each": found.layout.cards,
        "sequences": found.sequences,
        "least": found.cards_least,
    }
    out.print(_WORDS["replicas"][language].format(**words), soft_wrap=True)


def _lines(out: Console, lines: list[LineOut]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(style="bold")
    table.add_column(style="dim", overflow="fold")
    for line in lines:
        table.add_row(line.label, line.text, line.calculation)
    out.print(table)
