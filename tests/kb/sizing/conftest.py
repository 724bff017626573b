from __future__ import annotations

import pytest

from kb.specs.catalog import Catalog
from kb.specs.model_shapes import ModelShapes


@pytest.fixture(scope="session")
def models() -> ModelShapes:
    return ModelShapes.load()


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog.load()
