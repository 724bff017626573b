"""The catalogue for commands that need no index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.config import Settings
from kb.errors import IndexMissingError

if TYPE_CHECKING:
    from kb.specs.catalog import Catalog


def open_catalog(settings: Settings) -> Catalog:
    """The catalogue that the settings name; the built-in one as the index holds it, if there is an index."""
    from kb.index.root import IndexRoot
    from kb.specs.catalog import Catalog

    if settings.catalog != "builtin":
        return Catalog.load(settings.catalog)
    try:
        generation = IndexRoot(settings.data_dir).open_current(verify=False)
    except IndexMissingError:
        return Catalog.load(settings.catalog)
    return Catalog.from_json_bytes(generation.catalog_bytes())
