"""What `gpukb serve` tells a person once it can answer."""

from __future__ import annotations

import contextlib
import sys

from api.knowledge import Knowledge
from kb.cli.terminal import console, error_line
from kb.keys import KeyStore
from kb.version import gpukb_version

_EXAMPLE = "T4 的显存带宽是多少？"


def print_banner(knowledge: Knowledge, address: str) -> None:
    """Index, models, addresses and one thing to try; or why it is not ready, and that it waits."""
    # Nobody may be reading any more; the service goes on.
    with contextlib.suppress(OSError):
        _print(knowledge, address)


def _print(knowledge: Knowledge, address: str) -> None:
    if knowledge.error is not None:
        error_line(str(knowledge.error))
        sys.stderr.write(f"{address}/readyz says so too; a new index is picked up without a restart.\n")
        return
    kb = knowledge.current()
    manifest = kb.generation.manifest
    settings = knowledge.settings
    second = f" + {manifest.cross_embedding.model}" if manifest.cross_embedding else ""
    chat = (
        f"{settings.llm_model} at {settings.llm_base_url}" if settings.llm_base_url else "none: answers are extracted"
    )
    rows = (
        (
            "index",
            f"{manifest.generation}: {manifest.documents} documents, {manifest.chunks} chunks, {_cards(knowledge)}",
        ),
        ("embedding", f"{manifest.embedding.model}{second} on {kb.device}"),
        ("chat model", chat),
        ("keys", _keys(knowledge)),
        ("page", f"{address}/"),
        ("API", f"{address}/docs"),
        ("health", f"{address}/readyz   {address}/metrics"),
    )
    out = console()
    out.print(f"\n[bold]gpukb {gpukb_version()}[/] is ready", soft_wrap=True)
    for name, value in rows:
        out.print(f"  [dim]{name:<11}[/]{value}", soft_wrap=True)
    out.print("\nTry:")
    out.print(
        f"  curl -s {address}/v1/ask -H 'Content-Type: application/json' -d '{{\"question\": \"{_EXAMPLE}\"}}'",
        markup=False,
        soft_wrap=True,
    )
    out.print(f'  gpukb ask "{_EXAMPLE}"\n', markup=False, soft_wrap=True)


def _cards(knowledge: Knowledge) -> str:
    count = len(knowledge.current().catalog.gpus)
    return f"{count} cards" if count else "no catalogue of cards"


def _keys(knowledge: Knowledge) -> str:
    keyring = KeyStore(knowledge.settings.data_dir).keyring()
    if keyring.is_required:
        return f"{sum(key.is_valid() for key in keyring.keys)} valid; every request needs one"
    if knowledge.settings.insecure:
        return "none, and insecure is set: whoever reaches this address is answered"
    return "none: only this machine is answered"
