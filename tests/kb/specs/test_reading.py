"""A mistake in a catalogue folder is one clear error that names file, card and field."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from kb.errors import CatalogError
from kb.specs.catalog import Catalog, builtin_folder
from kb.specs.reading import read_catalog_folder

CARD = """
- id: test-card
  name: Test Card
  vendor: nvidia
  family: Test
  architecture: hopper
  fields:
    memory_gb: {value: 80, confidence: high, sources: [wikipedia]}
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    """A small folder that is right."""
    builtin = builtin_folder()
    (tmp_path / "specs").mkdir()
    for name in ("sources.yaml", "specs/capabilities.yaml"):
        shutil.copy(builtin / name, tmp_path / name)
    aliases = yaml.safe_load((builtin / "aliases.yaml").read_text(encoding="utf-8"))
    (tmp_path / "aliases.yaml").write_text(yaml.safe_dump({"vendors": aliases["vendors"]}, allow_unicode=True))
    (tmp_path / "specs" / "cards.yaml").write_text(CARD)
    return tmp_path


def test_a_folder_of_ones_own(folder):
    catalog = Catalog.load(folder)
    assert list(catalog.gpus) == ["test-card"]
    assert catalog.entry("test-card", "memory_gb").value == 80
    assert catalog.entry("test-card", "fp4_tensor_tflops").state == "not_supported"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "value: 80,",
            "value: 80, unit: GiB,",
            r"cards\.yaml: test-card, memory_gb has the unit 'GiB'; the field is in GB",
        ),
        ("value: 80,", "value: eighty,", r"cards\.yaml: test-card, memory_gb must be a number, not 'eighty'"),
        ("memory_gb: {value: 80", "memory_type: {value: 80", r"test-card, memory_type must be text in quotes, not 80"),
        ("memory_gb: {value: 80", "released_on: {value: soon", r"test-card, released_on must be a date like"),
        (", sources: [wikipedia]", "", r"test-card, memory_gb has a value without `sources`"),
        ("[wikipedia]", "[hearsay]", r"test-card, memory_gb names the source 'hearsay', which is not in sources\.yaml"),
        ("memory_gb", "vram", r"test-card, vram is not a field"),
        ("confidence: high", "confidence: sure", r"test-card, memory_gb\.confidence input should be"),
        (
            "confidence: high",
            "confidence: high, qualifiers: [thick]",
            r"test-card, memory_gb\.qualifiers\.0 'thick' is not",
        ),
        ("vendor: nvidia", "vendor: acme", r"test-card, vendor 'acme' is not in aliases\.yaml"),
        ("architecture: hopper", "architecture: hooper", r"test-card, architecture 'hooper' is not in capabilities"),
        ("id: test-card", "id: Test_Card", r"cards\.yaml: Test_Card, id string should match"),
        (
            "{value: 80,",
            "{value: 80, note_zh: 半句,",
            r"test-card, memory_gb has a note or reason in one language only",
        ),
        ("{value: 80,", "{state: conflicting, value: 80,", r"test-card, memory_gb is conflicting: give the `others`"),
        ("{value: 80,", "{state: unresolved, value: 80,", r"test-card, memory_gb is unresolved but has a value"),
        ("{value: 80,", "{low: 90, high: 80,", r"test-card, memory_gb has a range whose `low` is not below `high`"),
        ("family: Test", "family: Test\n  colour: green", r"test-card, colour extra inputs are not permitted"),
        ("family: Test", "family: Test\n  lacks: [soul]", r"test-card, lacks 'soul' is not a feature"),
        (
            "sources: [wikipedia]}",
            "sources: [wikipedia], rejected: [{value: 1, confidence: low, sources: [wikipedia]}]}",
            r"test-card, memory_gb has a rejected figure without a note",
        ),
    ],
)
def test_a_mistake_names_file_card_and_field(folder, old, new, message):
    text = (folder / "specs" / "cards.yaml").read_text()
    assert old in text
    (folder / "specs" / "cards.yaml").write_text(text.replace(old, new))
    with pytest.raises(CatalogError, match=message) as caught:
        read_catalog_folder(folder)
    assert "\n" not in str(caught.value)


def test_a_card_recorded_twice(folder):
    (folder / "specs" / "more.yaml").write_text(CARD)
    with pytest.raises(CatalogError, match=r"more\.yaml: test-card is recorded twice"):
        read_catalog_folder(folder)


def test_an_alias_given_twice(folder):
    more = CARD.replace("test-card", "other-card")
    (folder / "specs" / "more.yaml").write_text(more)
    with (folder / "aliases.yaml").open("a") as handle:
        handle.write("\ncards:\n  test-card: [Big One]\n  other-card: [BIGONE]\n")
    with pytest.raises(CatalogError, match=r"aliases\.yaml: other-card shares the alias 'BIGONE' with test-card"):
        read_catalog_folder(folder)


def test_an_alias_of_no_card(folder):
    with (folder / "aliases.yaml").open("a") as handle:
        handle.write("\ncards:\n  ghost: [Boo]\n")
    with pytest.raises(CatalogError, match=r"aliases\.yaml: names cards that are not recorded: ghost"):
        read_catalog_folder(folder)


def test_broken_yaml_and_missing_files(folder):
    (folder / "specs" / "cards.yaml").write_text("- id: [")
    with pytest.raises(CatalogError, match=r"cards\.yaml is no YAML"):
        read_catalog_folder(folder)
    (folder / "sources.yaml").unlink()
    with pytest.raises(CatalogError, match=r"sources\.yaml is missing"):
        read_catalog_folder(folder)


def test_no_catalogue_at_all(tmp_path):
    with pytest.raises(CatalogError, match=r"There is no catalogue in .*GPUKB_CATALOG"):
        Catalog.load(tmp_path)


def test_second_tier_files_are_checked(folder):
    (folder / "specs" / "breadth").mkdir()
    path = folder / "specs" / "breadth" / "cards.csv"
    path.write_text("id,name,vendor,architecture_id,ref,memory_gb\nx,X,nvidia,hopper,x.c1,many\n")
    with pytest.raises(CatalogError, match=r"cards\.csv: x, memory_gb must be a number, not 'many'"):
        read_catalog_folder(folder)
    path.write_text("id,name,vendor,architecture_id,ref,vram\nx,X,nvidia,hopper,x.c1,8\n")
    with pytest.raises(CatalogError, match=r"cards\.csv: must have the columns .*\['vram'\]"):
        read_catalog_folder(folder)


def test_the_first_tier_wins(folder):
    (folder / "specs" / "breadth").mkdir()
    (folder / "specs" / "breadth" / "cards.csv").write_text(
        "id,name,vendor,architecture_id,ref,memory_gb\ntest-card,T,nvidia,hopper,x.c1,1\nother,O,nvidia,hopper,x.c2,2\n"
    )
    catalog = Catalog.load(folder)
    assert catalog.entry("test-card", "memory_gb").value == 80
    assert catalog.entry("other", "memory_gb").value == 2
