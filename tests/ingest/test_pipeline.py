from __future__ import annotations

import os

import numpy as np
import pytest

import ingest.reading
from ingest.chunkers.limits import ChunkLimits
from ingest.loaders.reader import Reader
from ingest.parsed import PARSED_FILE
from ingest.pipeline import BuildOptions, build
from kb.errors import ConfigError, CorpusError, EmbeddingError, IndexLockedError, StorageError
from kb.index.root import IndexRoot


@pytest.fixture
def root(tmp_path):
    return IndexRoot(tmp_path / "data")


def test_a_folder_becomes_a_published_generation(corpus, root, embedder):
    events = []
    report = build(
        corpus,
        root,
        embedder,
        catalog=b"{}",
        calibrate=lambda draft, *_: {"n": len(draft.chunks)},
        on_event=events.append,
    )
    assert report.state == "done_with_problems"
    assert [(note.doc_id, note.reason) for note in report.failed] == [("empty.txt", "It is empty (0 bytes).")]
    assert [note.doc_id for note in report.skipped] == ["picture.png"]
    assert (report.documents, report.embedded) == (3, report.pieces)
    assert [event.stage for event in events if event.done == event.total and event.ms and not event.message][-4:] == [
        "embed", "write", "verify", "swap",
    ]  # fmt: skip
    assert set(report.stage_ms) == {"scan", "parse", "chunk", "embed", "write", "verify", "swap"}
    with root.open_current(embedder.info) as generation:
        assert generation.name == report.generation
        assert generation.documents.ids() == ("fans.md", "zh/保养.md", "zh/登记.csv")
        assert generation.documents.get("zh/登记.csv").encoding == "gb18030"
        assert generation.manifest.calibration == {"n": report.chunks}
        assert generation.manifest.chunker.startswith("structure-")
        assert generation.catalog_bytes() == b"{}"
        _, rows = generation.vectors.search(embedder.embed_queries(["星隼 K1000 在哪个柜子？"]), 1)
        found = generation.chunks[int(generation.piece_chunks[rows[0][0]])]
        assert found.doc_id == "zh/登记.csv"
        for row in range(len(generation.chunks)):
            item = generation.chunks[row]
            assert item.text.endswith(generation.documents.get(item.doc_id).text[item.start : item.end])


def test_two_builds_give_the_same_bytes(corpus, root, embedder):
    first = build(corpus, root, embedder)
    full = build(corpus, root, embedder, options=BuildOptions(full=True))
    assert (first.embedded, full.embedded) == (first.pieces, full.pieces)
    digests = [
        {name: record.sha256 for name, record in root.open(report.generation).manifest.files.items()}
        for report in (first, full)
    ]
    assert digests[0] == digests[1]
    assert root.generations() == (first.generation, full.generation)


def test_where_nothing_changed_nothing_is_written(corpus, root, embedder):
    first = build(corpus, root, embedder, catalog=b"{}")
    second = build(corpus, root, embedder, catalog=b"{}")
    assert second.is_unchanged
    assert (second.generation, second.documents, second.embedded) == (first.generation, first.documents, 0)
    assert second.changes.counts() == {"added": 0, "updated": 0, "removed": 0, "unchanged": 3}
    assert [note.doc_id for note in second.failed] == ["empty.txt"]
    assert root.generations() == (first.generation,)
    assert not build(corpus, root, embedder, catalog=b"{ }").is_unchanged  # another catalogue is another index


def test_an_index_that_is_damaged_is_made_anew(corpus, root, embedder):
    first = build(corpus, root, embedder)
    path = root.path / first.generation / "chunks.jsonl"
    path.write_bytes(path.read_bytes().replace(b"2870", b"2871"))
    events = []
    second = build(corpus, root, embedder, on_event=events.append)
    assert not second.is_unchanged
    assert any("damaged" in event.message for event in events)
    root.open_current(embedder.info).close()


def test_only_what_changed_is_read_cut_and_embedded(corpus, root, embedder, monkeypatch):
    build(corpus, root, embedder)
    read = []
    load = Reader.load

    def watched(self, path, doc_id, member=""):
        read.append(doc_id)
        return load(self, path, doc_id, member)

    monkeypatch.setattr(Reader, "load", watched)
    (corpus / "fans.md").write_text("# Fans\n\nThe fan limit is 2900 rpm.\n", encoding="utf-8")
    (corpus / "new.md").write_text("# Racks\n\nThe rack holds 42 units.\n", encoding="utf-8")
    (corpus / "zh/保养.md").rename(corpus / "renamed.md")
    (corpus / "zh/登记.csv").unlink()
    report = build(corpus, root, embedder)
    assert read == ["empty.txt", "fans.md", "new.md", "renamed.md"]
    assert report.embedded == 2  # the renamed document's vectors are known
    assert report.changes.added == ("new.md", "renamed.md")
    assert report.changes.updated == ("fans.md",)
    assert report.changes.removed == ("zh/保养.md", "zh/登记.csv")
    assert report.changes.renamed == (("zh/保养.md", "renamed.md"),)
    with root.open_current(embedder.info) as generation:
        assert generation.documents.ids() == ("fans.md", "new.md", "renamed.md")
        texts = [generation.chunks[row].text for row in range(len(generation.chunks))]
        assert not any("2870" in text or "K1000" in text for text in texts)
        assert generation.lexical.scores("K1000").max() == 0
    assert build(corpus, root, embedder).is_unchanged


