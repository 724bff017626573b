from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.specs.catalog import Catalog
from kb.specs.names import Mention, NameResolver
from kb.text import simplified_characters

CASES = [
    line.split("\t")
    for line in (Path(__file__).parent / "name_cases.tsv").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def written(mention: Mention) -> str:
    """A mention as the table of cases writes it."""
    negated = "!" if mention.negated else ""
    if mention.status == "unknown":
        return f"{negated}?{mention.nearest[0] if mention.nearest else ''}"
    return f"{negated}{'several:' if mention.status == 'several' else ''}{','.join(mention.gpu_ids)}"


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_names(resolver, text, expected):
    assert ";".join(written(mention) for mention in resolver.resolve(text)) == expected


def test_there_are_enough_cases():
    assert len(CASES) >= 150


@pytest.mark.parametrize("text", [case[0] for case in CASES])
def test_a_mention_stands_where_it_says(resolver, text):
    end = 0
    for mention in resolver.resolve(text):
        assert mention.start >= end
        end = mention.end
        assert text[mention.start : mention.end] == mention.text
        assert mention.text == mention.text.strip()
        assert bool(mention.gpu_ids) == (mention.status != "unknown")


def test_every_card_is_found_by_its_own_name_and_id(catalog, resolver):
    for spec in catalog.gpus.values():
        for name in (spec.name, spec.name_zh, spec.gpu_id):
            found = resolver.resolve(name)
            assert len(found) == 1, (name, found)
            assert spec.gpu_id in found[0].gpu_ids, (name, found)
            if spec.tier == 1:
                assert found[0].status == "one" or spec.gpu_id == "ascend-910b", (name, found)


@pytest.mark.parametrize(
    ("text", "corrected"),
    [("智凯100", "智铠100"), ("nvida h100 sxm", "NVIDIA H100"), ("RTX 409O", "RTX 4090"), ("升腾910C", "昇腾 910C")],
)
def test_a_mended_name_says_what_it_was_taken_for(resolver, text, corrected):
    (mention,) = resolver.resolve(text)
    assert mention.corrected == corrected


def test_a_right_name_is_not_mended(resolver):
    assert all(m.corrected is None for m in resolver.resolve("RTX 4090、智铠100、NVIDIA H100 SXM 与 910B"))


def test_a_shared_name_tells_the_family(resolver):
    (mention,) = resolver.resolve("A100")
    assert mention.family == "A100"
    (mention,) = resolver.resolve("A40")
    assert mention.family is None


@given(digits=st.integers(min_value=1000, max_value=9999))
@settings(max_examples=300, deadline=None)
def test_digits_are_never_mended(digits):
    resolver = _resolver()
    for mention in resolver.resolve(f"RTX {digits} 的显存"):
        assert mention.corrected is None
        if mention.status != "unknown":
            assert all(str(digits) in gpu_id for gpu_id in mention.gpu_ids)


@given(text=st.text(alphabet="AaBbHhLlTtRrXx01469 -_/.,（）是不的智铠昇腾 gbGB", max_size=40))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_mentions_in_order_and_in_place(text):
    end = 0
    for mention in _resolver().resolve(text):
        assert end <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        end = mention.end


_RESOLVERS: list[NameResolver] = []


def _resolver() -> NameResolver:
    if not _RESOLVERS:
        _RESOLVERS.append(NameResolver(Catalog.load()))
    return _RESOLVERS[0]


def _spelt_otherwise(catalog: Catalog) -> list[str]:
    """Names as their cards are called, and what people call them."""
    spelt = [name for spec in catalog.gpus.values() if spec.tier == 1 for name in (spec.name, spec.name_zh)]
    aliases = catalog.aliases
    spelt += [alias for names in aliases["cards"].values() for alias in names]
    spelt += [alias for family in aliases["families"].values() for alias in family["aliases"]]
    return sorted(set(spelt))


NAMES = _spelt_otherwise(Catalog.load())
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000}
_TRADITIONAL = str.maketrans({new: old for old, new in simplified_characters().items()})


