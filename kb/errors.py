"""What can go wrong, as one tree of errors; every message says what to do.

KbError
├── ConfigError               a setting is misspelt, missing or impossible
├── CorpusError               the corpus folder is missing or holds nothing readable
├── DocumentError             one document cannot be read; the others can
├── CatalogError              a record of the catalogue is malformed
├── IndexError_
│   ├── IndexMissingError     no generation has been published
│   ├── IndexCorruptError     a file of a generation differs from its checksum
│   ├── IndexMismatchError    the index was made by another model or version
│   └── IndexLockedError      another build holds the index
├── StorageError              the disk is full or the folder cannot be written
├── KeyFileError              the file of keys or the signing key is damaged
├── EmbeddingError            the embedding model cannot be loaded or run
├── LlmError
│   ├── LlmUnavailableError   no chat model answers
│   └── LlmTimeoutError       the chat model took too long
├── NotFoundError             no such document, card or job
├── RequestError              the caller asked for something impossible
└── OptionalDependencyError   a package of an extra is not installed

A refusal to answer is a result (`Answer.status`), not an error.
"""

from __future__ import annotations


class KbError(Exception):
    """Root of every error a caller can handle.

    Attributes:
        message: what is wrong, in one line.
        hint: what to do about it, in one line; may be empty.
        zh: both in Chinese; empty where only English is there.
    """

    def __init__(self, message: str, hint: str = "", *, zh: str = "") -> None:
        self.message = message
        self.hint = hint
        self.zh = zh
        super().__init__(f"{message} {hint}".strip())


class ConfigError(KbError):
    """A setting is misspelt, missing or impossible."""


class CorpusError(KbError):
    """The corpus folder is missing or holds nothing that can be read."""


class DocumentError(KbError):
    """One document cannot be read."""


class CatalogError(KbError):
    """A record of the card catalogue is malformed."""


class IndexError_(KbError):
    """Something is wrong with the index as a whole."""


class IndexMissingError(IndexError_):
    """No generation has been published yet."""


class IndexCorruptError(IndexError_):
    """A file of a generation is missing or differs from its checksum."""


class IndexMismatchError(IndexError_):
    """The index was made by another model, or by a version this one cannot read."""


class IndexLockedError(IndexError_):
    """Another build holds the index folder."""


class StorageError(KbError):
    """The disk is full or a folder cannot be written."""


class KeyFileError(KbError):
    """The file of keys or the signing key cannot be read."""


class EmbeddingError(KbError):
    """The embedding model cannot be loaded or run."""


class LlmError(KbError):
    """The chat model failed."""


class LlmUnavailableError(LlmError):
    """No chat model answers."""


class LlmTimeoutError(LlmError):
    """The chat model took longer than allowed."""


class NotFoundError(KbError):
    """There is no such document, card or job."""


class RequestError(KbError):
    """The caller asked for something impossible."""


class OptionalDependencyError(KbError):
    """A package that belongs to an extra is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed.", f"Run: pip install 'gpukb[{extra}]'")
