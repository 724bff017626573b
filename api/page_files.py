"""The files of the pages as they are sent: scripts and styles without comments and spare space, compressed once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import rcssmin
import rjsmin
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, PathLike, StaticFiles
from starlette.types import Scope

PAGE_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"}
_SHORTER = {".js": rjsmin.jsmin, ".css": rcssmin.cssmin}


@dataclass(frozen=True, slots=True)
class _Sent:
    """One file as it goes over the line."""

    plain: bytes
    zipped: bytes
    media_type: str
    tag: str


@lru_cache(maxsize=128)
def _sent(path: Path, _modified_ns: int) -> _Sent:
    plain = path.read_bytes()
    if shorter := _SHORTER.get(path.suffix):
        plain = shorter(plain.decode()).encode()
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return _Sent(plain, gzip.compress(plain, mtime=0), media_type, hashlib.sha256(plain).hexdigest()[:20])


class PageFiles(StaticFiles):
    """The pages' files. A browser asks each time whether they changed, so that it never mixes two versions of them."""

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """One file, or that it is what the browser has."""
        sent = _sent(Path(full_path), stat_result.st_mtime_ns)
        asked = Headers(scope=scope)
        headers = {**PAGE_HEADERS, "Vary": "Accept-Encoding", "ETag": f'"{sent.tag}"'}
        body = sent.plain
        if "gzip" in asked.get("Accept-Encoding", ""):
            headers |= {"Content-Encoding": "gzip", "ETag": f'"{sent.tag}-gzip"'}
            body = sent.zipped
        response = Response(body, status_code, headers, sent.media_type)
        return NotModifiedResponse(response.headers) if self.is_not_modified(response.headers, asked) else response
