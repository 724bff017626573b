"""Ratings over HTTP: of our answers only, kept without the question, counted."""

from __future__ import annotations

import json

from fastapi.testclient import TestClient

from api.app import create_app
from kb.feedback import FeedbackFile

QUESTION = {"question": "T4 的显存带宽是多少？机密"}
LOCAL = {"base_url": "http://127.0.0.1:8000", "client": ("127.0.0.1", 50000)}


def answer_id(client):
    return client.post("/v1/ask", json=QUESTION).json()["id"]


def kept(settings):
    return list(FeedbackFile(settings.data_dir).entries())


def test_a_rating_is_kept_and_counted(client, settings):
    answer = answer_id(client)
    body = {"answer_id": answer, "rating": "down", "reasons": ["wrong_value", "outdated"], "comment": "数字不对"}
    response = client.post("/v1/feedback", json=body)
    assert response.status_code == 201
    shown = response.json()
    assert (shown["object"], shown["answer_id"], shown["rating"]) == ("feedback", answer, "down")
    client.post("/v1/feedback", json={"answer_id": answer, "rating": "up"})
    first, second = kept(settings)
    assert (first["feedback_id"], first["reasons"], first["comment"]) == (
        shown["id"],
        ["wrong_value", "outdated"],
        "数字不对",
    )
    assert (first["status"], first["language"], first["generation"][:10]) == ("answered", "zh", "gen-000001")
    assert (second["rating"], second["reasons"], second["comment"]) == ("up", [], "")
    assert "机密" not in (settings.data_dir / "feedback.jsonl").read_text(encoding="utf-8")
    metrics = client.get("/metrics").text
    assert 'gpukb_feedback_total{rating="down"} 1.0' in metrics
    assert 'gpukb_feedback_total{rating="up"} 1.0' in metrics


def test_an_answer_of_a_stream_can_be_rated(client):
    stream = client.post("/v1/ask", json={**QUESTION, "stream": True}).text
    started = json.loads(stream.split("event: start\ndata: ")[1].split("\n")[0])["id"]
    assert client.post("/v1/feedback", json={"answer_id": started, "rating": "up"}).status_code == 201


def test_another_process_takes_ratings_of_our_answers(client, settings, fake):
    """Also after a restart: the id itself says whose it is."""
    answer = answer_id(client)
    with TestClient(create_app(settings, lambda _: fake), **LOCAL) as other:
        assert other.post("/v1/feedback", json={"answer_id": answer, "rating": "up"}).status_code == 201
    [entry] = kept(settings)
    assert (entry["answer_id"], entry["status"]) == (answer, ""), "what the answer was like only its own process knows"


def test_an_answer_that_is_not_ours(client, settings):
    answer = answer_id(client)
    last = "0" if answer[-1] != "0" else "1"
    for unknown in ("ans_nothing", "x", "ans_" + "0" * 24, "ans_" + "0" * 32, answer[:-1] + last, answer.upper()):
        for language in ("zh", "en"):
            rating = {"answer_id": unknown, "rating": "up"}
            response = client.post("/v1/feedback", json=rating, headers={"Accept-Language": language})
            assert (response.status_code, response.json()["code"]) == (404, "not_found")
            assert ("没有回答" in response.json()["detail"]) is (language == "zh")
    assert kept(settings) == []


def test_wrong_fields_are_named(client):
    for wrong, loc in (
        ({"rating": "great"}, "rating"), ({"reasons": ["ugly"]}, "reasons.0"), ({"comment": "x" * 2001}, "comment"),
        ({"reasons": ["other"] * 11}, "reasons"), ({"stars": 5}, "stars"), ({"answer_id": ""}, "answer_id"),
    ):  # fmt: skip
        response = client.post("/v1/feedback", json={"answer_id": "ans_x", "rating": "up", **wrong})
        assert (response.status_code, response.json()["errors"][0]["loc"]) == (422, loc)


def test_a_question_is_kept_where_the_settings_say_so(settings, fake, wait_until):
    keeping = settings.model_copy(update={"feedback_question_days": 30})
    with TestClient(create_app(keeping, lambda _: fake), **LOCAL) as client:
        wait_until(lambda: client.get("/readyz").status_code == 200)
        client.post("/v1/feedback", json={"answer_id": answer_id(client), "rating": "up"})
    assert [entry["question"] for entry in kept(settings)] == [QUESTION["question"]]
    with TestClient(create_app(settings, lambda _: fake), **LOCAL):
        wait_until(lambda: kept(settings)[0]["question"] == "")


def test_a_disk_that_refuses_is_said(client, settings):
    answer = answer_id(client)
    (settings.data_dir / "feedback.jsonl").mkdir()
    response = client.post("/v1/feedback", json={"answer_id": answer, "rating": "up"})
    assert (response.status_code, response.json()["code"]) == (507, "storage_unavailable")
    assert 'rating="up"' not in client.get("/metrics").text
