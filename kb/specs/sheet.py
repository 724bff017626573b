"""A card's record as a readable document: one self-contained line per field, each at a known span.

Spec citations point into it. Its document id is `catalog/<language>/<gpu_id>`, see `doc_id_of`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kb.specs.fields import FIELDS
from kb.specs.schema import QUALIFIERS, Entry, Figure, GpuSpec, GpuSystem, MigProfile, SpecSource
from kb.types import Language, Span

DOC_PREFIX = "catalog/"
NOTES = "notes"
"""The key of the lines that hold what must be known of the card as a whole."""
_LANGUAGES: tuple[Language, ...] = ("zh", "en")

_TIER_2: Mapping[Language, str] = {
    "zh": "只有一个数据库的基本记录，可信度低",
    "en": "One database's basic record, of low confidence",
}
_DISPUTED: Mapping[str, tuple[str, str]] = {
    "conflicting": ("各来源不一致", "sources disagree"),
    "unresolved": ("没有定论", "unresolved"),
}
_CONFIDENCE: Mapping[str, tuple[str, str]] = {
    "high": ("高", "high"),
    "medium": ("中", "medium"),
    "low": ("低", "low"),
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rendered record.

    Attributes:
        doc_id: `catalog/<language>/<gpu_id>`.
        title: the card's name.
        text: Markdown; the first line is the title.
        spans: by field key, where the field's line stands in `text`, without its line break; `NOTES`, `system_key` and
            `profile_key` give the keys of what is no field.
    """

    doc_id: str
    title: str
    language: Language
    text: str
    spans: Mapping[str, Span]

    def line(self, key: str) -> str:
        """The line of a field.

        Raises:
            KeyError: the sheet has no line for it.
        """
        span = self.spans[key]
        return self.text[span.start : span.end]


def doc_id_of(gpu_id: str, language: Language) -> str:
    """The document id of a card's sheet; each language is a document of its own, so that a place in it is one place."""
    return f"{DOC_PREFIX}{language}/{gpu_id}"


def sheet_named(doc_id: str) -> tuple[str, Language | None] | None:
    """The card and language of the sheet that a document id names; `None` if it names no sheet.

    `catalog/<gpu_id>` names a sheet too and leaves the language open.
    """
    if not doc_id.startswith(DOC_PREFIX):
        return None
    rest = doc_id.removeprefix(DOC_PREFIX)
    for language in _LANGUAGES:
        if rest.startswith(f"{language}/"):
            return rest.removeprefix(f"{language}/"), language
    return rest, None


def sheet(spec: GpuSpec, language: Language) -> Sheet:
    """The sheet of a card: what is known first, then what its hardware lacks, then what nobody publishes.

    A second-tier sheet leaves out what its one database does not give. It ends in the machines that are sold with the
    card and the slices it can be cut into.
    """
    text = f"# {spec.label(language)}\n"
    notes = [*([_TIER_2[language]] if spec.tier == 2 else []), *spec.notes(language)]
    if notes:
        text += "\n" + "".join(f"> {note}{'。' if language == 'zh' else '.'}\n" for note in notes)
    spans: dict[str, Span] = {}
    if notes:
        spans[NOTES] = Span(text.index("> "), len(text) - 1)
    for heading, entries in _sections(spec).items():
        if not entries:
            continue
        text += f"\n## {heading[0 if language == 'zh' else 1]}\n\n"
        for entry in entries:
            line = field_line(spec, entry, language)
            spans[entry.key] = Span(len(text), len(text) + len(line))
            text += line + "\n"
    for heading, lines in _machines(spec, language).items():
        text += f"\n## {heading[0 if language == 'zh' else 1]}\n\n" if lines else ""
        for key, line in lines.items():
            spans[key] = Span(len(text), len(text) + len(line))
            text += line + "\n"
    return Sheet(doc_id_of(spec.gpu_id, language), spec.label(language), language, text, MappingProxyType(spans))


def _machines(spec: GpuSpec, language: Language) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """The lines on machines and slices by their keys."""
    card = spec.label(language)
    return {
        ("整机", "Systems"): {system_key(system): _system_line(system, card, language) for system in spec.systems},
        ("MIG 实例规格", "MIG profiles"): {
            profile_key(profile): _profile_line(profile, card, language) for profile in spec.profiles
        },
    }


def system_key(system: GpuSystem) -> str:
    """The key of a machine's line in the sheets of its cards."""
    return f"system:{system.system_id}"


def profile_key(profile: MigProfile) -> str:
    """The key of a slice's line in the sheet of a card."""
    return f"slice:{profile.name}"


