"""Front matter: what a Markdown file says about itself before its text begins."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from typing import Any

import yaml

from ingest.cleaning import without_lone_surrogates
from ingest.loaders.yaml_bounds import refuse_unbounded

_YAML = re.compile(r"\A---[ \t]*\n(.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?\n)??\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_CHARS = 64 * 1024
_MAX_VALUES = 10_000
_MAX_DEPTH = 16


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str, tuple[str, ...]]:
    """The front matter's keys, the text after it, and a warning if it is no valid YAML or TOML.

    A document that merely begins with a rule keeps it.
    """
    head = text[:_MAX_CHARS]
    match = _YAML.match(head)
    if match is not None:
        return _parsed(match, text, "YAML")
    match = _TOML.match(head)
    if match is not None:
        return _parsed(match, text, "TOML")
    return {}, text, ()


def _parsed(match: re.Match[str], text: str, kind: str) -> tuple[Mapping[str, Any], str, tuple[str, ...]]:
    source = match.group(1) or ""
    try:
        value = _plain(_yaml(source) if kind == "YAML" else tomllib.loads(source))
    except (yaml.YAMLError, tomllib.TOMLDecodeError, ValueError, RecursionError):
        if re.search(r"^\w[\w-]*\s*[:=]", source, re.MULTILINE):
            return {}, text[match.end() :], (f"its front matter is not valid {kind} and was left out",)
        return {}, text, ()
    if value is None:
        return {}, text[match.end() :], ()
    if not isinstance(value, dict):
        return {}, text, ()
    return value, text[match.end() :], ()


def _yaml(source: str) -> Any:
    refuse_unbounded(source, max_values=_MAX_VALUES, max_depth=_MAX_DEPTH)
    return yaml.safe_load(source)


def _plain(value: Any) -> Any:
    """Dates become ISO text, and numbers without end their names, so that metadata can be written as JSON."""
    if isinstance(value, dict):
        return {without_lone_surrogates(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return without_lone_surrogates(value)
    if value is None or isinstance(value, (int, bool)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
