"""True statements about cards, in many styles and both languages, with a note of what each of their words says.

A statement is a list of parts: plain text, and slots that hold a card's name, a number, a unit, a qualifier or a word
of the claim they belong to. So a slot can be changed and it is known what the changed statement says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.specs.schema import Figure, GpuSpec

Language = Literal["zh", "en"]
SlotKind = Literal["card", "number", "unit", "qualifier", "word"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a statement says: a field of a card has a figure."""

    gpu_id: str
    key: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class Slot:
    """A changeable stretch of a statement."""

    kind: SlotKind
    text: str
    claims: tuple[Claim, ...]


Part = str | Slot


@dataclass(frozen=True, slots=True)
class Statement:
    """A true text."""

    style: str
    language: Language
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """As a reader sees it."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)


# What each field is called, several ways; `{q}` is where a qualifier may stand.
_NAMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "memory_gb": (
        ("显存", "显存容量", "显存大小", "板载显存"),
        ("memory", "memory capacity", "VRAM", "on-board memory"),
    ),
    "memory_bandwidth_gb_s": (
        ("显存带宽", "带宽", "内存带宽"),
        ("memory bandwidth", "bandwidth", "peak memory bandwidth"),
    ),
    "memory_bus_bits": (("显存位宽", "位宽"), ("memory bus width", "bus width", "memory interface")),
    "tdp_w": (("功耗", "TDP", "热设计功耗", "板卡功耗"), ("TDP", "board power", "power draw", "power consumption")),
    "fp16_tensor_tflops": (
        ("FP16 {q}算力", "FP16 Tensor {q}算力", "{q} FP16 算力"),
        ("{q}FP16 throughput", "FP16 tensor performance{q2}", "peak {q}FP16"),
    ),
    "bf16_tensor_tflops": (("BF16 {q}算力", "{q} BF16 性能"), ("{q}BF16 throughput", "BF16 performance{q2}")),
    "fp8_tensor_tflops": (("FP8 {q}算力", "{q} FP8 性能"), ("{q}FP8 throughput", "FP8 performance{q2}")),
    "int8_tops": (("INT8 {q}算力", "{q} INT8 性能"), ("{q}INT8 throughput", "INT8 performance{q2}")),
    "tf32_tensor_tflops": (("TF32 {q}算力",), ("{q}TF32 throughput", "TF32 performance{q2}")),
    "fp16_tensor_tflops_sparse": (
        ("FP16 {q}算力", "{q} FP16 算力"),
        ("{q}FP16 throughput", "FP16 tensor performance{q2}"),
    ),
    "int8_tops_sparse": (("INT8 {q}算力", "{q} INT8 算力"), ("{q}INT8 throughput", "INT8 performance{q2}")),
    "fp32_tflops": (
        ("FP32 算力", "单精度算力", "FP32 浮点性能"),
        ("FP32 throughput", "single-precision performance", "FP32 performance"),
    ),
    "fp64_tflops": (
        ("FP64 向量算力", "双精度（非 Tensor）算力"),
        ("FP64 vector throughput", "non-tensor FP64 performance"),
    ),
    "interconnect_gb_s": (
        ("卡间互联{q}带宽", "互联带宽（{q}）"),
        ("{q}interconnect bandwidth", "interconnect bandwidth{q2}"),
    ),
    "l2_mb": (("L2 缓存", "二级缓存"), ("L2 cache", "L2 cache size")),
    "process_nm": (("制程", "工艺制程"), ("process node", "manufacturing process")),
    "shader_cores": (("流处理器数量", "CUDA 核心数"), ("CUDA core count", "number of shader cores")),
    "compute_units": (("SM 数量", "计算单元数"), ("SM count", "number of SMs")),
    "tensor_cores": (("Tensor Core 数量", "张量核心数"), ("Tensor Core count", "number of Tensor Cores")),
    "boost_clock_mhz": (("加速频率", "Boost 频率"), ("boost clock", "boost frequency")),
    "die_mm2": (("芯片面积", "核心面积"), ("die size", "die area")),
}
_QUALIFIERS: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "dense": (("稠密", "稀疏"), ("dense", "sparse")),
    "sparse": (("稀疏", "稠密"), ("sparse", "dense")),
    "both_directions": (("双向", "单向"), ("bidirectional", "per-direction")),
}
"""A qualifier and its opposite, in both languages."""
_WORD_FIELDS = ("memory_type", "architecture", "pcie")
NUMBER_KEYS = tuple(_NAMES)
_CHINESE_UNITS = {"W": "瓦", "nm": "纳米", "GB": "G"}
_LARGER = {"GB/s": ("TB/s", 1000.0), "TFLOPS": ("PFLOPS", 1000.0), "TOPS": ("POPS", 1000.0)}


def opposite(text: str) -> str:
    """The opposite of a qualifier as written; `text` itself if it has none."""
    for pair in (pair for pairs in _QUALIFIERS.values() for pair in pairs):
        if text.strip().lower() == pair[0]:
            return text.lower().replace(pair[0], pair[1])
    return text


class Writer:
    """Writes true statements out of a catalogue; the same seed gives the same statements."""

    def __init__(self, catalog: Catalog, seed: int) -> None:
        self._random = random.Random(seed)
        self._cards = [card for card in catalog.gpus.values() if card.tier == 1 and card.per == "card"]

    def write(self) -> Statement:
        """One statement."""
        language: Language = self._random.choice(("zh", "en"))
        style = self._random.choice(_STYLES)
        while True:
            written = style(self, language)
            if written is not None:
                return Statement(style.__name__.strip("_"), language, tuple(written))

    # ------------------------------------------------------------ choosing

    def card(self) -> GpuSpec:
        """Any checked card."""
        return self._random.choice(self._cards)

    def pick(self, *options: str) -> str:
        """One of several wordings."""
        return self._random.choice(options)

    def keys_of(self, card: GpuSpec, number: int, *others: GpuSpec) -> list[str]:
        """Number fields with one settled figure for all these cards."""
        keys = [
            key
            for key in NUMBER_KEYS
            if all(c.entries[key].state == "known" and c.entries[key].value for c in (card, *others))
        ]
        return self._random.sample(keys, min(number, len(keys)))

    def claim(self, card: GpuSpec, key: str) -> Claim:
        """The settled figure of a field."""
        figure = card.entries[key].preferred
        assert figure is not None
        return Claim(card.gpu_id, key, figure)

    # ------------------------------------------------------------ parts

    def name(self, card: GpuSpec, language: Language, *claims: Claim) -> Slot:
        """A card's name."""
        return Slot("card", card.label(language), claims)

    def number(self, claim: Claim, language: Language) -> list[Part]:
        """A figure with its unit, written one way of several."""
        value, unit = float(claim.figure.value or 0), claim.figure.unit
        if unit in _LARGER and value >= 1000 and self._random.random() < 0.4:
            larger, factor = _LARGER[unit]
            value, unit = value / factor, larger
        shown = f"{value:,.10g}" if value >= 1000 and self._random.random() < 0.4 else f"{value:.10g}"
        if language == "zh" and unit in _CHINESE_UNITS and self._random.random() < 0.3:
            unit = _CHINESE_UNITS[unit]
        if language == "zh" and self._random.random() < 0.06:
            shown = shown.translate(str.maketrans("0123456789", "０１２３４５６７８９"))
        if not unit:
            return [Slot("number", shown, (claim,))]
        if unit == "bit" and language == "en":
            return [Slot("number", shown, (claim,)), "-bit"]
        return [
            Slot("number", shown, (claim,)),
            self.pick("", " ") if len(unit) < 3 else " ",
            Slot("unit", unit, (claim,)),
        ]

    def field(self, claim: Claim, language: Language) -> list[Part]:
        """What the figure is called, with its qualifier where it has one."""
        names = _NAMES[claim.key][0 if language == "zh" else 1]
        template = self._random.choice(names)
        qualifier = next((q for q in claim.figure.qualifiers if q in _QUALIFIERS), None)
        if qualifier is None or "{q" not in template:
            return [template.replace("{q}", "").replace("{q2}", "").strip()]
        word = _QUALIFIERS[qualifier][0 if language == "zh" else 1][0]
        slot = Slot("qualifier", word, (claim,))
        if "{q2}" in template:
            return [template.replace("{q2}", ""), " (", slot, ")"]
        before, _, after = template.partition("{q}")
        return [before, slot, after if language == "zh" else f" {after}"]

    def word(self, card: GpuSpec, key: str) -> Slot | None:
        """A named property of a card."""
        entry = card.entries[key]
        if entry.state != "known" or not isinstance(entry.value, str) or "(" in entry.value:
            return None
        return Slot("word", entry.value, (self.claim(card, key),))


