"""What a file is by its content, whatever its name says."""

from __future__ import annotations

import io

from ingest.loaders.base import LoadLimits
from ingest.loaders.container import open_container

_HEAD_BYTES = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# What only a container of this format holds.
_CONTAINERS = (
    ("word/document.xml", ".docx"),
    ("xl/workbook.xml", ".xlsx"),
    ("ppt/presentation.xml", ".pptx"),
    ("META-INF/container.xml", ".epub"),
)
_OLE_STREAMS = (
    ("EncryptedPackage", ".encrypted"),
    ("WordDocument", ".doc"),
    ("Workbook", ".xls"),
    ("Book", ".xls"),
    ("PowerPoint Document", ".ppt"),
)


def format_of(data: bytes, limits: LoadLimits) -> str:
    """The usual suffix of the format that the bytes are in; empty if they show none, as plain text does.

    Raises:
        DocumentError: it is a container that is damaged or holds too much.
    """
    head = data[:_HEAD_BYTES]
    if b"%PDF-" in head:
        return ".pdf"
    if head.startswith(_ZIP):
        return _zip_format(data, limits)
    if head.startswith(_OLE):
        return _ole_format(data)
    if head.startswith(b"{\\rtf"):
        return ".rtf"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    is_html = text.startswith((b"<!doctype html", b"<html")) or (text.startswith(b"<?xml") and b"<html" in text)
    return ".html" if is_html else ""


def _zip_format(data: bytes, limits: LoadLimits) -> str:
    with open_container(data, limits) as container:
        names = set(container.namelist())
    return next((suffix for name, suffix in _CONTAINERS if name in names), ".zip")


def _ole_format(data: bytes) -> str:
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as container:
        return next((suffix for name, suffix in _OLE_STREAMS if container.exists(name)), ".ole")
