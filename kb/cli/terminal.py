"""Consoles for people: colours and tables on a terminal, plain text in a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH = 200


def console(*, stderr: bool = False) -> Console:
    """A console; in a pipe it neither colours nor wraps."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    is_terminal = stream.isatty()
    return Console(file=stream, highlight=False, emoji=False, width=None if is_terminal else _PIPE_WIDTH)


def error_line(message: str) -> None:
    """Write `error: …`, one line, to stderr."""
    line = " ".join(message.split())
    if sys.stderr.isatty():
        console(stderr=True).print(f"[bold red]error:[/] {_escape(line)}", soft_wrap=True)
    else:
        sys.stderr.write(f"error: {line}\n")


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)
