"""Ratings of answers: which answers are ours, what is remembered of them, and keeping what people say."""

from __future__ import annotations

import hmac
import logging
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import anyio
from anyio import to_thread

from api.metrics import Metrics
from api.problems import ProblemError
from api.schemas.feedback import FeedbackIn
from kb.errors import StorageError
from kb.feedback import Feedback, FeedbackFile
from kb.keys import Signer, scrub
from kb.wire.answers import AnswerOut

ANSWERS_REMEMBERED: Final = 5_000
_ID: Final = re.compile(r"ans_([0-9a-f]{16})([0-9a-f]{16})")
_PURPOSE: Final = "answer"
_HOUR_S: Final = 3600.0

log = logging.getLogger("gpukb.feedback")


@dataclass(frozen=True, slots=True)
class _Given:
    """What is remembered of an answer; its text is not."""

    generation: str
    status: str
    reason: str
    language: str
    model: str
    question: str


class FeedbackDesk:
    """Gives answers their ids and takes ratings of them.

    An id carries a mark that only this data folder's services can make, so that each of them, also after a restart,
    knows an answer of another one. What the answer was like is known only to the process that gave it, for the last
    5,000.

    Args:
        file: where ratings are kept.
        signer: of the data folder.
        metrics: counts ratings.
        keeps_questions: whether the question of an answer may be kept at all.
    """

    def __init__(self, file: FeedbackFile, signer: Signer, metrics: Metrics, *, keeps_questions: bool) -> None:
        self._file = file
        self._signer = signer
        self._metrics = metrics
        self._keeps_questions = keeps_questions
        self._given: OrderedDict[str, _Given] = OrderedDict()

    def new_answer_id(self) -> str:
        """An id for an answer."""
        number = secrets.token_hex(8)
        return f"ans_{number}{self._signer.mark(_PURPOSE, number)}"

    def remember(self, answer: AnswerOut, question: str) -> None:
        """Note what an answer was like, in case somebody rates it."""
        self._given[answer.id] = _Given(
            answer.index.generation or "",
            answer.status,
            answer.reason or "",
            answer.language,
            answer.model,
            question if self._keeps_questions else "",
        )
        if len(self._given) > ANSWERS_REMEMBERED:
            self._given.popitem(last=False)

    async def take(self, rated: FeedbackIn, key_id: str) -> Feedback:
        """Keep a rating.

        Raises:
            ProblemError: `not_found`: the answer is not ours.
            StorageError: it cannot be kept.
        """
        if not self._is_ours(rated.answer_id):
            raise ProblemError("not_found", f"There is no answer {rated.answer_id}.", f"没有回答 {rated.answer_id}。")
        given = self._given.get(rated.answer_id)
        known = {name: getattr(given, name) for name in _Given.__slots__} if given else {}
        feedback = Feedback(
            feedback_id=f"fb_{secrets.token_hex(12)}",
            created=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            answer_id=rated.answer_id,
            rating=rated.rating,
            reasons=rated.reasons,
            comment=scrub(rated.comment or ""),
            key_id=key_id,
            **known,
        )
        await to_thread.run_sync(self._file.append, feedback)
        self._metrics.feedback.labels(rated.rating).inc()
        return feedback

    async def run(self) -> None:
        """Take out the questions whose time is over, once an hour, until cancelled."""
        while True:
            try:
                await to_thread.run_sync(self._file.forget_questions)
            except StorageError as error:
                log.error("questions of ratings could not be forgotten: %s", error)
            await anyio.sleep(_HOUR_S)

    def _is_ours(self, answer_id: str) -> bool:
        match = _ID.fullmatch(answer_id)
        return match is not None and hmac.compare_digest(match.group(2), self._signer.mark(_PURPOSE, match.group(1)))
