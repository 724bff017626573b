"""Settings in words, for help texts, errors and documentation."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from kb.config.settings import Settings, variable_of


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as documentation shows it; `default` is empty where there is none."""

    name: str
    variable: str
    allowed: str
    default: str
    description: str


def setting_rows() -> tuple[SettingRow, ...]:
    """All settings in their documented order."""
    return tuple(
        SettingRow(
            name=name,
            variable=variable_of(name),
            allowed=allowed_values(name),
            default=_default_text(name, field),
            description=field.description or "",
        )
        for name, field in Settings.model_fields.items()
    )


def allowed_values(name: str) -> str:
    """What a setting may be, in words: `a whole number from 0 to 65535`."""
    field = Settings.model_fields[name]
    kind = _plain_type(field)
    if typing.get_origin(kind) is Literal:
        return "one of " + ", ".join(str(option) for option in typing.get_args(kind))
    if name == "embedding_device":
        return "auto, cpu, cuda, cuda:N or mps"
    if name.endswith("_origins"):
        return "origins such as https://a.example, separated by commas"
    if name.endswith("_url"):
        return "an address that begins with http:// or https://"
    if kind is bool:
        return "true or false"
    if kind in (int, float):
        return ("a whole number" if kind is int else "a number") + _bounds(field)
    return "a folder" if kind is Path else "text"


def _plain_type(field: FieldInfo) -> Any:
    if typing.get_origin(field.annotation) in (typing.Union, types.UnionType):
        return next(option for option in typing.get_args(field.annotation) if option is not type(None))
    return field.annotation


def _bounds(field: FieldInfo) -> str:
    found: dict[str, object] = {}
    for item in field.metadata:
        for bound in ("ge", "gt", "le"):
            value = getattr(item, bound, None)
            if value is not None:
                found[bound] = value
    words = {"ge": "from", "gt": "over", "le": "to"}
    return "".join(f" {words[bound]} {value}" for bound, value in found.items())


def _default_text(name: str, field: FieldInfo) -> str:
    if name == "corpus_dir":
        return "`corpus/` of the checkout, else the packaged copy"
    if name == "data_dir":
        return "`.gpukb/` in the checkout, else `~/.local/share/gpukb`"
    if name == "cache_dir":
        return "`.gpukb/cache/` in the checkout, else `~/.cache/gpukb`"
    if field.default in (None, PydanticUndefined, ()):
        return ""
    return str(field.default).lower() if isinstance(field.default, bool) else str(field.default)


def settings_markdown() -> str:
    """All settings as a Markdown table, as `docs/operations.md` shows it."""
    lines = ["| Setting | Variable | Allowed | Default | Meaning |", "|---|---|---|---|---|"]
    for row in setting_rows():
        allowed = row.allowed.replace("|", "\\|")
        default = row.default if "`" in row.default or not row.default else f"`{row.default}`"
        lines.append(f"| `{row.name}` | `{row.variable}` | {allowed} | {default} | {row.description} |")
    return "\n".join(lines)
