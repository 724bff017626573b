"""`gpukb settings`: every setting, its value now, and the place it came from."""

from __future__ import annotations

import json
from pathlib import Path

import click
from pydantic import SecretStr

from kb.cli.options import json_option
from kb.cli.terminal import console
from kb.config import build_settings, given_settings, setting_rows, settings_markdown


@click.command()
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file.")
@click.option("--markdown", is_flag=True, help="Print the table of the documentation.")
@json_option
def settings(config: Path | None, markdown: bool, as_json: bool) -> None:
    """List all settings with their values and where those come from."""
    if markdown:
        click.echo(settings_markdown())
        return
    given = given_settings(config=config)
    values = build_settings(given)
    rows: list[dict[str, object]] = [
        {
            "name": row.name,
            "variable": row.variable,
            "value": _shown(getattr(values, row.name)),
            "origin": given[row.name].origin if row.name in given else "default",
            "allowed": row.allowed,
            "description": row.description,
        }
        for row in setting_rows()
    ]
    if as_json:
        click.echo(json.dumps({"object": "list", "data": rows, "next_cursor": None}, ensure_ascii=False))
        return
    _print_table(rows)


def _shown(value: object) -> str | int | float | bool | list[str] | None:
    if isinstance(value, SecretStr):
        return "(set)"
    if isinstance(value, tuple):
        return [str(item) for item in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _print_table(rows: list[dict[str, object]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("setting", "value", "from", "meaning"):
        table.add_column(title, overflow="fold")
    for row in rows:
        value = "" if row["value"] in (None, []) else str(row["value"])
        table.add_row(str(row["name"]), value, str(row["origin"]), str(row["description"]), style=_style(row))
    console().print(table)


def _style(row: dict[str, object]) -> str:
    return "dim" if row["origin"] == "default" else ""
