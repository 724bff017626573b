"""Cards of two names that are the same version, so that like is held against like."""

from __future__ import annotations

import re

from kb.answer.structured.voice import Voice
from kb.specs.names import Mention

CUT_FIELDS = (
    "interconnect_gb_s",
    "memory_gb",
    "memory_type",
    "memory_bandwidth_gb_s",
    "memory_bus_bits",
    "compute_units",
    "shader_cores",
    "tensor_cores",
    "rt_cores",
    "fp64_tflops",
    "fp64_tensor_tflops",
    "fp32_tflops",
    "tf32_tensor_tflops",
    "fp16_tensor_tflops",
    "bf16_tensor_tflops",
    "fp8_tensor_tflops",
    "int8_tops",
    "l2_mb",
    "pcie",
    "tdp_w",
)
"""Where export and trimmed versions differ, in the order a reader cares."""


def are_related(voice: Voice, first: Mention, second: Mention) -> bool:
    """Whether two names are of one architecture, so that "what was cut" has an answer."""
    a, b = voice.spec(first.gpu_ids[0]), voice.spec(second.gpu_ids[0])
    return a.vendor_id == b.vendor_id and a.architecture_id == b.architecture_id and bool(a.architecture_id)


def newer_first(voice: Voice, first: Mention, second: Mention) -> tuple[Mention, Mention]:
    """Two names with the one to be seen from the other first, whichever a question names first.

    That is the one released later; then the longer name (RTX 5090 D beside RTX 5090), then the later in the alphabet.
    """

    def age(mention: Mention) -> tuple[str, int, str]:
        dates = [voice.entry(gpu_id, "released_on").value for gpu_id in mention.gpu_ids]
        known = [date for date in dates if isinstance(date, str)]
        name = voice.spec(mention.gpu_ids[0]).name
        # Without a date it is taken for new: what is announced and what is only sold in one market has none.
        return (min(known)[:7] if known else "9999", len(name), name)

    return (second, first) if age(second) > age(first) else (first, second)


def matched_variants(voice: Voice, first: Mention, second: Mention) -> list[tuple[str, str]]:
    """Cards of two names that are the same version (`A800 SXM4 80GB` and `A100 SXM4 80GB`)."""
    pairs: list[tuple[str, str]] = []
    for gpu_id in first.gpu_ids:
        best = max(second.gpu_ids, key=lambda other: _likeness(voice, gpu_id, other))
        if _likeness(voice, gpu_id, best) >= 1 or len(first.gpu_ids) == len(second.gpu_ids) == 1:
            pairs.append((gpu_id, best))
    return pairs or _closest_pair(voice, first, second)


def _closest_pair(voice: Voice, first: Mention, second: Mention) -> list[tuple[str, str]]:
    """A single card and the version of the other name it shares most figures with (the H20 and the H100 SXM)."""
    if (len(first.gpu_ids) > 1 and len(second.gpu_ids) > 1) or not are_related(voice, first, second):
        return []

    def shared(pair: tuple[str, str]) -> int:
        entries = [(voice.entry(pair[0], key).value, voice.entry(pair[1], key).value) for key in CUT_FIELDS]
        return sum(a is not None and a == b for a, b in entries)

    return [max(((a, b) for a in first.gpu_ids for b in second.gpu_ids), key=shared)]


def _likeness(voice: Voice, first: str, second: str) -> float:
    a, b = (_version_words(voice, gpu_id) for gpu_id in (first, second))
    same_form = bool({word for word in a if word.isalpha()} & {word for word in b if word.isalpha()})
    return len(a & b) + (0.5 if same_form else -1.0)


def _version_words(voice: Voice, gpu_id: str) -> set[str]:
    """Form factor and memory of a name, the form factor without its generation: `sxm`, `80gb`."""
    words = set(re.findall(r"[a-z0-9]+", voice.spec(gpu_id).name.lower()))
    return {re.sub(r"^(sxm|oam)\d?$", r"\1", word) for word in words}
