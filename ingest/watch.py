"""A watched folder: a build whenever its documents have changed and then come to rest."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Final

from watchfiles import Change, watch

from ingest.opening import Models, build_from_settings, open_models
from ingest.report import BuildReport
from kb.config import Settings
from kb.errors import KbError

SETTLE_S: Final = 2.0
"""How long a folder must be at rest before it is read: a copy in progress is not indexed by halves."""
_MOST_PATIENCE_S: Final = 60.0
"""A folder that never rests is read all the same, this long after its first change."""
_LOOK_ANYWAY_S: Final = 300.0
"""Network folders tell nobody of changes, so an incremental build looks by itself."""
_WAKE_MS: Final = 500


def watch_corpus(
    settings: Settings,
    on_report: Callable[[BuildReport], None],
    on_error: Callable[[KbError], None],
    *,
    settle_s: float = SETTLE_S,
    look_anyway_s: float = _LOOK_ANYWAY_S,
    stop: Event | None = None,
    models: Models | None = None,
) -> None:
    """Build once, then after each change, until `stop` is set; a build that fails is told and tried at the next change.

    Args:
        settings: what to watch and build.
        on_report: told of each build, also of one that found nothing to do.
        on_error: told why a build failed; the index in use stays as it was.
        settle_s: how long the folder must be at rest.
        look_anyway_s: build after this time even if no change was noticed.
        stop: ends the watching.
        models: the settings' models, where the caller holds them already.

    Raises:
        KbError: the models cannot be opened.
    """
    stop = stop or Event()
    models = models or open_models(settings)

    def build() -> None:
        try:
            # Another build may be running; this one then sees what that one left to do.
            on_report(build_from_settings(settings, wait=True, models=models))
        except KbError as error:
            on_error(error)

    changes = watch(
        settings.corpus_dir,
        watch_filter=_is_of_interest,
        debounce=round(max(_MOST_PATIENCE_S, settle_s) * 1e3),
        step=round(settle_s * 1e3),
        rust_timeout=_WAKE_MS,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=True,
        recursive=True,
    )
    built = -math.inf
    for found in changes:  # what changes during a build is found after it
        if found or time.monotonic() - built >= look_anyway_s:
            build()
            built = time.monotonic()


def _is_of_interest(change: Change, path: str) -> bool:
    """Hidden files are not indexed, and uploads are written under a hidden name first."""
    return not Path(path).name.startswith(".")
