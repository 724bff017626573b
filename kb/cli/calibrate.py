"""`gpukb calibrate`: teach the index in use what weak evidence is, by questions that its documents answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.cli.options import json_option, settings_options
from kb.config import Settings

if TYPE_CHECKING:
    from kb.answer.recalibration import Recalibration

_SHOWN = 10


@click.command()
@click.argument("questions", type=click.Path(path_type=Path, dir_okay=False), required=False)
@click.option("--forget", is_flag=True, help="Drop the questions given before; the corpus itself teaches again.")
@json_option
@settings_options()
def calibrate(questions: Path | None, forget: bool, as_json: bool, settings: Settings) -> None:
    """Set when a question is refused, by QUESTIONS that the documents answer.

    QUESTIONS is a file with one question a line, or JSON lines with a field "question"; about 50 are enough. They are
    kept beside the index and every later build learns from them. A running service moves to the result by itself.
    """
    from kb.answer.calibration_questions import load_questions
    from kb.answer.recalibration import recalibrate
    from kb.embeddings.registry import cross_embedder_of, embedder_of
    from kb.index.root import IndexRoot

    if forget == (questions is not None):
        raise click.UsageError("Name a file of questions, or give --forget.")
    asked = load_questions(questions) if questions else ()
    root = IndexRoot(settings.data_dir)
    root.require_current()
    result = recalibrate(root, embedder_of(settings), cross_embedder_of(settings), asked)
    if as_json:
        click.echo(json.dumps(_as_dict(result, len(asked)), ensure_ascii=False))
    else:
        _print(result, len(asked))


def _as_dict(result: Recalibration, questions: int) -> dict[str, object]:
    return {
        "generation": result.generation,
        "questions": questions,
        "threshold_before": round(result.before.threshold, 3),
        "threshold": round(result.after.threshold, 3),
        "refused_before": list(result.refused_before),
        "refused": list(result.refused_after),
    }


def _print(result: Recalibration, questions: int) -> None:
    change = f"threshold {result.before.threshold:.2f} → {result.after.threshold:.2f}, published as {result.generation}"
    if not questions:
        click.echo(f"learned from the corpus itself: {change}")
        return
    click.echo(f"learned from {questions} questions: {change}")
    click.echo(f"refused of them: {len(result.refused_before)} before, {len(result.refused_after)} now")
    for question in result.refused_after[:_SHOWN]:
        click.echo(f"  still refused: {question}")
    if len(result.refused_after) > _SHOWN:
        click.echo(f"  and {len(result.refused_after) - _SHOWN} more; --json lists all")
