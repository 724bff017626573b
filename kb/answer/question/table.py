"""The table of words and patterns, `vocabulary.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml


@lru_cache(maxsize=1)
def read_table() -> Mapping[str, Any]:
    """The table, read once."""
    text = resources.files("kb.answer.question").joinpath("vocabulary.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return loaded
