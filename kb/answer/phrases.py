"""What answers say: wording by key and language, kept as data in `phrases.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from kb.answer.draft import Draft, Sentence
from kb.specs.fields import field
from kb.text import CJK
from kb.types import AnswerStatus, Language, Reason

_FULL_WIDTH = "，。；：！？、（）“”《》"
_SPACE_BETWEEN_CHINESE = re.compile(f"(?<=[{CJK}{_FULL_WIDTH}]) +(?=[{CJK}{_FULL_WIDTH}])")
_SPACE_AFTER_SIGN = re.compile(f"(?<=[{_FULL_WIDTH}]) +")
_SPACE_BEFORE_SIGN = re.compile(f" +(?=[{_FULL_WIDTH}])")


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    text = resources.files("kb.answer").joinpath("phrases.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return loaded


@lru_cache(maxsize=1024)
def _template(key: str, language: Language) -> str:
    row: Any = _table()
    for part in key.split("."):
        row = row[part]
    return str(row[language])


def say(key: str, language: Language, **words: object) -> str:
    """The phrase of that key with its words filled in.

    Raises:
        KeyError: there is no such phrase, or a word for it is missing.
    """
    return tidy(_template(key, language).format(**words), language)


def tidy(text: str, language: Language) -> str:
    """Chinese text without spaces between Chinese characters or beside full-width signs; English unchanged."""
    if language == "en":
        return text
    text = _SPACE_BETWEEN_CHINESE.sub("", text)
    return _SPACE_BEFORE_SIGN.sub("", _SPACE_AFTER_SIGN.sub("", text))


def label_of(key: str, language: Language, vendor_id: str = "") -> str:
    """How a sentence names a field, by its vendor's own word where there is one."""
    own: Mapping[str, Mapping[str, str]] = _table()["vendor_labels"].get(vendor_id, {})
    if key in own:
        return own[key][language]
    labels: Mapping[str, Mapping[str, str]] = _table()["labels"]
    if key in labels:
        return labels[key][language]
    text = field(key).label(language)
    return text if language == "zh" or text[1:2].isupper() or not text[:1].isalpha() else text[0].lower() + text[1:]


def feature_of(key: str, language: Language) -> str:
    """How a sentence names what a card has or lacks."""
    features: Mapping[str, Mapping[str, str]] = _table()["features"]
    if key.endswith("_sparse"):
        return features["sparse"][language]
    return features[key][language] if key in features else label_of(key, language)


def head_note(key: str, language: Language) -> str:
    """What a column's head says besides the field's name; empty for most."""
    heads: Mapping[str, Mapping[str, str]] = _table()["heads"]
    return heads[key][language] if key in heads else ""


def join_list(items: Sequence[str], language: Language) -> str:
    """`A、B 和 C`; `A, B and C`."""
    if len(items) < 2:
        return "".join(items)
    return say("join.list", language).join(items[:-1]) + _template("join.last", language) + items[-1]


def quoted(text: str, language: Language) -> str:
    """Words of the question, in quotation marks."""
    return say("join.quote", language, text=text)


def in_parentheses(text: str, language: Language) -> str:
    """A remark in the parentheses of the language; empty for empty text."""
    return _template("join.paren", language).format(text=text) if text else ""


def refusal(
    reason: Reason, language: Language, *, name: str = "", has_catalog: bool = True, injected: bool = False
) -> Draft:
    """The answer that gives none: why, and what can be asked instead. It holds no figure.

    Args:
        reason: why there is no answer.
        language: to write in.
        name: the unknown card, for `unknown_gpu`.
        has_catalog: whether the service knows cards; without, nothing about cards is offered.
        injected: the question was an instruction to the service.
    """
    key = f"refusals.{reason}"
    if injected:
        key = "refusals.injected"
    elif reason == "unknown_gpu" and name:
        key = "refusals.unknown_gpu_named"
    first = Sentence(say(key, language, name=name), end="" if language == "zh" else " ")
    if reason in {"ambiguous", "llm_unavailable"}:
        return Draft("no_answer", reason, (first,))
    offer = "refusals.offer" if has_catalog else "refusals.offer_documents"
    return Draft("no_answer", reason, (first, Sentence(say(offer, language))))


def greeting(language: Language, text: str, *, has_catalog: bool = True) -> Draft:
    """A greeting for a greeting, thanks or goodbye."""
    status: AnswerStatus = "answered"
    folded = text.lower()
    if re.search(r"谢|thank|thx|cheers", folded):
        key = "thanks"
    elif re.search(r"再见|拜拜|bye", folded):
        key = "bye"
    else:
        key = "greeting" if has_catalog else "greeting_documents"
    return Draft(status, None, (Sentence(say(key, language)),))


def capability(language: Language, *, has_catalog: bool = True) -> Draft:
    """What the service can do."""
    key = "capability" if has_catalog else "capability_documents"
    return Draft("answered", None, (Sentence(say(key, language)),))
