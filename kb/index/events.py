"""A build's progress as JSON lines, the way a build in a child process reports it."""

from __future__ import annotations

import dataclasses
import json

from kb.types import BuildEvent


def event_to_line(event: BuildEvent) -> str:
    """One line of JSON, without the line break."""
    return json.dumps(dataclasses.asdict(event), ensure_ascii=False, separators=(",", ":"))


def event_from_line(line: str) -> BuildEvent | None:
    """The event in `line`; None if the line is something else, such as a library's warning."""
    try:
        fields = json.loads(line)
        return BuildEvent(**fields)
    except (ValueError, TypeError):
        return None
