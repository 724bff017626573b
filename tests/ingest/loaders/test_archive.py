"""Documents inside zip archives, through the scan and the reader."""

from __future__ import annotations

import stat
import zipfile

import pytest

from ingest.loaders.reader import open_reader
from ingest.scan import scan
from kb.errors import DocumentError


def reasons(found):
    return {note.doc_id: note.reason for note in (*found.skipped, *found.failed)}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "corpus").mkdir()
    return tmp_path / "corpus"


def test_the_files_of_an_archive_are_documents_under_its_name(folder):
    with zipfile.ZipFile(folder / "手册.zip", "w") as archive:
        archive.writestr("inner/名字.md", "# 星隼\n\n柜号 C-17。")
        archive.writestr("a.csv", "型号,柜号\nK100,C-17\n".encode("gbk"))
        archive.writestr("picture.png", b"x")
        archive.writestr("__MACOSX/a.csv", b"x")
        archive.writestr("inner/.hidden.md", b"x")
    found = scan(folder)
    assert [file.doc_id for file in found.files] == ["手册.zip/a.csv", "手册.zip/inner/名字.md"]
    assert reasons(found) == {
        "手册.zip/picture.png": ".png files cannot be read",
        "手册.zip/inner/.hidden.md": "a hidden file",
    }
    with open_reader() as reader:
        table, page = (reader.load(file.path, file.doc_id, file.member) for file in found.files)
    assert (table.doc_id, table.encoding) == ("手册.zip/a.csv", "gb18030")
    assert page.text == "# 星隼\n\n柜号 C-17。"


def test_names_that_lead_out_and_links_are_not_followed(folder):
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for name in ("../evil.md", "/etc/passwd.md", "C:/x.md", "a/../../b.md", "..\\back.md"):
            archive.writestr(name, "x")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("fine.md", "Words.")
    found = scan(folder)
    assert [file.doc_id for file in found.files] == ["a.zip/fine.md"]
    assert sum("leads out" in reason for reason in reasons(found).values()) == 5
    assert "not followed" in reasons(found)["a.zip/link.md"]


def test_names_in_the_bytes_of_an_old_windows(folder):
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("XXXX.md", "Words.")
    data = (folder / "a.zip").read_bytes().replace(b"XXXX", "显卡".encode("gbk"))
    (folder / "a.zip").write_bytes(data)
    (file,) = scan(folder).files
    assert file.doc_id == "a.zip/显卡.md"
    with open_reader() as reader:
        assert reader.load(file.path, file.doc_id, file.member).text == "Words."


def test_archives_that_cannot_be_opened_are_failures(folder):
    (folder / "cut.zip").write_bytes(b"PK\x03\x04" + b"x" * 100)
    with zipfile.ZipFile(folder / "empty.zip", "w"):
        pass
    with zipfile.ZipFile(folder / "outer.zip", "w") as archive:
        archive.writestr("inner.zip", (folder / "empty.zip").read_bytes())
    found = scan(folder)
    assert {note.doc_id: note.reason for note in found.failed} == {
        "cut.zip": "It is damaged: its zip container has no directory.",
        "empty.zip": "It is an archive without files.",
    }
    (file,) = found.files
    with open_reader() as reader, pytest.raises(DocumentError, match="unpack it"):
        reader.load(file.path, file.doc_id, file.member)


def test_a_protected_and_a_damaged_file_cost_only_themselves(folder):
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for name in ("damaged.md", "fine.md", "secret.md"):
            archive.writestr(name, f"Words of {name}.")
    data = bytearray((folder / "a.zip").read_bytes())
    at = data.rindex(b"secret.md") - 46  # its entry in the directory
    data[at + 8] |= 1
    at = data.index(b"Words of damaged")
    data[at : at + 5] = b"Sword"
    (folder / "a.zip").write_bytes(data)
    outcomes = {}
    with open_reader() as reader:
        for file in scan(folder).files:
            try:
                outcomes[file.member] = reader.load(file.path, file.doc_id, file.member).text
            except DocumentError as error:
                outcomes[file.member] = error.message
    assert outcomes == {
        "damaged.md": "It is damaged: damaged.md cannot be unpacked.",
        "fine.md": "Words of fine.md.",
        "secret.md": "It is protected with a password.",
    }


def test_a_folder_and_an_archive_may_not_share_a_name(folder):
    (folder / "a.zip.d").mkdir()
    (folder / "b").mkdir()
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("x.md", "one")
        archive.writestr("./x.md", "two")
    found = scan(folder)
    assert [file.doc_id for file in found.files] == ["a.zip/x.md"]
    assert reasons(found) == {"a.zip/x.md": "another file has the same name"}
