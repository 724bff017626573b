from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx
import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.job_files import JobFiles
from api.schemas.jobs import FINISHED
from kb.config import Settings, default_cache_dir, settings_environ
from kb.index.root import IndexRoot

_LONGEST_S = 600
"""A guard against hanging: a build gives way to whatever else runs on the machine."""
LOCAL = {"base_url": "http://127.0.0.1:8000", "client": ("127.0.0.1", 50000)}


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "fans.md").write_text("# Fans\n\nThe fan limit of the Kestrel K7 is 2870 rpm.\n", encoding="utf-8")
    (folder / "柜.md").write_text("# 星隼 K100\n\n星隼 K100 的柜号是 C-17。\n", encoding="utf-8")
    (folder / "empty.txt").write_bytes(b"")
    return folder


@pytest.fixture
def real(tmp_path, corpus):
    """Settings of a service with the real model."""
    return Settings(
        corpus_dir=corpus,
        data_dir=tmp_path / "data",
        cache_dir=os.environ.get("TEST_CACHE_DIR") or default_cache_dir(),
        catalog="none",
        cross_embedding="none",
    )


@contextmanager
def service(settings):
    with TestClient(create_app(settings), **LOCAL) as client:
        yield client


def finished(client, job_id, timeout_s=_LONGEST_S):
    deadline = time.monotonic() + timeout_s
    while (job := client.get(f"/v1/index/jobs/{job_id}").json())["state"] in {"queued", "running"}:
        assert time.monotonic() < deadline, job
        time.sleep(0.05)
    return job


def slow_corpus(folder):
    for number in range(300):
        words = " ".join(f"rack{number}x{place}" for place in range(100))
        (folder / f"{number}.md").write_text(f"# Rack {number}\n\nThe cables of {words} were changed.\n")


def test_an_index_is_built_served_and_rolled_back_over_http(real, corpus):
    with service(real) as client:
        started = client.post("/v1/index/jobs", json={}, headers={"Idempotency-Key": "first"})
        assert started.status_code == 202
        job = started.json()
        assert started.headers["location"] == f"/v1/index/jobs/{job['id']}"
        assert client.post("/v1/index/jobs", json={}, headers={"Idempotency-Key": "first"}).json()["id"] == job["id"]
        assert (
            client.post("/v1/index/jobs", json={"mode": "full"}, headers={"Idempotency-Key": "first"}).status_code
            == 422
        )
        refused = client.post("/v1/index/jobs", json={})
        assert (refused.status_code, refused.json()["code"], refused.json()["job_id"]) == (
            409, "index_job_running", job["id"],
        )  # fmt: skip
        assert client.get("/v1/index").json()["running_job"] == job["id"]
        events = client.get(f"/v1/index/jobs/{job['id']}/events").text
        ids = [int(line[4:]) for line in events.splitlines() if line.startswith("id: ")]
        assert ids == sorted(set(ids))
        rest = client.get(f"/v1/index/jobs/{job['id']}/events", headers={"Last-Event-ID": str(ids[-2])}).text
        assert rest == events[events.index(f"id: {ids[-1]}\n") :]
        done = finished(client, job["id"])
        assert json.loads(rest.split("data: ", 1)[1]) == done
        assert done["state"] == "succeeded"
        assert [stage["name"] for stage in done["stages"]] == [
            "scan", "parse", "chunk", "embed", "write", "verify", "swap",
        ]  # fmt: skip
        assert done["documents"] == {"added": 2, "updated": 0, "removed": 0, "unchanged": 0, "failed": 1}
        assert [(note["doc"], note["stage"]) for note in done["errors"]] == [("empty.txt", "parse")]
        first = done["generation_after"]
        reply = client.post("/v1/ask", json={"question": "星隼 K100 的柜号是什么？"}).json()
        assert "C-17" in reply["answer"]
        assert reply["index"]["generation"] == first

        (corpus / "柜.md").write_text("# 星隼 K100\n\n星隼 K100 的柜号是 C-21。\n", encoding="utf-8")
        shown = client.get("/v1/index").json()
        assert shown["stale_documents"] == ["柜.md"]
        assert [problem["doc"] for problem in shown["problems"]] == ["empty.txt"]
        assert client.post("/v1/index/jobs", json={"dry_run": True}).status_code == 202
        [dry] = [job for job in client.get("/v1/index/jobs").json()["data"] if job["dry_run"]]
        assert finished(client, dry["id"])["documents"]["updated"] == 1
        assert client.get("/v1/index").json()["generation"] == first
        second = finished(client, client.post("/v1/index/jobs", json={}).json()["id"])
        assert (second["generation_before"], second["documents"]["updated"]) == (first, 1)
        assert "C-21" in client.post("/v1/ask", json={"question": "星隼 K100 的柜号是什么？"}).json()["answer"]
        same = finished(client, client.post("/v1/index/jobs", json={}).json()["id"])
        assert (same["is_unchanged"], same["generation_after"]) == (True, second["generation_after"])

        back = client.post("/v1/index/rollback", json={}).json()
        assert (back["generation_before"], back["generation_after"]) == (second["generation_after"], first)
        assert "C-17" in client.post("/v1/ask", json={"question": "星隼 K100 的柜号是什么？"}).json()["answer"]
        assert client.post("/v1/index/rollback", json={"generation": "gen-000099-abcd"}).status_code == 404
        metrics = client.get("/metrics").text
        assert 'gpukb_index_jobs_total{result="succeeded"} 4.0' in metrics
        assert "gpukb_index_job_duration_seconds_count 4.0" in metrics
    with service(real) as client:  # jobs are known after a restart
        assert client.get(f"/v1/index/jobs/{second['id']}").json() == second
        assert client.get(f"/v1/index/jobs/{second['id']}/events").text.startswith("event: done\n")
        assert client.get("/v1/index/jobs/job_" + "0" * 24).status_code == 404


