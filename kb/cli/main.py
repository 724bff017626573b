"""The group `gpukb`: finds its commands by name, late, and turns every error into one line and an exit code.

Exit codes: 0 done; 1 it failed; 2 the command or a setting is wrong; 130 interrupted.
"""

from __future__ import annotations

import difflib
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import metadata

import click

from kb.cli.terminal import error_line
from kb.errors import ConfigError, KbError

_OWN = {
    "ask": "kb.cli.ask:ask",
    "search": "kb.cli.search:search",
    "gpus": "kb.cli.gpus:gpus",
    "select": "kb.cli.select:select",
    "size": "kb.cli.size:size",
    "verify": "kb.cli.verify:verify",
    "calibrate": "kb.cli.calibrate:calibrate",
    "keys": "kb.cli.keys:keys",
    "backup": "kb.cli.backup:backup",
    "restore": "kb.cli.backup:restore",
    "doctor": "kb.cli.doctor:doctor",
    "settings": "kb.cli.settings:settings",
    "version": "kb.cli.version:version",
}
_ENTRY_POINTS = "gpukb.commands"
_ORDER = (
    "ask", "search", "select", "size", "verify", "gpus", "index", "calibrate", "serve", "keys", "backup",
    "restore", "doctor", "settings", "version",
)  # fmt: skip


class _Commands(click.Group):
    """Loads a command when it is called; `gpukb version` must not wait for a web framework."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = {*_OWN, *(point.name for point in metadata.entry_points(group=_ENTRY_POINTS))}
        return sorted(names, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _OWN:
            module, _, attribute = _OWN[cmd_name].partition(":")
            command = getattr(importlib.import_module(module), attribute)
        else:
            points = metadata.entry_points(group=_ENTRY_POINTS, name=cmd_name)
            command = next(iter(points)).load() if points else None
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f"Did you mean {near[0]}?" if near else "`gpukb --help` lists all commands."
            raise click.UsageError(f"There is no command {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def cli() -> None:
    """Answer questions about GPUs, in Chinese and English, with the exact figure and its source."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process."""
    sys.exit(run(args))


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code."""
    # Read when numpy is first loaded: its own threads would fight the embedding model's for the same few cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _mend_streams()
    try:
        result = cli.main(args=None if args is None else list(args), prog_name="gpukb", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        return _fail(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt) as error:
        return _fail(str(error.__cause__ or "") or "interrupted.", 130)  # click wraps what the command said of it
    except ConfigError as error:
        return _fail(str(error), 2)
    except KbError as error:
        return _fail(str(error), 1)
    except BrokenPipeError:
        # The reader of a pipe has seen enough, as in `gpukb gpus list | head`.
        _drop_output()
        return 0
    except OSError as error:  # a disk, a folder, a network: nothing that a trace would explain
        _drop_output()
        return _fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.", 1)
    except Exception as error:  # a bug: one line for the user, the trace where it was asked for
        if os.environ.get("GPUKB_LOG_LEVEL") == "debug":
            traceback.print_exc()
        return _fail(f"{type(error).__name__}: {error} (this is a bug in gpukb; GPUKB_LOG_LEVEL=debug shows where)", 1)
    return result if isinstance(result, int) else 0


def _mend_streams() -> None:
    """Standard streams that exist, and that write what a terminal has no character for as its code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller, as in `gpukb … >&-`
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123  (lives until the process ends)
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """What is still to be written has nowhere to go; Python would complain about it at its end."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123  (lives until the process ends)


def _fail(message: str, code: int) -> int:
    error_line(message)
    return code
