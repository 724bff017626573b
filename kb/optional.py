"""Imports packages that only an extra installs, with an error that names the extra."""

from __future__ import annotations

import importlib
from types import ModuleType

from kb.errors import OptionalDependencyError


def require(module: str, *, extra: str) -> ModuleType:
    """Import `module`, late.

    Raises:
        OptionalDependencyError: if its package is not installed; the message holds the pip command.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.split(".")[0] == error.name.split(".")[0]:
            raise OptionalDependencyError(module.split(".")[0], extra) from error
        raise
