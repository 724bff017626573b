"""The page signs in: the cookie holds no key, is of no use to other sites, and ends with its key."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

QUESTION = {"question": "T4 的显存带宽是多少？"}
OWN = {"Origin": "http://127.0.0.1:8000"}


def signed_in(client, key):
    response = client.post("/ui/session", json={"key": f" {key}\n"}, headers=OWN)
    assert response.status_code == 200, response.text
    return response


def test_without_keys_there_is_nothing_to_sign_in_for(client):
    everything = {"keys_required": False, "signed_in": False, "scopes": ["read", "admin"]}
    assert client.get("/ui/session").json() == everything
    response = client.post("/ui/session", json={"key": "gk_anything"})
    assert (response.status_code, response.json(), "set-cookie" in response.headers) == (200, everything, False)
    assert client.delete("/ui/session").status_code == 204


def test_signing_in_and_out(client, read_key, admin_key):
    nothing = {"keys_required": True, "signed_in": False, "scopes": []}
    assert client.get("/ui/session").json() == nothing
    response = signed_in(client, read_key)
    assert response.json() == {"keys_required": True, "signed_in": True, "scopes": ["read"]}
    cookie = response.headers["set-cookie"]
    assert re.match(r"gpukb_session=gks_[\w-]+; ", cookie)
    for word in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=1209600"):
        assert word in cookie
    assert "Secure" not in cookie
    assert read_key not in cookie
    assert read_key.rsplit("_", 1)[1][:8] not in cookie
    assert client.get("/ui/session").json() == response.json()
    assert client.get("/v1/info").status_code == 200
    assert client.post("/v1/ask", json=QUESTION, headers=OWN).status_code == 200
    assert client.post("/v1/index/jobs", json={"x": 1}, headers=OWN).status_code == 403
    assert signed_in(client, admin_key).json()["scopes"] == ["read", "admin"]
    assert client.post("/v1/index/jobs", json={"x": 1}, headers=OWN).status_code == 422
    assert client.delete("/ui/session", headers=OWN).status_code == 204
    assert client.get("/ui/session").json() == nothing
    assert client.get("/v1/info").status_code == 401


def test_over_a_safe_connection_the_cookie_travels_on_safe_ones_only(client, read_key):
    response = client.post("https://127.0.0.1/ui/session", json={"key": read_key})
    assert "Secure" in response.headers["set-cookie"]


def test_a_wrong_key_signs_nobody_in(client, read_key, keys):
    keys.revoke(read_key)
    for text in (read_key, "gk_wrong", "甲", keys.expired()):
        refused = client.post("/ui/session", json={"key": text})
        assert (refused.status_code, refused.json()["code"]) == (401, "invalid_api_key")
        assert "set-cookie" not in refused.headers
        assert text not in refused.text


def test_a_sign_in_ends_with_its_key(client, read_key, keys):
    signed_in(client, read_key)
    keys.revoke(read_key)
    assert client.get("/v1/info").json()["code"] == "invalid_api_key"
    assert client.get("/ui/session").json()["signed_in"] is False
    soon = keys.new("soon", expires=datetime.now(UTC) + timedelta(hours=1))
    [seconds] = re.findall(r"Max-Age=(\d+)", signed_in(client, soon).headers["set-cookie"])
    assert 3500 < int(seconds) <= 3600


def test_a_cookie_cannot_be_made_or_changed(client, read_key, admin_key):
    signed_in(client, read_key)
    token = client.cookies["gpukb_session"]
    kind, key_id, expires, signature = token.split("_", 3)
    later, other = f"{int(expires, 16) + 1:08x}", admin_key[3:11]
    for forged in (
        f"{kind}_{key_id}_{later}_{signature}", f"{kind}_{other}_{expires}_{signature}", token[:-1], token + "A", "x",
        f"{kind}_{key_id}_00000001_{signature}",
    ):  # fmt: skip
        client.cookies.clear()
        assert client.get("/v1/info", headers={"Cookie": f"gpukb_session={forged}"}).status_code == 401, forged


FOREIGN = (
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:9999"},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:8000"},
)  # fmt: skip


def test_pages_of_other_sites_cannot_use_the_cookie(client, admin_key):
    signed_in(client, admin_key)
    for foreign in FOREIGN:
        for method, path in (
            ("POST", "/v1/index/jobs"), ("POST", "/v1/index/rollback"), ("DELETE", "/v1/documents/zh/t4.md"),
            ("POST", "/v1/documents"), ("POST", "/v1/ask"), ("POST", "/v1/feedback"), ("DELETE", "/ui/session"),
            ("POST", "/ui/session"),
        ):  # fmt: skip
            body = {"json": {}} if method == "POST" else {}
            refused = client.request(method, path, **body, headers={**foreign, "Accept-Language": "zh"})
            assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope"), (foreign, path)
            assert "其他网站" in refused.json()["detail"]
    assert client.get("/ui/session").json()["signed_in"] is True


def test_the_own_page_can(client, read_key):
    signed_in(client, read_key)
    for own in (
        OWN, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {},
        {"Origin": "https://kb.example", "Host": "kb.example"},
        {"Origin": "https://kb.example", "Host": "upstream:80", "X-Forwarded-Host": "kb.example"},
    ):  # fmt: skip
        assert client.post("/v1/ask", json=QUESTION, headers={"Host": "127.0.0.1:8000", **own}).status_code == 200, own


def test_a_key_of_another_page_signs_nobody_in(client, keys):
    text = keys.new("widget", origins=("https://a.example",))
    assert client.post("/ui/session", json={"key": text}, headers=OWN).status_code == 403
