"""Citations as clients carry them: OpenAI's annotations, Open WebUI's source events, or a list in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from api.auth.links import Link
from api.schemas.chat import Annotation, UrlCitation
from kb.types import Language
from kb.wire.answers import CitationOut
from kb.wire.common import SourceOut

_HEADS: Final = {"zh": "来源", "en": "Sources"}
_PAGES: Final = {"zh": "第 {} 页", "en": "p. {}"}
_LIST: Final = re.compile(r"\n\n\*\*(?:来源|Sources)\*\*\n\n(?:- \[\d+\] [^\n]*(?:\n|\Z))+\Z")
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~])")


@dataclass(frozen=True, slots=True)
class Links:
    """Absolute addresses on this server, as a reader's browser reaches it.

    Attributes:
        base_url: scheme and host, without a final slash.
        link: makes a path one that opens for who asked.
    """

    base_url: str
    link: Link = str

    def absolute(self, path: str) -> str:
        """The address of a path."""
        return f"{self.base_url}{self.link(path)}"


def annotations_of(citations: Iterable[CitationOut], sources: Sequence[SourceOut], links: Links) -> list[Annotation]:
    """One annotation for each mark, in order; a mark with several quotes leads to the first."""
    titles = {source.id: source.title for source in sources}
    marks: dict[int, Annotation] = {}
    for citation in citations:
        if citation.start not in marks:
            marks[citation.start] = Annotation(
                url_citation=UrlCitation(
                    url=links.absolute(citation.page_url),
                    title=titles.get(citation.source_id, citation.doc_id),
                    start_index=citation.start,
                    end_index=citation.end,
                )
            )
    return [marks[start] for start in sorted(marks)]


def addresses_of(sources: Sequence[SourceOut], links: Links) -> list[str]:
    """The address of each source, so that the n-th is that of mark `[n]`.

    Args:
        sources: all that were numbered, in order; one of them may not be cited after all.
        links: addresses on this server.
    """
    return [links.absolute(source.page_url) for source in sources]


def source_event(source: SourceOut, links: Links) -> dict[str, Any]:
    """A source as Open WebUI lists it. It numbers sources in the order in which they come, by ids that are no URLs."""
    url = links.absolute(source.page_url)
    metadata: dict[str, Any] = {"source": source.id, "name": source.title, "source_url": url}
    if source.page is not None:
        # Open WebUI counts pages from 0 and shows them from 1.
        metadata["page"] = source.page - 1
    if source.section:
        metadata["section"] = source.section
    return {
        "source": {"id": source.id, "name": source.title, "url": url},
        "document": [source.text],
        "metadata": [metadata],
        "distances": [] if source.score is None else [source.score],
    }


def source_list(sources: Sequence[SourceOut], language: Language, links: Links) -> str:
    """The sources as a Markdown list that is put behind the text; empty where nothing is cited."""
    if not sources:
        return ""
    lines = [f"- [{source.index}] {_line(source, language, links)}" for source in sources]
    return f"\n\n**{_HEADS[language]}**\n\n" + "\n".join(lines)


def without_source_list(text: str) -> str:
    """An earlier answer without the list of sources behind it."""
    return _LIST.sub("", text)


def _line(source: SourceOut, language: Language, links: Links) -> str:
    place = [_PAGES[language].format(source.page)] if source.page is not None else []
    place += [_plain(source.section)] if source.section else []
    return " · ".join([f"[{_plain(source.title)}]({links.absolute(source.page_url)})", *place])


def _plain(text: str) -> str:
    """Text in which Markdown finds nothing to read."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
