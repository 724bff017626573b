"""Names of several cards at once: what they have in common and what tells them apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.structured.voice import Voice
from kb.specs.names import Mention

_PART = re.compile(r"[^\s（）()]+")


def common_name(voice: Voice, gpu_ids: Sequence[str]) -> str:
    """The words that all names share (`A100 80GB`); the family where they share none."""
    parts = [_PART.findall(voice.name(gpu_id)) for gpu_id in gpu_ids]
    if len(parts) == 1:
        return voice.name(gpu_ids[0])
    shared = [part for part in parts[0] if all(part in other for other in parts[1:])]
    if shared and any(any(char.isdigit() for char in part) for part in shared):
        return " ".join(shared)
    families = {voice.spec(gpu_id).family for gpu_id in gpu_ids}
    family = families.pop() if len(families) == 1 else ""
    return family or " ".join(shared)


def variant_name(voice: Voice, gpu_id: str, common: str) -> str:
    """What tells one card from the others of a common name (`SXM4 80GB`); its whole name if nothing does."""
    shared = set(_PART.findall(common))
    rest = [part for part in _PART.findall(voice.name(gpu_id)) if part not in shared]
    return " ".join(rest) if rest and len(rest) < len(_PART.findall(voice.name(gpu_id))) else voice.name(gpu_id)


def mention_name(voice: Voice, mention: Mention) -> str:
    """What an answer calls what a question named."""
    if len(mention.gpu_ids) == 1:
        return voice.name(mention.gpu_ids[0])
    return common_name(voice, mention.gpu_ids) or mention.text.strip()


def asked_name(voice: Voice, mention: Mention) -> str:
    """What the question called the cards; a misspelt name as it was read."""
    return mention_name(voice, mention) if mention.corrected else mention.text.strip()


def variants_text(voice: Voice, gpu_ids: Sequence[str], separator: str) -> str:
    """The variants of a common name, `PCIe 40GB、SXM4 80GB`."""
    common = common_name(voice, gpu_ids)
    return separator.join(variant_name(voice, gpu_id, common) for gpu_id in gpu_ids)
