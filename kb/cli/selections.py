"""How a selection looks on a terminal: how it was read, a table, what is left out, ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb.cli.terminal import console

if TYPE_CHECKING:
    from rich.console import Console

    from kb.types import Language
    from kb.wire.selection import CandidateOut, SelectOut

_MOST_NAMED = 8


def print_selection(found: SelectOut, *, explain: bool) -> None:
    """Everything about a selection; the cards left out only with `explain`."""
    out = console()
    zh = found.language == "zh"
    _print_reading(out, found)
    if found.data:
        out.print(_table(found))
    counts = found.counts
    more = counts.passed - len(found.data)
    if zh:
        line = f"查了 {counts.searched} 款：满足 {counts.passed}，不满足 {counts.rejected}，无法判断 {counts.unknown}"
        line += f"；另有 {more} 款未列出，用 --limit {counts.passed} 看全部" if more else ""
    else:
        line = f"{counts.passed} pass, {counts.rejected} fail, {counts.unknown} cannot be judged, of {counts.searched}"
        line += f"; {more} more with --limit {counts.passed}" if more else ""
    out.print(line, style="dim", markup=False, soft_wrap=True)
    if not found.data or explain:
        _print_relaxations(out, found)
    if explain:
        _print_left_out(out, found)


def _print_reading(out: Console, found: SelectOut) -> None:
    zh = found.language == "zh"
    read = found.interpreted
    if read.text:
        out.print(f"{'条件' if zh else 'conditions'}: {read.text}", markup=False, soft_wrap=True)
    if read.rank_by:
        parts = ", ".join(
            f"{_label(one.field, found.language)} {'↓' if one.order == 'desc' else '↑'} ×{one.weight:g}"
            for one in read.rank_by
        )
        wishes = "".join(f", + {_label(wish.field, found.language)} ×{wish.weight:g}" for wish in read.prefer)
        out.print(f"{'排序' if zh else 'ranked by'}: {parts}{wishes}", style="dim", markup=False, soft_wrap=True)
    for note in read.assumptions:
        out.print(f"· {note}", style="dim", markup=False, soft_wrap=True)
    if read.not_understood:
        head = "没有理解" if zh else "not understood"
        out.print(f"! {head}: {' · '.join(read.not_understood)}", style="yellow", markup=False, soft_wrap=True)


def _label(key: str, language: Language) -> str:
    """What a field, a part of the ranking, or the workload is called."""
    from kb.selection.ranking import measure_label

    if key == "workload":
        return "放得下模型" if language == "zh" else "holding the model"
    return measure_label(key, language)


def _table(found: SelectOut) -> Any:
    from rich.table import Table

    zh = found.language == "zh"
    table = Table(box=None, pad_edge=False, header_style="bold")
    fields = list(dict.fromkeys(check.field for check in found.data[0].checks if check.state))
    parts = [one.field for one in found.interpreted.rank_by if one.field not in (*fields, "count")]
    for title in ("", "id", "型号" if zh else "card", "层" if zh else "tier", "得分" if zh else "score"):
        table.add_column(title)
    if found.workload is not None:
        table.add_column("张数" if zh else "count", justify="right")
        table.add_column("每张占用" if zh else "on each")
    for key in fields:
        table.add_column(_label(key, found.language), overflow="fold")
    for key in parts:
        table.add_column(_label(key, found.language), overflow="fold")
    for row in found.data:
        needed = row.memory
        sized = [str(row.count), f"{needed.each_gb_low:.0f}–{needed.each_gb_high:.0f} GB"] if needed else []
        table.add_row(*_cells(row, fields, parts, sized))
    return table


def _cells(row: CandidateOut, fields: list[str], parts: list[str], sized: list[str]) -> list[str]:
    checks = {check.field: check.text for check in row.checks}
    values = {
        part.field: f"{part.value:g} {part.unit or ''}".strip() if part.value is not None else "–" for part in row.parts
    }
    score = "" if row.score is None else f"{row.score:.3f}"
    head = [str(row.rank), row.gpu_id, row.name, str(row.tier), score]
    return [*head, *sized, *(checks.get(key, "") for key in fields), *(values.get(key, "") for key in parts)]


def _print_relaxations(out: Console, found: SelectOut) -> None:
    zh = found.language == "zh"
    if found.relaxations:
        out.print("最小的放宽:" if zh else "smallest relaxations:")
    for one in found.relaxations:
        names = ", ".join(one.gpu_ids[:_MOST_NAMED]) + (" …" if one.adds > _MOST_NAMED else "")
        out.print(f"  {one.text}  → +{one.adds}: {names}", markup=False, soft_wrap=True)


def _print_left_out(out: Console, found: SelectOut) -> None:
    zh = found.language == "zh"
    for title, rows in (
        ("不满足:" if zh else "fail:", [(row.gpu_id, row.failed) for row in found.rejected]),
        ("无法判断:" if zh else "cannot be judged:", [(row.gpu_id, row.missing) for row in found.unknown]),
    ):
        if rows:
            out.print(title)
        for gpu_id, fields in rows:
            labels = ("、" if zh else ", ").join(_label(key, found.language) for key in fields)
            out.print(f"  {gpu_id}: {labels}", markup=False, soft_wrap=True)
