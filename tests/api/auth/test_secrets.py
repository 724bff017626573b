"""Keys and session tokens are in no log line, no error, no metric and no address, wherever a client puts them."""

from __future__ import annotations

import io
import json
import logging
import re

import pytest

from api.logs import JsonFormatter, TextFormatter
from kb.keys import KeyStore

QUESTION = "T4 的显存带宽是多少？"


@pytest.fixture
def log(has_keys):
    """All that the service would write to its log, at its most talkative."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter() if has_keys else TextFormatter("%(asctime)s %(levelname)s %(message)s"))
    names = ("gpukb", "uvicorn", "uvicorn.error", "asyncio")
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield stream
    for name, level in before.items():
        logging.getLogger(name).removeHandler(handler)
        logging.getLogger(name).setLevel(level)


def responses_to(client, secret):
    """Requests with the secret in every place that a client might put it."""
    for headers in (
        {"Authorization": f"Bearer {secret}"}, {"Authorization": secret}, {"Authorization": f"Basic {secret}"},
        {"Cookie": f"gpukb_session={secret}"}, {"X-API-Key": secret}, {"X-Request-Id": secret}, {"Origin": f"https://{secret}"},
        {"Last-Event-ID": secret}, {"Idempotency-Key": secret},
    ):  # fmt: skip
        yield client.post("/v1/ask", json={"question": QUESTION}, headers=headers)
        yield client.get(f"/v1/gpus/{secret}", headers=headers)
        yield client.post("/v1/index/jobs", json={secret: 1}, headers=headers)
        yield client.get("/readyz", headers=headers)
    for path in (
        f"/v1/info?key={secret}", f"/v1/gpus/{secret}", f"/v1/gpus?fields={secret}",
        f"/v1/gpus/compare?ids={secret},t4",
        f"/v1/documents/{secret}", f"/v1/documents/zh/t4.md/pages/1?signature={secret}", f"/{secret}", f"/ui/{secret}",
        f"/v1/index/jobs/{secret}", f"/v1/models/{secret}", f"/v1/documents?cursor={secret}",
        f"/v1/documents/zh/t4.md/pages/1?generation={secret}",
    ):  # fmt: skip
        yield client.get(path)
        yield client.request(secret[:20], path)
    for path, body in (
        ("/v1/ask", {"question": QUESTION, secret: 1}), ("/v1/ask", {"question": QUESTION, "language": secret}),
        ("/v1/ask", {"question": QUESTION, "filters": {"published_after": secret}}),
        ("/v1/select", {"constraints": {secret: {"gte": 1}}}), ("/v1/select", {"scenario": secret}),
        ("/v1/size", {"model": secret, "gpu": secret}), ("/v1/feedback", {"answer_id": secret, "rating": "up"}),
        ("/v1/feedback", {"answer_id": "ans_x", "rating": secret}), ("/ui/session", {"key": secret}),
        ("/ui/session", {"token": secret}), ("/v1/index/rollback", {"generation": secret}),
        ("/v1/chat/completions", {"model": secret, "messages": [{"role": "user", "content": QUESTION}]}),
        ("/v1/chat/completions", {"model": "gpukb", "messages": [{"role": secret, "content": QUESTION}]}),
        ("/v1/index/jobs", {"mode": secret}), ("/v1/index/jobs", {"paths": [f"../{secret}"]}),
    ):  # fmt: skip
        yield client.post(path, json=body)
    yield client.post("/v1/documents", files={"file": (f"{secret}.exe/..", b"x")})
    yield client.post("/v1/documents", files={secret: ("a.md", b"x")})
    yield client.post("/v1/ask", content=f'{{"question": "{secret}', headers={"Content-Type": "application/json"})


def failing(request):
    raise ValueError(f"a bug that quotes its input: {request.question}")


@pytest.mark.parametrize("has_keys", [True, False])
def test_no_key_leaves_the_service(client, fake, settings, keys, bearer, log, has_keys):
    text = keys.new("all", scopes=("admin",))
    token = client.post("/ui/session", json={"key": text}).cookies["gpukb_session"]
    client.cookies.clear()
    wrong = text[:-4] + "AAAA"
    if not has_keys:
        keys.store.path.unlink()
    errors = []
    for secret in (text, wrong, token):
        for response in responses_to(client, secret):
            if response.status_code >= 400:
                errors.append(f"{response.status_code} {response.text} {dict(response.headers)}")
            assert not response.headers.get("location", "").count(secret)
    fake.before = failing
    headers = bearer(text) if has_keys else {}
    broken = client.post("/v1/ask", json={"question": f"{text} {token}"}, headers=headers)
    assert broken.status_code == 500
    errors.append(broken.text)
    metrics = client.get("/metrics", headers=headers).text
    assert "a bug that quotes its input" in log.getvalue()
    assert len(errors) > 60
    for secret in (text, wrong, token):
        private = secret.split("_", 2)[2][:12]
        for place, written in (("log", log.getvalue()), ("errors", "\n".join(errors)), ("metrics", metrics)):
            found = re.search(rf".{{0,200}}{re.escape(private)}.{{0,80}}", written)
            assert found is None, f"{place}: {found.group()}"


def test_a_key_in_a_comment_is_not_kept(client, settings, keys):
    answer = client.post("/v1/ask", json={"question": QUESTION}).json()["id"]
    text = "gk_0123abcd_" + "x" * 43
    client.post("/v1/feedback", json={"answer_id": answer, "rating": "down", "comment": f"mine is {text}"})
    kept = json.loads((settings.data_dir / "feedback.jsonl").read_text())
    assert kept["comment"] == "mine is gk_…"


def test_the_text_of_a_key_is_in_no_file_of_the_data_folder(client, settings, keys, bearer):
    text = keys.new()
    client.post("/ui/session", json={"key": text})
    client.post("/v1/ask", json={"question": QUESTION}, headers=bearer(text))
    KeyStore(settings.data_dir).revoke(text)
    for path in settings.data_dir.rglob("*"):
        if path.is_file():
            assert text.split("_", 2)[2].encode() not in path.read_bytes(), path
