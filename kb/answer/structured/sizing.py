"""What memory a model needs and how many cards hold it: each number with the formula it comes from."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.draft import DraftFact
from kb.answer.question import Question, Workload
from kb.answer.question.workloads import model_shapes
from kb.answer.structured.lookup import read_as
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, combine, derived, listed, phrase, sentence
from kb.answer.structured.voice import Voice
from kb.sizing.formats import number_format
from kb.sizing.kv_cache import kv_bytes_per_token, kv_cache_bytes
from kb.specs.model_shapes import ModelShape

_GB = 1e9
OVERHEAD = (0.10, 0.20)
BYTES_PER_PARAMETER = {
    name: number_format(name).bytes for name in ("fp32", "fp16", "bf16", "fp8", "int8", "fp4", "int4", "mxfp4")
}


def released_in(shape: ModelShape) -> str:
    """The number format of a model's published weights."""
    return shape.released_in


def weights_bytes(parameters: float, bytes_per_parameter: float) -> float:
    """Bytes of the weights."""
    return parameters * bytes_per_parameter


def with_overhead(total_bytes: float) -> tuple[float, float]:
    """A total with the lower and the higher overhead."""
    low, high = OVERHEAD
    return total_bytes * (1 + low), total_bytes * (1 + high)


def cards_needed(total_bytes: float, card_bytes: float) -> int:
    """The fewest cards that hold a total."""
    return math.ceil(total_bytes / card_bytes - 1e-9)


def tensor_parallel_cards(cards: int) -> int:
    """The next power of two."""
    return 1 << max(cards - 1, 0).bit_length()


_NEAR_SIZE = 0.12
"""A model of a stated size may stand for others this far off."""
_COMMON_CARDS_GB = (24, 48, 80, 141, 192)
_OTHER_PRECISIONS = ("fp16", "fp8", "int4")
_COUNT = re.compile(
    r"(?<![\d.a-z])(\d{1,4}|[一单两二三四五六七八十]|one|a single|single|two|four|eight)"
    r"\s*(?:张|块|片|卡|[x×*]|cards?\b|gpus?\b|(?=\s*(?:rtx|[hab]\d00|l\d|\d090)))"
)
_NUMERALS = {"一": 1, "单": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "十": 10}
_NUMERALS |= {"one": 1, "a single": 1, "single": 1, "two": 2, "four": 4, "eight": 8}
_ASKS_WHETHER = re.compile(
    r"吗|\bfits?\b|能不能|能否|够不够|得下|得动|\benough\b|\b(?:can|does|do|will|is|are)\b.*\b(?:run|fits?|hold|host|load|serve)\b"
)


@dataclass(frozen=True, slots=True)
class _Need:
    """What a workload comes to, in bytes."""

    shape: ModelShape | None
    is_assumed: bool
    parameters_b: float
    precision: str
    weights: float
    kv: float

    @property
    def total(self) -> tuple[float, float]:
        """With overhead, low and high."""
        return with_overhead(self.weights + self.kv)


def size(page: Page, voice: Voice, question: Question) -> bool:
    """Write what a model needs; `False` if that is not certain arithmetic (training)."""
    workload = question.workload
    if workload is None or workload.trains:
        return False
    need = _need(workload)
    page.answered += 1
    for mention in question.cards:
        _cards(page, voice, question, mention.gpu_ids, need)
    if not question.cards and workload.card_gb:
        _on_stated(page, voice, question, workload.card_gb, need)
    elif not question.cards:
        key = "sizing.need_with_kv" if need.kv else "sizing.need"
        words: dict[str, Words] = {"total": _span(voice, need.total), "weights": _gb(need.weights), "kv": _gb(need.kv)}
        page.add(sentence(key, voice.language, **words))
    if need.shape is not None and "kv" in question.text.lower() and not question.cards:
        _kv(page, voice, workload, need, need.shape)
    _breakdown(page, voice, workload, need)
    if not question.cards and not workload.card_gb:
        _by_memory(page, voice, need)
    for mention in question.cards:
        read_as(page, voice, mention)
    return True


