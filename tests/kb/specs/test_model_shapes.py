from __future__ import annotations

import pytest

from kb.errors import CatalogError, NotFoundError
from kb.specs.model_shapes import ModelShapes


@pytest.fixture(scope="module")
def models() -> ModelShapes:
    return ModelShapes.load()


def test_parameter_counts_follow_from_the_shapes(models):
    assert len(models.shapes) >= 25
    for shape in models.shapes.values():
        assert shape.parameters_from_shape / 1e9 == pytest.approx(shape.parameters_b, rel=0.02), shape.id


@pytest.mark.parametrize(
    ("name", "elements"),
    [
        ("Llama 2 7B", 2 * 32 * 4096),
        ("Llama 3.1 70B", 2 * 80 * 8 * 128),
        ("qwen2.5-72b", 2 * 80 * 8 * 128),
        ("DeepSeek-R1", 61 * (512 + 64)),
        ("GLM-4-9B", 2 * 40 * 2 * 128),
    ],
)
def test_kv_cache_elements(models, name, elements):
    assert models.find(name).kv_elements_per_token == elements


def test_models_are_found_in_text(models):
    found = models.mentioned("用 H100 跑 Llama 3.1 70B 和 qwen2.5-72b-instruct，DeepSeek R1 呢？Llama3-8B, GLM4 9B")
    assert [m.shape.id for m in found] == ["llama-3.1-70b", "qwen2.5-72b", "deepseek-v3", "llama-3-8b", "glm-4-9b"]
    assert [m.text for m in found][:2] == ["Llama 3.1 70B", "qwen2.5-72b"]
    assert models.mentioned("H100 有 80 GB 显存") == ()


@pytest.mark.parametrize("name", ["Phi-4-mini", "DeepSeek-V3-Lite", "Mistral Large 3", "DeepSeek-R1-Distill-Qwen-70B"])
def test_a_word_behind_a_name_makes_another_model(models, name):
    assert models.mentioned(name) == ()


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("DeepSeek-V2-Lite", "deepseek-v2-lite"),
        ("DeepSeek-R1-Distill-Qwen-32B", "qwen2.5-32b"),
        ("Phi-4 14B", "phi-4"),
        ("Llama 4 Scout", "llama-4-scout"),
        ("Qwen3-235B-A22B-Instruct", "qwen3-235b-a22b"),
    ],
)
def test_the_longest_name_counts(models, name, model):
    assert [mention.shape.id for mention in models.mentioned(name)] == [model]


def test_a_longer_size_is_another_model(models):
    assert models.mentioned("Llama 3.1 700B") == ()
    assert models.mentioned("Qwen2.5 7.5B") == ()


def test_an_unknown_model(models):
    with pytest.raises(NotFoundError, match="Give its shape"):
        models.find("Llama 9 1T")


def test_a_wrong_shape_is_refused(tmp_path):
    (tmp_path / "m.yaml").write_text(
        "- {id: m, name: M, parameters_b: 7, layers: 3, hidden: 4096, heads: 32, kv_heads: 32, head_dim: 128,"
        " intermediate: 11008, vocab: 32000, max_context: 4096, attention: mha, source: x}"
    )
    with pytest.raises(CatalogError, match=r"m\.yaml: m the shape gives 0\.87 B parameters, the record says 7 B"):
        ModelShapes.load(tmp_path)
