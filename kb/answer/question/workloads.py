"""Language models that a sizing question is about: what is asked, the model, its formats, and how much at once.

The words are data (`workloads.yaml`); here stands how they are put together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, cast

import yaml

from kb.answer.question.model import Workload, WorkloadAsk
from kb.specs.model_shapes import ModelMention, ModelShapes

_BILLIONS = {"b": 1.0, "billion": 1.0, "t": 1000.0, "亿": 0.1}
_TOKENS = {"b": 1e9, "billion": 1e9, "t": 1e12, "trillion": 1e12, "万亿": 1e12, "亿": 1e8}
_TOKENS |= {"m": 1e6, "million": 1e6, "百万": 1e6}
_THOUSANDS = {"k": 1024, "m": 1024 * 1024, "": 1}
_SHORT = {"k": 1e3, "千": 1e3, "万": 1e4, "": 1.0}
_NUMERALS = {"一": 1, "单": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "十": 10}
_NUMERALS |= {"one": 1, "a single": 1, "single": 1, "a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_NUMERALS |= {"six": 6, "eight": 8, "sixteen": 16}
_LEAST_CONTEXT = 16
_MOST_TOKENS = 100_000_000
_MOST_CARDS = 65536
_BARE = 60
"""Characters of a question that only names a model and cards, at most."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The patterns of `workloads.yaml`."""

    families: re.Pattern[str]
    asks: Mapping[WorkloadAsk, re.Pattern[str]]
    bare: re.Pattern[str]
    bare_not: re.Pattern[str]
    other: re.Pattern[str]
    trains: re.Pattern[str]
    finetunes: re.Pattern[str]
    wants_cards: re.Pattern[str]
    keeps_activations: re.Pattern[str]
    methods: Mapping[str, re.Pattern[str]]
    optimizers: Mapping[str, re.Pattern[str]]
    formats: Mapping[str, re.Pattern[str]]
    cache_format: re.Pattern[str]
    numbers: Mapping[str, tuple[re.Pattern[str], ...]]


@lru_cache(maxsize=1)
def _words() -> _Words:
    text = resources.files("kb.answer.question").joinpath("workloads.yaml").read_text(encoding="utf-8")
    data: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return _Words(
        families=re.compile(rf"(?<![a-z])(?:{'|'.join(data['families'])})[\s\-]*(?:v|r)?[\d.]*[\w.]*(?:-\w[\w.]*)*"),
        asks={key: _any(patterns) for key, patterns in data["asks"].items()},
        bare=re.compile(data["bare"]),
        bare_not=re.compile(data["bare_not"]),
        other=_any(data["other"]),
        trains=_any(data["trains"]),
        finetunes=_any(data["finetunes"]),
        wants_cards=_any(data["wants_cards"]),
        keeps_activations=_any(data["keeps_activations"]),
        methods={key: _any(patterns) for key, patterns in data["methods"].items()},
        optimizers={key: _any(patterns) for key, patterns in data["optimizers"].items()},
        formats={key: _any(patterns) for key, patterns in data["formats"].items()},
        cache_format=re.compile(data["cache_format"]),
        numbers={
            key: tuple(re.compile(p) for p in ([value] if isinstance(value, str) else value))
            for key, value in data["numbers"].items()
        },
    )


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


@lru_cache(maxsize=1)
def model_shapes() -> ModelShapes:
    """The recorded models, read when a question first names one."""
    return ModelShapes.load()


def read_workload(text: str, masked: str, card_gb: float | None, card_starts: Sequence[int] = ()) -> Workload | None:
    """The model that a question wants sized; `None` where it asks something else or names none.

    Args:
        text: as asked.
        masked: folded, with names of cards and figures blanked, so that a 910B is no model of 910 billion.
        card_gb: a memory size that the question states.
        card_starts: where cards are named, for the number before them.
    """
    words = _words()
    decimals = _first(words.numbers["decimals"], masked)
    masked = _without(masked, decimals)
    if words.other.search(masked):
        return None
    of_cards = bool(card_starts)
    asks = next((k for k, p in words.asks.items() if p.search(masked) and (of_cards or k != "context")), None)
    if asks == "model" and (of_cards or card_gb):
        return _of_cards_alone(masked, card_gb, card_starts)
    if asks is None and (of_cards or card_gb) and _is_bare(masked):
        asks = "fit"
    family = words.families.search(masked)
    parameters = words.numbers["parameters"][0].search(masked)
    if asks is None or (parameters is None and family is None):
        return None
    mention = next(iter(model_shapes().mentioned(masked)), None) if family else None
    if mention is None and parameters is None and not _is_versioned(family):
        return None
    found = _workload(text, masked, asks, _Named(mention, family, parameters), card_gb, card_starts)
    return replace(found, decimals=_decimals(decimals))


def _of_cards_alone(masked: str, card_gb: float | None, card_starts: Sequence[int]) -> Workload | None:
    """The question for the largest model that cards hold; `None` where it names one."""
    words = _words()
    if words.families.search(masked) or words.numbers["parameters"][0].search(masked) or words.trains.search(masked):
        return None
    return Workload(
        asks="model",
        precision=next((name for name, pattern in words.formats.items() if pattern.search(masked)), ""),
        context_tokens=_context(masked),
        sequences=_count(words.numbers["sequences"], masked),
        card_gb=card_gb,
        cards=_cards(masked, card_starts),
    )


def _decimals(match: re.Match[str] | None) -> int | None:
    """To how many decimals figures are wanted."""
    if match is None:
        return None
    word = next(group for group in match.groups() if group)
    return int(word) if word.isdigit() else _NUMERALS.get(word, 0)


