"""PDF files: stub."""

from __future__ import annotations

from ingest.loaders.base import Parsed, SourceFile
from kb.errors import DocumentError


class PdfLoader:
    """Reads `.pdf`."""

    media_type = "application/pdf"

    def parse(self, source: SourceFile) -> Parsed:
        """Not yet."""
        raise DocumentError("PDF files cannot be read yet.")
