"""Links to cited passages that open without a key, for a while, and open nothing else."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qs, unquote

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
_GENERATION: Final = re.compile(r"(?:^|&)generation=([^&]*)")
_REMEMBERED: Final = 4096
"""Signatures; the same pages are cited again and again."""
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
        self._signature = lru_cache(maxsize=_REMEMBERED)(self._new_signature)

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
        address, mark, fragment = path.partition("#")
        page, _, query = address.partition("?")
        expires = f"{(int(time.time()) // _HOUR_S + self._hours + 1) * _HOUR_S:08x}"
        named = _GENERATION.search(query)
        signature = self._signature(page, named.group(1) if named else "", caller.key.key_id, expires)
        return f"{page}?{query}{'&' if query else ''}{_PARAMETER}={signature}{mark}{fragment}"

    def key_of(self, scope: Scope, keyring: Keyring) -> ApiKey | None:
        """The key in whose name a signed link was made; `None` if this is none, or it holds no longer."""
        query = scope["query_string"].decode("latin-1")
        if _PARAMETER not in query or scope["method"] != "GET" or not _PAGE.fullmatch(scope["path"]):
            return None
        match = _SIGNATURE.fullmatch(parse_qs(query).get(_PARAMETER, [""])[0])
        key = keyring.get(match.group(1)) if match else None
        if match is None or key is None or int(match.group(2), 16) <= time.time() or not key.is_valid():
            return None
        named = _GENERATION.search(query)
        parts = (_PURPOSE, scope["path"], named.group(1) if named else "", key.key_id, match.group(2))
        return key if self._signer.is_signed(match.group(3), *parts) else None

    def _new_signature(self, page: str, generation: str, key_id: str, expires: str) -> str:
        signature = self._signer.sign(_PURPOSE, unquote(page), generation, key_id, expires)
        return f"{key_id}.{expires}.{signature}"


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


def _unchanged(path: str) -> str:
    return path
