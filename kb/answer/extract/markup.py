"""Source text as a reader sees it: Markdown, reStructuredText and HTML marks gone, inline code kept."""

from __future__ import annotations

import html
import re
from typing import Final

_MARKS: Final = re.compile(r"[\\*_`~\[\]<>&|#:^]")
_IMAGE: Final = re.compile(r"!\[[^\[\]]*\](?:\([^()\s]*(?:\([^()]*\)[^()]*)*(?:\s+[\"'][^\"']*[\"'])?\)|\[[^\[\]]*\])")
_LINK: Final = re.compile(
    r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?:<[^<>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+[\"'][^\"']*[\"'])?\)"
)
_REFERENCE_LINK: Final = re.compile(r"\[(?![1-9]\d{0,2}\])([^\[\]]+)\]\[[^\[\]]*\]")
_FOOTNOTE: Final = re.compile(r"\s*\[\^[^\[\]]+\]:?|\s*\[#[\w-]*\]_")
_NUMBER_MARK: Final = re.compile(r"\s*(?<![\w\]`])(?:\[[1-9]\d{0,2}\])+(?!\()")
"""Another document's own reference mark; ours look the same."""
_NUMBER_MARK_BEHIND_WORD: Final = re.compile(r"(?<=\w)(?:\[[1-9]\d{0,2}\])+(?![A-Za-z0-9_(\[])")
_ROLE: Final = re.compile(r"(?::[a-z][\w:+-]*:|\{[a-z][\w:-]*\})`([^`<>]+?)\s*(?:<[^`<>]*>)?`")
_RST_LINK: Final = re.compile(r"`([^`<>]+?)\s*<[^`<>]*>`_{1,2}")
_RST_REFERENCE: Final = re.compile(r"`([^`]+)`__?(?!\w)")
_RST_CODE: Final = re.compile(r"``([^`]+)``")
_AUTOLINK: Final = re.compile(r"<((?:https?|mailto):[^<>\s]+)>")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]*>|<!--.*?-->", re.DOTALL)
_EMPHASIS: Final = (
    re.compile(r"(\*\*\*|\*\*|___|__|~~)(?=\S)(.+?)(?<=\S)\1"),
    re.compile(r"(?<![\w*\\])(\*)(?=[^\s*])([^*\n]+?)(?<=[^\s*\\])\1(?![*\w])"),
    re.compile(r"(?<![\w\\])(_)(?=[^\s_])([^_\n]+?)(?<=[^\s_])\1(?!\w)"),
)
_LONE_BOLD: Final = re.compile(r"(?<!\*)\*\*(?!\*)|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)")
_LONE_UNDERSCORE: Final = re.compile(r"(?<!\w)_(?=[\u3400-\u9fff])|(?<=[\u3400-\u9fff。，：])_(?!\w)")
_TEX_WORDS: Final = re.compile(r"\\(?:text|mathrm|mathbf|operatorname)\{([^{}]*)\}")
_TEX_FRACTION: Final = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
_TEX_COMMAND: Final = re.compile(r"\\([a-z]+)", re.IGNORECASE)
_TEX_SIGNS: Final = {
    "times": "×",
    "cdot": "·",
    "div": "÷",
    "approx": "≈",
    "leq": "≤",
    "geq": "≥",
    "lceil": "⌈",
    "rceil": "⌉",
    "max": "max",
    "min": "min",
    "left": "",
    "right": "",
    "sum": "Σ",
    "sqrt": "√",
}
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_CODE_SPAN: Final = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_LINE_MARK: Final = re.compile(
    r"""
    ^[ \t]*(?:>[ \t]?)*                                                     # a quotation
    (?: \#{1,6}[ \t]+                                                       # a heading
      | (?:[-*+•·]|\#\.|\(?\d{1,3}[.)、](?!\d)|\(?[a-z][.)])(?=[ \t]|\*\*)[ \t]*  # a list item
      | \d{1,2}、 )?
    (?:\[[ xX]\][ \t]+)?                                                    # a box to tick
    """,
    re.VERBOSE,
)
_CALLOUT: Final = re.compile(r"^\s*\[![A-Z]+\]|^_(?=\s)")
_SPACES: Final = re.compile(r"\s+")


def plain(source: str) -> str:
    """One line of words for some source text: link texts without addresses, no emphasis, no list sign, no images.

    Inline code keeps its backticks. Marks such as `[3]` that a document sets itself are left out, so that they are not
    taken for the answer's own.
    """
    text = _SPACES.sub(" ", _CALLOUT.sub("", _LINE_MARK.sub("", source, count=1))).strip()
    if not _MARKS.search(text):
        return text
    text = _RST_CODE.sub(r"`\1`", _RST_REFERENCE.sub(r"\1", _RST_LINK.sub(r"\1", _ROLE.sub(r"\1", text))))
    pieces: list[str] = []
    position = 0
    for span in _CODE_SPAN.finditer(text):
        pieces += [text[position : span.start()], "\x00"]
        position = span.end()
    pieces.append(text[position:])
    codes = [match.group() for match in _CODE_SPAN.finditer(text)]
    words = _words("".join(pieces))
    for code in codes:
        words = words.replace("\x00", code, 1)
    return _SPACES.sub(" ", words).strip()


def _formula(text: str) -> str:
    """A formula in TeX as it can be written in a line."""
    text = _TEX_FRACTION.sub(r"\1/\2", _TEX_WORDS.sub(r"\1", text))
    return _TEX_COMMAND.sub(lambda match: _TEX_SIGNS.get(match.group(1), match.group()), text).replace("$", "")


def _words(text: str) -> str:
    if "[" in text:
        text = _FOOTNOTE.sub("", _REFERENCE_LINK.sub(r"\1", _LINK.sub(r"\1", _IMAGE.sub("", text))))
    if "<" in text:
        text = _TAG.sub("", _AUTOLINK.sub(r"\1", text))
    for pattern in _EMPHASIS:
        text = pattern.sub(r"\2", text)
    if "\\" in text:
        text = _formula(text)
    text = _ESCAPE.sub(r"\1", _LONE_UNDERSCORE.sub("", _LONE_BOLD.sub("", text)))
    text = html.unescape(text) if "&" in text else text
    # Last, for an escaped mark looks like ours as well.
    return _NUMBER_MARK_BEHIND_WORD.sub("", _NUMBER_MARK.sub("", text)) if "[" in text else text
