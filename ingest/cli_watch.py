"""`gpukb index watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.options import settings_options
from kb.cli.terminal import console, error_line
from kb.config import Settings
from kb.errors import KbError

if TYPE_CHECKING:
    from ingest.report import BuildReport


@click.command()
@click.option("--settle", "settle_s", type=click.FloatRange(0.05, 60), default=2.0, show_default=True,
              help="Seconds that the folder must be at rest before it is read.")  # fmt: skip
@settings_options("corpus_dir", "catalog", "embedding_model", "embedding_device", "embedding_threads")
def watch(settle_s: float, settings: Settings) -> None:
    """Index the corpus folder whenever it has changed, until interrupted."""
    from ingest.scan import require_folder
    from ingest.watch import watch_corpus

    require_folder(settings.corpus_dir)
    out = console()
    out.print(f"Watching {settings.corpus_dir}.", markup=False, soft_wrap=True)

    def told(report: BuildReport) -> None:
        if report.is_unchanged:
            return
        counts = ", ".join(f"{count} {name}" for name, count in report.changes.counts().items())
        out.print(f"{report.generation} in {report.total_ms / 1e3:.1f} s: {counts}.", markup=False, soft_wrap=True)
        for note in report.failed:
            out.print(f"  {note.doc_id}: {note.reason}", markup=False, soft_wrap=True)

    def failed(error: KbError) -> None:
        error_line(str(error))

    watch_corpus(settings, told, failed, settle_s=settle_s)
