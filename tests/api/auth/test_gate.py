"""Keys over HTTP: what they open, when they end, from where; and what holds as long as there are none."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from kb.keys import new_key

QUESTION = {"question": "T4 的显存带宽是多少？"}
LANGUAGES = pytest.mark.parametrize("language", ["zh-CN", "en"])


def asked(client, **about):
    return client.post("/v1/ask", json=QUESTION, **about)


@LANGUAGES
def test_a_key_opens_and_no_other_text_does(client, read_key, keys, bearer, language):
    assert asked(client, headers=bearer(read_key)).status_code == 200
    assert asked(client, headers={"Authorization": f"bearer  {read_key} "}).status_code == 200
    wrong = [
        bearer(new_key("x").text), bearer(read_key[:-1]), bearer(""), bearer(f"{read_key} {read_key}"),
        {"Authorization": f"Basic {read_key}"}, {"Authorization": read_key}, bearer("\u00e9"),
    ]  # fmt: skip
    for headers in wrong:
        encoded = {name: value.encode("latin-1") for name, value in headers.items()}
        refused = asked(client, headers={**encoded, "Accept-Language": language})
        assert (refused.status_code, refused.json()["code"]) == (401, "invalid_api_key"), headers
        assert refused.headers["www-authenticate"].startswith("Bearer")
        assert any("\u4e00" <= char <= "\u9fff" for char in refused.json()["detail"]) is (language == "zh-CN")


def test_a_key_counts_in_the_header_only(client, read_key):
    for path in (f"/v1/info?key={read_key}", f"/v1/info?api_key={read_key}", f"/v1/info?access_token={read_key}"):
        assert client.get(path).status_code == 401
    for headers in ({"X-API-Key": read_key}, {"Cookie": f"gpukb_session={read_key}"}, {"Cookie": f"key={read_key}"}):
        assert client.get("/v1/info", headers=headers).status_code == 401


def test_a_revoked_key_ends_at_once_and_so_does_an_expired_one(client, read_key, keys, bearer):
    assert asked(client, headers=bearer(read_key)).status_code == 200
    keys.revoke(read_key)
    assert asked(client, headers=bearer(read_key)).json()["code"] == "invalid_api_key"
    assert asked(client).status_code == 401, "the service does not open because its last key was revoked"
    expired = asked(client, headers=bearer(keys.expired()))
    assert (expired.status_code, "expired" in expired.json()["detail"]) == (401, True)


def test_a_first_key_is_asked_for_at_once(client, keys, bearer):
    assert asked(client).status_code == 200
    text = keys.new()
    assert asked(client).status_code == 401
    assert asked(client, headers=bearer(text)).status_code == 200


def test_a_damaged_key_file_lets_nobody_in_and_says_nothing_of_where_it_is(client, read_key, keys, bearer, caplog):
    keys.store.path.write_text("{")
    for path in ("/v1/info", "/ui/session"):
        refused = client.get(path, headers=bearer(read_key))
        assert (refused.status_code, refused.json()["code"]) == (503, "keys_unreadable")
        assert str(keys.store.path.parent) not in refused.text
    assert str(keys.store.path) in caplog.text
    assert client.get("/healthz").status_code == 200


@LANGUAGES
def test_a_key_of_a_page_works_from_that_page_only(client, keys, bearer, language):
    text = keys.new("widget", origins=("https://a.example",))
    mine = asked(client, headers={**bearer(text), "Origin": "https://a.example"})
    assert (mine.status_code, mine.headers["access-control-allow-origin"]) == (200, "https://a.example")
    for origin in ({}, {"Origin": "https://b.example"}, {"Origin": "null"}, {"Origin": "https://a.example.b"}):
        refused = asked(client, headers={**bearer(text), **origin, "Accept-Language": language})
        assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")
        assert "a.example" not in refused.text


def test_a_page_may_call_as_soon_as_a_key_was_made_for_it(client, keys):
    preflight = {
        "Origin": "https://a.example", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-stainless-os",
    }  # fmt: skip
    assert "access-control-allow-origin" not in client.options("/v1/ask", headers=preflight).headers
    text = keys.new("widget", origins=("https://a.example",))
    allowed = client.options("/v1/ask", headers=preflight)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://a.example")
    assert "x-stainless-os" in allowed.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in allowed.headers
    refused = asked(client, headers={"Origin": "https://a.example"})
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == "https://a.example", "the page can read what is wrong"
    keys.revoke(text)
    assert "access-control-allow-origin" not in client.options("/v1/ask", headers=preflight).headers


def test_answers_for_a_key_are_kept_by_no_cache(client, read_key, bearer):
    for path in ("/v1/info", "/v1/documents", "/v1/gpus/t4"):
        assert client.get(path, headers=bearer(read_key)).headers["cache-control"] == "no-store"
    stream = client.post("/v1/ask", json={**QUESTION, "stream": True}, headers=bearer(read_key))
    assert stream.headers["cache-control"] == "no-cache"
    assert "event: done" in stream.text


def test_readiness_tells_strangers_no_reasons(client, read_key, keys, bearer):
    assert client.get("/readyz").json()["checks"]["index"] == {"status": "ok", "ms": None, "detail": ""}
    assert client.get("/readyz", headers=bearer(read_key)).json()["checks"]["index"]["detail"]


@LANGUAGES
def test_a_browser_without_a_key_is_shown_the_way_in(client, read_key, language):
    visit = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Accept-Language": language}
    for path in ("/docs", "/v1/documents/zh/t4.md/pages/1", "/v1/documents/zh/t4.md/pages/1?signature=<script>"):
        page = client.get(path, headers=visit)
        assert (page.status_code, page.headers["www-authenticate"][:6]) == (401, "Bearer")
        assert page.headers["content-type"].startswith("text/html")
        assert '<a href="/">' in page.text
        assert ("登录" in page.text) is (language == "zh-CN")
        assert "<script" not in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
    fetched = client.get("/docs", headers={**visit, "Sec-Fetch-Mode": "cors"})
    assert fetched.headers["content-type"] == "application/problem+json"


# ---------------------------------------------------------------- rate limits


def test_a_rate_is_kept_and_shown(client, keys, bearer):
    text, other = keys.new("slow", requests_per_minute=3), keys.new("free")
    left = [asked(client, headers=bearer(text)).headers["x-ratelimit-remaining-requests"] for _ in range(3)]
    assert left == ["2", "1", "0"]
    refused = asked(client, headers={**bearer(text), "Accept-Language": "zh"})
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["retry-after"]) <= 20
    assert refused.headers["x-ratelimit-limit-requests"] == "3"
    assert refused.headers["x-ratelimit-reset-requests"] in {f"{seconds}s" for seconds in range(50, 61)}
    assert "每分钟至多 3 次" in refused.json()["detail"]
    free = asked(client, headers=bearer(other))
    assert free.status_code == 200
    assert "x-ratelimit-limit-requests" not in free.headers
    assert "gpukb_rate_limited_total 1.0" in client.get("/metrics", headers=bearer(other)).text
    assert client.get("/healthz", headers=bearer(text)).status_code == 200


def test_a_bucket_fills_steadily():
    from api.auth.limits import RateLimits

    clock = [0.0]
    limits = RateLimits(lambda: clock[0])
    key = new_key("a", requests_per_minute=60).key
    assert [limits.take(key).retry_after_s for _ in range(60)] == [None] * 60
    refused = limits.take(key)
    assert (refused.remaining, refused.retry_after_s) == (0, pytest.approx(1.0))
    clock[0] = 1.5
    assert limits.take(key).retry_after_s is None
    assert limits.take(key).retry_after_s == pytest.approx(0.5)
    clock[0] = 1000.0
    assert (limits.take(key).remaining, limits.take(key).reset_s) == (59, pytest.approx(2.0))


# ---------------------------------------------------------------- as long as there are no keys


ELSEWHERE = (
    (("203.0.113.9", 1), "127.0.0.1:8000"), (("10.0.0.8", 1), "10.0.0.1:8000"),
    (("127.0.0.1", 1), "rebound.example:8000"), (("127.0.0.1", 1), "127.0.0.1.evil.example"),
    (("127.0.0.1", 1), "localhost.evil.example"), (("127.0.0.1", 1), "192.168.1.5"), (("127.0.0.1", 1), ""),
)  # fmt: skip


def test_only_this_machine_is_answered_under_its_own_name(settings, fake, wait_until):
    """A page of another site can give its name this machine's address; the browser then sends that name."""
    with TestClient(create_app(settings, lambda _: fake)) as service:
        for address, host in ELSEWHERE:
            away = TestClient(service.app, base_url="http://127.0.0.1:8000", client=address)
            for method, path in (("POST", "/v1/ask"), ("GET", "/v1/documents"), ("GET", "/metrics"), ("GET", "/docs")):
                body = QUESTION if method == "POST" else None
                refused = away.request(method, path, json=body, headers={"Host": host, "Accept-Language": "zh"})
                assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope"), (address, host)
                assert "密钥" in refused.json()["detail"]
            assert away.get("/healthz", headers={"Host": host}).status_code == 200
    insecure = settings.model_copy(update={"insecure": True})
    with TestClient(create_app(insecure, lambda _: fake), client=("203.0.113.9", 1)) as away:
        wait_until(lambda: away.get("/readyz").status_code == 200)
        assert asked(away, headers={"Host": "kb.example"}).status_code == 200, "whoever set `insecure` wants that"


def test_names_of_this_machine(client):
    for host in ("127.0.0.1:8000", "localhost", "LOCALHOST:9", "[::1]:8000", "127.3.2.1", "kb.localhost"):
        assert client.get("/v1/info", headers={"Host": host}).status_code == 200, host


def test_without_keys_an_authorization_is_ignored(client, bearer):
    for headers in (bearer("sk-whatever"), {"Authorization": "Basic eDp5"}, {"Cookie": "gpukb_session=x"}):
        answered = asked(client, headers=headers)
        assert answered.status_code == 200
        assert "x-ratelimit-limit-requests" not in answered.headers
