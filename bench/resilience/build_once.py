"""A process that builds an index: `python -m bench.resilience.build_once CORPUS DATA [BYTES STAGE]`.

With BYTES no file may grow larger than that from the beginning of STAGE on, as on a disk that is full.
"""

from __future__ import annotations

import resource
import signal
import sys
from pathlib import Path

from bench.resilience.world import HashEmbedder
from ingest.pipeline import BuildOptions, build
from kb.errors import KbError
from kb.index.events import event_to_line
from kb.index.root import IndexRoot
from kb.types import BuildEvent


def main() -> int:
    """Build, and say each stage on standard output."""
    corpus, data = Path(sys.argv[1]), Path(sys.argv[2])
    limit, stage = (int(sys.argv[3]), sys.argv[4]) if len(sys.argv) > 3 else (0, "")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def tell(event: BuildEvent) -> None:
        print(event_to_line(event), flush=True)
        if event.stage == stage:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    try:
        build(corpus, IndexRoot(data), HashEmbedder(), catalog=b"{}", on_event=tell, options=BuildOptions(keep=2))
    except KbError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
