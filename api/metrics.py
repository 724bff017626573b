"""Prometheus metrics of one application: every name is here, every label comes from a closed set."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from kb.version import gpukb_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kb.index.manifest import Manifest
    from kb.wire.answers import AnswerOut

_MS = 1000.0
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FAST_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_STAGE_BUCKETS = (0.0001, 0.0005, *_FAST_BUCKETS)


class Metrics:
    """The metrics of one application, in their own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = self._counter("requests", "HTTP requests.", "route", "method", "code")
        self.request_duration = self._histogram("request_duration_seconds", "Time to the last byte.", "route")
        self.requests_in_progress = self._gauge("requests_in_progress", "HTTP requests that are being served.")
        self.requests_waiting = self._gauge("requests_waiting", "Requests that wait for a worker.")
        self.stage_duration = self._histogram(
            "stage_duration_seconds", "Time of one stage of an answer.", "stage", "device", buckets=_STAGE_BUCKETS
        )
        self.first_token = self._histogram("time_to_first_token_seconds", "Time to the first piece of text.")
        self.answers = self._counter("answers", "Answers and refusals.", "status", "language", "mode")
        self.embedding_batch_size = self._histogram(
            "embedding_batch_size", "Texts embedded together.", buckets=(1, 2, 4, 8, 16, 32, 64, 128)
        )
        self._truncated = 0
        self.truncated_inputs = self._counter("truncated_inputs", "Texts that were cut to fit a model; must stay 0.")
        self.tokens = self._counter("tokens", "Tokens of the chat model.", "type")
        self.upstream_requests = self._counter("upstream_requests", "Calls of other servers.", "upstream", "code")
        self.upstream_duration = self._histogram("upstream_duration_seconds", "Time of such calls.", "upstream")
        self.cache_requests = self._counter("cache_requests", "Look-ups in caches.", "cache", "result")
        self.rate_limited = self._counter("rate_limited", "Requests refused by a rate limit.")
        self.feedback = self._counter("feedback", "Ratings of answers.", "rating")
        self.index_documents = self._gauge("index_documents", "Documents in the served index.")
        self.index_chunks = self._gauge("index_chunks", "Chunks in the served index.")
        self.index_generation = self._gauge("index_generation", "Number of the served generation.")
        self.index_last_success = self._gauge(
            "index_last_success_timestamp_seconds", "When the served generation was built."
        )
        self.index_jobs = self._counter("index_jobs", "Finished index jobs.", "result")
        self.index_job_duration = self._histogram("index_job_duration_seconds", "Time of an index job.")
        self._gauge("build_info", "Version of gpukb and Python.", "version", "python").labels(
            gpukb_version(), platform.python_version()
        ).set(1)

    def count_request(self, route: str, method: str, code: int, seconds: float) -> None:
        """One served request."""
        self.requests.labels(route, method if method in _METHODS else "other", str(code)).inc()
        self.request_duration.labels(route).observe(seconds)

    def count_answer(self, answer: AnswerOut) -> None:
        """One answer and its stages."""
        mode = "extract" if answer.model == "extract" else "generate"
        self.answers.labels(answer.status, answer.language, mode).inc()
        self.count_stages(answer.timings_ms, answer.device)
        first_token_ms = answer.timings_ms.get("first_token")
        if first_token_ms is not None:
            self.first_token.observe(first_token_ms / _MS)
        for kind, count in answer.usage.items():
            self.tokens.labels(kind.removesuffix("_tokens")).inc(count)

    def count_stages(self, timings_ms: Mapping[str, float | None], device: str) -> None:
        """The stages that ran."""
        for stage, ms in timings_ms.items():
            if ms is not None:
                self.stage_duration.labels(stage, device).observe(ms / _MS)

    def count_truncated(self, total: int) -> None:
        """Bring the counter up to what the embedding model has counted since it was loaded."""
        self.truncated_inputs.inc(max(0, total - self._truncated))
        self._truncated = max(total, self._truncated)

    def show_index(self, manifest: Manifest) -> None:
        """The generation that is served now."""
        from datetime import datetime

        self.index_documents.set(manifest.documents)
        self.index_chunks.set(manifest.chunks)
        number = manifest.generation.split("-")[1] if "-" in manifest.generation else "0"
        self.index_generation.set(int(number) if number.isdigit() else 0)
        self.index_last_success.set(datetime.fromisoformat(manifest.built_at).timestamp())

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"gpukb_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"gpukb_{name}", text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, *labels: str, buckets: tuple[float, ...] = _FAST_BUCKETS) -> Histogram:
        return Histogram(f"gpukb_{name}", text, labels, registry=self.registry, buckets=buckets)
