"""Every route says what it asks for, and holds to it."""

from __future__ import annotations

import re

import pytest

from api.app import create_app
from api.auth.access import ROUTES, RouteTable, endpoints

OPEN = {
    ("GET", "/healthz"), ("GET", "/health"), ("GET", "/readyz"), ("GET", "/"), ("GET", "/ui"), ("GET", "/ui/"),
    ("GET", "/ui/session"), ("POST", "/ui/session"), ("DELETE", "/ui/session"),
}  # fmt: skip
"""Health, the page's own files, its sign-in: all that may be had without a key."""
ADMIN = {
    ("POST", "/v1/documents"), ("DELETE", "/v1/documents/{doc_id}"), ("GET", "/v1/index/jobs"),
    ("POST", "/v1/index/jobs"), ("GET", "/v1/index/jobs/{job_id}"), ("DELETE", "/v1/index/jobs/{job_id}"),
    ("GET", "/v1/index/jobs/{job_id}/events"), ("POST", "/v1/index/rollback"),
}  # fmt: skip


@pytest.fixture
def found(settings):
    """All that the application answers, as method and template."""
    return {(method, each.plain) for each in endpoints(create_app(settings).routes) for method in each.methods}


def test_every_route_is_classified(found):
    classified = {(method, path) for path, methods in ROUTES.items() for method in methods}
    assert found - classified == set(), "say in api/auth/access.py what they ask for"
    assert ("POST", "/v1/ask") in found
    assert ("GET", "/ui") in found


def test_what_is_open_and_what_is_for_administrators(found):
    """Stated twice on purpose: opening a route takes more than one line."""
    assert {each for each in found if ROUTES[each[1]][each[0]] == "open"} <= OPEN
    assert {each for each in found if ROUTES[each[1]][each[0]] == "admin"} == ADMIN


def test_a_route_that_is_missing_in_the_table_is_for_administrators(settings):
    app = create_app(settings)
    app.add_api_route("/v1/forgotten", lambda: None, methods=["GET"])
    assert RouteTable(app.routes).at("/v1/forgotten").methods == {"GET": "admin"}


def path_of(template):
    return re.sub(r"\{page\}", "1", re.sub(r"\{(?!page)\w+\}", "t4", template))


def sent(client, method, template, **about):
    # What is served stays as it is: the bodies are refused once they are read.
    body = {"json": {"nothing": 1}} if method == "POST" else {}
    path = path_of(template)
    return client.request(method, f"{path}/x.js" if template in {"/ui", "/docs/assets"} else path, **body, **about)


def test_without_a_key_only_what_is_open_is_reached(found, client, read_key):
    for method, template in sorted(found):
        response = sent(client, method, template)
        if (method, template) in OPEN:
            assert response.status_code not in {401, 403}, (method, template)
        else:
            assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer"), (method, template)
            assert "missing_api_key" in response.text


def test_scopes_hold_on_every_route(found, client, read_key, admin_key, bearer):
    for method, template in sorted(found - OPEN):
        reading = sent(client, method, template, headers=bearer(read_key))
        admin = sent(client, method, template, headers=bearer(admin_key))
        assert admin.status_code not in {401, 403}, (method, template)
        if (method, template) in ADMIN:
            assert (reading.status_code, reading.json()["code"]) == (403, "insufficient_scope"), (method, template)
        else:
            assert reading.status_code not in {401, 403}, (method, template)


def test_what_is_not_there_tells_a_stranger_nothing(client, read_key, bearer):
    for path in ("/nothing", "/v1/nothing", "/v1/ask/", "//v1/ask", "/v1//ask", "/V1/ask"):
        assert client.get(path).status_code == 401, path
        assert client.get(path, headers=bearer(read_key)).status_code in {200, 404, 405}, path
    assert client.get("/ui/../v1/info").status_code in {401, 404}


def test_a_method_that_is_not_taken_is_told_which_are(client):
    for method, path, allow in (
        ("DELETE", "/v1/ask", "OPTIONS, POST"),
        ("PUT", "/v1/documents", "GET, HEAD, OPTIONS, POST"),
        ("PATCH", "/v1/documents/a/b.md", "DELETE, GET, HEAD, OPTIONS"),
        ("PATCH", "/v1/documents/a/b.md/pages/1", "GET, HEAD, OPTIONS"),
        ("TRACE", "/v1/gpus/t4", "GET, HEAD, OPTIONS"),
        ("POST", "/v1/gpus/compare", "GET, HEAD, OPTIONS"),
        ("POST", "/ui/style.css", "GET, HEAD, OPTIONS"),
        ("BREW", "/healthz", "GET, HEAD, OPTIONS"),
    ):
        refused = client.request(method, path, headers={"Accept-Language": "zh"})
        assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed"), path
        assert refused.headers["allow"] == allow, path
        assert "不允许" in refused.json()["detail"]
        options = client.options(path)
        assert (options.status_code, options.headers["allow"], options.content) == (204, allow, b"")
    assert client.options("/nothing").status_code == 404


def test_the_openapi_document_says_what_needs_a_key(client, keys, bearer):
    assert "security" not in client.get("/openapi.json").json()
    document = client.get("/openapi.json", headers=bearer(keys.new())).json()
    assert document["security"] == [{"key": []}]
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert document["paths"]["/healthz"]["get"]["security"] == []
    assert document["paths"]["/ui/session"]["post"]["security"] == []
    assert "security" not in document["paths"]["/v1/ask"]["post"]


def test_whole_numbers_and_unknown_form_fields(client):
    """5.0 is 5 in JSON; a form, like a body, has no fields that nobody knows."""
    for number, status in ((5, 200), (5.0, 200), (5.5, 422), (True, 422), ("5", 422), (1e300, 422)):
        assert client.post("/v1/search", json={"query": "T4", "top_k": number}).status_code == status, number
    refused = client.post("/v1/documents", files={"file": ("a.md", b"x")}, data={"fold": "x"})
    assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (422, "fold")
