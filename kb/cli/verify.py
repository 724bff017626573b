"""`gpukb verify`: the figures of a text checked against the catalogue, without opening the index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import click

from kb.cli.options import json_option, settings_options
from kb.config import Settings
from kb.types import Language

if TYPE_CHECKING:
    from rich.console import Console

    from kb.wire.verify import CheckedFactOut, VerificationOut

_SIGNS = {"supported": "✓", "contradicted": "✗", "unknown": "?", "untyped": "·"}
_STYLES = {"supported": "green", "contradicted": "bold red", "unknown": "yellow", "untyped": "dim"}
_CLAIMS = frozenset({"figure", "word", "derived"})


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--strict", is_flag=True, help="Also fail on figures that are unknown or could not be typed.")
@click.option("--all", "everything", is_flag=True, help="Show every number, also list numbers, names and formats.")
@click.option("--lang", type=click.Choice(["auto", "zh", "en"]), default="auto", help="Language of the reasons.")
@json_option
@settings_options("catalog")
def verify(file: Path, strict: bool, everything: bool, lang: str, as_json: bool, settings: Settings) -> int:
    """Check every figure in FILE (`-` reads standard input): sales decks, tables, another model's answer.

    \b
    Exit codes: 0 nothing is contradicted, 1 something is (with --strict: or is not certain), 2 the input is no text.
    """  # noqa: D301  (\b keeps click from joining the lines)
    from kb.answer.gate import FactChecker
    from kb.cli.catalog import open_catalog
    from kb.specs.names import NameResolver
    from kb.wire.verify import verification_out

    text = _read(file)
    catalog = open_catalog(settings)
    language = None if lang == "auto" else cast(Language, lang)
    found = verification_out(FactChecker(catalog, NameResolver(catalog)), text, language)
    if as_json:
        click.echo(found.model_dump_json())
    else:
        _print(found, text, everything=everything)
    return _exit_code(found, strict=strict)


def _read(file: Path) -> str:
    from kb.answer.gate import MAX_CHECKED

    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror or error}.") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"{file} is not UTF-8 text (byte {error.start}). Save it as plain text first."
        ) from error
    if not text.strip():
        raise click.UsageError("The text is empty. Try: echo 'The H100 PCIe has 3.35 TB/s.' | gpukb verify -")
    if len(text) > MAX_CHECKED:
        raise click.UsageError(f"The text is too long; it may have {MAX_CHECKED:,} characters.")
    return text


def _exit_code(found: VerificationOut, *, strict: bool) -> Literal[0, 1]:
    uncertain = found.summary.unknown + found.summary.untyped if strict else 0
    return 1 if found.summary.contradicted + uncertain else 0


def _print(found: VerificationOut, text: str, *, everything: bool) -> None:
    from kb.cli.terminal import console

    out = console()
    for fact in found.facts:
        if everything or fact.kind in _CLAIMS or (fact.kind, fact.verdict) == ("card", "unknown"):
            _print_fact(out, fact, text)
    summary = found.summary
    out.print(
        f"{summary.supported} ✓  {summary.contradicted} ✗  {summary.unknown} ?  {summary.untyped} ·  "
        f"({summary.typed}/{summary.numbers} numbers typed)",
        style="dim",
        markup=False,
    )


def _print_fact(out: Console, fact: CheckedFactOut, text: str) -> None:
    from rich.text import Text

    line = text.count("\n", 0, fact.start) + 1
    about = " · ".join(part for part in (", ".join(fact.gpu_ids[:3]), fact.field or fact.kind) if part)
    shown = Text(f"{_SIGNS[fact.verdict]} ", style=_STYLES[fact.verdict])
    shown.append(f"{line}: ", style="dim").append(fact.text, style="bold").append(f"  {about}", style="dim")
    if fact.verdict == "contradicted" and fact.expected:
        shown.append(f"  → {fact.expected}", style="green")
    if fact.reason and fact.verdict != "supported":
        shown.append(f"\n    {fact.reason}")
    out.print(shown)
