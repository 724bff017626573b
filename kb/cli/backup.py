"""`gpukb backup` and `gpukb restore`."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import click

from kb.cli.options import json_option, settings_options
from kb.cli.terminal import console
from kb.config import CONFIG_ENV, CONFIG_FILE, Settings

_MIB = 1024 * 1024


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option
@settings_options("corpus_dir")
def backup(file: Path, as_json: bool, settings: Settings) -> None:
    """Write corpus, index, what is kept beside it and the settings file into FILE (.tar.gz)."""
    from kb.backup import back_up

    found = back_up(file.absolute(), settings.corpus_dir, settings.data_dir, _settings_file())
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False))
        return
    index = found.generation or "no index"
    console().print(
        f"{file}: {found.documents} files, {index}, {found.bytes / _MIB:.1f} MiB.", markup=False, soft_wrap=True
    )


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--replace", is_flag=True, help="Put an existing corpus folder aside, as NAME.before-restore.")
@json_option
@settings_options("corpus_dir")
def restore(file: Path, replace: bool, as_json: bool, settings: Settings) -> None:
    """Put a backup in place, once all of it agrees with its checksums; running services move to its index."""
    from kb.restore import restore as put_in_place

    found = put_in_place(file, settings.corpus_dir, settings.data_dir, _settings_file(), replace_corpus=replace)
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False))
        return
    console().print(
        f"Restored the backup of {found.created}: {found.documents} files in {settings.corpus_dir}, "
        f"{found.generation or 'no index'} in {settings.data_dir}.",
        markup=False,
        soft_wrap=True,
    )


def _settings_file() -> Path:
    return Path(os.environ.get(CONFIG_ENV) or CONFIG_FILE).absolute()