def meant(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """What the names of a text mean, wherever they stand."""
    return [(mention.status, mention.gpu_ids) for mention in _resolver().resolve(text)]


@given(name=st.sampled_from(NAMES), change=st.sampled_from(["upper", "lower", "title", "swapcase"]))
@settings(max_examples=150, deadline=None)
def test_case_changes_nothing(name, change):
    changed = getattr(name, change)()
    assert meant(f"请问{changed}的功耗") == meant(f"请问{name}的功耗")


@given(name=st.sampled_from(NAMES))
@settings(max_examples=150, deadline=None)
def test_full_width_changes_nothing(name):
    assert meant(f"{name.translate(_FULL_WIDTH)}的显存") == meant(f"{name}的显存")


@given(name=st.sampled_from(NAMES))
@settings(max_examples=150, deadline=None)
def test_traditional_characters_change_nothing(name):
    assert meant(f"{name.translate(_TRADITIONAL)}的顯存") == meant(f"{name}的显存")


@given(
    name=st.sampled_from([name for name in NAMES if "(" not in name]),
    gap=st.sampled_from(["  ", "-", "\u00a0", "\u3000"]),
    around=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_spacing_changes_nothing(name, gap, around):
    changed = name.replace(" ", gap)
    assert meant(f"查 {changed} 的功耗" if around else f"查{changed}的功耗") == meant(f"查{name}的功耗")


@given(name=st.sampled_from([spec.name for spec in Catalog.load().gpus.values() if spec.tier == 1]))
@settings(max_examples=150, deadline=None)
def test_a_name_may_be_written_without_spaces(name):
    joined = name.replace(" ", "").replace("(", "（").replace(")", "）")
    assert meant(f"查{joined}的功耗") == meant(f"查{name}的功耗")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("L4S 多少瓦", "unknown"),
        ("two L4s", "one"),
        ("8 A100s", "several"),
        ("A100S 的显存", "unknown"),
        ("6090 显存", "unknown"),
        ("6090 块钱", None),
        ("910D 算力", "unknown"),
        ("910W", None),
        ("NVIDIA T5", "unknown"),
        ("T5 模型", None),
        ("TPU v9 FLOPS", "unknown"),
        ("ZhiKai 200", "unknown"),
        ("laptop RTX 4090", "one"),
        ("笔记本 4090", "one"),
        ("DGX A100", "several"),
        ("GB200 NVL72", "one"),
    ],
)
def test_short_codes_numbers_and_machines(resolver, text, status):
    found = resolver.resolve(text)
    assert [mention.status for mention in found] == ([status] if status else [])


def test_a_machine_is_told_from_its_cards(catalog):
    assert catalog.systems.named("NVIDIA DGX A100 80GB").gpu_count == 8
    assert catalog.systems.named("NVL72").gpu_count == 72
    assert catalog.systems.named("A100 SXM4 80GB") is None


def test_vendors(resolver):
    found = resolver.vendors("英伟达和昇腾、寒武纪 MLU370，还有老黄与 Moore Threads")
    assert [v.vendor_id for v in found] == ["nvidia", "huawei", "cambricon", "nvidia", "moore-threads"]
    assert [v.text for v in found] == ["英伟达", "昇腾", "寒武纪", "老黄", "Moore Threads"]
    assert resolver.vendors("红烧肉") == ()


def test_without_a_catalogue_no_card_is_called_unknown():
    resolver = NameResolver(Catalog.empty())
    assert resolver.resolve("RTX 4095 与 A100") == ()
    assert resolver.vendors("NVIDIA") == ()


@pytest.mark.parametrize(
    ("text", "name", "first"),
    [
        ("H 100 显存多大", "H 100", "h100-sxm5-80gb"),
        ("H 100显存", "H 100", "h100-sxm5-80gb"),
        ("memory of the H 100 SXM.", "H 100 SXM", "h100-sxm5-80gb"),
        ("What is the TDP of the L 40S?", "L 40S", "l40s"),
        ("T 4 TDP", "T 4", "t4"),
        ("A 100 80GB bandwidth", "A 100 80GB", "a100-pcie-80gb"),
        ("A 800 的功耗", "A 800", "a800-pcie-40gb"),
    ],
)
def test_a_blank_inside_a_code_of_one_letter(resolver, text, name, first):
    (mention,) = resolver.resolve(text)
    assert (mention.text, mention.gpu_ids[0]) == (name, first)


@pytest.mark.parametrize(
    "text",
    [
        "A 100 W card", "A 2 GPU server", "A 10 minute break", "Table A 40 rows", "Option B 100 GB", "B 200 W",
        "a 100 GB file", "H 100.5", "h 100", "T 4 GB",
    ],
)  # fmt: skip
def test_a_letter_before_an_amount_is_no_code(resolver, text):
    assert resolver.resolve(text) == ()