def _fact(w: Writer, language: Language) -> list[Part] | None:
    """One sentence, one figure."""
    card = w.card()
    keys = w.keys_of(card, 1)
    if not keys:
        return None
    claim = w.claim(card, keys[0])
    name, field, number = w.name(card, language, claim), w.field(claim, language), w.number(claim, language)
    if language == "zh":
        return w._random.choice(
            [
                [name, " 的", *field, "为 ", *number, "。"],
                ["据资料，", name, "，", *field, "：", *number],
                ["就", *field, "而言，", name, " 达到 ", *number, "。"],
                [name, "（", *field, " ", *number, "）"],
                ["这次选用的是 ", name, "，其", *field, "是 ", *number, "，满足要求。"],
            ]
        )
    return w._random.choice(
        [
            ["The ", *field, " of the ", name, " is ", *number, "."],
            ["The ", name, " has a ", *field, " of ", *number, "."],
            ["With the ", name, " you get ", *number, " of ", *field, "."],
            [name, " — ", *field, ": ", *number],
            ["As for ", *field, ", the ", name, " comes in at ", *number, "."],
            ["We measured nothing ourselves; the data sheet of the ", name, " lists ", *field, " as ", *number, "."],
        ]
    )


def _next_sentence(w: Writer, language: Language) -> list[Part] | None:
    """Two sentences; the second does not name the card."""
    card = w.card()
    keys = w.keys_of(card, 2)
    if len(keys) < 2:
        return None
    first, second = (w.claim(card, key) for key in keys)
    name = w.name(card, language, first, second)
    one, two = [*w.field(first, language)], [*w.field(second, language)]
    if language == "zh":
        again = w.pick("它的", "该卡的", "其")
        return [
            name,
            " 的",
            *one,
            "是 ",
            *w.number(first, language),
            "。",
            again,
            *two,
            "为 ",
            *w.number(second, language),
            "。",
        ]
    again = w.pick("Its ", "The card's ", "This GPU's ")
    return [
        "The ",
        name,
        " offers ",
        *w.number(first, language),
        " of ",
        *one,
        ". ",
        again,
        *two,
        " is ",
        *w.number(second, language),
        ".",
    ]


