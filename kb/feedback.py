"""What people thought of answers: one line of JSON a rating, appended in the data folder, within a bound.

A line is on the disk before it is acknowledged; one that a crash cut short is passed over. When the file is full it
becomes `feedback.old.jsonl`, replacing the one before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from kb.storage import locked, storage_errors, write_bytes_durably

Rating = Literal["up", "down"]
FeedbackReason = Literal["wrong_value", "wrong_citation", "missing", "outdated", "other"]

FEEDBACK_FILE: Final = "feedback.jsonl"
OLDER_FILE: Final = "feedback.old.jsonl"
FEEDBACK_FILES: Final = (FEEDBACK_FILE, OLDER_FILE)
_LOCK: Final = ".feedback.lock"
_MAX_BYTES: Final = 16 * 1024 * 1024
_MODE: Final = 0o600


@dataclass(frozen=True, slots=True)
class Feedback:
    """One rating.

    Attributes:
        created: RFC 3339, UTC.
        key_id: who sent it; empty where there are no keys.
        question: empty unless the settings keep it; taken out again when its time is over.
        generation: of the index that the answer rests on; this and what follows is empty where the answer was given by
            another process, or too long ago.
    """

    feedback_id: str
    created: str
    answer_id: str
    rating: Rating
    reasons: tuple[FeedbackReason, ...] = ()
    comment: str = ""
    key_id: str = ""
    question: str = ""
    generation: str = ""
    status: str = ""
    reason: str = ""
    language: str = ""
    model: str = ""


class FeedbackFile:
    """The ratings of one data folder, which several processes may append to.

    Args:
        data_dir: where they lie.
        question_days: how long a question stays with its rating.
        max_bytes: of one file; there are two at most.
    """

    def __init__(self, data_dir: Path, *, question_days: int = 0, max_bytes: int = _MAX_BYTES) -> None:
        self._path = data_dir / FEEDBACK_FILE
        self._older = data_dir / OLDER_FILE
        self._lock = data_dir / _LOCK
        self._question_days = question_days
        self._max_bytes = max_bytes

    def append(self, feedback: Feedback) -> None:
        """Keep a rating.

        Raises:
            StorageError: the disk is full or the folder cannot be written; nothing is left of it.
        """
        record = asdict(feedback)
        if not self._question_days:
            record["question"] = ""
        line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with locked(self._lock, wait=True), storage_errors(self._path):
            if self._path.exists() and self._path.stat().st_size + len(line) > self._max_bytes:
                self._path.replace(self._older)
            self._write(line)

    def _write(self, line: bytes) -> None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, _MODE)
        try:
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line  # what a crash cut short ends here
            try:
                if os.write(descriptor, line) != len(line):
                    raise OSError(28, "No space left on device")
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)

    def entries(self) -> Iterator[dict[str, Any]]:
        """All ratings that are kept, oldest first."""
        for path in (self._older, self._path):
            if path.exists():
                yield from (record for line in path.read_bytes().splitlines() if (record := _record(line)))

    def forget_questions(self) -> int:
        """Take out the questions whose time is over; gives how many.

        Raises:
            StorageError: a file cannot be written.
        """
        oldest = (datetime.now(UTC) - timedelta(days=self._question_days)).isoformat()
        forgotten = 0
        for path in (self._older, self._path):
            if not path.exists():
                continue
            with locked(self._lock, wait=True):
                records = [record for line in path.read_bytes().splitlines() if (record := _record(line))]
                over = [record for record in records if record["question"] and record["created"] < oldest]
                for record in over:
                    record["question"] = ""
                if over:
                    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
                    write_bytes_durably(path, "".join(lines).encode(), mode=_MODE)
                forgotten += len(over)
        return forgotten


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and {"created", "question", "rating"} <= record.keys() else None
