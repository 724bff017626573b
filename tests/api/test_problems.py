"""Errors become problem documents: one table, two languages."""

from __future__ import annotations

import pytest

from api.problems import KINDS, ProblemError, preferred_language, problem_of, problem_of_status, validation_problem
from kb.errors import (
    CorpusError,
    EmbeddingError,
    IndexCorruptError,
    IndexMissingError,
    LlmTimeoutError,
    LlmUnavailableError,
    NotFoundError,
    RequestError,
    StorageError,
)


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (NotFoundError("no"), "not_found", 404),
        (RequestError("no"), "invalid_request", 400),
        (IndexMissingError("no"), "index_not_ready", 503),
        (IndexCorruptError("no"), "index_not_ready", 503),
        (EmbeddingError("no"), "embedder_not_ready", 503),
        (LlmUnavailableError("no"), "llm_unavailable", 503),
        (LlmTimeoutError("no"), "llm_timeout", 504),
        (StorageError("no"), "storage_unavailable", 507),
        (CorpusError("no"), "internal_error", 500),
        (ProblemError("overloaded"), "overloaded", 503),
    ],
)
def test_each_error_has_its_code_and_status(error: Exception, code: str, status: int) -> None:
    body = problem_of(error, "en").body("r1")
    assert (body["code"], body["status"], body["request_id"]) == (code, status, "r1")


def test_what_nobody_expected_says_nothing_of_the_inside() -> None:
    body = problem_of(RuntimeError("password=hunter2"), "en").body("r1")
    assert (body["code"], body["status"]) == ("internal_error", 500)
    assert "hunter2" not in str(body)


def test_every_kind_speaks_both_languages() -> None:
    for kind in KINDS.values():
        assert kind.title("en").isascii()
        assert not kind.title("zh").isascii()


def test_waiting_helps_only_where_it_can() -> None:
    assert problem_of(ProblemError("overloaded"), "en").headers()["Retry-After"] == "1"
    assert "Retry-After" not in problem_of(NotFoundError("no"), "en").headers()


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("zh", "zh"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-US,en;q=0.9,zh;q=0.8", "en"),
        ("de,fr;q=0.5", "en"),
        ("en;q=0.3, zh-TW;q=0.7", "zh"),
        ("zh;q=0", "en"),
        (";;q=x,,", "en"),
    ],
)
def test_language_follows_accept_language(header: str, language: str) -> None:
    assert preferred_language(header) == language


def test_wrong_fields_are_named_in_both_languages() -> None:
    errors = [{"type": "string_too_long", "loc": ("body", "question"), "msg": "too long", "ctx": {"max_length": 2000}}]
    assert validation_problem(errors, "zh").body("")["errors"] == [{"loc": "question", "msg": "长度至多为 2000"}]
    assert validation_problem(errors, "en").body("")["detail"] == "question: too long"


def test_a_framework_status_without_a_kind_of_its_own() -> None:
    assert problem_of_status(418, "en").kind.code == "invalid_request"
    assert problem_of_status(599, "en").kind.code == "internal_error"


def test_a_problem_stays_short_whatever_was_sent() -> None:
    found = [{"type": "extra_forbidden", "loc": ("body", "x" * 10_000), "msg": "Extra inputs"} for _ in range(10_000)]
    body = validation_problem(found, "en").body("r1")
    assert len(str(body)) < 20_000
    assert len(body["detail"]) == 500
    assert len(problem_of(NotFoundError("x" * 10_000), "zh").body("r1")["detail"]) == 500


@pytest.mark.parametrize("kind", ["tuple_type", "dict_type", "model_attributes_type"])
def test_wrong_fields_speak_of_json(kind: str) -> None:
    found = [{"type": kind, "loc": ("body", "a"), "msg": "a valid tuple or dictionary"}]
    body = validation_problem(found, "en").body("r1")
    assert body["detail"] in {"a: Input should be a list", "a: Input should be an object"}