def _bullets(w: Writer, language: Language) -> list[Part] | None:
    """A heading with the card, and a list."""
    card = w.card()
    claims = [w.claim(card, key) for key in w.keys_of(card, 4)]
    if len(claims) < 2:
        return None
    name = w.name(card, language, *claims)
    sign = w.pick("- ", "* ", "• ", "")
    parts: list[Part] = w._random.choice(
        [["## ", name, "\n\n"], ["**", name, "**\n"], [name, "：\n" if language == "zh" else ":\n"]]
    )
    for number, claim in enumerate(claims, start=1):
        colon = "：" if language == "zh" else ": "
        parts += [sign or f"{number}. ", *w.field(claim, language), colon, *w.number(claim, language), "\n"]
    return parts


def _table_of_cards(w: Writer, language: Language) -> list[Part] | None:
    """A table with a card in each row."""
    cards = [w.card() for _ in range(3)]
    keys = w.keys_of(cards[0], 3, *cards[1:])
    if len({c.gpu_id for c in cards}) < 3 or not keys:
        return None
    heads = [(key, w._random.random() < 0.5) for key in keys]
    parts: list[Part] = ["| ", w.pick("型号", "卡") if language == "zh" else w.pick("Card", "GPU", "Model")]
    for key, has_unit in heads:
        parts += [" | ", _head(key, language), f" ({FIELDS[key].unit})" if has_unit and FIELDS[key].unit else ""]
    parts.append(" |\n|" + "---|" * (len(keys) + 1) + "\n")
    for card in cards:
        claims = [w.claim(card, key) for key in keys]
        parts += ["| ", w.name(card, language, *claims)]
        for claim, (_, has_unit) in zip(claims, heads, strict=True):
            bare = Slot("number", f"{claim.figure.value:.10g}", (claim,))
            parts += [" | ", *([bare] if has_unit or not claim.figure.unit else _plain(w, claim))]
        parts.append(" |\n")
    return parts


def _table_of_fields(w: Writer, language: Language) -> list[Part] | None:
    """A table with a card in each column."""
    cards = [w.card() for _ in range(2)]
    keys = w.keys_of(cards[0], 4, cards[1])
    if cards[0].gpu_id == cards[1].gpu_id or not keys:
        return None
    claims = {(card.gpu_id, key): w.claim(card, key) for card in cards for key in keys}
    parts: list[Part] = ["| ", "项目" if language == "zh" else "Spec"]
    for card in cards:
        parts += [" | ", w.name(card, language, *(claims[card.gpu_id, key] for key in keys))]
    parts.append(" |\n|---|---|---|\n")
    for key in keys:
        parts += ["| ", _head(key, language)]
        for card in cards:
            parts += [" | ", *_plain(w, claims[card.gpu_id, key])]
        parts.append(" |\n")
    return parts


def _plain(w: Writer, claim: Claim) -> list[Part]:
    number = Slot("number", f"{claim.figure.value:.10g}", (claim,))
    return [number, " ", Slot("unit", claim.figure.unit, (claim,))] if claim.figure.unit else [number]