def test_an_incremental_build_equals_a_full_one(corpus, root, embedder, tmp_path):
    (corpus / "copy.md").write_bytes((corpus / "fans.md").read_bytes())
    build(corpus, root, embedder)
    (corpus / "fans.md").unlink()
    (corpus / "zh/保养.md").write_text("# 星隼 K100\n\n保养周期是 42 天。\n", encoding="utf-8")
    (corpus / "later.md").write_bytes((corpus / "copy.md").read_bytes())
    changed = build(corpus, root, embedder)
    fresh = IndexRoot(tmp_path / "fresh")
    whole = build(corpus, fresh, embedder)
    assert root.open(changed.generation).manifest.files == fresh.open(whole.generation).manifest.files


def test_duplicates_keep_all_their_sources_through_deletions(corpus, root, embedder):
    for name in ("a copy.md", "b copy.md"):
        (corpus / name).write_bytes((corpus / "fans.md").read_bytes())
    assert build(corpus, root, embedder).merged == 2
    (corpus / "a copy.md").unlink()  # the one that the passage was kept for
    report = build(corpus, root, embedder)
    assert (report.merged, report.embedded) == (1, 0)
    with root.open_current(embedder.info) as generation:
        [kept] = [generation.chunks[row] for row in range(len(generation.chunks)) if generation.chunks[row].also_in]
        assert (kept.doc_id, kept.also_in) == ("b copy.md", ("fans.md",))


def test_other_rules_or_a_damaged_store_read_everything_anew(corpus, root, embedder):
    first = build(corpus, root, embedder)
    (root.path / PARSED_FILE).write_bytes(b"not a database")
    assert build(corpus, root, embedder).is_unchanged
    wider = BuildOptions(chunk_limits=ChunkLimits(passage_target_columns=1500))
    report = build(corpus, root, embedder, options=wider)
    assert not report.is_unchanged
    assert root.open(first.generation).manifest.chunker != root.open(report.generation).manifest.chunker


def test_a_path_limits_what_is_looked_at(corpus, root, embedder):
    build(corpus, root, embedder)
    (corpus / "fans.md").write_text("# Fans\n\nThe fan limit is 2900 rpm.\n", encoding="utf-8")
    (corpus / "zh/保养.md").write_text("# 星隼 K100\n\n保养周期是 42 天。\n", encoding="utf-8")
    assert build(corpus, root, embedder, options=BuildOptions(paths=("zh",))).changes.updated == ("zh/保养.md",)
    with root.open_current(embedder.info) as generation:
        assert "2870" in generation.documents.get("fans.md").text
    assert build(corpus, root, embedder).changes.updated == ("fans.md",)


def test_a_changed_file_changes_only_its_own_vectors(corpus, root, embedder):
    build(corpus, root, embedder)
    (corpus / "fans.md").write_text("# Fans\n\nThe fan limit is 2900 rpm.\n", encoding="utf-8")
    assert build(corpus, root, embedder).embedded == 1


def test_a_dry_run_writes_nothing(corpus, root, embedder):
    report = build(corpus, root, embedder, options=BuildOptions(dry_run=True))
    assert (report.generation, report.documents, report.dry_run) == ("", 3, True)
    assert not root.path.exists()


def test_a_dry_run_says_what_would_change(corpus, root, embedder):
    name = build(corpus, root, embedder).generation
    (corpus / "fans.md").unlink()
    (corpus / "new.md").write_text("# Racks\n\nThe rack holds 42 units.\n", encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in root.path.rglob("*")}
    report = build(corpus, root, embedder, options=BuildOptions(dry_run=True))
    assert (report.changes.added, report.changes.removed) == (("new.md",), ("fans.md",))
    assert (report.generation, report.is_unchanged) == (name, False)
    assert {path: path.stat().st_mtime_ns for path in root.path.rglob("*")} == before


