r"""What is done to every text before anything points into it.

Citations are exact only if nothing changes later, so all of it happens while a file is read: line ends become
`\\n`, byte order marks and control characters go, and nothing else is touched. Full-width letters, odd spacing and
spelling stay as the author wrote them; search folds them on its own side.
"""

from __future__ import annotations

import re
import unicodedata

# Tab and line feed stay; form feed and vertical tab end a line. U+FEFF inside a text is a forgotten byte order mark.
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff]")
_LONE_SURROGATES = re.compile(r"[\ud800-\udfff]")
_INVISIBLE = re.compile(r"[\s\u200b-\u200f\u2060\ufffd]*")


def clean(text: str) -> str:
    r"""`text` with `\\n` line ends and without control characters."""
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))


def without_lone_surrogates(text: str) -> str:
    """`text` with U+FFFD for halves of characters, which an escape can name and no encoding can write."""
    return _LONE_SURROGATES.sub("\ufffd", text)


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing."""
    return _INVISIBLE.fullmatch(text) is not None


def normalise_name(name: str) -> str:
    """A file name as it is stored: composed and decomposed spellings become one (NFC)."""
    return unicodedata.normalize("NFC", name)
