from __future__ import annotations

import os
import sys
import unicodedata

import pytest

from ingest.scan import IGNORE_FILE, scan
from kb.errors import CorpusError


def reasons(found):
    return {note.doc_id: note.reason for note in found.skipped}


def test_documents_are_found_under_their_own_names_in_order(tmp_path):
    names = ["b/显卡 保养说明（终稿）.md", "a#b%20c&d=e?.md", "UPPER.MD", "b/fan 🚀 notes.md", "no_extension"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [file.doc_id for file in scan(tmp_path).files] == sorted(names)


def test_decomposed_names_are_composed_and_are_one_document(tmp_path):
    decomposed = unicodedata.normalize("NFD", "café.md")
    (tmp_path / decomposed).write_text("x")
    (tmp_path / "café.md").write_text("y")
    found = scan(tmp_path)
    assert [file.doc_id for file in found.files] == ["café.md"]
    assert "Unicode" in reasons(found)["café.md"]


def test_what_is_no_document_is_skipped_with_a_note(tmp_path):
    for name in (".hidden.md", "~$lock.docx", "picture.png", "ok.md"):
        (tmp_path / name).write_text("x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config.txt").write_text("x")
    os.mkfifo(tmp_path / "pipe.md")
    found = scan(tmp_path)
    assert [file.doc_id for file in found.files] == ["ok.md"]
    assert reasons(found) == {
        ".hidden.md": "a hidden file",
        "~$lock.docx": "a lock file of an office program",
        "picture.png": ".png files cannot be read",
        "pipe.md": "not a regular file",
    }


def test_links_may_not_lead_out(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (tmp_path / "secret.md").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/inner.md").write_text("x")
    (corpus / "real.md").write_text("x")
    (corpus / "out.md").symlink_to(tmp_path / "secret.md")
    (corpus / "in.md").symlink_to(corpus / "real.md")
    (corpus / "gone.md").symlink_to(corpus / "nothing")
    (corpus / "itself.md").symlink_to("itself.md")
    (corpus / "linked").symlink_to(tmp_path / "folder")
    found = scan(corpus)
    assert [file.doc_id for file in found.files] == ["in.md", "real.md"]
    assert "leads out" in reasons(found)["out.md"]
    assert reasons(found)["gone.md"] == reasons(found)["itself.md"] == "not a regular file"
    assert "not followed" in reasons(found)["linked"]


def test_a_folder_can_say_what_is_no_document(tmp_path):
    for name in ("docs/a.md", "specs/b.yaml", "specs/deep/c.yaml", "README.md", "docs/README.md", "x.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / IGNORE_FILE).write_text("# not documents\nspecs/\n\nREADME.md\n*.yaml\n")
    found = scan(tmp_path)
    assert [file.doc_id for file in found.files] == ["docs/README.md", "docs/a.md"]
    assert found.skipped == ()


def test_a_missing_folder_and_a_file_are_refused(tmp_path):
    with pytest.raises(CorpusError, match="does not exist"):
        scan(tmp_path / "nothing")
    (tmp_path / "file.md").write_text("x")
    with pytest.raises(CorpusError, match="not a folder"):
        scan(tmp_path / "file.md")


@pytest.mark.skipif(sys.platform == "darwin", reason="names are UTF-8 there")
def test_a_name_that_is_no_text_is_skipped(tmp_path):
    (tmp_path / os.fsdecode(b"bad\xff.md")).write_text("x")
    assert reasons(scan(tmp_path)) == {"bad\\udcff.md": "its name is not valid UTF-8"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_looked_into_is_refused(tmp_path):
    (tmp_path / "corpus").mkdir(mode=0o300)
    with pytest.raises(CorpusError, match="cannot be listed"):
        scan(tmp_path / "corpus")


def test_the_names_of_r04(shared):
    found = scan(shared / "requirements/files/R04_names")
    assert {file.doc_id for file in found.files} == {
        "UPPER.MD", "a#b%20c&d=e?.md", "café_decomposed.md", "fan 🚀 notes.md", "no_extension",
        "two  spaces (final) v2.md", "显卡 保养说明（终稿）.md",
    }  # fmt: skip
    assert reasons(found) == {".hidden.md": "a hidden file", "~$lockfile.docx": "a lock file of an office program"}


def test_a_document_cannot_take_the_place_of_a_cards_page(tmp_path):
    (tmp_path / "catalog/zh").mkdir(parents=True)
    for name in ("catalog/zh/t4", "catalog/t4", "catalog/zh/prices.md"):
        (tmp_path / name).write_text("x")
    found = scan(tmp_path)
    assert [file.doc_id for file in found.files] == ["catalog/zh/prices.md"]
    assert "give it one" in reasons(found)["catalog/zh/t4"]
    assert "catalog/t4" in reasons(found)
