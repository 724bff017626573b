"""What all routes of one application share."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from api.auth.gate import Gate
from api.citations import Citations
from api.corpus_files import CorpusFiles
from api.feedback import FeedbackDesk
from api.health import Health
from api.jobs import Jobs
from api.knowledge import Knowledge
from api.metrics import Metrics
from api.staleness import Staleness
from api.workers import Workers
from kb.config import Settings


@dataclass(frozen=True, slots=True)
class AppState:
    """One application's parts; nothing is global."""

    settings: Settings
    knowledge: Knowledge
    health: Health
    workers: Workers
    metrics: Metrics
    jobs: Jobs
    corpus: CorpusFiles
    citations: Citations
    staleness: Staleness
    gate: Gate
    feedback: FeedbackDesk

    def log_failure(self, error: BaseException, request_id: str) -> None:
        """Write an unforeseen error with its trace to the log, where the request's id leads to it."""
        logging.getLogger("gpukb.requests").error("request failed", exc_info=error, extra={"request_id": request_id})
