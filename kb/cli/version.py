"""`gpukb version`."""

from __future__ import annotations

import json
import platform

import click

from kb.cli.options import json_option
from kb.version import gpukb_version


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Show the version."""
    if as_json:
        click.echo(json.dumps({"name": "gpukb", "version": gpukb_version(), "python": platform.python_version()}))
    else:
        click.echo(f"gpukb {gpukb_version()} (Python {platform.python_version()})")
