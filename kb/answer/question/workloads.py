"""Language models that a sizing question is about: their size, number format, context and how many at once."""

from __future__ import annotations

import re
from functools import lru_cache

from kb.answer.question.model import Workload
from kb.specs.model_shapes import ModelShapes

_PARAMETERS = re.compile(r"(?<![\w.\-])(\d+(?:\.\d+)?)\s*(b|billion|t|亿)(?![a-z/])\s*(?:参数|parameters?|params?)?")
_SCALE = {"b": 1.0, "billion": 1.0, "t": 1000.0, "亿": 0.1}
_MODEL_WORD = re.compile(r"llama|qwen|通义|deepseek|mi[sx]tral|gemma|glm|phi|yi-|baichuan|百川|internlm|gpt-oss|千问")
_ASKS_MEMORY = re.compile(
    r"显存|内存|权重|放得下|放不下|放下|装得下|装不下|装下|塞|跑得动|跑不动|能跑|能不能跑|能否跑|跑得起|够跑|够不够|够用|够吗"
    r"|几[张块卡片]|(?:买|用|配|选)什么|什么卡|哪[张款种]卡|what (?:gpu|card)|which (?:gpu|card)|多少[张块卡片]"
    r"|kv\s?cache|kv 缓存|\bfits?\b|\bmemory\b|\bvram\b|how many|\benough\b|\bcan .{0,40}\brun\b|\brun on\b"
    r"|\bto run\b|\bserves?\b|\bweights?\b|\bhost\b|\bload\b"
)
_OTHER_ASKED = re.compile(
    r"为什么|为何|快多少|慢多少|提速|多久|多长时间|几天|tokens?/s|token/s|吞吐|多快|延迟|速度|怎么部署|如何部署|多少钱|成本|流量|带宽|通信|时间|加载要"
    r"|原理|\bwhy\b|how long|how fast|\bfaster\b|\bslower\b|throughput|latency|tokens per second|\bcost\b|\bprice\b"
    r"|\bspeed\b|\bhours?\b|\bdays?\b"
)
_TRAINS = re.compile(
    r"训练|微调|预训练|\blora\b|\bqlora\b|优化器|梯度|\btrain|fine-?\s?tun|\badam|\bsft\b|\brlhf\b|gradient|optimizer"
)
_PRECISIONS = (
    ("int4", r"int4|w4|q4|awq|gptq|4[\s-]?(?:bit|比特|位)|四比特"),
    ("fp4", r"nvfp4|mxfp4|fp4"),
    ("int8", r"int8|w8a8|q8|8[\s-]?(?:bit|比特|位)|八比特"),
    ("fp8", r"fp8|e4m3"),
    ("bf16", r"bf16|bfloat16"),
    ("fp16", r"fp16|半精度|half precision|16[\s-]?(?:bit|比特|位)"),
    ("fp32", r"fp32|单精度|float32|32[\s-]?bit"),
)
_NUMBER_OF_TOKENS = r"(\d+(?:\.\d+)?)\s*(k|m)?"
_CONTEXT = re.compile(
    rf"(?<![\w.]){_NUMBER_OF_TOKENS}\s*(?:的)?\s*(?:上下文|长度|序列|context|ctx|tokens?|seq)"
    rf"|(?:上下文|context|ctx|序列长度|长度)(?:长度|窗口|window| length|of|到|为|是|[:：=\s])*{_NUMBER_OF_TOKENS}"
)
_SEQUENCES = re.compile(
    r"(?:并发(?:数|量)?|batch(?: size)?|bs)\s*(?:为|是|=|:|of)?\s*(\d{1,5})"
    r"|(\d{1,5})\s*(?:路|个)?\s*(?:并发|用户|人|会话|请求|concurrent|users|requests|sequences|sessions)"
)


@lru_cache(maxsize=1)
def model_shapes() -> ModelShapes:
    """The recorded models, read when a question first names one."""
    return ModelShapes.load()


def read_workload(text: str, masked: str, card_gb: float | None) -> Workload | None:
    """The model whose memory a question asks about; `None` where it asks something else or names no size.

    Args:
        text: as asked.
        masked: folded, with names of cards and figures blanked, so that a 910B is no model of 910 billion.
        card_gb: a memory size that the question states.
    """
    folded = masked
    parameters = _PARAMETERS.search(folded)
    named = _MODEL_WORD.search(folded) is not None
    if (parameters is None and not named) or not _ASKS_MEMORY.search(folded) or _OTHER_ASKED.search(folded):
        return None
    mentions = model_shapes().mentioned(masked) if named else ()
    if parameters is None and not mentions:
        return None
    context = _CONTEXT.search(folded)
    sequences = _SEQUENCES.search(folded)
    return Workload(
        model=text[mentions[0].start : mentions[0].end] if mentions else "",
        parameters_b=_parameters_b(parameters) if not mentions and parameters else None,
        precision=next((name for name, pattern in _PRECISIONS if re.search(pattern, folded)), ""),
        context_tokens=_tokens(context) if context else None,
        sequences=int(next(group for group in sequences.groups() if group)) if sequences else 1,
        card_gb=card_gb,
        trains=_TRAINS.search(folded) is not None,
    )


def _parameters_b(match: re.Match[str]) -> float:
    return float(match.group(1)) * _SCALE[match.group(2)]


def _tokens(match: re.Match[str]) -> int | None:
    number, scale = (match.group(1), match.group(2)) if match.group(1) else (match.group(3), match.group(4))
    value = float(number) * {"k": 1024, "m": 1024 * 1024}.get(scale or "", 1)
    return int(value) if value >= 16 else None
