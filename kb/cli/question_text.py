"""The text of a question, from the words of a command or from a pipe."""

from __future__ import annotations

import sys

import click

from kb.types import MAX_QUESTION


def question_text(words: tuple[str, ...], name: str, command: str) -> str:
    """The words as one text; without words (or with `-`) what comes in on a pipe.

    Raises:
        click.UsageError: there is no text, or more of it than a question may have.
    """
    text = " ".join(words).strip()
    if text in ("", "-") and not sys.stdin.isatty():
        text = sys.stdin.read(MAX_QUESTION * 2).strip()
    if not text:
        raise click.UsageError(f'The {name} is empty. Try: gpukb {command} "T4 的显存带宽是多少？"')
    if len(text) > MAX_QUESTION:
        raise click.UsageError(f"The {name} is too long; it may have {MAX_QUESTION:,} characters.")
    return text
