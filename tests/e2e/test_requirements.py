"""Behaviours that users require, on their trial files: the texts are invented, so a right answer can only be read."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.e2e.conftest import serve

Serve = Callable[..., Any]


@pytest.fixture
def trial(shared: Path) -> Path:
    return shared / "requirements" / "files"


def folder_of(tmp_path: Path, *paths: Path) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for path in paths:
        if path.is_dir():
            shutil.copytree(path, corpus / path.name)
        else:
            shutil.copy(path, corpus / path.name)
    return corpus


@pytest.mark.parametrize(
    ("name", "question", "expected", "encoding"),
    [
        ("R01_gbk.txt", "星隼 K100 的柜号是什么？", "C-17", "gb"),
        ("R01_gb18030.txt", "星隼 K100 的柜号是什么？", "C-17", "gb18030"),
        ("R01_gbk.csv", "星隼 K100 的柜号是什么？", "C-17", "gb"),
        ("R01_gbk.html", "星隼 K100 的保养周期是多少天？", "41", "gb"),
        ("R01_utf8_one_bad_byte.txt", "星隼 K100 的柜号是什么？", "C-17", "utf-8"),
    ],
)
def test_r01_chinese_text_that_is_not_utf8(
    serve_folder: Serve, trial: Path, tmp_path: Path, name: str, question: str, expected: str, encoding: str
) -> None:
    with serve_folder(folder_of(tmp_path, trial / name)) as service:
        reply = service.ask(question)
        assert expected in reply["answer"], reply
        (document,) = service.client.get("/v1/documents").json()["data"]
        assert document["encoding"].startswith(encoding)
        if name != "R01_utf8_one_bad_byte.txt":
            assert "\ufffd" not in service.document_text(name)
        else:
            assert document["warnings"]


def test_r02_one_bad_file_never_stops_a_batch(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    with serve_folder(folder_of(tmp_path, trial / "R02_batch")) as service:
        job = service.finish_job(service.client.post("/v1/index/jobs", json={}).json()["id"])
        assert job["state"] == "succeeded"
        listed = {note["doc"]: note["message"] for note in (*job["errors"], *job["skipped"])}
        assert len(listed) == 5, listed
        assert all(message.endswith((".", "read")) and "Error" not in message for message in listed.values()), listed
        problems = service.client.get("/v1/index").json()["problems"]
        assert {note["doc"] for note in problems} == set(listed)
        assert "2870" in service.ask("What is the fan limit?")["answer"]
        assert "233" in service.ask("What is the wall power?")["answer"]


def test_r04_any_file_name_a_user_has(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    corpus = folder_of(tmp_path, trial / "R04_names")
    with serve_folder(corpus) as service:
        listed = [document["id"] for document in service.client.get("/v1/documents").json()["data"]]
        long = (trial / "R04_names.txt").read_text(encoding="utf-8").split()[-1]
        refused = service.client.post("/v1/documents", files={"file": (long, b"x")})
        assert refused.status_code == 422
        assert "255" in refused.json()["detail"]
        for wrong in ("..", ".hidden.md", "~$lock.docx"):
            assert service.client.post("/v1/documents", files={"file": (wrong, b"x")}).status_code == 422, wrong
        name = "保养 手册（终稿）#1 & 2%?=🚀.md"
        text = b"# Osprey\n\nThe seal of the Osprey is QX-77.\n"
        sent = service.client.post("/v1/documents", files=[("file", (name, text)), ("file", ("../../up.md", b"Up."))])
        assert sent.status_code == 202, sent.text
        ids = [document["id"] for document in sent.json()["documents"]]
        assert ids[1] == "up.md"
        assert not (corpus.parent.parent / "up.md").exists()
        job = service.finish_job(sent.json()["job"]["id"])
        now = [document["id"] for document in service.client.get("/v1/documents").json()["data"]]
        shown = {note["doc"] for note in (*job["errors"], *job["skipped"])}
        assert set(ids) <= set(now) | shown, (ids, job)
        for doc_id in now:
            address = f"/v1/documents/{quote(quote(doc_id))}"  # the test client decodes an address twice
            opened = service.client.get(address)
            assert (opened.status_code, opened.json().get("id")) == (200, doc_id), opened.text
            deleted = service.client.delete(address)
            assert deleted.status_code == 202, (doc_id, deleted.text)
            if doc_id == listed[0]:
                service.finish_job(deleted.json()["job"]["id"])
                assert doc_id not in [one["id"] for one in service.client.get("/v1/documents").json()["data"]]
        assert not [path for path in corpus.rglob("*") if path.is_file() and path.name in now]


def test_r05_code_stays_code(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    with serve_folder(folder_of(tmp_path, trial / "R05_fences.md")) as service:
        found = service.search("kestrel probe script", top_k=20)
        code = next(hit["text"] for hit in found if "kestrelctl probe" in hit["text"])
        assert '\tif [ -d "$KESTREL_HOME" ]; then\n\t\t# Step B is not a heading either\n' in code
        sections = {hit["section"] for hit in found}
        assert not any("Step" in section for section in sections), sections


def test_r06_rows_keep_their_column_names(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    with serve_folder(folder_of(tmp_path, trial / "R06_long_table.md")) as service:
        for question in ("What are the fan limit and the wall power of K709?", "K709 的风扇上限和墙上功率是多少？"):
            answer = service.ask(question)["answer"]
            assert "2783" in answer, answer
            assert "240" in answer, answer
        for hit in service.search("K709", top_k=100):
            if hit["kind"] == "table":
                assert hit["text"].startswith("| Card | Cabinet |")
                assert hit["section"].startswith("Card register")


def test_r07_chinese_sentences_stay_whole(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    with serve_folder(folder_of(tmp_path, trial / "R07_chinese_prose.txt")) as service:
        assert "21" in service.ask("星隼K163 每几天清洗一次？")["answer"]
        for hit in service.search("清洗", top_k=100):
            assert hit["text"][0] not in "。！？；”』」"
            assert hit["text"].rstrip()[-1] in "。！？；”』」", hit["text"][-20:]


def test_r08_a_late_fact_is_found(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    with serve_folder(folder_of(tmp_path, trial / "R08_late_fact.md")) as service:
        assert "QZ-5519" in service.ask("What is the seal number?")["answer"]
        metrics = service.client.get("/metrics").text
        assert "gpukb_truncated_inputs_total 0.0" in metrics


def test_r09_scores_mean_what_they_say(serve_folder: Serve, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    words = ("granite", "lantern", "orchid")
    for word in words:
        (corpus / f"{word}.txt").write_text(word, encoding="utf-8")
    with serve_folder(corpus) as service:
        for word in words:
            for mode in ("hybrid", "dense", "sparse"):
                found = service.search(word, mode=mode)
                assert found[0]["text"] == word, (mode, found)
                scores = [hit["score"] for hit in found]
                assert scores == sorted(scores, reverse=True)
                assert all(0 <= score <= 1 for score in scores)


def test_r10_another_model_is_refused_with_both_names(serve_folder: Serve, tmp_path: Path) -> None:
    from dataclasses import replace

    from kb.embeddings.registry import open_embedder
    from kb.errors import IndexMismatchError
    from kb.index.root import IndexRoot

    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("granite", encoding="utf-8")
    with serve_folder(corpus) as service:
        root = IndexRoot(service.settings.data_dir)
        info = open_embedder("bundled", cache_dir=service.settings.cache_dir).info
        root.open_current(info)
        for other in (
            replace(info, model="intfloat/e5-small-v2"),
            replace(info, model="BAAI/bge-m3", dim=1024),
            replace(info, passage_prefix=""),
        ):
            with pytest.raises(IndexMismatchError) as caught:
                root.open_current(other)
            message = str(caught.value)
            assert "index build" in message
            changed = [
                name for name in ("model", "dim", "passage_prefix") if getattr(other, name) != getattr(info, name)
            ]
            for name in changed:
                assert repr(getattr(info, name)) in message
                assert repr(getattr(other, name)) in message


def sheets(service: Any) -> dict[int, str]:
    found = {}
    for number in range(1, 13):
        answer = service.ask(f"What is the code word of sheet {number:02}?")["answer"]
        found[number] = next(iter(re.findall(r"WORD\w+", answer)), "")
    return found


def test_r11_delete_and_replace_are_exact(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    corpus = folder_of(tmp_path, *(trial / "R12_docs").iterdir())
    names = sorted(path.name for path in corpus.iterdir())
    with serve_folder(corpus) as service:
        before = sheets(service)
        assert all(before.values())
        assert service.client.delete("/v1/documents/nothing.md").status_code == 404
        assert service.client.delete("/v1/documents/../CURRENT").status_code == 404
        service.client.delete(f"/v1/documents/{names[1]}")
        changed = (corpus / names[4]).read_bytes().replace(before[5].encode(), b"WORDNEW5")
        sent = service.client.post("/v1/documents", files={"file": (names[4], changed)}).json()
        assert sent["documents"][0]["is_replacement"]
        job = service.finish_job(sent["job"]["id"])
        assert job["state"] == "succeeded"
        expected = {**before, 2: "", 5: "WORDNEW5"}
        assert sheets(service) == expected
        assert service.client.get(f"/v1/documents/{names[1]}").status_code == 404
        assert before[2] not in str(service.search(before[2], top_k=50))
        settings = service.settings
    with serve(settings) as service:
        assert sheets(service) == expected


def test_r12_uploads_in_parallel_are_safe(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    files = sorted((trial / "R12_docs").iterdir())
    corpus = folder_of(tmp_path, files[0])
    with serve_folder(corpus) as service, ThreadPoolExecutor(8) as pool:
        replies: list[int] = []
        done = threading.Event()

        def ask() -> None:
            while not done.is_set():
                replies.append(service.client.post("/v1/ask", json={"question": "你好"}).status_code)

        def send(path: Path) -> str:
            sent = service.client.post("/v1/documents", files={"file": (path.name, path.read_bytes())})
            assert sent.status_code == 202, sent.text
            job_id: str = sent.json()["job"]["id"]
            return job_id

        asking = [pool.submit(ask) for _ in range(2)]
        jobs = list(pool.map(send, [*files, files[3]]))  # one client sends again
        for job_id in set(jobs):
            assert service.finish_job(job_id)["state"] == "succeeded"
        done.set()
        for client in asking:
            client.result()
        assert set(replies) == {200}
        listed = [document["id"] for document in service.client.get("/v1/documents").json()["data"]]
        assert listed == [path.name for path in files]
        assert all(sheets(service).values())


R13 = {
    "A100": "C-11",
    "a100": "C-11",
    "A1000": "C-12",
    "A10": "C-13",
    "A100X": "C-14",
    "RTX-4090": "D-01",
    "RTX 4090": "D-01",
    "rtx4090": "D-01",
    "4090D": "D-02",
    "RTX 4080 SUPER": "D-03",
    "MI300A": "E-02",
    "mi300x": "E-01",
    "PPR-9087": "F-01",
    "9087": "F-01",
    "9078": "F-02",
    "gfx90a": "G-01",
    "GFX900": "G-02",
    "90a": "G-01",
}


def test_r13_codes_are_exact(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    with serve_folder(folder_of(tmp_path, trial / "R13_ids.md")) as service:
        for code, cabinet in R13.items():
            for question in (f"Which cabinet holds {code}?", f"{code} 放在哪个柜子？"):
                reply = service.ask(question)
                assert cabinet in reply["answer"], (question, reply["answer"])
                others = {other for other in R13.values() if other != cabinet and other in reply["answer"]}
                assert not others, (question, reply["answer"])
        for question in ("Which cabinet holds A1001?", "A1001 放在哪个柜子？"):
            reply = service.ask(question)
            assert reply["status"] == "no_answer", reply["answer"]
            assert "C-1" not in reply["answer"]


def test_r14_no_source_no_answer(serve_folder: Serve, trial: Path, tmp_path: Path) -> None:
    with serve_folder(folder_of(tmp_path, trial / "R12_docs")) as service:
        assert "WORD05X" in service.ask("What is the code word of sheet 05?")["answer"]
        for question in (
            "How much does a T4 cost?",
            "Who is the president of France?",
            "法国总统是谁？",
            "H100 多少钱？",
        ):
            reply = service.ask(question)
            assert reply["status"] == "no_answer", (question, reply["answer"])
            assert reply["reason"] in {"no_evidence", "out_of_scope", "unknown_gpu"}
            assert reply["sources"] == []
            assert reply["citations"] == []
            chinese = any("\u4e00" <= char <= "\u9fff" for char in question)
            assert any("\u4e00" <= char <= "\u9fff" for char in reply["answer"]) is chinese
        greeting = service.ask("你好")
        assert greeting["status"] == "answered"
        assert greeting["sources"] == []
