"""A stand-in for a chat model: speaks OpenAI's protocol over real HTTP and says what it is told to say."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "fake-chat"


class FakeChatServer:
    """Replies with `reply`, in pieces of a few characters; `requests` are the bodies it got."""

    def __init__(self, reply: str, *, status: int = 200) -> None:
        self.reply = reply
        self.status = status
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    def pieces(self) -> Iterator[str]:
        """The reply as it is sent."""
        return (self.reply[i : i + 3] for i in range(0, len(self.reply), 3))

    @contextmanager
    def running(self) -> Iterator[FakeChatServer]:
        """Serve on a free loopback port."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _handler(owner: FakeChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Be quiet."""

        def do_GET(self) -> None:
            self._json({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            owner.requests.append(body)
            if owner.status != 200:
                self.send_error(owner.status)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for piece in owner.pieces():
                self._event({"content": piece}, None)
            self._event({}, "stop")
            self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, delta: dict[str, str], finish_reason: str | None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
            chunk = {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": MODEL,
                "choices": [choice],
            }
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

        def _json(self, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
