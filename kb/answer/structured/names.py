"""Names of several cards at once: what they have in common and what tells them apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.structured.voice import Voice
from kb.specs.names import Mention

_PART = re.compile(r"[^\s（）()]+")


def common_name(voice: Voice, gpu_ids: Sequence[str]) -> str:
    """What all names share: whole words (`A100 80GB`), else their beginning (`昇腾 910B`), else the family."""
    names = [voice.name(gpu_id) for gpu_id in gpu_ids]
    if len(names) == 1:
        return names[0]
    words = [_PART.findall(name) for name in names]
    shared = " ".join(word for word in words[0] if all(word in other for other in words[1:]))
    beginning = _shared_beginning(names)
    for common in (shared, beginning):
        if any(char.isdigit() for char in common):
            return common
    families = {voice.spec(gpu_id).family for gpu_id in gpu_ids}
    return families.pop() if len(families) == 1 else shared


def _shared_beginning(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    size = next((i for i, char in enumerate(first) if i >= len(last) or char != last[i]), len(first))
    if any(name[size : size + 1].isdigit() for name in names):
        # Not inside a number: 天垓100 and 天垓150 share 天垓, not 天垓1.
        return first[:size].rstrip("0123456789").strip(" （(-")
    return first[:size].strip(" （(-")


def variant_name(voice: Voice, gpu_id: str, common: str) -> str:
    """What tells one card from the others of a common name (`SXM4 80GB`); its whole name if nothing does."""
    shared = set(_PART.findall(common))
    rest = [part for part in _PART.findall(voice.name(gpu_id)) if part not in shared]
    return " ".join(rest) if rest and len(rest) < len(_PART.findall(voice.name(gpu_id))) else voice.name(gpu_id)


def mention_name(voice: Voice, mention: Mention) -> str:
    """What an answer calls what a question named."""
    if len(mention.gpu_ids) == 1:
        return voice.name(mention.gpu_ids[0])
    common = common_name(voice, mention.gpu_ids)
    if any(char.isdigit() for char in common):
        return common
    return (mention.corrected or mention.text).strip() or common


def asked_name(voice: Voice, mention: Mention) -> str:
    """What the question called the cards; a misspelt name as it was read."""
    return mention_name(voice, mention) if mention.corrected else mention.text.strip()


def variants_text(voice: Voice, gpu_ids: Sequence[str], separator: str) -> str:
    """The variants of a common name, `PCIe 40GB、SXM4 80GB`."""
    common = common_name(voice, gpu_ids)
    return separator.join(variant_name(voice, gpu_id, common) for gpu_id in gpu_ids)