def _need(workload: Workload) -> _Need:
    shape = model_shapes().find(workload.model) if workload.model else None
    parameters = workload.parameters_b or (shape.parameters_b if shape else 0.0)
    is_assumed = shape is None and workload.context_tokens is not None
    if is_assumed:
        shape = _like(parameters)
    precision = workload.precision or (released_in(shape) if shape and not is_assumed else "fp16")
    kv = 0.0
    if shape is not None and workload.context_tokens:
        kv = kv_cache_bytes(shape, workload.context_tokens, workload.sequences, BYTES_PER_PARAMETER["fp16"])
    weights = weights_bytes(parameters * 1e9, BYTES_PER_PARAMETER[precision])
    return _Need(shape, is_assumed, parameters, precision, weights, kv)


def _like(parameters_b: float) -> ModelShape | None:
    """A well-known dense model of about that size, to take a KV cache from."""
    dense = [s for s in model_shapes().shapes.values() if s.moe is None and s.mla is None and s.attention == "gqa"]
    near = [s for s in dense if abs(s.parameters_b - parameters_b) <= _NEAR_SIZE * parameters_b]
    return min(near, key=lambda s: (not s.id.startswith("llama-3"), abs(s.parameters_b - parameters_b)), default=None)


# ---------------------------------------------------------------- cards


def _cards(page: Page, voice: Voice, question: Question, gpu_ids: Sequence[str], need: _Need) -> None:
    sizes: dict[float, list[str]] = {}
    for gpu_id in gpu_ids:
        value = voice.entry(gpu_id, "memory_gb").value
        if isinstance(value, float | int):
            sizes.setdefault(float(value), []).append(gpu_id)
    stated = _stated_count(question.text)
    for memory_gb, ids in sizes.items():
        mention = next(m for m in question.cards if set(ids) <= set(m.gpu_ids))
        name = mention_name(voice, mention)
        memory = combine(voice.value(ids[0], "memory_gb").text, [voice.value(i, "memory_gb") for i in ids])
        if _ASKS_WHETHER.search(question.text.lower()):
            _verdict(page, voice, need, (name, memory, memory_gb, stated))
            if need.total[1] <= stated * memory_gb * _GB:
                continue
        low, high = (cards_needed(total, memory_gb * _GB) for total in need.total)
        words: dict[str, Words] = {"card": name, "memory": memory, "total": _span(voice, need.total)}
        count = phrase("sizing.or", voice.language, low=derived(low), high=derived(high))
        words["count"] = derived(high) if low == high else count
        page.add(sentence("sizing.cards", voice.language, **words))
        power = tensor_parallel_cards(high)
        if power != high:
            page.add(sentence("sizing.power_of_two", voice.language, two=derived(2), tp=derived(power)))
    if not sizes:
        page.extend(voice.sentences(gpu_ids[0], "memory_gb"))


def _on_stated(page: Page, voice: Voice, question: Question, memory_gb: float, need: _Need) -> None:
    """Cards given by their memory alone ("一张 80G 够不够")."""
    count = _stated_count(question.text)
    memory = derived(memory_gb, "GB")
    name = phrase("sizing.card_of", voice.language, memory=memory)
    _verdict(page, voice, need, (name, memory, memory_gb, count))
    if need.total[1] > count * memory_gb * _GB:
        needed = derived(cards_needed(need.total[1], memory_gb * _GB))
        page.add(
            sentence(
                "sizing.by_size",
                voice.language,
                parts=phrase("sizing.of_size", voice.language, memory=memory, count=needed),
            )
        )


def _stated_count(text: str) -> int:
    match = _COUNT.search(text.lower())
    if match is None:
        return 1
    word = match.group(1)
    return int(word) if word.isdigit() else _NUMERALS.get(word, 1)


def _verdict(page: Page, voice: Voice, need: _Need, card: tuple[Words, Said, float, int]) -> None:
    """Whether so many cards hold it."""
    name, memory, memory_gb, count = card
    low, high = need.total
    held = count * memory_gb * _GB
    template = "fits" if high <= held else "does_not_fit" if low > held else "tight"
    words: dict[str, Words] = {"card": name, "count": derived(count), "memory": memory}
    words |= {"held": derived(count * memory_gb, "GB"), "total": _span(voice, need.total)}
    page.add(sentence(f"sizing.{template}", voice.language, **words))


