"""Questions that the corpus answers, given by somebody who knows it.

They are kept beside the index, so that each build learns from them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from kb.errors import RequestError
from kb.storage import storage_errors, write_bytes_durably
from kb.types import MAX_QUESTION

FEWEST: Final = 20
"""Of fewer questions a share of refusals says nothing."""
MOST: Final = 2000

_KEPT: Final = "calibration.jsonl"


def load_questions(path: Path) -> tuple[str, ...]:
    """Read a list: plain text with one question a line, or JSON lines with a field `question`; each counts once.

    Raises:
        RequestError: naming the line that is no question, or if there are too few or too many.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}.", "Name a file of questions.") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{path} is not UTF-8 text.", "Write one question a line, or JSON lines.") from error
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    questions = tuple(dict.fromkeys(_question(line, f"{path}, line {number}") for number, line in lines if line))
    if not FEWEST <= len(questions) <= MOST:
        raise RequestError(
            f"{path} holds {len(questions)} different questions.",
            f"Give from {FEWEST} to {MOST:,} that the documents answer; about 50 are enough.",
        )
    return questions


def kept_questions(data_dir: Path) -> tuple[str, ...]:
    """The list that belongs to the indices of a data folder; empty if nobody gave one.

    Raises:
        RequestError: if the kept file was damaged.
    """
    path = data_dir / _KEPT
    return load_questions(path) if path.exists() else ()


def keep_questions(data_dir: Path, questions: Sequence[str]) -> None:
    """Keep a list for the builds to come.

    Raises:
        StorageError: if the folder cannot be written; the list kept before stays.
    """
    lines = (json.dumps({"question": question}, ensure_ascii=False) + "\n" for question in questions)
    write_bytes_durably(data_dir / _KEPT, "".join(lines).encode())


def forget_questions(data_dir: Path) -> bool:
    """Drop the kept list; returns whether there was one.

    Raises:
        StorageError: if the folder cannot be written.
    """
    path = data_dir / _KEPT
    with storage_errors(path):
        existed = path.exists()
        path.unlink(missing_ok=True)
    return existed


def _question(line: str, where: str) -> str:
    question: Any = line
    if line.startswith("{"):
        try:
            question = json.loads(line).get("question")
        except ValueError as error:
            raise RequestError(f"{where}: this is no JSON: {error}.", 'Write {"question": "…"}.') from error
    if not isinstance(question, str) or not question.strip():
        raise RequestError(f'{where}: there is no text under "question".', 'Write {"question": "…"}.')
    if len(question) > MAX_QUESTION:
        raise RequestError(f"{where}: a question has at most {MAX_QUESTION:,} characters.")
    return question.strip()
