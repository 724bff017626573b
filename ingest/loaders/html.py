"""HTML: headings, paragraphs, lists, code byte for byte, tables with spans expanded."""

from __future__ import annotations

import re

from lxml import etree, html

from ingest.cleaning import clean
from ingest.loaders.base import LoadLimits, Parsed, SourceFile
from ingest.loaders.builder import TextBuilder
from ingest.loaders.encoding import decode
from ingest.loaders.html_table import grid_of, is_layout
from kb.errors import DocumentError

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_\-]+)""", re.IGNORECASE)
_DECLARATION_BYTES = 4096
_LONG_TAG = re.compile(r"<([A-Za-z][\w:-]*)[^<>]{8000,}>")
_SPACES = re.compile(r"[ \t\r\n\f\xa0]+")
_PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}")  # what a script would have filled in
_LINE_SPACES = re.compile(r" *\n *")

_DROPPED_LIST = """
    script style nav noscript template svg head iframe object button select input textarea canvas audio video
"""
_DROPPED = frozenset(_DROPPED_LIST.split())
_BLOCK_LIST = """
    address article aside body center details dialog div fieldset figcaption figure footer form header hgroup html li
    main p section summary tbody td tfoot th thead tr dd dt legend
"""
_BLOCKS = frozenset(_BLOCK_LIST.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


class HtmlLoader:
    """Reads `.html` and `.htm`."""

    media_type = "text/html"

    def parse(self, source: SourceFile) -> Parsed:
        """Read the page's visible content."""
        declared = _DECLARED.search(source.data[:_DECLARATION_BYTES])
        decoded = decode(source.data, declared.group(1).decode("ascii") if declared else None)
        root = parse_html(clean(decoded.text))
        builder = convert(root, source.limits)
        title = _SPACES.sub(" ", root.findtext(".//title") or "").strip()
        return Parsed(builder.text, builder.blocks, title, decoded.encoding, _metadata(root), decoded.warnings)


