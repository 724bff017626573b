"""Where things stand unless a setting says otherwise: beside the checkout, else in the user's own folders."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def checkout_dir() -> Path | None:
    """The source checkout that this code runs from, or `None` for an installed package."""
    root = _PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() and (root / "corpus").is_dir() else None


def default_corpus_dir() -> Path:
    """The checkout's `corpus/`, else the copy inside the package."""
    root = checkout_dir()
    return root / "corpus" if root else _PACKAGE / "_corpus"


def default_data_dir() -> Path:
    """`.gpukb/` in a checkout, else `gpukb` in the user's data folder."""
    root = checkout_dir()
    if root:
        return root / ".gpukb"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "gpukb"


def default_cache_dir() -> Path:
    """`.gpukb/cache/` in a checkout, else `gpukb` in the user's cache folder."""
    root = checkout_dir()
    if root:
        return root / ".gpukb" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpukb"
