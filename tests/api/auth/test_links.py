"""Links to cited passages open without a key, for a while, and open nothing else."""

from __future__ import annotations

import json
import re

import pytest

import api.auth.links

QUESTION = {"question": "T4 的显存带宽是多少？"}


def links_in(body):
    return [*(each["page_url"] for each in body["citations"]), *(each["page_url"] for each in body["sources"])]


def test_without_keys_links_stay_as_they_are(client):
    body = client.post("/v1/ask", json=QUESTION).json()
    assert all("signature" not in link for link in links_in(body))


@pytest.fixture
def link(client, read_key, bearer):
    return links_in(client.post("/v1/ask", json=QUESTION, headers=bearer(read_key)).json())[0]


def test_every_link_that_is_handed_out_opens(client, read_key, bearer):
    headers = bearer(read_key)
    found = links_in(client.post("/v1/ask", json=QUESTION, headers=headers).json())
    stream = client.post("/v1/ask", json={**QUESTION, "stream": True}, headers=headers).text
    events = dict(re.findall(r"event: (sources|done)\ndata: (.*)\n", stream))
    found += links_in(json.loads(events["done"]))
    found += [each["page_url"] for each in json.loads(events["sources"])["sources"]]
    found += [
        each["page_url"] for each in client.post("/v1/search", json={"query": "T4"}, headers=headers).json()["data"]
    ]
    chat = {"model": "gpukb", "messages": [{"role": "user", "content": QUESTION["question"]}]}
    reply = client.post("/v1/chat/completions", json=chat, headers=headers)
    found += [
        *reply.json()["citations"],
        reply.json()["choices"][0]["message"]["annotations"][0]["url_citation"]["url"],
    ]
    assert len(found) >= 8
    for address in found:
        page = client.get(address, headers={"Accept": "text/html"})
        assert page.status_code == 200, address
        assert "<mark" in page.text
        assert address.split("signature=")[1].split("#")[0] not in page.text


def test_a_link_opens_nothing_else(client, link):
    path, query = link.split("#")[0].split("?")
    signature = re.search(r"signature=[^&]+", query).group()
    assert client.get(f"{path}?{query}&lang=en").status_code == 200
    assert client.get(f"{path}?{query.replace('start=6', 'start=0')}").status_code == 200, "what is marked is free"
    for other in (
        f"/v1/documents/en/a%20b%231.md/pages/1?{query}", f"/v1/documents/zh/t4.md?{signature}",
        f"/v1/info?{signature}",
        f"{path}?{query.replace('gen-000001', 'gen-000002')}", f"{path}?{query[:-1]}", f"{path}/../../../info?{query}",
        f"{path}?{signature}", f"{path}?signature=x",
    ):  # fmt: skip
        assert client.get(other).status_code == 401, other
    assert client.delete(f"/v1/documents/zh/t4.md/pages/1?{query}").status_code == 401


def test_a_link_ends_with_its_time_and_with_its_key(client, link, read_key, keys, bearer, monkeypatch):
    assert client.get(link).status_code == 200
    with monkeypatch.context() as later:
        now = api.auth.links.time.time()
        later.setattr(api.auth.links.time, "time", lambda: now + 26 * 3600)
        refused = client.get(link, headers={"Accept-Language": "zh"})
        assert (refused.status_code, "链接已失效" in refused.json()["detail"]) == (401, True)
        assert client.get(link, headers=bearer(read_key)).status_code == 200, "with a key the signature does not matter"
    assert client.get(link).status_code == 200
    keys.revoke(read_key)
    assert client.get(link).status_code == 401


def test_links_are_not_counted_against_the_key(client, keys, bearer):
    text = keys.new("slow", requests_per_minute=1)
    [link, *_] = links_in(client.post("/v1/ask", json=QUESTION, headers=bearer(text)).json())
    assert [client.get(link).status_code for _ in range(5)] == [200] * 5
