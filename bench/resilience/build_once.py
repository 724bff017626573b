"""A process that builds the index of a corpus folder: `python -m bench.resilience.build_once CORPUS DATA [BYTES]`.

With BYTES no file may grow larger than that, as on a disk that is full.
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


def main() -> int:
    """Build, and say each stage on standard output."""
    corpus, data = Path(sys.argv[1]), Path(sys.argv[2])
    if len(sys.argv) > 3:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))

    def tell(event: object) -> None:
        print(event_to_line(event), flush=True)  # type: ignore[arg-type]

    try:
        build(corpus, IndexRoot(data), HashEmbedder(), catalog=b"{}", on_event=tell, options=BuildOptions(keep=2))
    except KbError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
