"""How large passages and pieces may be."""

from __future__ import annotations

from dataclasses import dataclass, fields

from kb.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Sizes of chunks, in columns: a Chinese character fills two columns, any other character one.

    Attributes:
        passage_columns: no passage is wider (1,000 Chinese characters, 2,000 others).
        passage_target_columns: what passages of a long section come close to.
        piece_columns: no piece is wider.
        piece_target_columns: what pieces of a long passage come close to.
        inline_code_columns: a code block up to this stays with the prose around it.
        context_columns: of title and headings in a piece's embedded text.
        max_tokens: no embedded text is longer, counted by the embedding model, prefix and special tokens included.
    """

    passage_columns: int = 2000
    passage_target_columns: int = 1600
    piece_columns: int = 640
    piece_target_columns: int = 460
    inline_code_columns: int = 600
    context_columns: int = 160
    max_tokens: int = 512

    def __post_init__(self) -> None:
        for item in fields(self):
            if getattr(self, item.name) < 1:
                raise ConfigError(f"chunk limit {item.name} is {getattr(self, item.name)}.", "Set it to 1 or more.")
        for name in ("passage", "piece"):
            if getattr(self, f"{name}_target_columns") > getattr(self, f"{name}_columns"):
                raise ConfigError(f"{name}_target_columns is above {name}_columns.", "Lower the target.")

    def check_window(self, window_tokens: int, model: str) -> None:
        """Refuse limits that let a text be longer than the model reads.

        Raises:
            ConfigError: `max_tokens` is above the window.
        """
        if self.max_tokens > window_tokens:
            raise ConfigError(
                f"max_tokens is {self.max_tokens}, but {model} reads only {window_tokens} tokens; "
                "what is beyond would be cut off unseen.",
                f"Set max_tokens to {window_tokens} or less.",
            )

    def describe(self) -> str:
        """All values in one line; two equal lines cut a document the same way."""
        return " ".join(f"{item.name}={getattr(self, item.name)}" for item in fields(self))
