"""What all tests share: the optional folder of test material, and one index of the shipped corpus."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no fault of an example.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parent.parent


def shared_path() -> Path | None:
    """The folder of test material: `GPUKB_SHARED_DIR`, else `shared` beside the checkout, else nothing."""
    path = Path(os.environ.get("GPUKB_SHARED_DIR") or ROOT.parent / "shared")
    return path if path.is_dir() else None


@pytest.fixture(scope="session")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of tests share, for what takes long to make."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of test material; a test that needs it is skipped where it is missing."""
    path = shared_path()
    if path is None:
        pytest.skip("needs the folder of test material: set GPUKB_SHARED_DIR or put `shared` beside the checkout")
    return path
