"""An application behind a real port, as other programs reach it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn

from api.app import create_app
from kb.config import Settings

_START_S = 120.0


def free_port() -> int:
    """A port that nobody uses at the moment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_for(address: str) -> None:
    """Return once an address answers with 200."""
    deadline = time.monotonic() + _START_S
    while True:
        try:
            if httpx.get(address).status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < deadline, f"{address} does not get ready"
        time.sleep(0.05)


@contextmanager
def listening(settings: Settings) -> Iterator[str]:
    """The address of the application, once it is ready."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=port, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run)
    thread.start()
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/readyz")
        yield address
    finally:
        server.should_exit = True
        thread.join()
