"""`gpukb index`: build, watch, status, verify, diff, rollback and prune."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ingest.cli_generations import diff, print_changes, prune, rollback
from ingest.cli_watch import watch
from kb.cli.options import json_option, settings_options
from kb.cli.terminal import console
from kb.config import Settings
from kb.types import BuildEvent

if TYPE_CHECKING:
    from ingest.report import BuildReport, FileNote
    from kb.index.generation import Generation

_NOTES_SHOWN = 20
_OBJECTS_BETWEEN_COLLECTIONS = 100_000


@contextmanager
def _few_collections() -> Iterator[None]:
    """A build makes millions of objects and hardly a cycle: looking for those as often as usual costs it a tenth."""
    usual = gc.get_threshold()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@click.group()
def index() -> None:
    """Build the index from documents, and look after it."""


@index.command()
@click.option("--full", is_flag=True, help="Read and embed everything anew instead of taking what is known.")
@click.option("--dry-run", is_flag=True, help="Show what would change, write nothing.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar="PATH",
    help="Look only at this document or folder, relative to the corpus folder; can be given several times.",
)
@click.option("--wait", is_flag=True, help="Wait for a build that is running instead of refusing.")
@click.option("--stop-on-eof", is_flag=True, hidden=True, help="Stop when standard input ends: its parent is gone.")
@json_option
@settings_options("corpus_dir", "catalog", "embedding_model", "embedding_device", "embedding_threads")
def build(
    full: bool,
    dry_run: bool,
    paths: tuple[str, ...],
    wait: bool,
    stop_on_eof: bool,
    as_json: bool,
    settings: Settings,
) -> None:
    """Index what changed in the corpus folder; the index in use stays in use until the new one is complete."""
    from ingest.opening import build_from_settings
    from ingest.parent import give_way, stop_with_parent
    from ingest.progress_bar import PlainLines, ProgressBar

    if stop_on_eof:
        stop_with_parent()
        settings = give_way(settings)

    def run(on_event: Callable[[BuildEvent], None]) -> BuildReport:
        try:
            with _few_collections():
                return build_from_settings(
                    settings, full=full, dry_run=dry_run, paths=paths, wait=wait, on_event=on_event
                )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                "interrupted: the index in use stays as it was; what was embedded is kept for the next build."
            ) from None

    if as_json:
        report = run(_print_event)
        click.echo(json.dumps({"report": report.as_dict()}, ensure_ascii=False))
        return
    if console(stderr=True).is_terminal:
        with ProgressBar() as bar:
            report = run(bar)
    else:
        report = run(PlainLines())
    _print_report(report, settings)


def _print_event(event: BuildEvent) -> None:
    from kb.index.events import event_to_line

    click.echo(event_to_line(event))


def _print_report(report: BuildReport, settings: Settings) -> None:
    out = console()
    _print_notes("could not be read", report.failed)
    _print_notes("skipped", report.skipped)
    _print_notes("odd", report.warnings)
    if report.documents > len(report.changes.added):  # a first build need not list everything
        print_changes(report.changes)
    if report.is_unchanged:
        out.print(f"Nothing has changed: {report.generation} stays, with {report.documents} documents.", markup=False)
        return
    counts = f"{report.documents} documents, {report.chunks} chunks, {report.pieces} vectors"
    if report.dry_run:
        out.print(f"Dry run: {counts} would be indexed.", markup=False)
        return
    ending = " with problems" if report.failed else ""
    seconds = report.total_ms / 1e3
    out.print(
        f"Index {report.generation} built{ending} in {seconds:.1f} s: {counts} ({report.embedded} new).", markup=False
    )
    out.print(f"It is in {settings.data_dir}.", markup=False, soft_wrap=True)


def _print_notes(title: str, notes: tuple[FileNote, ...]) -> None:
    if not notes:
        return
    out = console()
    out.print(f"{len(notes)} {title}:", markup=False)
    for note in notes[:_NOTES_SHOWN]:
        out.print(f"  {note.doc_id}: {note.reason}", markup=False, soft_wrap=True)
    if len(notes) > _NOTES_SHOWN:
        out.print(f"  … and {len(notes) - _NOTES_SHOWN} more (--json lists all)", markup=False)


@index.command()
@click.option("--documents", is_flag=True, help="List the documents too.")
@json_option
@settings_options()
def status(documents: bool, as_json: bool, settings: Settings) -> None:
    """Show the published index and what made it."""
    from kb.index.root import IndexRoot

    root = IndexRoot(settings.data_dir)
    with root.open_current(verify=False) as generation:
        values = _status(generation, root.generations(), documents=documents)
    if as_json:
        click.echo(json.dumps(values, ensure_ascii=False))
        return
    out = console()
    for name, value in values.items():
        if name not in {"embedding", "cross_embedding", "files"}:
            out.print(f"{name.replace('_', ' ')}: {_shown(value)}", markup=False, soft_wrap=True)
        elif name != "files" and value is not None:
            label = "embedding" if name == "embedding" else "second encoder"
            out.print(f"{label}: {value['model']} ({value['revision']}), {value['dim']} wide", markup=False)


def _status(generation: Generation, generations: tuple[str, ...], *, documents: bool) -> dict[str, Any]:
    from kb.index.build_record import record_of

    manifest = generation.manifest
    cross = manifest.cross_embedding
    values: dict[str, Any] = {
        "generation": generation.name,
        "built_at": manifest.built_at,
        "gpukb_version": manifest.gpukb_version,
        "documents": manifest.documents,
        "chunks": manifest.chunks,
        "pieces": manifest.pieces,
        "bytes": sum(record.bytes for record in manifest.files.values()),
        "chunker": manifest.chunker,
        "embedding": {**asdict(manifest.embedding), "fingerprint": manifest.embedding.fingerprint},
        "cross_embedding": {**asdict(cross), "fingerprint": cross.fingerprint} if cross else None,
        "generations": list(generations),
        "failed": [f"{note['doc_id']}: {note['reason']}" for note in record_of(generation).failed],
    }
    if documents:
        values["data"] = [
            {
                "doc_id": summary.doc_id,
                "title": summary.title,
                "language": summary.language,
                "encoding": summary.encoding,
                "chunks": summary.chunks + len(summary.shared_chunks),
                "warnings": list(summary.warnings),
            }
            for summary in generation.documents.summaries()
        ]
    return values


def _shown(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "".join(f"\n  {item['doc_id']} ({item['encoding']}, {item['chunks']} chunks)" for item in value)
    return (", ".join(map(str, value)) or "none") if isinstance(value, list) else str(value)


@index.command()
@json_option
@settings_options()
def verify(as_json: bool, settings: Settings) -> None:
    """Compare every file of the published index with its checksum."""
    from kb.index.root import IndexRoot

    with IndexRoot(settings.data_dir).open_current(verify=True) as generation:
        files = len(generation.manifest.files)
        name = generation.name
    if as_json:
        click.echo(json.dumps({"generation": name, "files": files, "state": "ok"}))
    else:
        console().print(f"{name}: {files} files agree with their checksums.", markup=False)


for _command in (watch, diff, rollback, prune):
    index.add_command(_command)
