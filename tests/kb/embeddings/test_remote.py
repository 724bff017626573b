from __future__ import annotations

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from kb.embeddings.remote import RemoteEmbedder, estimate_tokens
from kb.errors import EmbeddingError
from tests.kb.embeddings.conftest import TEXTS


class Server(ThreadingHTTPServer):
    """A real server whose answers a test sets; it records what it was sent."""

    def __init__(self):
        self.requests = []
        self.keys = []
        self.failures = []  # statuses to answer first
        self.width = 4
        self.body = None
        self.delay_s = 0.0
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, request))
        self.server.keys.append(self.headers["Authorization"])
        time.sleep(self.server.delay_s)
        status = self.server.failures.pop(0) if self.server.failures else 200
        self.answer(status, {"error": {"message": "no such model"}} if status != 200 else self.vectors(request))

    def vectors(self, request):
        if self.server.body is not None:
            return self.server.body
        rows = [
            {"object": "embedding", "index": index, "embedding": [3.0 + len(text)] + [4.0] * (self.server.width - 1)}
            for index, text in enumerate(request["input"])
        ]
        return {"object": "list", "model": request["model"], "data": rows, "usage": {}}

    def answer(self, status, fields):
        body = json.dumps(fields).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):  # a client that did not wait
            self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def opened(server):
    embedders = []

    def open_(model="BAAI/bge-large-zh-v1.5", **options):
        embedders.append(RemoteEmbedder(model, base_url=server.url, **{"timeout_s": 5.0, **options}))
        return embedders[-1]

    yield open_
    for embedder in embedders:
        embedder.close()


def test_prefixes_come_from_the_table_and_the_key_is_sent(server, opened):
    embedder = opened(api_key="sk-test", revision="r1")
    assert (embedder.info.dim, embedder.info.max_tokens, embedder.info.revision) == (4, 512, "r1")
    embedder.embed_queries(["显存"])
    embedder.embed_passages(["带宽"])
    path, question = server.requests[-2]
    assert path == "/v1/embeddings"
    assert question["input"] == ["为这个句子生成表示以用于检索相关文章：显存"]
    assert server.requests[-1][1]["input"] == ["带宽"]
    assert set(server.keys) == {"Bearer sk-test"}


def test_vectors_are_brought_to_unit_length(opened):
    vectors = opened().embed_passages(["a", "bb"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_many_texts_go_in_several_requests_and_keep_their_order(server, opened):
    embedder = opened()
    texts = ["x" * (number % 50 + 1) for number in range(150)]
    vectors = embedder.embed_passages(texts)
    assert [len(request["input"]) for _, request in server.requests[1:]] == [64, 64, 22]
    np.testing.assert_allclose(vectors[149], embedder.embed_passages([texts[149]])[0])


def test_a_failing_server_is_asked_again(server, opened):
    embedder = opened()
    server.failures = [503, 500]
    assert embedder.embed_queries(["显存"]).shape == (1, 4)


@pytest.mark.parametrize("statuses", [[401], [404], [500] * 3])
def test_errors_name_the_server_and_what_it_said(server, opened, statuses):
    server.failures = list(statuses)
    with pytest.raises(EmbeddingError, match=f"{server.url} failed: .*{statuses[0]}.*no such model") as caught:
        opened()
    assert "key" in caught.value.hint
    assert len(server.requests) == len(statuses)


def test_a_slow_server_times_out(server, opened):
    embedder = opened(timeout_s=0.2)
    server.delay_s = 0.6
    with pytest.raises(EmbeddingError, match="timed out"):
        embedder.embed_queries(["显存"])


def test_no_server_at_all():
    with pytest.raises(EmbeddingError, match=r"http://127\.0\.0\.1:9/v1 failed: Connection error"):
        RemoteEmbedder("m", base_url="http://127.0.0.1:9/v1", timeout_s=1)


@pytest.mark.parametrize(
    "body",
    [
        {"hello": 1},
        {"object": "list", "data": []},
        {"object": "list", "data": [{"index": 0, "embedding": [0, 0]}]},
        {"object": "list", "data": [{"index": 0, "embedding": ["x"]}]},
        {"object": "list", "data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]},
    ],
)
def test_what_is_no_vector_is_refused(server, opened, body):
    server.body = body
    with pytest.raises(EmbeddingError, match="answered"):
        opened()


def test_another_width_later_is_another_model(server, opened):
    embedder = opened()
    server.width = 5
    with pytest.raises(EmbeddingError, match="width 5, it gave 4 before"):
        embedder.embed_queries(["显存"])


def test_the_estimate_is_from_above(bundled):
    for text in (*TEXTS, "The quick brown fox jumps over the lazy dog. " * 9, "显存带宽决定了推理速度" * 9):
        assert estimate_tokens(text) >= bundled.count_tokens(text) - 2, text  # less the prefix
