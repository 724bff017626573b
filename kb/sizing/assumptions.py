"""What an estimate as a whole takes for granted; what a single line does stands with the line."""

from __future__ import annotations

from kb.sizing.formats import FORMATS
from kb.sizing.line import Note
from kb.sizing.placement import NODE_CARDS
from kb.sizing.workload import TRAINING_CONTEXT, Workload


def assumptions(workload: Workload, *, on_cards: bool) -> tuple[Note, ...]:
    """The assumptions of a workload's estimate, the weightiest first.

    Args:
        workload: what is sized.
        on_cards: whether it is spread over cards.
    """
    notes = [*_of_model(workload), *_of_format(workload)]
    if workload.trains:
        if workload.context_tokens is None:
            notes.append(Note("training_context", {"tokens": TRAINING_CONTEXT}))
        notes.append(Note(f"zero_{workload.zero_stage}"))
    elif workload.context_tokens is None:
        notes.append(Note("no_context"))
    else:
        notes.append(Note("kv_format", {"format": workload.kv_format.name.upper()}))
    if on_cards:
        notes += [Note("capacity"), Note("node", {"cards": NODE_CARDS})]
    return tuple(notes)


def _of_model(workload: Workload) -> list[Note]:
    shape = workload.shape
    if workload.shape_basis == "assumed":
        return [Note("shape_assumed", {"size": workload.name, "model": shape.name})]
    if workload.shape_basis == "scaled":
        words: dict[str, str | float] = {"size": workload.name, "model": shape.name, "layers": shape.layers}
        return [Note("shape_scaled", words)]
    return []


def _of_format(workload: Workload) -> list[Note]:
    if workload.precision_basis == "given" or workload.method == "qlora":
        return []
    key = "precision_released" if workload.precision_basis == "released" else "precision_assumed"
    return [Note(key, {"format": FORMATS[workload.precision].name.upper()})]
