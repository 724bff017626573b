"""Links to cited passages that open without a key, for a while, and open nothing else."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from starlette.types import Scope

from api.auth.caller import Caller, caller_of
from kb.keys import ApiKey, Keyring, Signer
from kb.wire.answers import AnswerOut
from kb.wire.common import SourceOut

Link = Callable[[str], str]
_HOUR_S: Final = 3600
_PURPOSE: Final = "page"
_PARAMETER: Final = "signature"
_SIGNATURE: Final = re.compile(r"([0-9a-f]{8})\.([0-9a-f]{8,12})\.([A-Za-z0-9_-]{22})")
_PAGE: Final = re.compile(r"/v1/documents/[\s\S]+/pages/\d+")


class Links:
    """Signs and recognises the paths of cited pages.

    A signature names the key that the answer was given to: when it is revoked, its links close too. What is signed is
    the page and the generation; which words are marked on it is free.

    Args:
        signer: of the data folder.
        hours: that a link holds; the end is the next full hour, so that the same page has the same link for a while.
    """

    def __init__(self, signer: Signer, hours: int) -> None:
        self._signer = signer
        self._hours = hours

    def of(self, scope: Scope) -> Link:
        """What makes links of paths for who sent a request; without keys a link is the path itself."""
        caller = caller_of(scope)
        if caller.key is None:
            return _unchanged
        return lambda path: self.sign(path, caller)

    def sign(self, path: str, caller: Caller) -> str:
        """A path such as `/v1/documents/a.md/pages/1?generation=…#quote`, with its signature."""
        if caller.key is None:
            return path
        parts = urlsplit(path)
        expires = f"{(int(time.time()) // _HOUR_S + self._hours + 1) * _HOUR_S:08x}"
        signature = self._signature(unquote(parts.path), parts.query, caller.key.key_id, expires)
        query = f"{parts.query}&" if parts.query else ""
        return parts._replace(query=f"{query}{_PARAMETER}={caller.key.key_id}.{expires}.{signature}").geturl()

    def key_of(self, scope: Scope, keyring: Keyring) -> ApiKey | None:
        """The key in whose name a signed link was made; `None` if this is none, or it holds no longer."""
        query = scope["query_string"].decode("latin-1")
        if _PARAMETER not in query or scope["method"] != "GET" or not _PAGE.fullmatch(scope["path"]):
            return None
        match = _SIGNATURE.fullmatch(parse_qs(query).get(_PARAMETER, [""])[0])
        key = keyring.get(match.group(1)) if match else None
        if match is None or key is None or int(match.group(2), 16) <= time.time() or not key.is_valid():
            return None
        parts = (_PURPOSE, scope["path"], _generation(query), key.key_id, match.group(2))
        return key if self._signer.is_signed(match.group(3), *parts) else None

    def _signature(self, path: str, query: str, key_id: str, expires: str) -> str:
        return self._signer.sign(_PURPOSE, path, _generation(query), key_id, expires)


def is_signed_link(scope: Scope) -> bool:
    """Whether somebody means to open a signed link, valid or not."""
    return _PARAMETER.encode() in scope["query_string"] and bool(_PAGE.fullmatch(scope["path"]))


def link_sources(sources: list[SourceOut], link: Link) -> None:
    """Give sources their links."""
    if link is not _unchanged:
        for source in sources:
            source.page_url = link(source.page_url)


def link_answer(answer: AnswerOut, link: Link) -> None:
    """Give an answer's sources and citations their links."""
    if link is not _unchanged:
        link_sources(answer.sources, link)
        for citation in answer.citations:
            citation.page_url = link(citation.page_url)


def _generation(query: str) -> str:
    return parse_qs(query).get("generation", [""])[0]


def _unchanged(path: str) -> str:
    return path