def test_what_was_learned_is_offered_again_where_the_same_models_made_the_index(corpus, root, embedder):
    offered = []

    def learn(draft, before, changed):
        offered.append((before, changed))
        return {"n": len(offered)}

    first = build(corpus, root, embedder, calibrate=learn)
    (corpus / "new.md").write_text("# Racks\n\nThe rack holds 42 units.\n", encoding="utf-8")
    build(corpus, root, embedder, calibrate=learn)
    build(corpus, root, embedder, calibrate=learn, options=BuildOptions(full=True))
    narrow = BuildOptions(chunk_limits=ChunkLimits(passage_target_columns=1500))
    build(corpus, root, embedder, calibrate=learn, options=narrow)
    share = 1 / (first.chunks + 1)
    assert offered == [({}, 1.0), ({"n": 1}, share), ({}, 0.0), ({}, 0.0)]


def test_what_cannot_be_deleted_does_not_fail_a_published_build(corpus, tmp_path, embedder):
    class StubbornRoot(IndexRoot):
        def prune(self, keep=3):
            raise StorageError("Cannot write old: Permission denied.")

    root = StubbornRoot(tmp_path / "data")
    events = []
    report = build(corpus, root, embedder, on_event=events.append)
    assert root.current_name() == report.generation
    assert any("stays on the disk" in event.message for event in events)


def test_what_an_interrupted_build_left_is_deleted_by_the_next(corpus, root, embedder):
    (root.path / ".building-abc").mkdir(parents=True)
    (root.path / "gen-000009-abcd").mkdir()
    (root.path / ".CURRENT.xyz").write_text("gen")
    (root.path / "embeddings").mkdir()
    (root.path / "embeddings/.a.npz.xyz").write_text("half")
    build(corpus, root, embedder)
    assert sorted(path.name for path in root.path.iterdir()) == [
        ".lock", "CURRENT", "embeddings", "gen-000001-" + root.current_name()[-4:], "parsed.sqlite",
    ]  # fmt: skip
    assert all(not path.name.startswith(".") for path in (root.path / "embeddings").iterdir())


def test_every_failure_leaves_the_old_index(corpus, root, embedder, tmp_path):
    name = build(corpus, root, embedder).generation

    def broken(draft, before, changed):
        raise EmbeddingError("the model went away")

    (corpus / "new.md").write_text("New words.", encoding="utf-8")
    with pytest.raises(EmbeddingError):
        build(corpus, root, embedder, calibrate=broken)
    with pytest.raises(CorpusError):
        build(tmp_path / "missing", root, embedder)
    assert root.current_name() == name
    root.open_current(embedder.info).close()
    assert not list(root.path.glob(".building-*"))


def test_a_model_that_breaks_halfway_costs_no_finished_vector(corpus, root, embedder, monkeypatch):
    class FakeFailure:
        info, device, count_tokens = embedder.info, "cpu", staticmethod(embedder.count_tokens)

        def embed_passages(self, texts):
            raise EmbeddingError("out of memory")

    with pytest.raises(EmbeddingError):
        build(corpus, root, embedder, FakeFailure())
    assert root.current_name() is None
    assert build(corpus, root, embedder).embedded == 0


def test_a_folder_without_documents_says_what_to_do(tmp_path, root, embedder):
    folder = tmp_path / "none"
    folder.mkdir()
    with pytest.raises(CorpusError, match="is empty"):
        build(folder, root, embedder)
    (folder / "a.pdf").write_bytes(b"x")
    (folder / "b.md").write_bytes(b"  ")
    with pytest.raises(CorpusError, match=r"a\.pdf: Its name ends in .*; b\.md: It holds no text"):
        build(folder, root, embedder)


def test_a_second_build_is_refused_while_one_runs(corpus, root, embedder):
    with root.lock(), pytest.raises(IndexLockedError):
        build(corpus, root, embedder)


def test_limits_beyond_the_models_window_are_refused_before_anything_is_read(tmp_path, root, embedder):
    with pytest.raises(ConfigError, match="512"):
        build(tmp_path / "missing", root, embedder, options=BuildOptions(chunk_limits=ChunkLimits(max_tokens=513)))


def test_the_late_fact_of_r08_is_found(shared, tmp_path, root, embedder):
    folder = tmp_path / "r08"
    folder.mkdir()
    (folder / "late.md").write_bytes((shared / "requirements/files/R08_late_fact.md").read_bytes())
    build(folder, root, embedder)
    with root.open_current(embedder.info) as generation:
        _, rows = generation.vectors.search(embedder.embed_queries(["What is the seal number?"]), 1)
        assert "QZ-5519" in generation.chunks[int(generation.piece_chunks[rows[0][0]])].text
        assert max(embedder.count_tokens(t) for r in range(len(generation.chunks))
                   for t in generation.chunks[r].embed_texts) <= embedder.info.max_tokens  # fmt: skip