def _is_bare(masked: str) -> bool:
    """Whether a short question names a model and cards and asks nothing further."""
    words = _words()
    if len(masked) > _BARE or words.bare_not.search(masked):
        return False
    return words.bare.search(masked) is not None or _context(masked) is not None


@dataclass(frozen=True, slots=True)
class _Named:
    """What says which model it is."""

    mention: ModelMention | None
    family: re.Match[str] | None
    parameters: re.Match[str] | None

    def parameters_b(self) -> float | None:
        """Billions, where no recorded model is named."""
        if self.mention is not None or self.parameters is None:
            return None
        return float(self.parameters.group(1)) * _BILLIONS[self.parameters.group(2)]

    def unknown(self, text: str) -> str:
        """The name of a model that is not recorded."""
        if self.mention is not None or not _is_versioned(self.family) or self.family is None:
            return ""
        return text[self.family.start() : self.family.end()].strip(" -")


def _is_versioned(family: re.Match[str] | None) -> bool:
    """Whether a family's name stands with a version, so that it names one model ("Llama 5", not "Llama 70B")."""
    return family is not None and re.search(r"\d", re.sub(r"\d+(?:\.\d+)?b\b", "", family.group())) is not None


def _workload(
    text: str, masked: str, asks: WorkloadAsk, named: _Named, card_gb: float | None, card_starts: Sequence[int]
) -> Workload:
    words = _words()
    cache = words.cache_format.search(masked)
    optimizer = next((name for name, pattern in words.optimizers.items() if pattern.search(masked)), "")
    of_weights = _without(masked, cache, words.optimizers[optimizer].search(masked) if optimizer else None)
    trains = words.trains.search(masked) is not None
    zero = _first(words.numbers["zero_stage"], masked)
    rate = _rate(masked, asks)
    mention = named.mention
    return Workload(
        asks="time" if trains and asks in {"speed", "prefill", "concurrency"} else "rate" if rate else asks,
        model=text[mention.start : mention.end] if mention else "",
        unknown=named.unknown(text),
        parameters_b=named.parameters_b(),
        precision=next((name for name, pattern in words.formats.items() if pattern.search(of_weights)), ""),
        kv_precision=next(group for group in cache.groups() if group) if cache else "",
        context_tokens=_context(_without(masked, rate)),
        sequences=_count(words.numbers["sequences"], masked) or _count(words.numbers["ways"], text.lower()),
        card_gb=None if asks == "weights" else card_gb,
        cards=_cards(masked, card_starts),
        nodes=_number(words.numbers["nodes"][0].search(masked)),
        wants_cards=words.wants_cards.search(masked) is not None,
        trains=trains,
        finetunes=words.finetunes.search(masked) is not None,
        methods=_methods(masked),
        optimizer=optimizer,
        zero_stage=None if zero is None else int(zero.group(1) or 3),
        lora_rank=_count(words.numbers["lora_rank"], masked) if trains else None,
        keeps_activations=words.keeps_activations.search(masked) is not None,
        target_ms=_target_ms(masked),
        target_tokens_s=float(rate.group(1)) * _SHORT[rate.group(2) or ""] if rate else None,
        training_tokens=_training_tokens(masked) if trains else None,
    )


def _methods(masked: str) -> tuple[Literal["full", "lora", "qlora"], ...]:
    """How it is trained, in the order of the question."""
    found = [(match.start(), name) for name, pattern in _words().methods.items() if (match := pattern.search(masked))]
    return cast(tuple[Literal["full", "lora", "qlora"], ...], tuple(name for _, name in sorted(found)))


def _first(patterns: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.search(text))), None)


def _count(patterns: Iterable[re.Pattern[str]], text: str) -> int | None:
    match = _first(patterns, text)
    return max(1, int(match.group(1))) if match else None


def _context(masked: str) -> int | None:
    for pattern in _words().numbers["context"]:
        for match in pattern.finditer(masked):
            tokens = int(float(match.group(1)) * _THOUSANDS[match.group(2) or ""])
            if _LEAST_CONTEXT <= tokens <= _MOST_TOKENS:
                return tokens
    return None


def _rate(masked: str, asks: WorkloadAsk) -> re.Match[str] | None:
    """The speed that cards are wanted for, all sequences together."""
    words = _words()
    if asks not in {"speed", "cards"} or not words.asks["cards"].search(masked) or words.trains.search(masked):
        return None
    return None if _first(words.numbers["target_tokens_s"], masked) else _first(words.numbers["rate"], masked)


def _training_tokens(masked: str) -> float | None:
    match = _first(_words().numbers["training_tokens"], masked)
    return float(match.group(1)) * _TOKENS[match.group(2)] if match else None


def _target_ms(masked: str) -> float | None:
    match = _first(_words().numbers["target_ms"], masked)
    if match is not None:
        return float(match.group(1)) or None
    speed = _first(_words().numbers["target_tokens_s"], masked)
    return 1000 / float(speed.group(1)) if speed and float(speed.group(1)) else None


def _cards(masked: str, card_starts: Sequence[int]) -> int | None:
    """How many cards there are: a number with a word for cards, or one right before a card's name."""
    before = _words().numbers["cards_before_name"][0]
    found = next((match for start in card_starts if (match := before.search(masked[:start]))), None)
    match = found or _first(_words().numbers["cards"], masked)
    return _number(match)


def _number(match: re.Match[str] | None) -> int | None:
    if match is None:
        return None
    word = match.group(1)
    count = int(word) if word.isdigit() else _NUMERALS[word]
    return count if 1 <= count <= _MOST_CARDS else None


def _without(text: str, *matches: re.Match[str] | None) -> str:
    """A text with the words of some matches blanked."""
    for match in matches:
        if match is not None:
            text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return text