def parse_html(text: str) -> html.HtmlElement:
    """The tree of a page or fragment.

    Raises:
        DocumentError: there is nothing in it, or it is beyond what the parser takes.
    """
    # The parser compares each attribute of a tag with all before it.
    text = _LONG_TAG.sub(r"<\1>", text)
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(text.encode("utf-8", errors="replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise DocumentError(f"It cannot be read as HTML: {error}.") from error
    for entry in parser.error_log:
        if entry.level >= etree.ErrorLevels.FATAL:  # the parser stopped there and the rest is missing
            raise DocumentError(f"It cannot be read as HTML: {entry.message.split(',')[0]} in line {entry.line}.")
    return root


def convert(root: html.HtmlElement, limits: LoadLimits, builder: TextBuilder | None = None) -> TextBuilder:
    """Text and blocks of a tree, after what the builder holds already."""
    walker = _Walker(limits, builder or TextBuilder())
    walker.walk(root, 0)
    walker.flush()
    return walker.builder


def _metadata(root: html.HtmlElement) -> dict[str, str]:
    found = {}
    for name, key in (("description", "description"), ("author", "author"), ("date", "published")):
        values = root.xpath(f"//meta[@name='{name}']/@content")
        if values and values[0].strip():
            found[key] = _SPACES.sub(" ", values[0]).strip()
    return found


class _Walker:
    """Goes through the tree once, in document order."""

    def __init__(self, limits: LoadLimits, builder: TextBuilder) -> None:
        self.builder = builder
        self._limits = limits
        self._inline: list[str] = []

    def flush(self) -> None:
        """End the paragraph that is being gathered."""
        text = _tidy("".join(self._inline))
        self._inline.clear()
        if text:
            self.builder.paragraph(text)

    def walk(self, node: html.HtmlElement, depth: int) -> None:
        """Write an element, without its tail."""
        tag = node.tag
        if not isinstance(tag, str) or tag in _DROPPED or _is_navigation(node):
            return
        if depth > self._limits.max_depth * 4:  # real pages nest some 60 deep; this one means harm
            self._inline.append(node.text_content())
            return
        if tag in _HEADINGS:
            self._heading(node, _HEADINGS[tag])
        elif tag == "pre":
            self._code(node)
        elif tag == "table":
            self._table(node, depth)
        elif tag in {"ul", "ol", "dl", "menu"}:
            self._list(node, depth)
        elif tag == "blockquote" and not _holds_blocks(node):
            self.flush()
            self.builder.quote(inline_text(node))
        elif tag in _BLOCKS or tag == "blockquote":
            self.flush()
            self._children(node, depth)
            self.flush()
        else:
            self._inline_element(node, depth)

    def _children(self, node: html.HtmlElement, depth: int) -> None:
        self._inline.append(_soft(node.text))
        for child in node:
            self.walk(child, depth + 1)
            self._inline.append(_soft(child.tail))

    def _inline_element(self, node: html.HtmlElement, depth: int) -> None:
        if node.tag == "br":
            self._inline.append("\n")
        elif node.tag == "hr":
            self.flush()
        elif _holds_blocks(node):
            self._children(node, depth)
        else:
            self._inline.append(_inline_raw(node))

    def _heading(self, node: html.HtmlElement, level: int) -> None:
        self.flush()
        title = inline_text(node).replace("\n", " ")
        if title:
            self.builder.heading(title, level)

    def _code(self, node: html.HtmlElement) -> None:
        self.flush()
        classes = " ".join(element.get("class") or "" for element in node.iter() if isinstance(element.tag, str))
        language = re.search(r"\b(?:language|lang|highlight)-([\w+#]+)", classes)
        self.builder.code(node.text_content().lstrip("\n"), language.group(1) if language else "")

    def _table(self, node: html.HtmlElement, depth: int) -> None:
        self.flush()
        if is_layout(node):
            self._children(node, depth)
            self.flush()
            return
        grid = grid_of(node, inline_text, self._limits.max_table_columns)
        if grid.rows:
            self.builder.table(grid.rows, grid.header_rows, grid.caption)

    def _list(self, node: html.HtmlElement, depth: int) -> None:
        self.flush()
        if node.xpath(".//pre | .//table | .//h1 | .//h2 | .//h3 | .//h4 | .//h5 | .//h6"):
            self._children(node, depth)
            self.flush()
            return
        self.builder.list("\n".join(_list_lines(node, "", self._limits.max_depth)))


def inline_text(node: html.HtmlElement) -> str:
    """Visible text of an element without blocks of its own: spaces folded, `<br>` as a line break."""
    return _tidy(_inline_raw(node))


def _inline_raw(node: html.HtmlElement) -> str:
    parts: list[str] = []
    # Explicit stack: hostile pages nest thousands deep.
    stack: list[tuple[html.HtmlElement, bool]] = [(node, True)]
    while stack:
        element, opening = stack.pop()
        tag = element.tag
        if not opening:
            parts.append("`" if tag == "code" else "")
            parts.append(_soft(element.tail) if element is not node else "")
            continue
        dropped = not isinstance(tag, str) or tag in _DROPPED
        parts.append("" if dropped else _opening(element))
        if dropped:
            parts.append(_soft(element.tail) if element is not node else "")
            continue
        stack.append((element, False))
        stack.extend((child, True) for child in reversed(element))
    return "".join(parts)


def _opening(element: html.HtmlElement) -> str:
    tag, text = element.tag, _soft(element.text)
    if tag == "br":
        return "\n"
    if tag == "sup" and re.fullmatch(r"\s*[-+−]?\w{1,3}\s*", text):
        return "^" + text
    if tag == "code":
        return "`" + text
    if tag in _BLOCKS or tag in {"ul", "ol", "pre"}:
        return "\n" + text
    return text


def _list_lines(node: html.HtmlElement, indent: str, depth_left: int) -> list[str]:
    if node.tag == "dl":
        return _definition_lines(node, indent)
    lines: list[str] = []
    number = 0
    for item in node:
        if item.tag in {"ul", "ol"} and depth_left:  # a list right inside a list, as old pages have it
            lines += _list_lines(item, indent + "  ", depth_left - 1)
            continue
        if item.tag != "li":
            continue
        number += 1
        marker = f"{number}. " if node.tag == "ol" else "- "
        nested = [child for child in item.iter("ul", "ol", "dl") if _nearest_item(child) is item]
        nested_lines = [
            line for child in nested if depth_left for line in _list_lines(child, indent + "  ", depth_left - 1)
        ]
        for child in nested:
            _detach(child)
        text = inline_text(item).replace("\n", " ")
        if text or nested_lines:
            lines.append(f"{indent}{marker}{text}")
        lines += nested_lines
    return lines


def _nearest_item(node: html.HtmlElement) -> html.HtmlElement | None:
    return next(node.iterancestors("li"), None)


def _detach(node: html.HtmlElement) -> None:
    node.drop_tree()


def _definition_lines(node: html.HtmlElement, indent: str) -> list[str]:
    lines: list[str] = []
    for item in node.iter("dt", "dd"):
        text = inline_text(item).replace("\n", " ")
        if not text:
            continue
        if item.tag == "dt":
            lines.append(f"{indent}- {text}")
        elif lines:
            lines[-1] += f"{'' if lines[-1].endswith((':', '：')) else ':'} {text}"
    return lines


def _holds_blocks(node: html.HtmlElement) -> bool:
    return any(
        isinstance(element.tag, str)
        and (element.tag in _BLOCKS or element.tag in _HEADINGS or element.tag in {"pre", "table", "ul", "ol", "dl"})
        for element in node.iterdescendants()
    )


def _is_navigation(node: html.HtmlElement) -> bool:
    return (
        node.get("role") == "navigation" or node.get("aria-hidden") == "true" or node.get("id") in {"toc", "toctitle"}
    )


def _soft(text: str | None) -> str:
    return _PLACEHOLDER.sub("", _SPACES.sub(" ", text)) if text else ""


def _tidy(text: str) -> str:
    lines = (re.sub(r" {2,}", " ", line) for line in _LINE_SPACES.sub("\n", text).split("\n"))
    return "\n".join(line for line in lines if line.strip()).strip()
