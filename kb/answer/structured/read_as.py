"""How a misspelt name was read."""

from __future__ import annotations

import re

from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.said import (
    sentence,
)
from kb.answer.structured.voice import Voice
from kb.specs.names import Mention
from kb.text import fold


def read_as(page: Page, voice: Voice, mention: Mention) -> None:
    """Say how a misspelt name was read."""
    if mention.corrected and not _spelt_right(voice, mention):
        name = mention_name(voice, mention)
        page.add(sentence("names.read_as", voice.language, asked=mention.text.strip(), card=name))


def _spelt_right(voice: Voice, mention: Mention) -> bool:
    """Whether only the vendor was misspelt, which needs no word."""
    asked = re.sub(r"[^a-z0-9\u4e00-\u9fff]", "", fold(mention.text))
    codes = re.findall(r"[^\s（）()]*\d[^\s（）()]*", voice.name(mention.gpu_ids[0]))
    return bool(codes) and re.sub(r"[^a-z0-9\u4e00-\u9fff]", "", fold(codes[0])) in asked
