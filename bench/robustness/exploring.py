"""Sends what the OpenAPI document describes, and what it forbids, and lists where the service does otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure
from schemathesis.engine import Status, events, from_schema
from schemathesis.schemas import BaseSchema

_OK_ENOUGH: Final = ["2xx", "3xx", "401", "403", "404", "409", "429"]
# What is wrong with these no schema of ours says: names that must be known, fields that need each other, texts of
# control characters only.
_RULES_BEYOND_THE_SCHEMA: Final = [
    "/v1/ask", "/v1/search", "/v1/verify", "/v1/select", "/v1/size", "/v1/gpus", "/v1/gpus/compare",
    "/v1/chat/completions", "/v1/documents/{doc_id}", "/v1/index/jobs",
]  # fmt: skip
# DELETE asks a job to end; what became of it can still be read.
_JOBS: Final = "^/v1/index/jobs/"
# A form knows only text: a number or null in it is the text of one.
_FORMS: Final = ["/v1/documents"]


def config_of(
    headers: Mapping[str, str], *, examples: int, phases: tuple[str, ...], seed: int, without: tuple[str, ...] = ()
) -> SchemathesisConfig:
    """All checks, with what is right though a checker cannot know it.

    Args:
        headers: of every request.
        examples: for each operation, in phases that make them up.
        phases: of `examples`, `coverage`, `fuzzing`, `stateful`.
        seed: of what is made up.
        without: paths that are left out.
    """
    semantic = {"positive_data_acceptance": {"expected-statuses": [*_OK_ENOUGH, "400", "422"]}}
    forms = {
        "positive_data_acceptance": {"expected-statuses": [*_OK_ENOUGH, "422"]},
        "negative_data_rejection": {"enabled": False},
    }
    return SchemathesisConfig.from_dict(
        {
            "seed": seed,
            "headers": dict(headers),
            "continue-on-failure": True,
            "suppress-health-check": ["all"],
            "generation": {"max-examples": examples, "database": "none", "no-shrink": True},
            "phases": {name: {"enabled": name in phases} for name in ("examples", "coverage", "fuzzing", "stateful")},
            "checks": {
                "positive_data_acceptance": {"expected-statuses": _OK_ENOUGH},
                "negative_data_rejection": {
                    "expected-statuses": ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422"]
                },
            },
            "operations": [
                *({"include-path": path, "enabled": False} for path in without),
                {"include-path": _RULES_BEYOND_THE_SCHEMA, "checks": semantic},
                {"include-path": _FORMS, "checks": forms},
                {"include-path-regex": _JOBS, "checks": {"use_after_free": {"enabled": False}}},
            ],
        }
    )


@dataclass(slots=True)
class Exploration:
    """What was sent and what was wrong.

    Attributes:
        statuses: of the responses.
        failures: distinct ones, each with the operation and an example.
        errors: of the checker itself.
    """

    cases: int = 0
    operations: set[str] = field(default_factory=set)
    statuses: Counter[int] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def take(self, event: events.EngineEvent) -> None:
        """Count one event of the checker."""
        if isinstance(event, events.ScenarioFinished) and event.is_test_scenario:
            recorder = event.recorder
            if event.label and recorder.cases:
                self.operations.add(event.label)
            self.cases += len(recorder.cases)
            self.statuses.update(
                each.response.status_code for each in recorder.interactions.values() if each.response is not None
            )
            for case_id, results in recorder.checks.items():
                for result in results:
                    if result.status is Status.FAILURE and result.failure_info is not None:
                        sample = result.failure_info.code_sample
                        self._note(event.label or case_id, result.name, result.failure_info.failure, sample)
        elif isinstance(event, (events.NonFatalError, events.FatalError)):
            self.errors.append(str(getattr(event, "info", None) or getattr(event, "exception", event))[:500])

    def _note(self, label: str, check: str, failure: Failure, sample: str) -> None:
        self.failures.setdefault(f"{label}: {check}: {failure.title}", f"{failure.message[:600]}\n{sample[:1500]}")


def explore(schema: BaseSchema, found: Exploration | None = None) -> Exploration:
    """Send everything, and give what came of it, added to what was found before."""
    found = found or Exploration()
    for event in from_schema(schema).execute():
        found.take(event)
    return found
