"""Arrays on disk, in numpy's own format: mapped when read, never pickled."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray


def save_array(path: Path, values: NDArray[Any]) -> None:
    """Write `values` as `.npy`."""
    with path.open("wb") as file:
        # Given a real file numpy writes past Python and loses the reason when the disk refuses.
        np.save(SimpleNamespace(write=file.write), np.ascontiguousarray(values), allow_pickle=False)


def load_array(path: Path) -> NDArray[Any]:
    """Map an `.npy` file, read only."""
    try:
        # As a plain array: numpy's class for mapped ones makes every slice three times dearer.
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except ValueError:
        # A file of no elements cannot be mapped.
        return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]
