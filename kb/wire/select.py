"""`/v1/select`: which cards meet requirements, in order, with reasons, and the ways out where few do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kb.selection.attributes import label_of
from kb.selection.choice import as_any_of
from kb.selection.columns import FAIL, UNKNOWN
from kb.selection.ranking import Criterion
from kb.selection.relaxation import Relaxation
from kb.selection.requirement import Requirement, as_constraints
from kb.selection.result import Selection
from kb.selection.wording import choice_said, requirement_said
from kb.selection.workload import FIELD as MEMORY_FIELD
from kb.selection.workload import OnCard, WorkloadFit
from kb.sizing.assumptions import assumptions
from kb.sizing.words import note_text
from kb.specs.sheet import doc_id_of
from kb.types import Language
from kb.wire.checks import Sources, check_out, checks_out, required_of
from kb.wire.selection import (
    MOST_ADDED,
    AnyOf,
    CandidateOut,
    ChangeOut,
    CheckOut,
    Constraints,
    CountsOut,
    InterpretedOut,
    NeededOut,
    PartOut,
    PreferenceOut,
    RankedByOut,
    RejectedOut,
    RelaxationOut,
    Scalar,
    SelectOut,
    SpeedOut,
    UnknownOut,
)
from kb.wire.size import layout_out, line_out, workload_out
from kb.wire.sources import page_url

DEFAULT_LIMIT = 20
"""Cards shown where nobody says how many."""


def select_out(selection: Selection, *, limit: int, explain: bool, language: Language) -> SelectOut:
    """A selection as it is sent: all verdicts, and the first `limit` cards in full."""
    sources = Sources(language)
    data = [
        _candidate(selection, rank, row, sources, language, explain=explain)
        for rank, row in enumerate(selection.ranking.rows[:limit], start=1)
    ]
    ids = selection.columns.gpu_ids
    rejected = [
        RejectedOut(gpu_id=ids[row], failed=failed, checks=checks)
        for row, failed, checks in _left_out(selection, FAIL, "workload", sources, language, explain=explain)
    ]
    unknown = [
        UnknownOut(gpu_id=ids[row], missing=missing, checks=checks)
        for row, missing, checks in _left_out(selection, UNKNOWN, MEMORY_FIELD, sources, language, explain=explain)
    ]
    return SelectOut(
        language=language,
        interpreted=_interpreted(selection, language),
        workload=workload_out(selection.fit.memory.workload) if selection.fit else None,
        counts=CountsOut(
            searched=len(selection.ranking.rows) + len(rejected) + len(unknown),
            passed=len(selection.ranking.rows),
            rejected=len(rejected),
            unknown=len(unknown),
        ),
        data=data,
        rejected=rejected,
        unknown=unknown,
        relaxations=[_relaxation(selection, one, language) for one in selection.relaxations],
        sources=list(sources.found.values()),
        timings_ms=dict(selection.timings_ms),
    )


def _left_out(
    selection: Selection, verdict: int, by_workload: str, sources: Sources, language: Language, *, explain: bool
) -> Iterator[tuple[int, list[str], list[CheckOut] | None]]:
    """Cards that fail or cannot be judged, with the fields they do so on; `by_workload` stands for the workload."""
    sized = selection.fit.verdicts if selection.fit else None
    listed: dict[tuple[str, ...], list[str]] = {}
    for row, fields in selection.evaluation.fields_by_row(verdict):
        if sized is not None and sized[row] == verdict and by_workload not in fields:
            fields = (*fields, by_workload)
        names = listed.setdefault(fields, list(fields))
        yield row, names, checks_out(selection, row, sources, language) if explain else None


def _interpreted(selection: Selection, language: Language) -> InterpretedOut:
    return InterpretedOut(
        constraints=_constraints(selection.requirements),
        any_of=_any_of(selection),
        scenario=selection.scenario.name if selection.scenario else None,
        rank_by=[
            RankedByOut(field=one.field, order=one.order, weight=one.weight) for one in selection.ranking.criteria
        ],
        prefer=[
            PreferenceOut(field=wish.requirement.field, wanted=required_of(wish.requirement), weight=wish.weight)
            for wish in selection.wishes
        ],
        assumptions=[note.text(language) for note in selection.notes] + _assumed(selection, language),
        not_understood=list(selection.interpretation.not_understood),
        text=_said(selection, language),
    )


def _constraints(requirements: Iterable[Requirement]) -> Constraints:
    found: Any = as_constraints(requirements)
    checked: Constraints = found
    return checked


def _said(selection: Selection, language: Language) -> str:
    plain = (requirement_said(one, language) for one in selection.requirements)
    choices = (choice_said(choice, language) for choice in selection.choices)
    return ("；" if language == "zh" else "; ").join((*plain, *choices))


def _any_of(selection: Selection) -> AnyOf:
    found: Any = as_any_of(selection.choices)
    checked: AnyOf = found
    return checked


def _assumed(selection: Selection, language: Language) -> list[str]:
    """What the sizing of the workload takes for granted."""
    if selection.fit is None:
        return []
    return [note_text(note, language) for note in assumptions(selection.fit.memory.workload, on_cards=True)]


def _candidate(
    selection: Selection, rank: int, row: int, sources: Sources, language: Language, *, explain: bool
) -> CandidateOut:
    on_card = selection.fit.on(row) if selection.fit else None
    spec = selection.spec(row)
    checks = checks_out(selection, row, sources, language)
    parts = _parts(selection, row)
    return CandidateOut(
        rank=rank,
        gpu_id=spec.gpu_id,
        name=spec.label(language),
        vendor=spec.vendor_label(language),
        tier=spec.tier,
        per=spec.per,
        count=on_card.layout.cards if on_card else 1,
        score=selection.score(row),
        parts=parts,
        checks=checks,
        preferences=[check_out(one, spec, sources, language) for one in selection.wished(row)],
        reasons=_reasons(checks, selection.ranking.criteria, parts, language),
        memory=_needed(selection.fit, on_card) if selection.fit and on_card else None,
        throughput=_speed(on_card, language, explain=explain) if on_card and on_card.decode else None,
        page_url=page_url(doc_id_of(spec.gpu_id, language), None, 0, 0),
    )


def _needed(fit: WorkloadFit, on_card: OnCard) -> NeededOut:
    total = fit.memory.total
    return NeededOut(
        total_gb_low=_gb(total.low),
        total_gb_high=_gb(total.high),
        each_gb_low=_gb(on_card.each.low),
        each_gb_high=_gb(on_card.each.high),
        card_gb=on_card.card.memory.value.low,
        layout=layout_out(on_card.layout),
    )


def _gb(size_bytes: float) -> float:
    return round(size_bytes / 1e9, 3)


def _speed(on_card: OnCard, language: Language, *, explain: bool) -> SpeedOut:
    decode, prefill = on_card.decode, on_card.prefill
    lines = (*(prefill.lines if prefill else ()), *(decode.lines if decode else ()))
    return SpeedOut(
        decode_tokens_s_low=round(decode.tokens_s.low, 3) if decode else None,
        decode_tokens_s_high=round(decode.tokens_s.high, 3) if decode else None,
        limit=decode.limit if decode else None,
        lines=[line_out(line, language) for line in lines] if explain else [],
    )


def _parts(selection: Selection, row: int) -> list[PartOut]:
    ranking = selection.ranking
    return [
        PartOut(
            field=one.field,
            weight=one.weight,
            value=None if values[row] != values[row] else round(float(values[row]), 4),
            unit=one.unit or None,
        )
        for one, values in zip(ranking.criteria, ranking.parts, strict=True)
    ]


def _reasons(
    checks: Iterable[CheckOut], criteria: Iterable[Criterion], parts: Iterable[PartOut], language: Language
) -> list[str]:
    colon = "：" if language == "zh" else ": "
    found = [f"{label_of(check.field, language)}{colon}{check.text}" for check in checks]
    checked = {check.field for check in checks}
    for one, part in zip(criteria, parts, strict=True):
        if part.value is None:
            found.append(f"{one.label(language)}{colon}{'未公布' if language == 'zh' else 'not published'}")
        elif one.field not in checked:
            found.append(f"{one.label(language)}{colon}{part.value:g} {part.unit or ''}".rstrip())
    return found


def _relaxation(selection: Selection, one: Relaxation, language: Language) -> RelaxationOut:
    changes = [
        ChangeOut(
            field=change.requirement.field,
            operator=change.requirement.operator,
            from_value=_plain(change.requirement),
            to_value=None if change.to is None else _plain(change.to),
        )
        for change in one.changes
    ]
    relaxed = {change.requirement: change.to for change in one.changes}
    requirements = [relaxed.get(requirement, requirement) for requirement in selection.requirements]
    said = "；" if language == "zh" else "; "
    return RelaxationOut(
        changes=changes,
        constraints=_constraints(requirement for requirement in requirements if requirement is not None),
        any_of=_any_of(selection),
        adds=len(one.added),
        gpu_ids=[selection.columns.gpu_ids[row] for row in one.added[:MOST_ADDED]],
        text=said.join(_change_said(requirement, to, language) for requirement, to in relaxed.items()),
    )


def _plain(requirement: Requirement) -> Scalar | list[float | str]:
    return list(requirement.value) if isinstance(requirement.value, tuple) else requirement.value


def _change_said(requirement: Requirement, to: Requirement | None, language: Language) -> str:
    before = requirement_said(requirement, language)
    if to is None:
        return f"去掉“{before}”" if language == "zh" else f"drop {before}"
    return f"{before} → {requirement_said(to, language)}"
