"""The words by which the gate reads what a figure is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from kb.answer.question.scanner import Hit, Scanner, Tag, walk
from kb.answer.question.scanner import fold_in_place as _fold
from kb.answer.question.table import read_table
from kb.specs.fields import FIELDS

COMPUTE_UNITS = frozenset({"TFLOPS", "TOPS"})
_SIGNS = frozenset("，；：！？（）。、")
_CHINESE_SIGNS = re.compile("[，；：！？（）。、]")
_BY_GRAMMAR = frozenset({"memory_gb", "memory_bandwidth_gb_s", "interconnect_gb_s", "interconnect", "memory_type"})
"""Read by what stands beside their words, not by their own terms alone."""
_NO_TERMS = frozenset({"chip", "vendor", "foundry", "process_name", "form_factor", "released_on", "pcie"})
_SHARED = ("precision", "modifier", "direction")
_KINDS = ("link", "bandwidth", "memory_type", "architecture")
_OWN = (
    "slot",
    "memory",
    "released",
    "system",
    "workload",
    "denied",
    "lacking",
    "total",
    "other_memory",
    "part",
    "called_wrong",
    "contrasted",
    "belongs",
    "reported",
)


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    text = resources.files("kb.answer.gate").joinpath("words.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return loaded


@lru_cache(maxsize=1)
def qualifier_groups() -> Mapping[str, str]:
    """The group of every qualifier; of one group a figure has one."""
    groups = {qualifier: group for group, row in _table()["qualifier"].items() for qualifier in row}
    return {**groups, "dense": "sparsity", "sparse": "sparsity"}


@lru_cache(maxsize=1)
def _scanner() -> Scanner:
    scanner = Scanner()
    for words, tag in _entries():
        scanner.add(words, tag)
    return scanner


def _entries() -> Iterator[tuple[Iterable[str], Tag]]:
    own, shared = _table(), read_table()
    for kind in _SHARED:
        yield from ((words, tag) for tag, words in walk(shared[kind], kind))
    for kind in _KINDS:
        yield from (([word], Tag(kind, str(word))) for word in shared[kind])
    for kind in _OWN:
        yield own[kind], Tag(kind)
    for key, spec in FIELDS.items():
        if "_" in key:
            yield (key,), Tag("field", key)  # as the API and JSON write it
        yield _terms(key, (*spec.terms_zh, *spec.terms_en)), Tag("field", key)
    for row, kind in (
        (own["field"], "field"),
        (own["form"], "form"),
        (own["says"], "says"),
        *((r, "qualifier") for r in own["qualifier"].values()),
    ):
        yield from ((words, tag) for tag, words in walk(row, kind))


def _terms(key: str, terms: Iterable[str]) -> Iterable[str]:
    if key in _NO_TERMS or FIELDS[key].unit in COMPUTE_UNITS or key in ("memory_type", "interconnect"):
        return ()
    if key not in _BY_GRAMMAR:
        return terms
    own = {"memory_bandwidth_gb_s": "memory_bandwidth", "memory_gb": "memory", "interconnect_gb_s": "link"}[key]
    if own == "link":
        return [term for term in terms if "带宽" in term or "bandwidth" in term or "speed" in term]
    if own == "memory_bandwidth":
        return [term for term in terms if term not in ("带宽", "bandwidth", "总带宽")]
    return [
        term for term in terms if any(word in term.lower() for word in ("容量", "大小", "size", "capacity", "amount"))
    ]


def fold_in_place(text: str) -> str:
    """Folded, every character in its place; Chinese punctuation stays, so that `，80GB` does not look like `,80GB`."""
    folded = _fold(text)
    if not _CHINESE_SIGNS.search(text):
        return folded
    return "".join(sign if sign in _SIGNS else char for sign, char in zip(text, folded, strict=True))


def words_in(folded: str) -> list[Hit]:
    """Every word of the lexicon in a text folded in place, in order."""
    return _scanner().scan(folded)


__all__ = ["COMPUTE_UNITS", "fold_in_place", "qualifier_groups", "words_in"]
