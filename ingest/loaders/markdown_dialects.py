"""Dialects of Markdown made plain: what MkDocs, MyST and HTML add is rewritten as the Markdown every reader knows.

Real documents keep half of their tables and warnings in such forms. Rewriting happens once, while the file is read:
the document's text is the rewritten one, and citations are exact in it.
"""

from __future__ import annotations

import html as html_entities
import re
from collections.abc import Sequence

from markdown_it.token import Token

from ingest.loaders.base import LoadLimits
from ingest.loaders.csv_table import read_rows
from ingest.loaders.html import convert, parse_html
from ingest.loaders.pipe_table import is_delimiter_row, render
from kb.errors import DocumentError

_FENCE = re.compile(r"\s*(?:>\s*)*(`{3,}|~{3,})([^\n]*)")
_ADMONITION = re.compile(
    r"""
    (?:!!!|\?\?\?\+?)[ \t]+
    (?: (?P<kind>[\w-]+) (?:[ \t]+(?:inline|end))* (?:[ \t]+"(?P<title>.*)")? | "(?P<alone>.+)" )
    | ===[!+]?[ \t]+ "(?P<tab>.+)"
    """,
    re.VERBOSE,
)
_COLON_FENCE = re.compile(r"\s*:{3,}\s*(?:\{?([\w:-]+)\}?)?\s*(.*)")
_TARGET = re.compile(r"\s*\([\w.:-]+\)=\s*")

_DIRECTIVE = re.compile(r"\{([\w:-]+)\}\s*(.*)")
_OPTION = re.compile(r"\s*:([\w-]+):\s*(.*)")
_CODE_DIRECTIVES = frozenset(
    {"code", "code-block", "code-cell", "sourcecode", "math", "mermaid", "parsed-literal", "eval-rst"}
)
_EMPTY_DIRECTIVES = frozenset({"toctree", "contents", "include", "literalinclude", "raw", "image", "bibliography"})

_TABLE_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
_TABLE_LINES_MAX = 20_000

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:.|\n)*?(?<!`)\1(?!`)")
_COMMENT = re.compile(r"<!--.*?-->")
_BREAK = re.compile(r"[ \t]*<br\s*/?>[ \t]*", re.IGNORECASE)
_SUPERSCRIPT = re.compile(r"<sup>\s*([-+−]?\w{1,3})\s*</sup>", re.IGNORECASE)
_IMAGE_TAG = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|center|del|details|div|em|font|i|ins|kbd|p|picture|small|source|span|strong|sub|summary|sup|u)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,8}\d?);", re.IGNORECASE)
_ROLE = re.compile(r"\{[a-z][\w:-]*\}`([^`<]+?)\s*(?:<[^`>]*>)?`")
_DATA_URI = re.compile(r"\(\s*<?data:[^)\s]{40,}\)")


# ------------------------------------------------------------------ before parsing: blocks marked by indentation


def flatten_admonitions(text: str) -> str:
    """`!!! note "Title"`, `=== "Tab"` and `:::` blocks become a bold title and what they hold, no longer indented."""
    if not re.search(r"^\s*(?:!!!|\?\?\?|===[ \t]|:::|\([\w.:-]+\)=)", text, re.MULTILINE):
        return text
    out: list[str] = []
    indents: list[int] = []
    fence = ""
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and not fence:
            while indents and indent < indents[-1]:
                indents.pop()
        shift = 4 * len(indents)
        plain = line[min(shift, indent) :]
        if fence:
            fence = "" if _closes(line, fence) else fence
            out.append(plain)
            continue
        opening = _FENCE.match(line)
        if opening is not None:
            fence = opening.group(1)
            out.append(plain)
            continue
        out.extend(_rewritten(line, plain, indent, indents))
    return "\n".join(out)


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip().lstrip("> ")
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _rewritten(line: str, plain: str, indent: int, indents: list[int]) -> list[str]:
    stripped = line.strip()
    match = _ADMONITION.fullmatch(stripped)
    if match is not None:
        lead = " " * (len(plain) - len(plain.lstrip(" ")))
        indents.append(indent + 4)
        title = (match["title"] or match["alone"] or match["tab"] or match["kind"].capitalize()).strip()
        return ["", f"{lead}**{title}**", ""] if title else [""]
    if stripped.startswith(":::"):
        colon = _COLON_FENCE.fullmatch(line)
        title = colon.group(2).strip() if colon else ""
        return ["", f"**{title}**", ""] if title else [""]
    if _TARGET.fullmatch(line):
        return [""]
    return [plain]


# ------------------------------------------------------------------ after a first parse: directives and HTML


def rewrite_blocks(text: str, tokens: Sequence[Token], limits: LoadLimits) -> str:
    """`text` with directive fences and HTML blocks written as plain Markdown; the same object if there are none."""
    lines = text.split("\n")
    out: list[str] = []
    position = 0
    for token in tokens:
        if token.map is None or token.map[0] < position:
            continue
        start, end = token.map
        if token.type == "fence" and token.info.startswith("{"):
            replacement = _directive(token)
        elif token.type == "html_block":
            end = _table_end(lines, start, end)
            replacement = _html("\n".join(lines[start:end]), limits)
        else:
            continue
        if replacement is None:
            continue
        lead = " " * (len(lines[start]) - len(lines[start].lstrip(" ")))
        out.extend(lines[position:start])
        out.extend(["", *(f"{lead}{line}" if line else "" for line in replacement.split("\n")), ""])
        position = end
    if not position:
        return text
    out.extend(lines[position:])
    return "\n".join(out)


