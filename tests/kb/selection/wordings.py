"""Constraint sets and many ways to write them in Chinese and English, from a grammar of phrases."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """A field, what it is called, and how its amounts are written: (factor to the field's unit, zh units, en units)."""

    key: str
    zh: tuple[str, ...]
    en: tuple[str, ...]
    units: tuple[tuple[float, tuple[str, ...], tuple[str, ...]], ...]
    values: tuple[float, ...]


TOPICS = (
    Topic(
        "memory_gb",
        ("显存", "显存容量", "内存容量"),
        ("memory", "VRAM", "memory capacity"),
        ((1, ("GB", " GB", "G"), ("GB", " GB")),),
        (16, 24, 32, 40, 48, 80, 96),
    ),
    Topic(
        "memory_bandwidth_gb_s",
        ("显存带宽", "带宽", "显存的带宽"),
        ("memory bandwidth", "bandwidth"),
        ((1, ("GB/s", " GB/s"), ("GB/s", " GB/s")), (1000, ("TB/s", " TB/s"), ("TB/s", " TB/s"))),
        (300, 600, 1000, 1500, 2000, 3350),
    ),
    Topic(
        "int8_tops",
        ("INT8 算力", "INT8", "稠密 INT8 算力", "INT8 稠密算力"),
        ("INT8", "dense INT8", "INT8 throughput"),
        ((1, (" TOPS", "TOPS"), (" TOPS",)), (1000, (" POPS",), (" POPS",))),
        (100, 200, 500, 1000),
    ),
    Topic(
        "fp16_tensor_tflops",
        ("FP16 算力", "半精度算力", "FP16"),
        ("FP16", "FP16 throughput", "half precision"),
        ((1, (" TFLOPS", "TFLOPS", " 万亿次"), (" TFLOPS", " teraflops")), (1000, (" PFLOPS",), (" PFLOPS",))),
        (100, 200, 300, 1000),
    ),
    Topic(
        "fp8_tensor_tflops", ("FP8 算力", "FP8"), ("FP8", "dense FP8"), ((1, (" TFLOPS",), (" TFLOPS",)),), (200, 700)
    ),
    Topic(
        "fp32_tflops",
        ("FP32 算力", "单精度算力", "FP32"),
        ("FP32", "single precision"),
        ((1, (" TFLOPS",), (" TFLOPS",)),),
        (10, 30, 60),
    ),
    Topic(
        "int8_tops_sparse",
        ("INT8 稀疏算力", "稀疏 INT8"),
        ("sparse INT8", "INT8 with sparsity"),
        ((1, (" TOPS",), (" TOPS",)),),
        (500, 1000),
    ),
    Topic(
        "tdp_w",
        ("功耗", "TDP", "板卡功耗"),
        ("TDP", "power", "board power"),
        ((1, ("W", " W", " 瓦"), ("W", " W", " watts")), (1000, (" kW", " 千瓦"), (" kW",))),
        (75, 150, 300, 400, 700),
    ),
    Topic(
        "interconnect_gb_s",
        ("卡间互联带宽", "互联带宽"),
        ("interconnect bandwidth",),
        ((1, (" GB/s",), (" GB/s",)),),
        (200, 600),
    ),
    Topic("price_usd", ("价格", "参考价"), ("price",), ((1, (" 美元",), (" USD", " dollars")),), (500, 1500, 2000)),
    Topic(
        "memory_bus_bits",
        ("显存位宽", "位宽"),
        ("memory bus width", "bus width"),
        ((1, (" bit", "bit"), (" bit",)),),
        (256, 384, 4096),
    ),
    Topic("l2_mb", ("L2 缓存",), ("L2 cache",), ((1, (" MB",), (" MB",)),), (40, 50)),
    Topic("process_nm", ("制程", "工艺"), ("process node",), ((1, (" nm", " 纳米"), (" nm",)),), (5, 7, 12)),
    Topic("pixel_rate_gpixel_s", ("像素填充率",), ("pixel rate",), ((1, (" GPixel/s",), (" GPixel/s",)),), (100, 300)),
)

ZH_BEFORE = {
    "gte": ("至少 ", "不低于 ", "不少于 ", "≥", ">=", "大于等于 ", "大于或等于 ", "不小于 ", "至少有 "),
    "gt": ("超过 ", "大于 ", "高于 ", ">", "多于 "),
    "lte": ("不超过 ", "至多 ", "≤", "<=", "小于等于 ", "不高于 ", "最多 ", "不大于 "),
    "lt": ("低于 ", "小于 ", "不到 ", "<", "少于 "),
}
ZH_AFTER = {"gte": ("以上", "及以上", "起"), "lte": ("以内", "以下", "及以下", "之内")}
EN_BEFORE = {
    "gte": ("at least ", "no less than ", "not less than ", ">= ", "≥ ", "a minimum of ", "not below "),
    "gt": ("more than ", "over ", "above ", "> ", "exceeding ", "greater than "),
    "lte": ("at most ", "no more than ", "up to ", "<= ", "≤ ", "a maximum of ", "not exceeding ", "within "),
    "lt": ("under ", "below ", "less than ", "< ", "lower than "),
}
EN_AFTER = {"gte": (" or more", " or above"), "lte": (" or less", " or below")}

FEATURES = (
    ("fp8_tensor_tflops", ("支持 FP8", "带 FP8"), ("FP8 support", "FP8"), ("不支持 FP8",), ("FP8",)),
    (
        "rt_cores",
        ("有光追核心", "带 RT Core"),
        ("RT cores", "ray tracing cores"),
        ("没有 RT Core", "不带光追核心"),
        ("RT cores",),
    ),
    (
        "interconnect",
        ("支持卡间互联", "有卡间互联"),
        ("a card-to-card link",),
        ("没有卡间互联",),
        ("card-to-card link",),
    ),
    ("mig_slices", ("支持 MIG",), ("MIG",), ("不支持 MIG",), ("MIG",)),
    ("bf16_tensor_tflops", ("支持 BF16",), ("BF16 support", "BF16"), ("不支持 BF16",), ("BF16",)),
)
WORDS = (
    ({"vendor": {"eq": "NVIDIA"}}, ("英伟达的", "NVIDIA 的"), ("from NVIDIA", "made by Nvidia")),
    ({"vendor": {"in": ["AMD", "Intel"]}}, ("AMD 或英特尔的", "AMD 或 Intel 的"), ("from AMD or Intel",)),
    ({"vendor": {"not_in": ["NVIDIA"]}}, ("非英伟达的", "不是 NVIDIA 的"), ("not from NVIDIA", "other than NVIDIA")),
    ({"memory_type": {"eq": "HBM2e"}}, ("用 HBM2e 显存的", "HBM2e 的"), ("with HBM2e memory", "using HBM2e")),
    ({"memory_type": {"in": ["HBM3", "HBM3e"]}}, ("HBM3 或 HBM3e 显存的",), ("with HBM3 or HBM3e",)),
    (
        {"architecture": {"eq": "Ampere"}, "vendor": {"eq": "NVIDIA"}},
        ("Ampere 架构的",),
        ("based on Ampere", "of the Ampere architecture"),
    ),
    ({"segment": {"eq": "consumer"}}, ("消费级的",), ("consumer",)),
    (
        {"released_on": {"gte": "2022"}},
        ("2022 年起发布的", "2022 年以来发布的"),
        ("released since 2022", "released from 2022"),
    ),
    ({"released_on": {"lt": "2020"}}, ("2020 年之前发布的", "2020 年以前上市的"), ("released before 2020",)),
    ({"released_on": {"gt": "2021"}}, ("晚于 2021 年发布的",), ("released after 2021", "newer than 2021")),
)


def number(value: float) -> str:
    return f"{value:g}"


@dataclass
class Writer:
    """Writes one set of conditions, in one language."""

    rng: random.Random
    language: str

    def amount(self, topic: Topic, value: float) -> str:
        units = [unit for unit in topic.units if value / unit[0] >= 0.3 and len(number(value / unit[0])) <= 5]
        factor, zh, en = self.rng.choice(units)
        return number(value / factor) + self.rng.choice(zh if self.language == "zh" else en)

    def bound(self, topic: Topic, operator: str, value: float) -> str:
        if self.language == "zh":
            name = self.rng.choice(topic.zh)
            if operator in ZH_AFTER and self.rng.random() < 0.4:
                return f"{name} {self.amount(topic, value)}{self.rng.choice(ZH_AFTER[operator])}"
            space = self.rng.choice(("", " "))
            return f"{name}{space}{self.rng.choice(ZH_BEFORE[operator])}{self.amount(topic, value)}"
        name = self.rng.choice(topic.en)
        if operator in EN_AFTER and self.rng.random() < 0.3:
            return f"{self.amount(topic, value)}{self.rng.choice(EN_AFTER[operator])} of {name}"
        if self.rng.random() < 0.5:
            return f"{name} {self.rng.choice(EN_BEFORE[operator])}{self.amount(topic, value)}"
        return f"{self.rng.choice(EN_BEFORE[operator])}{self.amount(topic, value)} of {name}"

    def between(self, topic: Topic, low: float, high: float) -> str:
        if self.language == "zh":
            name = self.rng.choice(topic.zh)
            pattern = self.rng.choice(("{n} {a} 到 {b} 之间", "{n}在 {a} 至 {b} 之间", "{n}介于 {a} 和 {b} 之间"))
            return pattern.format(n=name, a=self.amount(topic, low), b=self.amount(topic, high))
        name = self.rng.choice(topic.en)
        return f"{name} between {self.amount(topic, low)} and {self.amount(topic, high)}"

    def feature(self, row: tuple, wanted: bool) -> str:
        _, zh, en, zh_not, en_not = row
        if self.language == "zh":
            return self.rng.choice(zh if wanted else zh_not)
        return f"with {self.rng.choice(en)}" if wanted else f"without {self.rng.choice(en_not)}"

    def words(self, row: tuple) -> str:
        return self.rng.choice(row[1] if self.language == "zh" else row[2])

    def whole(self, bounds: list[str], words: list[str]) -> str:
        if self.language == "zh":
            joint = self.rng.choice(("、", "，", "且", "，并且"))
            text = joint.join(bounds)
            noun = self.rng.choice(("卡", "显卡", "GPU", "加速卡"))
            tail = self.rng.choice(("有哪些？", "", "有哪些"))
            described = "、".join(words)
            if text and described:
                first, second = f"{described}{noun}里，{text}的{tail}", f"{text}、{described}{noun}{tail}"
                return first if self.rng.random() < 0.3 else second
            return f"{text or described}{'的' if text else ''}{noun}{tail}"
        head = self.rng.choice(("Which cards have ", "cards with ", "GPUs with ", "List accelerators that have ", ""))
        joint = self.rng.choice((", ", " and ", ", and ", "; "))
        text = joint.join(bounds)
        tail = "".join(f", {word}" for word in words)
        return f"{head}{text}{tail}".strip(", ") if text else "cards " + ", ".join(words)


def sets_with_wordings(count: int, seed: int, wordings: int = 1):
    """(constraints, Chinese wordings, English wordings) of random sets of one to four conditions."""
    rng = random.Random(seed)
    for _ in range(count):
        constraints: dict[str, dict[str, object]] = {}
        bounds: list[tuple] = []
        for topic in rng.sample(TOPICS, rng.choice((1, 1, 2, 2, 3))):
            if len(topic.values) > 3 and rng.random() < 0.12:
                low, high = sorted(rng.sample(topic.values, 2))
                constraints[topic.key] = {"gte": float(low), "lte": float(high)}
                bounds.append(("between", topic, low, high))
            else:
                operator, value = rng.choice(("gte", "gt", "lte", "lt")), rng.choice(topic.values)
                constraints[topic.key] = {operator: float(value)}
                bounds.append(("bound", topic, operator, value))
        if rng.random() < 0.3:
            row, wanted = rng.choice(FEATURES), rng.random() < 0.7
            if row[0] not in constraints and not (row[0] == "interconnect" and "interconnect_gb_s" in constraints):
                constraints[row[0]] = {"exists": wanted}
                bounds.append(("feature", row, wanted))
        words = []
        if rng.random() < 0.4:
            row = rng.choice(WORDS)
            constraints.update(row[0])
            words.append(row)
        yield (
            constraints,
            *([_write(Writer(rng, language), bounds, words) for _ in range(wordings)] for language in ("zh", "en")),
        )


def _write(writer: Writer, bounds: list[tuple], words: list[tuple]) -> str:
    rows = list(bounds)
    writer.rng.shuffle(rows)
    written = [getattr(writer, kind)(*rest) for kind, *rest in rows]
    return writer.whole(written, [writer.words(row) for row in words])
