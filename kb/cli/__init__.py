"""The command `gpukb`."""

from __future__ import annotations

from kb.cli.main import main

__all__ = ["main"]
