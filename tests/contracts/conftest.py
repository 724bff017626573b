"""One of each embedding model, for the contract suites."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from kb.config import default_cache_dir
from kb.embeddings.bundled import BundledE5
from kb.embeddings.e5_files import sentence_transformers_folder
from kb.embeddings.remote import RemoteEmbedder
from kb.embeddings.sentence_transformer import SentenceTransformerEmbedder
from kb.embeddings.use import UseEncoder


@pytest.fixture(scope="session")
def bundled():
    return BundledE5(default_cache_dir())


@pytest.fixture(scope="session")
def use():
    return UseEncoder()


@pytest.fixture(scope="session")
def sentence_transformer():
    return SentenceTransformerEmbedder(str(sentence_transformers_folder(default_cache_dir())), device="cpu")


@pytest.fixture(scope="session")
def remote(bundled):
    """Over real HTTP, from a server that runs the bundled model and adds no prefix of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            batch = [bundled._tokenizer.encode(text) for text in request["input"]]
            assert max(map(len, batch)) <= bundled.info.max_tokens
            rows = [
                {"object": "embedding", "index": index, "embedding": vector.tolist()}
                for index, vector in enumerate(bundled._run_all(batch))
            ]
            answer = {
                "object": "list",
                "model": request["model"],
                "data": rows[::-1],
            }  # servers need not keep the order
            body = json.dumps({**answer, "usage": {"prompt_tokens": 1, "total_tokens": 1}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    embedder = RemoteEmbedder("intfloat/multilingual-e5-small", base_url=f"http://127.0.0.1:{server.server_port}/v1")
    yield embedder
    embedder.close()
    server.shutdown()
    thread.join()
    server.server_close()