def _directive(token: Token) -> str | None:
    """Markdown for a `{directive}` fence; None if it is code."""
    match = _DIRECTIVE.match(token.info.strip())
    if match is None or match.group(1) in _CODE_DIRECTIVES:
        return None
    name, argument = match.group(1), match.group(2).strip()
    body, header_rows = _without_options(token.content)
    if name in _EMPTY_DIRECTIVES:
        return ""
    if name == "figure":
        return body.strip()
    if name in {"list-table", "csv-table"}:
        rows = _list_table(body) if name == "list-table" else list(read_rows(body, ","))
        table = render(rows, header_rows if name == "list-table" else max(header_rows, 1)) if rows else ""
        return f"{argument}\n\n{table}" if argument else table
    title = argument or name.rsplit(":", 1)[-1].capitalize()
    return f"**{title}**\n\n{body.strip()}"


def _without_options(content: str) -> tuple[str, int]:
    lines = content.split("\n")
    header_rows = 0
    if lines and lines[0].strip() == "---":
        closing = next((i for i, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)
        lines = lines[closing + 1 :] if closing else lines
    while lines and (option := _OPTION.fullmatch(lines[0])):
        if option.group(1) == "header-rows" and option.group(2).strip().isdigit():
            header_rows = int(option.group(2))
        lines.pop(0)
    return "\n".join(lines), header_rows


def _list_table(body: str) -> list[list[str]]:
    """Rows of a list of lists: `*` begins a row, `-` a cell (MyST also has them the other way round)."""
    rows: list[list[str]] = []
    row_mark = next((line.strip()[0] for line in body.split("\n") if line.strip()), "*")
    cell_mark = "-" if row_mark == "*" else "*"
    for line in body.split("\n"):
        stripped = line.strip()
        if not line.startswith((" ", "\t")) and stripped[:1] == row_mark:
            rows.append([])
            stripped = stripped[1:].strip()
        if not rows or not stripped:
            continue
        if stripped[0] == cell_mark and (len(stripped) == 1 or stripped[1] == " "):
            rows[-1].append(stripped[1:].strip())
        elif rows[-1]:
            rows[-1][-1] = f"{rows[-1][-1]} {stripped}".strip()
    return [row for row in rows if row]


def _table_end(lines: list[str], start: int, end: int) -> int:
    """Where the HTML block ends that starts a table: Markdown ends it at a blank line, the table goes on."""
    depth, position = 0, start
    for position in range(start, min(len(lines), start + _TABLE_LINES_MAX)):
        depth += sum(-1 if match.group(1) else 1 for match in _TABLE_TAG.finditer(lines[position]))
        if depth <= 0 and position + 1 >= end:
            return position + 1
    return end


def _html(source: str, limits: LoadLimits) -> str:
    """Markdown for a piece of HTML; empty if it shows nothing."""
    if not re.search(r"<\w", source):
        return "" if source.lstrip().startswith(("<!", "<?", "</")) else source
    try:
        return convert(parse_html(source), limits).text
    except DocumentError:
        return source


# ------------------------------------------------------------------ after the last parse: inline markup


def tidy_inline(text: str, tokens: Sequence[Token]) -> str:
    """`text` without inline HTML, roles and embedded images; code and the number of lines stay as they are."""
    lines = text.split("\n")
    code = {
        number
        for token in tokens
        if token.type in {"fence", "code_block"} and token.map
        for number in range(token.map[0], token.map[1])
    }
    following = [*lines[1:], ""]
    return "\n".join(
        line if number in code else _tidy_line(line, _break_in(line, following[number]))
        for number, line in enumerate(lines)
    )


def _break_in(line: str, following: str) -> str:
    """What a `<br>` becomes: in a table's data it parts two statements, in names and prose only words."""
    in_row = line.lstrip(" >").startswith("|") or line.count("|") > 1
    return "; " if in_row and not is_delimiter_row(following) else " "


def _tidy_line(line: str, line_break: str) -> str:
    if not any(mark in line for mark in ("<", "&", "{", "(data:", "( data:")):
        return line
    line = _DATA_URI.sub("()", _ROLE.sub(r"\1", line))
    out: list[str] = []
    position = 0
    for span in _CODE_SPAN.finditer(line):
        out += [_tidy_words(line[position : span.start()], line_break), span.group()]
        position = span.end()
    out.append(_tidy_words(line[position:], line_break))
    return "".join(out)


def _tidy_words(words: str, line_break: str) -> str:
    words = _COMMENT.sub("", words)
    words = _BREAK.sub(line_break, words)
    words = _SUPERSCRIPT.sub(r"^\1", words)
    words = _IMAGE_TAG.sub("", words)
    words = _TAG.sub("", words)
    return _ENTITY.sub(_entity, words)


def _entity(match: re.Match[str]) -> str:
    char = html_entities.unescape(match.group())
    # `<` and `|` would be read as markup once more, a line break would shift every line.
    return (
        match.group()
        if char in {"<", "|"} or (char.isspace() and char not in {" ", "\xa0"})
        else char.replace("\xa0", " ")
    )
