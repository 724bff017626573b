"""`python -m kb.cli` is the same as `gpukb`."""

from __future__ import annotations

from kb.cli.main import main

main()
