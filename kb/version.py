"""The version of the installed gpukb."""

from __future__ import annotations

from functools import cache
from importlib import metadata


@cache
def gpukb_version() -> str:
    """The installed version, `0+unknown` where the code runs without being installed."""
    try:
        return metadata.version("gpukb")
    except metadata.PackageNotFoundError:
        return "0+unknown"
