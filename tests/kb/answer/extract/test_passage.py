"""Reading passages: units and their exact places, in documents that the product's own loaders and chunkers made."""

import pytest

from kb.answer.extract.passage import read_passage

GUIDE = """# 集群指南

## 分区

集群共有 21 个节点；
其中 3 个是新的。详见[说明](https://example.org)。第三句。

使用前需准备：

- **驱动** >= 440
- Kubernetes >= 1.23
  * 嵌套的一项

下面的命令限制功耗：

```bash
# 设为 70 瓦
nvidia-smi -i 0 -pl 70
```

| 分区 | 单价 | 备注 |
|---|---|---|
| L40 | 1.00 | 含 `gpu9` |
| | 1.10 | 假日 |
| RTX4090 | 0.50 | - |
| 合计 | 2.60 | 三项 |
"""
PRICES = "cardName,launchPrice,memory\nRTX 4090,1599,24\nRTX 4080,1199,16\n"
HEADS = """# Support

| Model | Atlas A2 | Atlas A2 | Maca |
|---|---|---|---|
| Model | FP16 | W8A8 | FP16 |
| Mixtral | Yes | No | Yes |
"""


@pytest.fixture(scope="module")
def generation(build_files):
    return build_files({"guide.md": GUIDE, "prices.csv": PRICES, "heads.md": HEADS})


@pytest.fixture(scope="module")
def units(generation):
    found = {}
    for row in range(len(generation.chunks)):
        chunk = generation.chunks[row]
        document = generation.documents.get(chunk.doc_id)
        passage = read_passage(document, chunk)
        found.setdefault(chunk.doc_id, []).extend((document, chunk, unit) for unit in passage.units)
    return found


def shown(units, kind, name="guide.md"):
    return [unit.shown for _, _, unit in units[name] if unit.kind == kind]


def test_every_unit_stands_in_its_passage_character_for_character(units):
    for document, chunk, unit in (item for items in units.values() for item in items):
        assert chunk.start <= unit.span.start < unit.span.end <= chunk.end
        source = document.text[unit.span.start : unit.span.end]
        assert source == source.strip()
        assert unit.text.folded


def test_a_line_break_inside_a_sentence_does_not_end_it(units):
    sentences = shown(units, "sentence")
    assert sentences[0] == "集群共有 21 个节点； 其中 3 个是新的。"
    assert sentences[1] == "详见说明。"


def test_items_come_with_the_line_that_leads_to_them(units):
    items = [unit for _, _, unit in units["guide.md"] if unit.kind == "item"]
    assert [item.shown for item in items[:2]] == ["驱动 >= 440", "Kubernetes >= 1.23"]
    assert items[0].lead == "使用前需准备："
    nested = next(item for item in items if "嵌套" in item.shown)
    assert "kubernetes" in nested.context.folded


def test_code_comes_with_its_lead_and_language(units):
    (code,) = [unit for _, _, unit in units["guide.md"] if unit.kind == "code"]
    assert code.shown == "# 设为 70 瓦\nnvidia-smi -i 0 -pl 70"
    assert (code.lead, code.language) == ("下面的命令限制功耗：", "bash")


def test_rows_know_their_columns_and_labels(units):
    rows = [unit.row for _, _, unit in units["guide.md"] if unit.row is not None]
    assert [row.label for row in rows] == ["L40", "L40", "RTX4090", "合计"]
    assert [cell.shown for cell in rows[0].cells] == ["L40", "1.00", "含 `gpu9`"]
    assert rows[0].header.name(1) == "单价"
    assert rows[2].cells[2].is_empty
    assert [unit.is_total for _, _, unit in units["guide.md"] if unit.row is not None] == [False, False, False, True]


def test_every_cell_has_its_exact_place(units):
    for document, _, unit in (item for items in units.values() for item in items):
        for cell in unit.row.cells if unit.row else ():
            source = document.text[cell.span.start : cell.span.end]
            assert source.replace("`", "") == cell.shown.replace("`", "")


def test_names_in_one_word_are_read_as_words(units):
    _, _, unit = units["prices.csv"][0]
    assert {"launch", "pric"} <= unit.context.latin


def test_a_second_header_row_tells_columns_of_one_name_apart(units):
    row = next(unit.row for _, _, unit in units["heads.md"] if unit.row and unit.row.label == "Mixtral")
    assert [row.header.name(column) for column in range(4)] == ["Model", "Atlas A2 FP16", "Atlas A2 W8A8", "Maca"]
    assert len(row.header.spans) == 2
