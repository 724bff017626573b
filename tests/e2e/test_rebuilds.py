"""What those who ask notice of a rebuild, and of one that fails (R18, R19): nothing."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.scale.documents import write_documents
from kb.embeddings.e5_files import onnx_folder
from kb.index.root import IndexRoot

Serve = Callable[..., Any]
QUESTIONS = ("What is the code word of sheet 05?", "05 号表的暗号是什么？")


@pytest.fixture
def corpus(shared: Path, tmp_path: Path) -> Path:
    """The twelve sheets, each of which knows its own word."""
    return Path(shutil.copytree(shared / "requirements/files/R12_docs", tmp_path / "corpus"))


def answered_from(service: Any) -> str:
    """The generation that answers; the answers are right."""
    generations = set()
    for question in QUESTIONS:
        reply = service.ask(question)
        assert "WORD05X" in reply["answer"], reply
        generations.add(reply["index"]["generation"])
    (name,) = generations
    return str(name)


def started(service: Any) -> str:
    response = service.client.post("/v1/index/jobs", json={})
    assert response.status_code == 202, response.text
    return str(response.json()["id"])


def stages(service: Any, job_id: str) -> dict[str, int]:
    job = service.client.get(f"/v1/index/jobs/{job_id}").json()
    return {stage["name"]: stage["done"] for stage in job["stages"]}


def reached(service: Any, job_id: str, stage: str) -> None:
    deadline = time.monotonic() + 600
    while stage not in stages(service, job_id):
        assert time.monotonic() < deadline
        assert service.client.get("/healthz").status_code == 200
        time.sleep(0.05)


def test_r18_indexing_two_thousand_files_never_blocks_the_service(serve_folder: Serve, corpus: Path) -> None:
    with serve_folder(corpus) as service:
        before = answered_from(service)
        write_documents(corpus, 2000)
        job_id = started(service)
        second = service.client.post("/v1/index/jobs", json={})
        assert (second.status_code, second.json()["job_id"]) == (409, job_id)
        seen: list[dict[str, int]] = []
        for stage in ("parse", "chunk", "embed"):
            reached(service, job_id, stage)
            assert answered_from(service) == before
            assert service.client.get("/readyz").json()["status"] == "ready"
            seen.append(stages(service, job_id))
        assert seen[-1]["parse"] == 2012
        assert service.client.delete(f"/v1/index/jobs/{job_id}").status_code == 200
        job = service.finish_job(job_id)
        assert (job["state"], job["generation_after"]) == ("cancelled", None)
        assert answered_from(service) == before
        shutil.rmtree(corpus / "shelf-000")
        assert started(service) != job_id  # can be started again


@contextmanager
def killed(service: Any) -> Iterator[str]:
    yield "killed by signal 9"
    reached(service, service.job_id, "embed")
    os.kill(int((service.settings.data_dir / ".lock").read_text()), signal.SIGKILL)


@contextmanager
def full_disk(service: Any) -> Iterator[str]:
    """The build inherits that no file may grow beyond this, and this process lifts it again for itself."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_000, before[1]))
    try:
        yield "Cannot write"
        reached(service, service.job_id, "scan")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def unreadable_model(service: Any) -> Iterator[str]:
    """The service keeps the model that it has open; the build finds another file under its name."""
    path = onnx_folder(service.settings.cache_dir) / "model.onnx"
    aside = path.with_suffix(".aside")
    path.rename(aside)
    path.write_bytes(b"no model")
    try:
        yield "model"
        service.finish_job(service.job_id)
    finally:
        aside.replace(path)


@pytest.mark.parametrize("harm", [killed, full_disk, unreadable_model])
def test_r19_a_failed_rebuild_costs_nothing(
    serve_folder: Serve, corpus: Path, cache_dir: Path, tmp_path: Path, harm: Any
) -> None:
    own_cache = Path(shutil.copytree(cache_dir, tmp_path / "cache"))
    with serve_folder(corpus, cache_dir=own_cache) as service:
        before = answered_from(service)
        write_documents(corpus, 12)
        with harm(service) as reason:
            service.job_id = started(service)
        job = service.finish_job(service.job_id)
        assert (job["state"], job["generation_after"]) == ("failed", None), job
        assert reason in job["reason"], job
        assert "Traceback" not in job["reason"]
        assert len(job["reason"].splitlines()) == 1
        assert answered_from(service) == before
        again = service.finish_job(started(service))
        assert again["state"] == "succeeded", again
        assert again["documents"]["added"] == 12
        assert answered_from(service) == again["generation_after"] != before
        folder = service.settings.data_dir
        assert not list(folder.glob(".building-*"))
        assert len(IndexRoot(folder).generations()) == 2
