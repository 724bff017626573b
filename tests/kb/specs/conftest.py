"""The built-in catalogue, read once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog.load()


@pytest.fixture(scope="session")
def resolver(catalog: Catalog) -> NameResolver:
    return NameResolver(catalog)


@pytest.fixture(scope="session")
def facts(shared: Path) -> Path:
    return shared / "facts"
