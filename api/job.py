"""One index job: its state, read off the lines of the build, and its events for those who watch."""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import anyio

from api.schemas.jobs import FINISHED, DocumentCounts, JobIn, JobNote, JobOut, JobState, StageOut
from api.sse import encode_event
from kb.index.events import event_from_line
from kb.types import BuildEvent

_EVENTS_KEPT: Final = 2000
_NOTES_KEPT: Final = 1000
_INTERRUPTED: Final = 130


class Job:
    """A job of this process.

    Attributes:
        out: its state as it is sent.
        follows: it was queued behind another job, so it waits for the index folder.
        is_cancelled: somebody asked for its end.
    """

    def __init__(self, asked: JobIn, generation_before: str | None, *, follows: bool = False) -> None:
        self.follows = follows
        self.is_cancelled = False
        self.out = JobOut(
            id=f"job_{secrets.token_hex(12)}",
            state="queued",
            mode=asked.mode,
            paths=list(asked.paths),
            dry_run=asked.dry_run,
            created=now(),
            generation_before=generation_before,
        )
        self._events: deque[tuple[int, str, str]] = deque(maxlen=_EVENTS_KEPT)
        self._count = 0
        self._news = anyio.Event()

    @property
    def is_finished(self) -> bool:
        """Whether nothing more will happen."""
        return self.out.state in FINISHED

    def start(self, generation_before: str | None) -> None:
        """The build has begun."""
        self.out.state = "running"
        self.out.started_at = now()
        self.out.generation_before = generation_before
        self._tell("state", {"state": "running"})

    def take(self, line: str) -> bool:
        """Read a line of the build's output; whether a stage has begun or ended with it."""
        event = event_from_line(line)
        if event is not None:
            return self._progressed(event)
        report = _report_in(line)
        if report is not None:
            self._reported(report)
        return False

    def finish(self, state: JobState, reason: str | None = None) -> None:
        """Nothing more will happen."""
        self.out.state = state
        self.out.reason = reason
        self.out.finished_at = now()
        if state != "succeeded":
            self.out.generation_after = None
        self._tell("done", self.out.model_dump_json())

    def end_of(self, code: int, last_words: str) -> tuple[JobState, str | None]:
        """What an exit code of the build means."""
        if code == 0:
            return "succeeded", None
        if self.is_cancelled:
            return "cancelled", None
        if code < 0:
            return "failed", f"The build was killed by signal {-code}; the index in use stays as it was."
        if code == _INTERRUPTED:
            return "failed", "The build was interrupted; the index in use stays as it was."
        return "failed", last_words or f"The build ended with code {code}."

    async def events_after(self, last_id: int) -> AsyncIterator[bytes]:
        """Encoded events with their ids, from the first after `last_id` to the end of the job."""
        while True:
            news = self._news
            for number, name, data in list(self._events):
                if number > last_id:
                    last_id = number
                    yield b"id: %d\n" % number + encode_event(name, data)
            if self.is_finished:
                return
            await news.wait()

    def _progressed(self, event: BuildEvent) -> bool:
        stage = StageOut(name=event.stage, done=event.done, total=event.total, ms=event.ms)
        stages = self.out.stages
        is_new = not stages or stages[-1].name != event.stage
        if is_new:
            stages.append(stage)
        else:
            stages[-1] = stage
        if event.message:
            self._tell("note", {"stage": event.stage, "message": event.message})
        self._tell("stage", stage.model_dump_json())
        return is_new or event.done == event.total

    def _reported(self, report: Mapping[str, Any]) -> None:
        changes = report["changes"]
        counts = {name: len(changes[name]) for name in ("added", "updated", "removed")}
        self.out.documents = DocumentCounts(**counts, unchanged=changes["unchanged"], failed=len(report["failed"]))
        self.out.errors = [_note(note) for note in report["failed"][:_NOTES_KEPT]]
        self.out.skipped = [_note(note) for note in report["skipped"][:_NOTES_KEPT]]
        self.out.is_unchanged = report["is_unchanged"]
        self.out.generation_after = report["generation"] or None

    def _tell(self, name: str, data: Mapping[str, Any] | str) -> None:
        self._count += 1
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        self._events.append((self._count, name, text))
        news, self._news = self._news, anyio.Event()
        news.set()


def now() -> str:
    """RFC 3339, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _note(note: Mapping[str, str]) -> JobNote:
    return JobNote(doc=note["doc_id"], stage=note["stage"], message=note["reason"])


def _report_in(line: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    report = value.get("report") if isinstance(value, dict) else None
    return report if isinstance(report, dict) else None