@pytest.mark.parametrize("name", ["R01_gb18030.txt", "R01_gbk.csv", "R01_gbk.txt", "R01_utf8_one_bad_byte.txt"])
def test_r01_each_file_alone_gives_the_cabinet(shared, tmp_path, root, embedder, name):
    folder = tmp_path / "r01"
    folder.mkdir()
    (folder / name).write_bytes((shared / "requirements/files" / name).read_bytes())
    report = build(folder, root, embedder)
    with root.open_current(embedder.info) as generation:
        text = " ".join(generation.chunks[row].text for row in range(len(generation.chunks)))
        assert "C-17" in text
        assert "星隼" in text
        [summary] = generation.documents.summaries()
    if name == "R01_utf8_one_bad_byte.txt":
        assert summary.encoding == "utf-8"
        assert [note.reason for note in report.warnings] == ["1 undecodable byte at offset 122"]
    else:
        assert summary.encoding == "gb18030"
        assert "\ufffd" not in text
    if name == "R01_gb18030.txt":
        assert "㐂" in text or "𠮷" in text or any(ord(char) > 0x9FFF or 0x3400 <= ord(char) < 0x4E00 for char in text)


def test_scores_find_an_exact_text_first(tmp_path, root, embedder):
    folder = tmp_path / "words"
    folder.mkdir()
    for word in ("alpha", "beta", "gamma"):
        (folder / f"{word}.md").write_text(f"# {word}\n\n{word}\n", encoding="utf-8")
    build(folder, root, embedder)
    with root.open_current(embedder.info) as generation:
        scores, rows = generation.vectors.search(embedder.embed_queries(["beta"]), 3)
        assert generation.chunks[int(generation.piece_chunks[rows[0][0]])].doc_id == "beta.md"
        assert np.all(np.diff(scores[0]) <= 0)


def test_r02_one_bad_file_never_stops_a_batch(shared, root, embedder):
    report = build(shared / "requirements/files/R02_batch", root, embedder)
    assert (report.state, report.documents) == ("done_with_problems", 2)
    assert {note.doc_id: note.reason for note in report.failed} == {
        "20_encrypted.pdf": "It is protected with a password.",
        "30_zero.txt": "It is empty (0 bytes).",
        "40_truncated.pdf": "It is damaged: its end is missing.",
        "45_not_really.docx": "Its name ends in .docx, but it is no such file, or a damaged one.",
        "46_spaces_only.md": "It holds no text.",
    }


def test_a_file_that_nobody_wrote_to_is_not_opened(corpus, root, embedder, monkeypatch):
    monkeypatch.setattr("ingest.reading._TRUSTED_AFTER_NS", -1)
    build(corpus, root, embedder)
    (corpus / "fans.md").touch()
    hashed = []
    sha256 = ingest.reading._sha256
    monkeypatch.setattr("ingest.reading._sha256", lambda path: hashed.append(path.name) or sha256(path))
    assert build(corpus, root, embedder).is_unchanged
    assert sorted(hashed) == ["empty.txt", "fans.md"]  # what was not read is looked at again
    hashed.clear()
    assert build(corpus, root, embedder).is_unchanged
    assert hashed == ["empty.txt"]


def test_a_change_that_hides_its_time_and_size_is_seen(corpus, root, embedder, monkeypatch):
    monkeypatch.setattr("ingest.reading._TRUSTED_AFTER_NS", -1)
    build(corpus, root, embedder)
    path = corpus / "fans.md"
    before = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("2870", "2871"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert build(corpus, root, embedder).changes.updated == ("fans.md",)


def test_a_file_written_just_now_is_looked_at_again(corpus, root, embedder, monkeypatch):
    """Its time would be the same if somebody wrote once more within the same tick of the clock."""
    build(corpus, root, embedder)
    hashed = []
    sha256 = ingest.reading._sha256
    monkeypatch.setattr("ingest.reading._sha256", lambda path: hashed.append(path.name) or sha256(path))
    assert build(corpus, root, embedder).is_unchanged
    assert "fans.md" in hashed


@pytest.mark.parametrize("position", [0.2, 0.4, 0.6, 0.8, 0.95])
def test_a_damaged_cache_never_shows_in_the_index(corpus, root, embedder, tmp_path, position):
    build(corpus, root, embedder)
    for path in (root.path / PARSED_FILE, *(root.path / "embeddings").iterdir()):
        data = bytearray(path.read_bytes())
        for at in range(int(len(data) * position), len(data), 997):
            data[at] ^= 0x21
        path.write_bytes(bytes(data))
    (corpus / "new.md").write_text("# Racks\n\nThe rack holds 42 units.\n", encoding="utf-8")
    damaged = build(corpus, root, embedder)
    fresh = IndexRoot(tmp_path / "fresh")
    whole = build(corpus, fresh, embedder)
    assert root.open(damaged.generation).manifest.files == fresh.open(whole.generation).manifest.files
