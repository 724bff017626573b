"""What a paragraph of a Word document is: its style and numbering, read through what the style is based on."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from lxml.etree import _Element as Element

_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NS = {"w": _MAIN}

HEADING_STYLE = re.compile(r"(?:heading|标题|見出し)\s*([1-9])", re.IGNORECASE)
CODE_STYLE = re.compile(r"\b(?:code|source|preformatted|listing|verbatim|terminal)\b|代码", re.IGNORECASE)
_TABLE_OF_CONTENTS = re.compile(r"(?:toc|目录|table of figures)\s*\d?", re.IGNORECASE)
_MONO = re.compile(r"courier|consolas|mono|menlo|lucida console", re.IGNORECASE)
_MAX_BASES = 20
_MAX_LEVEL = 6


def w(name: str) -> str:
    """A name of the main namespace, as lxml spells it."""
    return f"{{{_MAIN}}}{name}"


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph is.

    Attributes:
        level: 1–6 for a heading, else 0.
        marker: `-` or `3.` for a list item, else empty.
        depth: of a list item, from 0.
        is_contents: a line of the table of contents, which says nothing of its own.
    """

    level: int = 0
    marker: str = ""
    depth: int = 0
    is_title: bool = False
    is_code: bool = False
    is_contents: bool = False


class Styles:
    """The styles and lists of one document; counts numbered items as they pass."""

    def __init__(self, document: WordDocument) -> None:
        self._styles = {style.get(w("styleId")): style for style in document.styles.element.findall("w:style", NS)}
        self._default = next((name for name, style in self._styles.items() if _is_default_paragraph(style)), None)
        self._formats = _list_formats(document)
        self._counts: dict[tuple[str, int], int] = defaultdict(int)
        self._known: dict[str | None, list[Element]] = {}

    def of(self, paragraph: Element) -> ParagraphStyle:
        """What the next paragraph of the document is."""
        own = paragraph.find("w:pPr", NS)
        reference = own.find("w:pStyle", NS) if own is not None else None
        chain = self._chain(reference.get(w("val")) if reference is not None else self._default)
        names = [name.get(w("val"), "") for style in chain if (name := style.find("w:name", NS)) is not None]
        properties = [own, *(style.find("w:pPr", NS) for style in chain)]
        if any(_TABLE_OF_CONTENTS.fullmatch(name.strip()) for name in names[:1]):
            return ParagraphStyle(is_contents=True)
        level = _level(names, properties)
        if level or any(name.lower() == "title" for name in names[:1]):
            return ParagraphStyle(level=level or 1, is_title=not level)
        if any(CODE_STYLE.search(name) for name in names) or _is_mono(paragraph):
            return ParagraphStyle(is_code=True)
        return self._list_style(properties)

    def _chain(self, style_id: str | None) -> list[Element]:
        if style_id not in self._known:
            chain: list[Element] = []
            current = style_id
            while current in self._styles and len(chain) < _MAX_BASES:
                style = self._styles[current]
                chain.append(style)
                based_on = style.find("w:basedOn", NS)
                current = based_on.get(w("val")) if based_on is not None else None
            self._known[style_id] = chain
        return self._known[style_id]

    def _list_style(self, properties: list[Element | None]) -> ParagraphStyle:
        numbering = next(
            (found for item in properties if item is not None and (found := item.find("w:numPr", NS)) is not None), None
        )
        if numbering is None:
            return ParagraphStyle()
        list_id = _value(numbering.find("w:numId", NS))
        if list_id in {"", "0"}:  # 0 takes a paragraph out of the list of its style
            return ParagraphStyle()
        depth_text = _value(numbering.find("w:ilvl", NS))
        depth = min(int(depth_text), 8) if depth_text.isascii() and depth_text.isdigit() else 0
        if self._formats.get((list_id, depth), "bullet") in {"bullet", "none"}:
            return ParagraphStyle(marker="-", depth=depth)
        self._counts[list_id, depth] += 1
        for deeper in range(depth + 1, 9):
            self._counts.pop((list_id, deeper), None)
        return ParagraphStyle(marker=f"{self._counts[list_id, depth]}.", depth=depth)


def _is_default_paragraph(style: Element) -> bool:
    return style.get(w("type")) == "paragraph" and style.get(w("default")) in {"1", "true"}


def _level(names: list[str], properties: list[Element | None]) -> int:
    for name in names:
        match = HEADING_STYLE.fullmatch(name.strip())
        if match is not None:
            return min(int(match[1]), _MAX_LEVEL)
    for item in properties:
        outline = _value(item.find("w:outlineLvl", NS)) if item is not None else ""
        if outline.isascii() and outline.isdigit():
            return min(int(outline) + 1, _MAX_LEVEL) if int(outline) < 9 else 0  # 9 is body text
    return 0


def _is_mono(paragraph: Element) -> bool:
    """Whether all of a paragraph's words are set in a font of fixed width."""
    runs = [run for run in paragraph.findall("w:r", NS) if "".join(run.itertext()).strip()]
    fonts = [run.find("w:rPr/w:rFonts", NS) for run in runs]
    return bool(runs) and all(font is not None and _MONO.search(font.get(w("ascii"), "")) for font in fonts)


def _list_formats(document: WordDocument) -> dict[tuple[str, int], str]:
    """`bullet`, `decimal`… of each level of each list."""
    relation = next(
        (item for item in document.part.rels.values() if item.reltype.endswith("/numbering") and not item.is_external),
        None,
    )
    if relation is None:
        return {}
    root = relation.target_part.element
    abstract = {
        item.get(w("abstractNumId")): [
            _value(level.find("w:numFmt", NS)) or "bullet" for level in item.findall("w:lvl", NS)
        ]
        for item in root.findall("w:abstractNum", NS)
    }
    return {
        (item.get(w("numId"), ""), depth): name
        for item in root.findall("w:num", NS)
        for depth, name in enumerate(abstract.get(_value(item.find("w:abstractNumId", NS)), ()))
    }


def _value(element: Element | None) -> str:
    return element.get(w("val"), "") if element is not None else ""
