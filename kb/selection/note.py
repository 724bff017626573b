"""A remark for the reader, in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from kb.types import Language


@dataclass(frozen=True, slots=True)
class Note:
    """What was assumed, or how something was read."""

    zh: str
    en: str

    def text(self, language: Language) -> str:
        """The remark in `language`."""
        return self.zh if language == "zh" else self.en