def running_stage(client, job_id, name):
    deadline = time.monotonic() + _LONGEST_S
    while name not in [stage["name"] for stage in client.get(f"/v1/index/jobs/{job_id}").json()["stages"]]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_job_is_cancelled_and_a_killed_one_has_failed(real, corpus):
    slow_corpus(corpus)
    with service(real) as client:
        cancelled = client.post("/v1/index/jobs", json={}).json()["id"]
        running_stage(client, cancelled, "embed")
        assert client.delete(f"/v1/index/jobs/{cancelled}").status_code == 200
        assert finished(client, cancelled)["state"] == "cancelled"
        killed = client.post("/v1/index/jobs", json={}).json()["id"]
        running_stage(client, killed, "embed")
        os.kill(int((real.data_dir / ".lock").read_text()), signal.SIGKILL)
        job = finished(client, killed)
        assert (job["state"], job["generation_after"]) == ("failed", None)
        assert "killed by signal 9" in job["reason"]
        assert client.get("/healthz").status_code == 200
        root = IndexRoot(real.data_dir)
        assert root.writer() is None
        with root.lock():
            busy = client.post("/v1/index/jobs", json={})
            assert (busy.status_code, busy.json()["code"]) == (409, "index_job_running")
            assert str(os.getpid()) in busy.json()["detail"]
        assert root.current_name() is None
        stopped = client.post("/v1/index/jobs", json={}).json()["id"]
        running_stage(client, stopped, "parse")
    assert root.writer() is None  # a service that stops takes its build with it
    with service(real) as client:
        job = client.get(f"/v1/index/jobs/{stopped}").json()
        assert (job["state"], "stopped" in job["reason"]) == ("failed", True)


def test_the_next_job_may_start_as_soon_as_one_has_ended_however_slow_the_disk(real, monkeypatch):
    save = JobFiles.save

    def slow(files, record):
        if record.job.state in FINISHED:
            time.sleep(1)
        save(files, record)

    monkeypatch.setattr(JobFiles, "save", slow)
    with service(real) as client:
        for _ in range(2):
            started = client.post("/v1/index/jobs", json={"dry_run": True})
            assert started.status_code == 202, started.text
            assert finished(client, started.json()["id"])["state"] == "succeeded"


def test_a_killed_service_takes_its_build_with_it(real, corpus):
    slow_corpus(corpus)
    environ = {**settings_environ(real), "GPUKB_PORT": "0"}
    command = [sys.executable, "-m", "kb.cli", "serve", "--no-build"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True, start_new_session=True) as server:
        address = next(line for line in server.stderr if "Serving on" in line).split("Serving on ")[1].split(";")[0]
        with httpx.Client(base_url=address, timeout=60, transport=httpx.HTTPTransport(retries=20)) as client:
            job_id = None
            deadline = time.monotonic() + _LONGEST_S
            while job_id is None:
                assert time.monotonic() < deadline
                try:
                    job_id = client.post("/v1/index/jobs", json={}).json()["id"]
                except httpx.TransportError:
                    time.sleep(0.2)
            running_stage(client, job_id, "embed")
        root = IndexRoot(real.data_dir)
        assert root.writer() is not None
        server.send_signal(signal.SIGKILL)
        server.wait()
    deadline = time.monotonic() + _LONGEST_S
    while root.writer() is not None:
        assert time.monotonic() < deadline, "the build lives on"
        time.sleep(0.1)
    with service(real) as client:
        job = client.get(f"/v1/index/jobs/{job_id}").json()
        assert (job["state"], "has stopped" in job["reason"]) == ("failed", True)


