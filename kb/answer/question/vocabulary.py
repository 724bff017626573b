"""The words that questions are read by: `vocabulary.yaml`, the fields' own terms, and a catalogue's groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kb.answer.question.fields_asked import PRECISION_KEYS
from kb.answer.question.scanner import Scanner, Tag, fold_in_place, walk
from kb.answer.question.table import read_table
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS

_VALUED = ("precision", "modifier", "compute", "direction", "comparator", "group", "workload")
_PLAIN = (
    "link",
    "bandwidth",
    "per_watt",
    "per_dollar",
    "role",
    "same",
    "use",
    "other_field",
    "other_bandwidth",
    "slice_word",
    "unit_word",
    "thing",
    "filler",
)
_PRECISION_FIELDS = frozenset({*PRECISION_KEYS.values(), *(f"{key}_sparse" for key in PRECISION_KEYS.values())}) | {
    "fp16_tflops",
    "fp64_tensor_tflops",
    "fp32_matrix_tflops",
    "fp16_tensor_fp16acc_tflops",
    "fp16_tensor_fp16acc_tflops_sparse",
    "fp8_tensor_fp16acc_tflops",
}
"""Read by grammar (format and modifiers), not by their terms."""
_KEPT_TERMS = {"tops", "ai tops", "aitops", "ai算力tops"}


@dataclass(frozen=True, slots=True)
class SuperlativeWord:
    """What a superlative means by itself."""

    field: str
    direction: str
    weak: bool


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns over a whole question."""

    greeting: re.Pattern[str]
    capability: re.Pattern[str]
    off_topic: re.Pattern[str]
    follow_up: re.Pattern[str]
    anaphora: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Everything the reader knows of words."""

    scanner: Scanner
    patterns: Patterns
    slips: Mapping[str, str]
    numerals: Mapping[str, int]
    superlatives: Mapping[str, SuperlativeWord]
    suffix: re.Pattern[str]
    announced: re.Pattern[str]
    cut_from: Mapping[str, str]
    technical: frozenset[str]


def load_vocabulary(catalog: Catalog) -> Vocabulary:
    """The vocabulary with the vendors and architectures of a catalogue."""
    table = read_table()
    scanner = Scanner()
    for kind in _VALUED:
        for tag, words in walk(table[kind], kind):
            scanner.add(words, tag)
    for kind in _PLAIN:
        scanner.add(table[kind], Tag(kind, ""))
    _add_questions(scanner, table)
    for word in table["memory_type"]:
        scanner.add([word], Tag("memory_type", word))
    for wrong, right in table["latin_slips"].items():
        scanner.add([wrong], Tag("slip", right))
    for tag, words in walk(table["field"], "field"):
        scanner.add(words, tag)
    _add_fields(scanner)
    _add_groups(scanner, catalog, table["architecture"])
    superlatives = _add_superlatives(scanner, table["superlative"])
    return Vocabulary(
        scanner=scanner,
        patterns=Patterns(
            **{
                name: re.compile(table[name], re.IGNORECASE)
                for name in ("greeting", "capability", "off_topic", "follow_up", "anaphora")
            }
        ),
        slips=table["slips"],
        numerals={str(word): int(number) for word, number in table["numerals"].items()},
        superlatives=superlatives,
        suffix=re.compile(r"[ \-]?(" + "|".join(map(re.escape, table["suffix"])) + r")(?![a-z0-9])"),
        announced=_any_of(table["announced"]),
        cut_from=table["cut_from"],
        technical=frozenset(table["technical"]),
    )


def _add_questions(scanner: Scanner, table: Mapping[str, Any]) -> None:
    """Words for what is asked; some of them name a field besides."""
    for tag, words in walk(table["asks"], "asks"):
        scanner.add(words, Tag(tag.value))
    scanner.add(table["asks"]["list_price"], Tag("field", "price_usd"))
    for tag in (Tag("memory_type", "hbm"), Tag("yes_no")):
        scanner.add(table["is_hbm"], tag)
    for key, words in table["comparative"].items():
        scanner.add(words, Tag("field", key))
        scanner.add(words, Tag("compare"))
    for tag, words in walk(table["not_held"], "not_held"):
        scanner.add(words, tag)
        scanner.add(words, Tag("other_field", ""))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, longest first, whatever stands between their parts."""
    spelt = (r"\s*".join(re.escape(part) for part in fold_in_place(word).split()) for word in words)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(sorted(spelt, key=len, reverse=True))})(?![a-z0-9])")


def _add_fields(scanner: Scanner) -> None:
    for key, spec in FIELDS.items():
        terms: Iterable[str] = (*spec.terms_zh, *spec.terms_en)
        if key in _PRECISION_FIELDS:
            terms = [term for term in terms if fold_in_place(term) in _KEPT_TERMS]
        scanner.add(terms, Tag("field", key))


def _add_groups(scanner: Scanner, catalog: Catalog, architectures: Iterable[str]) -> None:
    for vendor in catalog.vendors.values():
        names = {*_names_in(vendor.name, vendor.name_zh), *vendor.aliases}
        scanner.add(names, Tag("vendor", vendor.vendor_id))
        scanner.add((f"{name}家" for name in names if not name.isascii()), Tag("vendor", vendor.vendor_id))
    for word in architectures:
        scanner.add((word,), Tag("architecture", word))


def _names_in(*names: str) -> set[str]:
    found: set[str] = set()
    for name in names:
        found.update(part for part in re.split(r"[()（）/、\s]+", name) if len(part) > 1)
    return found


def _add_superlatives(scanner: Scanner, rows: Iterable[Mapping[str, Any]]) -> dict[str, SuperlativeWord]:
    words: dict[str, SuperlativeWord] = {}
    for number, row in enumerate(rows):
        words[str(number)] = SuperlativeWord(row.get("field", ""), row["direction"], bool(row.get("weak", False)))
        scanner.add(row["words"], Tag("superlative", str(number)))
    return words