def _by_memory(page: Page, voice: Voice, need: _Need) -> None:
    """How many cards of common sizes hold it, where no card is named."""
    parts = []
    for memory_gb in _COMMON_CARDS_GB:
        count = cards_needed(need.total[1], memory_gb * _GB)
        parts.append(phrase("sizing.of_size", voice.language, memory=derived(memory_gb, "GB"), count=derived(count)))
    page.add(sentence("sizing.by_size", voice.language, parts=listed(parts, voice.language)))


# ---------------------------------------------------------------- the parts


def _breakdown(page: Page, voice: Voice, workload: Workload, need: _Need) -> None:
    language = voice.language
    per = BYTES_PER_PARAMETER[need.precision]
    words: dict[str, Words] = {"parameters": _billions(need.parameters_b), "bytes": derived(per)}
    words |= {"precision": _format(need.precision), "total": _gb(need.weights)}
    if workload.model:
        page.add(
            sentence("sizing.weights_of", language, model=Said(workload.model, _name_fact(workload.model)), **words)
        )
    else:
        page.add(sentence("sizing.weights", language, **words))
    if not workload.precision:
        others = [
            phrase(
                "sizing.in_precision",
                language,
                precision=_format(precision),
                total=_gb(weights_bytes(need.parameters_b * 1e9, BYTES_PER_PARAMETER[precision])),
            )
            for precision in _OTHER_PRECISIONS
            if precision != need.precision
        ]
        others_said, own = listed(others, language), _format(need.precision)
        key = "sizing.precision_assumed" if need.precision == "fp16" else "sizing.precision_released"
        page.add(sentence(key, language, precision=own, others=others_said))
    if need.shape is not None:
        _kv(page, voice, workload, need, need.shape)
    low, high = OVERHEAD
    shares: dict[str, Words] = {"low": derived(low * 100), "high": derived(high * 100)}
    both = _gb(need.weights + need.kv)
    page.add(sentence("sizing.total", language, sum=both, total=_span(voice, need.total), **shares))
    if not need.kv:
        page.add(sentence("sizing.without_kv", language))


def _kv(page: Page, voice: Voice, workload: Workload, need: _Need, shape: ModelShape) -> None:
    language = voice.language
    element = BYTES_PER_PARAMETER["fp16"]
    per_token = derived(kv_bytes_per_token(shape, element) / 1e3, "KB", digits=1)
    words: dict[str, Words] = {"layers": derived(shape.layers), "bytes": derived(element), "per_token": per_token}
    if shape.mla is not None:
        words |= {"rank": derived(shape.mla.kv_lora_rank), "rope": derived(shape.mla.qk_rope_head_dim)}
        formula = phrase("sizing.kv_mla", language, **words)
    else:
        words |= {"two": derived(2), "heads": derived(shape.kv_heads), "dim": derived(shape.head_dim)}
        formula = phrase("sizing.kv", language, **words)
    if not workload.context_tokens:
        page.add(sentence("sizing.kv_per_token", language, formula=formula, format=_format("fp16")))
        return
    tokens, sequences = derived(workload.context_tokens), derived(workload.sequences)
    key = "sizing.kv_total" if workload.sequences > 1 else "sizing.kv_total_one"
    kv = _gb(need.kv)
    told: dict[str, Words] = {"formula": formula, "format": _format("fp16"), "total": kv}
    page.add(sentence(key, language, tokens=tokens, sequences=sequences, **told))
    if shape.sliding_window is not None:
        page.add(sentence("sizing.sliding", language))
    if need.is_assumed:
        name = Said(shape.name, _name_fact(shape.name))
        page.add(sentence("sizing.shape_assumed", language, model=name))


def _format(precision: str) -> Said:
    return Said(precision.upper(), _name_fact(precision.upper()))


def _name_fact(name: str) -> tuple[DraftFact, ...]:
    """A model's name, for the numbers in it."""
    return (DraftFact(None, None, name, None, None, "derived"),)


def _billions(parameters_b: float) -> Said:
    shown = derived(parameters_b)
    text = f"{shown.text}B"
    return Said(text, (*shown.facts, *_name_fact(text)))


def _gb(total_bytes: float) -> Said:
    value = total_bytes / _GB
    return derived(value, "GB", digits=0 if value >= 100 else 1)


def _span(voice: Voice, total: tuple[float, float]) -> Said:
    return phrase("compare.span", voice.language, low=_gb(total[0]), high=_gb(total[1]))
