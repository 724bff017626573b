from __future__ import annotations

import pytest

from kb.selection.scenarios import load_scenarios
from kb.selection.selector import Selector
from kb.specs.catalog import Catalog


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog.load()


@pytest.fixture(scope="session")
def selector(catalog) -> Selector:
    return Selector(catalog, load_scenarios())
