"""reStructuredText, read by docutils: tables of all kinds, code, admonitions, what Sphinx adds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.cleaning import clean
from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.builder import TextBuilder
from ingest.loaders.encoding import decode
from ingest.loaders.grid import Merge, spread
from ingest.loaders.pipe_table import joined_lines
from kb.errors import DocumentError

if TYPE_CHECKING:
    from docutils import nodes

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "sectsubtitle_xform": False,
    "syntax_highlight": "none",
    "report_level": 5,
    "halt_level": 5,
    "line_length_limit": 1_000_000,
}
_SKIPPED = frozenset(
    {"comment", "target", "substitution_definition", "pending", "raw", "meta", "image", "decoration", "transition"}
)
_LISTS = frozenset({"bullet_list", "enumerated_list", "definition_list", "field_list", "option_list"})
_NOT_IN_LISTS = ("table", "literal_block", "doctest_block", "math_block", "admonition", "section")
_MAX_DEPTH = 100
_CHINESE_LINE_END = re.compile(r"(?<=[\u2e80-\u9fff\uff00-\uff60])[ \t]*\n[ \t]*(?=[\u2e80-\u9fff\uff00-\uff60])")


class RstLoader:
    """Reads `.rst` and `.rest`."""

    media_type = "text/x-rst"

    def parse(self, source: SourceFile) -> Parsed:
        """Read structure; the text of inline markup is kept without the markup."""
        from docutils.core import publish_doctree

        from ingest.loaders import rst_dialect

        decoded = decode(source.data)
        text = clean(decoded.text)
        rst_dialect.register_unknown(text)
        tree = publish_doctree(text, settings_overrides=dict(_SETTINGS))
        writer = _Writer(source)
        writer.write(tree)
        elsewhere = rst_dialect.parts_elsewhere(text)
        notes = (f"{elsewhere} part(s) that it includes stand in other files and are left out",) if elsewhere else ()
        builder = writer.builder
        return Parsed(builder.text, builder.blocks, writer.title, decoded.encoding, {}, (*decoded.warnings, *notes))


class _Writer:
    def __init__(self, source: SourceFile) -> None:
        self.builder = TextBuilder()
        self.title = ""
        self._limits = source.limits
        self._depth = 0

    def write(self, tree: nodes.document) -> None:
        """Write the whole document."""
        for number, child in enumerate(tree.children):
            if number or child.tagname != "field_list":  # `:orphan:` and other words to the documentation's builder
                self._block(child, 0)

    def _children(self, node: nodes.Element, level: int) -> None:
        for child in node.children:
            self._block(child, level)

    def _block(self, node: nodes.Node, level: int) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise DocumentError(f"Its blocks are nested more than {_MAX_DEPTH} deep.")
        writer = getattr(self, f"_{node.tagname.lstrip('#')}", None)
        if node.tagname in _SKIPPED:
            pass
        elif writer is not None:
            writer(node, level)
        elif node.tagname in _LISTS:
            self._list(node, level)
        elif _is_admonition(node):
            self.builder.paragraph(f"**{node.tagname.capitalize()}**")
            self._children(node, level)
        elif node.children:
            self._children(node, level)
        else:
            self.builder.paragraph(node.astext())
        self._depth -= 1

    def _section(self, node: nodes.Element, level: int) -> None:
        self._children(node, level + 1)

    def _title(self, node: nodes.Element, level: int) -> None:
        text = _inline(node)
        if node.parent.tagname == "section":
            self.title = self.title or text
            self.builder.heading(text, level)
        else:
            self.builder.paragraph(f"**{text}**")

    def _paragraph(self, node: nodes.Element, level: int) -> None:
        self.builder.paragraph(_inline(node))

    _caption = _paragraph
    _attribution = _paragraph

    def _rubric(self, node: nodes.Element, level: int) -> None:
        self.builder.paragraph(f"**{_inline(node)}**")

    def _literal_block(self, node: nodes.Element, level: int) -> None:
        self.builder.code(node.astext(), node.get("language", ""))

    _doctest_block = _literal_block

    def _math_block(self, node: nodes.Element, level: int) -> None:
        self.builder.code(node.astext(), "math")

    def _line_block(self, node: nodes.Element, level: int) -> None:
        self.builder.paragraph("\n".join(_inline(line) for line in node.findall(lambda item: item.tagname == "line")))

    def _block_quote(self, node: nodes.Element, level: int) -> None:
        for child in node.children:
            if child.tagname == "paragraph":
                self.builder.quote(_inline(child))
            else:
                self._block(child, level)

    def _footnote(self, node: nodes.Element, level: int) -> None:
        self.builder.paragraph(_flat(node))

    _citation = _footnote

    def _topic(self, node: nodes.Element, level: int) -> None:
        if "contents" not in node.get("classes", ()):
            self._children(node, level)

    def _system_message(self, node: nodes.Element, level: int) -> None:
        """What docutils could not read, as a table with a slip in it: its source is kept."""
        from ingest.loaders.rst_dialect import parts_elsewhere

        for child in node.findall(lambda item: item.tagname == "literal_block"):
            if not parts_elsewhere(child.astext()):
                self.builder.code(child.astext())

    def _list(self, node: nodes.Element, level: int) -> None:
        if any(True for _ in node.findall(lambda item: item.tagname in _NOT_IN_LISTS or _is_admonition(item))):
            self._open_list(node, level)
        else:
            self.builder.list("\n".join(_list_lines(node, "")))

    def _open_list(self, node: nodes.Element, level: int) -> None:
        """A list that holds code or tables: its items one after the other."""
        for number, item in enumerate(node.children, int(node.get("start", 1))):
            marker = f"{number}. " if node.tagname == "enumerated_list" else "- "
            for index, child in enumerate(_parts(item)):
                if child.tagname in {"paragraph", "term", "field_name"}:
                    self.builder.list(f"{'  ' if index else marker}{_inline(child)}")
                else:
                    self._block(child, level)

    def _table(self, node: nodes.Element, level: int) -> None:
        caption = next((_inline(child) for child in node.children if child.tagname == "title"), "")
        for group in node.children:
            if group.tagname != "tgroup":
                continue
            head = [row for part in group.children if part.tagname == "thead" for row in part.children]
            body = [row for part in group.children if part.tagname == "tbody" for row in part.children]
            grid, merges = _grid([*head, *body], self._limits.max_table_columns)
            full = spread(grid, merges, len(head))
            kept = [row for number, row in enumerate(full) if number < len(head) or any(row)]
            self.builder.table(kept, len(head), caption)


def _is_admonition(node: nodes.Node) -> bool:
    from docutils import nodes as kinds

    return isinstance(node, kinds.Admonition)


def _inline(node: nodes.Node) -> str:
    return " ".join(_CHINESE_LINE_END.sub("", "".join(_words(node))).split())


def _words(node: nodes.Node) -> Iterator[str]:
    for child in node.children:
        tag = child.tagname
        if tag == "#text":
            yield child.astext()
        elif tag == "literal":
            yield f"`{child.astext()}`"
        elif tag == "superscript":
            yield f"^{child.astext()}"
        elif tag in {"footnote_reference", "citation_reference", "image", "raw", "system_message", "target"}:
            continue
        else:
            yield from _words(child)


def _flat(node: nodes.Node) -> str:
    """All that stands in a cell, an item or a note, on one line."""
    return joined_lines([line for child in _parts(node) for line in _flat_lines(child)])


def _flat_lines(node: nodes.Node) -> list[str]:
    if node.tagname in _LISTS:
        return [line.strip().removeprefix("- ") for line in _list_lines(node, "")]
    if node.tagname == "label":
        return [f"[{node.astext()}]"]
    if node.tagname in _SKIPPED or node.tagname == "system_message":
        return []
    if any(child.tagname in {"paragraph", "line", *_LISTS} for child in node.children):
        return [line for child in node.children for line in _flat_lines(child)]
    if node.tagname in {"literal_block", "doctest_block"}:
        return str(node.astext()).split("\n")
    text = _inline(node)
    return [text] if text else []


def _list_lines(node: nodes.Node, indent: str) -> list[str]:
    lines: list[str] = []
    for number, item in enumerate(node.children, int(node.get("start", 1))):
        marker = f"{number}. " if node.tagname == "enumerated_list" else "- "
        nested: list[str] = []
        texts: list[str] = []
        for child in _parts(item):
            if child.tagname in _LISTS:
                nested += _list_lines(child, indent + "  ")
            else:
                texts += _flat_lines(child)
        is_named = node.tagname in {"definition_list", "field_list", "option_list"} and len(texts) > 1
        text = f"{texts[0]}: {' '.join(texts[1:])}" if is_named else " ".join(texts)
        if text:
            lines.append(f"{indent}{marker}{text}")
        lines += nested
    return lines


def _parts(item: nodes.Node) -> list[nodes.Node]:
    """What an item of a list consists of; a definition and a field's body are opened."""
    parts: list[nodes.Node] = []
    for child in item.children:
        if child.tagname in {"definition", "field_body", "description"}:
            parts += child.children
        else:
            parts.append(child)
    return parts


def _grid(rows: list[nodes.Node], max_columns: int) -> tuple[list[list[str]], list[Merge]]:
    taken: set[tuple[int, int]] = set()
    merges: list[Merge] = []
    lines: list[dict[int, str]] = []
    width = 0
    for number, row in enumerate(rows):
        line: dict[int, str] = {}
        column = 0
        for entry in row.children:
            while (number, column) in taken:
                column += 1
            bottom = min(number + int(entry.get("morerows", 0)), len(rows) - 1)
            right = column + int(entry.get("morecols", 0))
            if right >= max_columns:
                raise DocumentError(f"It holds a table of more than {max_columns} columns.")
            line[column] = _flat(entry)
            if (bottom, right) != (number, column):
                merges.append(Merge(number, column, bottom, right))
                taken.update((r, c) for r in range(number, bottom + 1) for c in range(column, right + 1))
            column = right + 1
            width = max(width, column)
        lines.append(line)
    return [[line.get(column, "") for column in range(width)] for line in lines], merges