def _system_line(system: GpuSystem, card: str, language: Language) -> str:
    zh = language == "zh"
    parts = [f"{system.gpu_count} 个 {card}" if zh else f"{system.gpu_count} × {card}"]
    if system.power_w is not None:
        parts.append(f"整机最大功率 {system.power_w} W" if zh else f"at most {system.power_w} W for the whole machine")
    parts.append(system.note(language))
    return _sourced(system.name, parts, system.source, language)


def _profile_line(profile: MigProfile, card: str, language: Language) -> str:
    compute = f"{profile.compute}/{profile.compute_slices}"
    if language == "zh":
        parts = [f"计算 {compute}", f"显存 {profile.memory_gb:g} GB", f"每卡最多 {profile.most} 个"]
    else:
        parts = [f"{compute} of the compute", f"{profile.memory_gb:g} GB of memory", f"at most {profile.most} per card"]
    return _sourced(f"{card} MIG {profile.name}", parts, profile.source, language)


def _sourced(head: str, parts: Sequence[str], source: SpecSource, language: Language) -> str:
    words = [part for part in parts if part]
    if language == "zh":
        return f"- {head}：{'；'.join(words)}［来源：{source.title_zh}，{source.as_of}］。"
    return f"- {head}: {'; '.join(words)} [source: {source.title}, {source.as_of}]."


def _sections(spec: GpuSpec) -> Mapping[tuple[str, str], list[Entry]]:
    stated: list[Entry] = []
    lacking: list[Entry] = []
    unpublished: list[Entry] = []
    for entry in spec.entries.values():
        if entry.state == "not_supported":
            lacking.append(entry)
        elif entry.state != "not_published":
            stated.append(entry)
        elif spec.tier == 1:
            unpublished.append(entry)
    return {
        ("参数", "Specifications"): stated,
        ("硬件不支持", "Not supported by the hardware"): lacking,
        ("未公布", "Not published"): unpublished,
    }


def field_line(spec: GpuSpec, entry: Entry, language: Language) -> str:
    """One field of a card in one line that names card and field."""
    zh = language == "zh"
    label = FIELDS[entry.key].label(language)
    colon = "：" if zh else ": "
    head = f"- {spec.label(language)}{' ' if zh else ' — '}{label}{colon}"
    return head + (_stated(entry, language) if entry.is_known or entry.others else _missing(entry, language))


def describe_figure(figure: Figure, language: Language, *, with_source: bool = True) -> str:
    """A figure with its qualifiers, source, date and confidence: `1935 GB/s (source: …, 2026; confidence: high)`."""
    zh = language == "zh"
    words = [QUALIFIERS[q][0 if zh else 1] for q in figure.qualifiers]
    text = figure.shown(language)
    if words:
        text += f"（{'，'.join(words)}）" if zh else f" ({', '.join(words)})"
    if not with_source:
        return text
    source, confidence = figure.source, _CONFIDENCE[figure.confidence][0 if zh else 1]
    if zh:
        return f"{text}［来源：{source.label(language)}，{source.as_of}；可信度：{confidence}］"
    return f"{text} [source: {source.label(language)}, {source.as_of}; confidence: {confidence}]"


def _stated(entry: Entry, language: Language) -> str:
    joint = "；" if language == "zh" else "; "
    parts = [joint.join(describe_figure(figure, language) for figure in entry.figures)]
    if entry.state == "unresolved" and len(entry.others) == 1:
        parts.append("存疑" if language == "zh" else "doubtful")
    elif entry.state in _DISPUTED:
        parts.append(_DISPUTED[entry.state][0 if language == "zh" else 1])
    parts.append(entry.reason(language))
    parts.extend(figure.note(language) for figure in entry.figures)
    parts.extend(_wrong(figure, language) for figure in entry.rejected)
    return joint.join(part for part in parts if part) + ("。" if language == "zh" else ".")


def _missing(entry: Entry, language: Language) -> str:
    zh = language == "zh"
    if entry.state == "not_supported":
        state, reason = ("硬件不支持" if zh else "not supported by the hardware"), entry.reason(language)
    else:
        state, reason = ("未公布" if zh else "not published"), entry.reason(language)
    parts = [f"{state}，{reason}" if zh else f"{state}: {reason}"]
    parts.extend(_wrong(figure, language) for figure in entry.rejected)
    return ("；" if zh else "; ").join(parts) + ("。" if zh else ".")


def _wrong(figure: Figure, language: Language) -> str:
    shown = figure.shown(language)
    return f"流传的 {shown} 不对：{figure.note_zh}" if language == "zh" else f"{shown} is wrong: {figure.note_en}"
