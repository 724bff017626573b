"""`gpukb keys`: make, list and revoke the keys that open the service."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from kb.cli.options import json_option, settings_options
from kb.cli.terminal import console
from kb.config import Settings

if TYPE_CHECKING:
    from kb.keys import ApiKey

_DAYS = re.compile(r"(\d{1,5})d")


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    days = _DAYS.fullmatch(value)
    try:
        moment = datetime.now(UTC) + timedelta(days=int(days.group(1))) if days else datetime.fromisoformat(value)
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{value} is no time; write 90d, 2027-01-31 or 2027-01-31T18:00:00Z.") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment <= datetime.now(UTC):
        raise click.BadParameter(f"{value} is over already.")
    return moment


@click.group()
def keys() -> None:
    """Make, list and revoke the keys that open the service.

    As soon as a key was made, the service asks for one, and may listen on an address that others can reach. Running
    services see every change at once.
    """


@keys.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(["read", "admin"]),
    multiple=True,
    default=("read",),
    show_default=True,
    help="read: ask and look up; admin: also index, upload, delete.",
)
@click.option("--origin", "origins", multiple=True, metavar="URL", help="Only for pages of this origin; repeatable.")
@click.option("--expires", callback=_moment, metavar="90d|DATE", help="When it ends; without, never.")
@click.option("--rate", type=click.IntRange(1, 1_000_000), metavar="NUMBER", help="Requests a minute that it may send.")
@json_option
@settings_options()
def new(
    name: str,
    scopes: tuple[str, ...],
    origins: tuple[str, ...],
    expires: datetime | None,
    rate: int | None,
    as_json: bool,
    settings: Settings,
) -> None:
    """Make a key called NAME and print it, this once."""
    from kb.keys import KeyStore, new_key

    made = new_key(
        name,
        scopes=tuple(scope for scope in ("read", "admin") if scope in scopes),
        origins=origins,
        expires=expires,
        requests_per_minute=rate,
    )
    key = KeyStore(settings.data_dir).add(made)
    if as_json:
        click.echo(json.dumps({**_shown(key), "key": made.text}, ensure_ascii=False))
        return
    click.echo(made.text)
    console(stderr=True).print(
        f"Key {key.key_id} ({', '.join(key.scopes)}) is valid from now on. This is the only time that it is shown.",
        markup=False,
        soft_wrap=True,
    )


@keys.command("list")
@json_option
@settings_options()
def list_keys(as_json: bool, settings: Settings) -> None:
    """List all keys, revoked and expired ones too; their texts are not kept."""
    from kb.keys import KeyStore

    found = KeyStore(settings.data_dir).keyring().keys
    if as_json:
        data = [_shown(key) for key in found]
        click.echo(json.dumps({"object": "list", "data": data, "next_cursor": None}, ensure_ascii=False))
        return
    if not found:
        console().print("There are no keys: the service answers its own machine only. `gpukb keys new NAME` makes one.")
        return
    _print_table(found)


@keys.command()
@click.argument("names", nargs=-1, required=True, metavar="ID|NAME...")
@json_option
@settings_options()
def revoke(names: tuple[str, ...], as_json: bool, settings: Settings) -> None:
    """Refuse keys from now on, in every running service."""
    from kb.keys import KeyStore

    store = KeyStore(settings.data_dir)
    for name in names:
        key = store.revoke(name)
        if as_json:
            click.echo(json.dumps(_shown(key), ensure_ascii=False))
        else:
            console().print(f"Key {key.key_id} ({key.name}) is revoked.", markup=False, soft_wrap=True)


def _shown(key: ApiKey) -> dict[str, object]:
    shown = asdict(key)
    del shown["sha256"]
    return {"id": shown.pop("key_id"), **shown, "state": _state(key)}


def _state(key: ApiKey) -> str:
    return "revoked" if key.revoked else "expired" if key.is_expired() else "valid"


def _print_table(found: tuple[ApiKey, ...]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("id", "name", "state", "scopes", "origins", "a minute", "created", "expires"):
        table.add_column(title, overflow="fold")
    for key in found:
        rate = str(key.requests_per_minute) if key.requests_per_minute else "no limit"
        origins = ", ".join(key.origins) or "any"
        cells = (key.key_id, key.name, _state(key), ", ".join(key.scopes), origins, rate, key.created, key.expires)
        table.add_row(*cells, style="" if key.is_valid() else "dim")
    console().print(table)
