"""`gpukb doctor`: looks at everything that must be right, and says what to do where it is not."""

from __future__ import annotations

import json
import platform
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

import click

from kb.cli.options import json_option, settings_options
from kb.cli.terminal import console
from kb.config import Settings
from kb.errors import IndexMissingError, KbError, LlmError
from kb.version import gpukb_version

Status = Literal["ok", "warn", "fail"]

_MIN_FREE_BYTES = 2 * 1024**3
_GB = 1e9


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `hint` says what to do."""

    status: Status
    name: str
    detail: str
    hint: str = ""


@click.command()
@json_option
@settings_options("corpus_dir", "host", "port")
def doctor(as_json: bool, settings: Settings) -> int:
    """Check the installation, the settings, the model, the index, the keys, the port and the disk."""
    findings: list[Finding] = []
    for finding in examine(settings):
        findings.append(finding)
        if not as_json:
            _print(finding)
    if as_json:
        data = [asdict(finding) for finding in findings]
        click.echo(json.dumps({"object": "list", "data": data, "next_cursor": None}, ensure_ascii=False))
    return 1 if any(finding.status == "fail" for finding in findings) else 0


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at one thing after the other."""
    checks: tuple[Callable[[Settings], Finding], ...] = (
        _python,
        _packages,
        _corpus,
        _disk,
        _model,
        _index,
        examine_keys,
        _port,
        _chat_model,
    )
    for check in checks:
        yield check(settings)


def _print(finding: Finding) -> None:
    colour = {"ok": "green", "warn": "yellow", "fail": "red"}[finding.status]
    out = console()
    out.print(f"[{colour}]{finding.status:<4}[/] {finding.name:<11}", end="")
    out.print(finding.detail, markup=False, soft_wrap=True)
    if finding.hint:
        out.print(f"{'':17}{finding.hint}", markup=False, soft_wrap=True)


def _python(_: Settings) -> Finding:
    version = platform.python_version()
    return Finding("ok", "python", f"{version} at {sys.executable}; gpukb {gpukb_version()}")


def _packages(_: Settings) -> Finding:
    missing = []
    for requirement in metadata.requires("gpukb") or []:
        name, _separator, marker = requirement.partition(";")
        name = "".join(iter(_name_characters(name)))
        if "extra" in marker or ("win32" in marker and sys.platform == "win32"):
            continue
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("fail", "packages", f"missing: {', '.join(missing)}", "Run: pip install gpukb")
    return Finding("ok", "packages", "all installed")


def _name_characters(text: str) -> Iterator[str]:
    for character in text.strip():
        if not (character.isalnum() or character in "-_."):
            return
        yield character


def _corpus(settings: Settings) -> Finding:
    folder = settings.corpus_dir
    if not folder.is_dir():
        return Finding("fail", "corpus", f"{folder} is no folder", "Set GPUKB_CORPUS_DIR to the folder of documents.")
    count = sum(1 for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return Finding("ok" if count else "warn", "corpus", f"{folder}, {count} files")


def _disk(settings: Settings) -> Finding:
    folder = next(path for path in (settings.data_dir, *settings.data_dir.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    detail = f"{free / _GB:.1f} GB free in {folder}"
    if not _is_writable(folder):
        return Finding("fail", "disk", f"{folder} cannot be written", "Set GPUKB_DATA_DIR to a folder of your own.")
    if free < _MIN_FREE_BYTES:
        return Finding("warn", "disk", detail, "A build needs about 2 GB; free some, or set GPUKB_DATA_DIR.")
    return Finding("ok", "disk", detail)


def _is_writable(folder: Path) -> bool:
    import os

    return os.access(folder, os.W_OK)


def _model(settings: Settings) -> Finding:
    from kb.embeddings.registry import embedder_of

    try:
        embedder = embedder_of(settings)
        embedder.embed_queries(["warm up"])
        started = time.perf_counter()
        embedder.embed_queries(["T4 的显存带宽是多少？"])
        ms = (time.perf_counter() - started) * 1e3
    except KbError as error:
        return Finding("fail", "model", error.message, error.hint)
    return Finding("ok", "model", f"{embedder.info.model} on {embedder.device}, {ms:.0f} ms for a question")


def _index(settings: Settings) -> Finding:
    from kb.embeddings.registry import cross_embedder_of, embedder_of
    from kb.index.root import IndexRoot

    root = IndexRoot(settings.data_dir)
    try:
        root.require_current()
        second = cross_embedder_of(settings)
        manifest = root.open_current(embedder_of(settings).info, second.info if second else None).manifest
    except IndexMissingError as error:
        return Finding("warn", "index", error.message, error.hint)
    except KbError as error:
        return Finding("fail", "index", error.message, error.hint)
    what = f"{manifest.documents} documents, {manifest.chunks} chunks, built {manifest.built_at}"
    return Finding("ok", "index", f"{manifest.generation}: {what}; checksums hold")


def examine_keys(settings: Settings) -> Finding:
    """Whether anybody is asked for a key, and whether anybody has one."""
    from kb.keys import KeyStore

    store = KeyStore(settings.data_dir)
    try:
        keyring = store.keyring()
    except KbError as error:
        return Finding("fail", "keys", error.message, error.hint)
    if not keyring.is_required:
        return Finding("ok", "keys", "none: only this machine is answered; `gpukb keys new NAME` makes one")
    valid = sum(key.is_valid() for key in keyring.keys)
    detail = f"{valid} valid of {len(keyring.keys)}"
    if not valid:
        return Finding("warn", "keys", f"{detail}: nobody can get in", "Run: gpukb keys new NAME")
    if store.path.stat().st_mode & 0o077:
        return Finding("warn", "keys", f"{detail}; others may read {store.path}", f"Run: chmod 600 {store.path}")
    return Finding("ok", "keys", detail)


def _port(settings: Settings) -> Finding:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        in_use = settings.port != 0 and probe.connect_ex((settings.host, settings.port)) == 0
    address = f"{settings.host}:{settings.port}"
    if in_use:
        return Finding("warn", "port", f"{address} is in use", "That may be gpukb itself; else choose another --port.")
    return Finding("ok", "port", f"{address} is free")


def _chat_model(settings: Settings) -> Finding:
    from kb.factory import chat_model

    chat = chat_model(settings)
    if chat is None:
        return Finding("ok", "chat model", "none is set; answers are extracted from the evidence")
    try:
        chat.check()
    except LlmError as error:
        return Finding("warn", "chat model", error.message, error.hint)
    return Finding("ok", "chat model", f"{chat.name} at {settings.llm_base_url}")
