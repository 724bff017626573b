"""What cards are for, as data: what a use requires, wishes for and ranks by. See `corpus/scenarios.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kb.errors import ConfigError, RequestError
from kb.selection.ranking import Criterion, criterion
from kb.selection.requirement import OPERATORS, Requirement, read_constraints, require
from kb.specs.catalog import builtin_folder
from kb.specs.fields import FIELDS
from kb.types import Language

FILE = "scenarios.yaml"
Text = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


@dataclass(frozen=True, slots=True)
class Wish:
    """A preference: what meets it gains `weight`; nothing is left out for it."""

    requirement: Requirement
    weight: float


@dataclass(frozen=True, slots=True)
class Scenario:
    """What cards are for; the fields are explained in `corpus/scenarios.yaml`."""

    name: str
    zh: str
    en: str
    words: tuple[str, ...]
    require: tuple[Requirement, ...]
    prefer: tuple[Wish, ...]
    rank_by: tuple[Criterion, ...]
    decide: tuple[str, ...]
    show: tuple[str, ...]
    about: tuple[str, ...]

    def said(self, language: Language) -> str:
        """As a sentence says it."""
        return self.zh if language == "zh" else self.en


Scenarios = Mapping[str, Scenario]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    field: Text
    order: Text | None = None
    weight: Annotated[float, Field(gt=0)] = 1.0


class _Wish(BaseModel):
    model_config = ConfigDict(extra="allow")

    field: Text
    weight: Annotated[float, Field(gt=0)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid")

    zh: Text
    en: Text
    words: tuple[Text, ...] = ()
    require: dict[str, dict[str, Any]] = {}
    prefer: tuple[_Wish, ...] = ()
    rank_by: tuple[_Part, ...] = ()
    decide: tuple[Text, ...] = ()
    show: tuple[Text, ...] = ()
    about: tuple[Text, ...] = ()


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    scenarios: dict[Name, _Record]


def load_scenarios(path: Path | str = "builtin") -> Scenarios:
    """The scenarios of a file, or the built-in ones.

    Raises:
        ConfigError: the file is missing or wrong; names the scenario and what is wrong in it.
    """
    file = builtin_folder() / FILE if path == "builtin" else Path(path)
    try:
        rows = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except OSError as error:
        hint = "Set `scenarios` to a file, or leave it out."
        raise ConfigError(f"The scenarios in {file} cannot be read: {error.strerror}.", hint) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is no valid YAML: {_line(error)}.") from None
    try:
        records = _File.model_validate({"scenarios": {} if rows is None else rows}).scenarios
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or "the file"
        raise ConfigError(
            f"{file}: {place}: {first['msg']}.", "The built-in scenarios.yaml explains every key."
        ) from None
    return MappingProxyType({name: _scenario(file, name, record) for name, record in records.items()})


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _scenario(file: Path, name: str, record: _Record) -> Scenario:
    try:
        return Scenario(
            name=name,
            zh=record.zh,
            en=record.en,
            words=record.words,
            require=read_constraints(record.require),
            prefer=tuple(_wish(row) for row in record.prefer),
            rank_by=tuple(criterion(row.field, row.order, row.weight) for row in record.rank_by),
            decide=_fields(record.decide),
            show=_fields(record.show),
            about=record.about,
        )
    except RequestError as error:
        raise ConfigError(f"{file}: {name}: {error.message}", error.hint) from None


def _wish(row: _Wish) -> Wish:
    given = row.model_extra or {}
    if len(given) != 1:
        raise RequestError(f"prefer: {row.field} needs one operator.", f"Give one of {', '.join(OPERATORS)}.")
    operator, value = next(iter(given.items()))
    return Wish(require(row.field, operator, value), row.weight)


def _fields(keys: tuple[str, ...]) -> tuple[str, ...]:
    for key in keys:
        if key not in FIELDS:
            raise RequestError(f"There is no field {key!r}.", f"The fields are: {', '.join(FIELDS)}.")
    return keys


def scenario_named(scenarios: Scenarios, name: str) -> Scenario:
    """The scenario of that name.

    Raises:
        RequestError: there is none; lists those there are.
    """
    found = scenarios.get(name)
    if found is None:
        raise RequestError(
            f"There is no scenario {name!r}.",
            f"There are: {', '.join(scenarios)}.",
            zh=f"没有场景 {name}；已有：{'、'.join(scenarios)}。",
        )
    return found