@pytest.mark.parametrize(
    ("client", "headers"),
    [
        (("203.0.113.9", 1), {}),
        (("127.0.0.1", 1), {"X-Forwarded-For": "203.0.113.9"}),
        (("127.0.0.1", 1), {"Host": "evil.example:8000"}),
        (("127.0.0.1", 1), {"Origin": "https://evil.example"}),
        (("127.0.0.1", 1), {"Origin": "null"}),
    ],
)
def test_only_this_machine_may_change_the_index(settings, fake, client, headers):
    with TestClient(create_app(settings, lambda _: fake), base_url="http://127.0.0.1:8000", client=client) as away:
        for method, path in (
            ("POST", "/v1/index/jobs"), ("POST", "/v1/index/rollback"), ("GET", "/v1/index/jobs"),
            ("DELETE", "/v1/index/jobs/job_1"), ("GET", "/v1/index/jobs/job_1/events"),
        ):  # fmt: skip
            json_body = {} if method == "POST" else None
            response = away.request(method, path, json=json_body, headers={**headers, "Accept-Language": "zh"})
            assert (response.status_code, response.json()["code"]) == (403, "insufficient_scope"), (method, path)
            assert any("\u4e00" <= char <= "\u9fff" for char in response.json()["detail"])


def test_wrong_requests_are_refused(settings, fake):
    with TestClient(create_app(settings, lambda _: fake), **LOCAL) as client:
        assert client.post("/v1/index/jobs", json={"mode": "fast"}).status_code == 422
        assert client.post("/v1/index/jobs", json={"dryrun": True}).json()["errors"][0]["loc"] == "dryrun"
        assert client.post("/v1/index/jobs", content="{}").status_code == 415
        assert client.post("/v1/index/rollback", json={}).status_code == 404
        assert client.post("/v1/index/rollback", json={"generation": "../x"}).status_code == 422


@contextmanager
def real_service(settings):
    """A `gpukb serve` of its own process, once it answers."""
    environ = {**settings_environ(settings), "GPUKB_PORT": "0"}
    command = [sys.executable, "-P", "-m", "kb.cli", "serve"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as server:
        try:
            address = next(line for line in server.stderr if "Serving on" in line).split("Serving on ")[1].split(";")[0]
            with httpx.Client(base_url=address, timeout=60, transport=httpx.HTTPTransport(retries=20)) as client:
                deadline = time.monotonic() + _LONGEST_S
                while client.get("/readyz").status_code != 200:
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
                yield client
        finally:
            server.terminate()
            server.stderr.read()


@pytest.mark.slow
def test_two_services_on_one_folder_both_move(real, corpus):
    """A rebuild started through one of them reaches the other too, and so does a rollback; neither fails meanwhile."""
    question = {"question": "星隼 K100 的柜号是什么？"}
    with real_service(real) as one, real_service(real) as other:
        first = one.get("/v1/index").json()["generation"]
        assert other.get("/v1/index").json()["generation"] == first
        (corpus / "柜.md").write_text("# 星隼 K100\n\n星隼 K100 的柜号是 C-21。\n", encoding="utf-8")
        job = one.post("/v1/index/jobs", json={}).json()["id"]
        refused = other.post("/v1/index/jobs", json={})
        if refused.status_code == 202:  # the first was done already
            assert finished(one, job)["generation_after"]
            finished(one, refused.json()["id"])
        else:
            assert (refused.status_code, refused.json()["job_id"]) == (409, job)
        expected = {first: "C-17"}
        deadline = time.monotonic() + _LONGEST_S
        while any(client.get("/v1/index").json()["generation"] == first for client in (one, other)):
            assert time.monotonic() < deadline
            for client in (one, other):
                reply = client.post("/v1/ask", json=question)
                assert reply.status_code == 200
                answer = reply.json()
                assert expected.get(answer["index"]["generation"], "C-21") in answer["answer"], answer
        second = finished(other, job)["generation_after"]  # the other one knows the job too
        for client in (one, other):
            assert client.get("/v1/index").json()["generation"] == second
            assert "C-21" in client.post("/v1/ask", json=question).json()["answer"]
        assert other.post("/v1/index/rollback", json={}).json()["generation_after"] == first
        while one.get("/v1/index").json()["generation"] != first:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert "C-17" in one.post("/v1/ask", json=question).json()["answer"]
