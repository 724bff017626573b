"""`gpukb serve`: checks, builds the index if there is none, serves."""

from __future__ import annotations

import contextlib
import errno
import gc
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import click

from api.auth.machine import is_loopback
from kb.cli.options import settings_options
from kb.config import Settings, settings_environ
from kb.errors import ConfigError, CorpusError, KbError
from kb.index.root import IndexRoot
from kb.keys import KeyStore

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase

_SHUTDOWN_GRACE_S = 10
_SWITCH_INTERVAL_S = 0.0005
"""A thread that reads passages keeps the model's thread and the event loop waiting so long at most, not for 5 ms."""
# One that the catalogue answers, and one in each language that passages do.
_WARM_UP = ("T4 和 A100 的显存带宽", "显存是怎样工作的？", "How does memory work?")


@click.command()
@click.option("--build/--no-build", default=True, help="Build the index first if there is none.")
@settings_options(
    "host", "port", "insecure", "corpus_dir", "catalog", "llm_base_url", "llm_model", "log_level", "log_format"
)
def serve(build: bool, settings: Settings) -> None:
    """Serve the HTTP API and the page."""
    require_private_address(settings)
    listener = listen(settings.host, settings.port)
    with contextlib.closing(listener):
        if build and IndexRoot(settings.data_dir).current_name() is None:
            build_index(settings)
        _serve(settings, listener)


def require_private_address(settings: Settings) -> None:
    """Refuse an address that others can reach, as long as nothing asks who they are.

    Raises:
        ConfigError: unless `insecure` is set.
        KeyFileError: the keys cannot be read.
    """
    if settings.insecure or is_loopback(settings.host):
        return
    keyring = KeyStore(settings.data_dir).keyring()
    if not keyring.has_valid:
        those = "no key is valid any more" if keyring.is_required else "no keys are set up"
        raise ConfigError(
            f"{settings.host} can be reached by others, and {those}.",
            "Make one with `gpukb keys new NAME`, use --host 127.0.0.1, or --insecure if something in front checks who "
            "may ask.",
        )


def listen(host: str, port: int) -> socket.socket:
    """Take the address, before anything slow happens.

    Raises:
        ConfigError: it is in use, not allowed, or not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        # Not listening yet: until the service runs a client is refused, rather than left waiting.
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise _address_error(error, host, port) from error
    return listener


def _address_error(error: OSError, host: str, port: int) -> KbError:
    if error.errno == errno.EADDRINUSE:
        return KbError(f"Port {port} on {host} is in use.", "Stop the other program or choose another with --port.")
    if error.errno == errno.EACCES:
        return ConfigError(f"Port {port} needs special rights.", "Choose one from 1024 up with --port.")
    return ConfigError(f"{host} is no address of this machine ({error.strerror}).", "Use --host 127.0.0.1.")


def build_index(settings: Settings) -> None:
    """Build the index in a child process that shows its own progress.

    Raises:
        CorpusError: it failed; the child has said why.
    """
    sys.stderr.write(f"There is no index in {settings.data_dir}; building it from {settings.corpus_dir}.\n")
    command = [sys.executable, "-m", "kb.cli", "index", "build"]
    code = subprocess.run(command, env=settings_environ(settings), check=False).returncode
    if code:
        raise CorpusError("The index could not be built, so there is nothing to serve.", "See the line above.")


def _serve(settings: Settings, listener: socket.socket) -> None:
    # Imported here: `gpukb serve --help` and a wrong setting need no web framework.
    import uvicorn

    from api.app import create_app
    from api.banner import print_banner
    from api.logs import configure_logging

    configure_logging(settings.log_level, settings.log_format)
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    address = address_of(listener)
    sys.stderr.write(f"Serving on {address}; loading the index and the model …\n")
    app = create_app(settings, open_warm, on_ready=lambda knowledge: print_banner(knowledge, address))
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_GRACE_S,
        lifespan="on",
    )
    uvicorn.Server(config).run(sockets=[listener])


def open_warm(settings: Settings) -> KnowledgeBase:
    """Open the knowledge base and ask it something, so that no user waits for what loads at first use."""
    from kb.factory import open_knowledge_base
    from kb.types import AskRequest

    # Nothing of what is loaded is garbage: collections only slow it down, by a fifth, and need not look at it later.
    gc.disable()
    try:
        kb = open_knowledge_base(settings)
        kb.warm()
        for question in _WARM_UP:
            kb.ask(AskRequest(question, mode="extract"))
        gc.collect()
        gc.freeze()
    finally:
        gc.enable()
    return kb


def address_of(listener: socket.socket) -> str:
    """The address as a person types it into a browser."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"
