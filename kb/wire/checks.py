"""Requirements held against a card, as they are sent, with the sources of the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from kb.selection.attributes import unit_of_field, value_of
from kb.selection.columns import FAIL, PASS, UNKNOWN
from kb.selection.requirement import Requirement
from kb.selection.result import Check, Selection
from kb.selection.wording import value_said
from kb.specs.schema import Entry, GpuSpec, SpecSource
from kb.types import Language
from kb.wire.gpus import SpecSourceOut, spec_source_out
from kb.wire.selection import (
    CheckOut,
    Scalar,
)

_RESULTS: Mapping[int, Literal["pass", "fail", "unknown"]] = {PASS: "pass", FAIL: "fail", UNKNOWN: "unknown"}


class Sources:
    """Sources by id, each once."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self.found: dict[str, SpecSourceOut] = {}

    def key(self, source: SpecSource) -> str:
        """The key of a source, which is listed from now on."""
        if source.source_id not in self.found:
            self.found[source.source_id] = spec_source_out(source, self._language)
        return source.source_id


def required_of(requirement: Requirement) -> dict[str, Scalar | list[float | str]]:
    """A requirement as `{operator: value}`."""
    value = requirement.value
    return {requirement.operator: list(value) if isinstance(value, tuple) else value}


def checks_out(selection: Selection, row: int, sources: Sources, language: Language) -> list[CheckOut]:
    """Every requirement held against a card."""
    spec = selection.spec(row)
    return [check_out(one, spec, sources, language) for one in selection.checks(row)]


def check_out(check: Check, spec: GpuSpec, sources: Sources, language: Language) -> CheckOut:
    """One requirement held against a card."""
    entry, requirement = check.entry, check.requirement
    key = requirement.field
    result = _RESULTS[check.verdict]
    if entry is None:
        value = value_of(spec, key)
        shown = "" if value is None else f"{value:g}" if isinstance(value, float) else value
        state = "known" if value is not None else "not_published"
        return CheckOut(
            field=key,
            required=required_of(requirement),
            value=value,
            value_low=None,
            value_high=None,
            unit=None,
            text=shown,
            result=result,
            choice=check.choice,
            state=state,
            source=None,
        )
    low, high = _span(entry)
    return CheckOut(
        field=key,
        required=required_of(requirement),
        value=entry.value,
        value_low=low,
        value_high=high,
        unit=unit_of_field(key) or None,
        text=value_said(entry, language),
        result=result,
        choice=check.choice,
        state=entry.state,
        source=sources.key(entry.figures[0].source) if entry.figures else None,
    )


def _span(entry: Entry) -> tuple[float | None, float | None]:
    """The ends of a range or of figures that differ; nothing for a plain figure."""
    bounds = entry.bounds
    if bounds is None or (len(entry.figures) == 1 and bounds[0] == bounds[1]):
        return None, None
    return bounds