def _head(key: str, language: Language) -> str:
    return FIELDS[key].label(language)


def _versus(w: Writer, language: Language) -> list[Part] | None:
    """Two cards in one sentence."""
    cards = [w.card(), w.card()]
    keys = w.keys_of(cards[0], 1, cards[1])
    if cards[0].gpu_id == cards[1].gpu_id or not keys:
        return None
    one, two = (w.claim(card, keys[0]) for card in cards)
    a, b = w.name(cards[0], language, one), w.name(cards[1], language, two)
    x, y = w.number(one, language), w.number(two, language)
    field = w.field(one, language)
    if language == "zh":
        return w._random.choice(
            [
                [a, " 的", *field, "是 ", *x, "，", b, " 则为 ", *y, "。"],
                ["对比", *field, "：", a, " ", *x, "，", b, " ", *y, "。"],
                [a, " 和 ", b, " 的", *field, "分别为 ", *x, " 和 ", *y, "。"],
                ["相比 ", b, " 的 ", *y, "，", a, " 的", *field, "是 ", *x, "。"],
            ]
        )
    return w._random.choice(
        [
            ["The ", a, " has ", *x, " of ", *field, ", against ", *y, " of the ", b, "."],
            [*field, ": ", *x, " (", a, ") vs ", *y, " (", b, ")"],
            ["The ", a, " and the ", b, " have ", *field, " of ", *x, " and ", *y, " respectively."],
            ["While the ", b, " stops at ", *y, ", the ", a, " has ", *x, " of ", *field, "."],
            ["Compared with the ", b, " (", *y, "), the ", *field, " of the ", a, " is ", *x, "."],
        ]
    )


def _deck(w: Writer, language: Language) -> list[Part] | None:
    """One line of a slide."""
    card = w.card()
    claims = [w.claim(card, key) for key in w.keys_of(card, 3)]
    if len(claims) < 2:
        return None
    parts: list[Part] = [
        w.name(card, language, *claims),
        w.pick(" | ", "：", " — ") if language == "zh" else w.pick(" | ", ": ", " — "),
    ]
    sign = w.pick("，", "；", " | ") if language == "zh" else w.pick(", ", "; ", " | ")
    for number, claim in enumerate(claims):
        body = [*w.field(claim, language), " ", *w.number(claim, language)]
        parts += [sign if number else "", *body]
    return parts


def _property(w: Writer, language: Language) -> list[Part] | None:
    """A named property, sometimes with the size beside it."""
    card = w.card()
    key = w._random.choice(_WORD_FIELDS)
    word = w.word(card, key)
    size = card.entries["memory_gb"]
    if word is None:
        return None
    if key == "memory_type" and size.state == "known" and w._random.random() < 0.6:
        claim = w.claim(card, "memory_gb")
        name, number = w.name(card, language, claim, *word.claims), w.number(claim, language)
        if language == "zh":
            return w._random.choice([[name, " 配备 ", *number, " ", word, " 显存。"], [name, "：", *number, " ", word]])
        return w._random.choice(
            [["The ", name, " carries ", *number, " of ", word, "."], [name, " (", *number, " ", word, ")"]]
        )
    name = w.name(card, language, *word.claims)
    zh = {"memory_type": "显存类型是 ", "architecture": "采用的架构是 ", "pcie": "主机接口为 "}
    en = {"memory_type": " uses ", "architecture": " is built on ", "pcie": " plugs into "}
    if language == "zh":
        return [name, " ", zh[key], word, "。"]
    return ["The ", name, en[key], word, "."]


def _lines(w: Writer, language: Language) -> list[Part] | None:
    """Comma- or tab-separated lines."""
    cards = [w.card() for _ in range(3)]
    keys = w.keys_of(cards[0], 2, *cards[1:])
    if len({c.gpu_id for c in cards}) < 3 or len(keys) < 2:
        return None
    sign = w.pick(",", "\t")
    parts: list[Part] = [w.pick("model", "card") if language == "en" else "型号"]
    for key in keys:
        parts += [sign, _head(key, language).replace(",", " "), f" ({FIELDS[key].unit})" if FIELDS[key].unit else ""]
    parts.append("\n")
    for card in cards:
        claims = [w.claim(card, key) for key in keys]
        parts.append(w.name(card, language, *claims))
        for claim in claims:
            parts += [sign, Slot("number", f"{claim.figure.value:.10g}", (claim,))]
        parts.append("\n")
    return parts


_STYLES: Sequence[Callable[[Writer, Language], list[Part] | None]] = (
    _fact,
    _next_sentence,
    _bullets,
    _table_of_cards,
    _table_of_fields,
    _versus,
    _deck,
    _property,
    _lines,
)
