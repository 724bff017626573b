from __future__ import annotations

import pytest
from fastapi.testclient import TestClient


def size(client: TestClient, language: str = "en", **body):
    response = client.post("/v1/size", json=body, headers={"Accept-Language": language})
    assert response.status_code == 200, response.text
    return response.json()


def lines(part):
    return {line["key"]: line for line in part["lines"]}


def test_memory_part_by_part(client: TestClient) -> None:
    body = size(client, model="Llama 3.1 8B", precision="bf16", context_tokens=8192, concurrency=4)
    found = lines(body["memory"])
    assert list(found) == ["weights", "kv_cache", "activations", "overhead"]
    assert found["weights"]["low"] == found["weights"]["high"] == 8030261248 * 2
    assert found["weights"]["gib_low"] == pytest.approx(8030261248 * 2 / 2**30)
    assert found["kv_cache"]["low"] == 4 * 8192 * 131072
    assert found["kv_cache"]["calculation"] == "32 × 8,192 × 2 × 8 × 128 × 2 bytes × 4 = 4.29 GB"
    assert body["memory"]["total_low"] == pytest.approx(sum(line["low"] for line in found.values()))
    assert body["data"] == []


def test_every_line_says_where_its_inputs_come_from(client: TestClient) -> None:
    body = size(client, model="Qwen2.5 72B", gpu="h100-sxm5-80gb", context_tokens=4096)
    card = body["data"][0]
    for line in (*body["memory"]["lines"], *card["lines"]):
        assert line["formula"]
        result = line["calculation"].rpartition(" = ")[2]
        assert result == line["text"] or line["key"] in {"step", "first_token"}
        for item in line["inputs"]:
            assert item["basis"] in {"given", "model", "card", "format", "assumed", "derived"}
            if item["basis"] == "card":
                assert item["figure"]["source"]["title"]
                assert item["ref"].startswith("h100-sxm5-80gb.")
            if item["basis"] == "model":
                assert item["ref"].startswith("https://")


def test_cards_and_layout(client: TestClient) -> None:
    card = size(client, model="70B", gpu="h100-sxm5-80gb", context_tokens=32768)["data"][0]
    assert card["tight_layout"]["cards"] == 2
    assert card["planned_layout"] == {
        "cards": 4, "tensor_parallel": 4, "pipeline_parallel": 1, "data_parallel": 1
    }  # fmt: skip
    assert card["limit"] == "memory_bandwidth"
    assert card["bytes_each_high"] <= 80e9


def test_a_name_of_several_cards_gives_each(client: TestClient) -> None:
    data = size(client, model="70B", gpu="A100")["data"]
    assert {card["memory_gb"] for card in data} == {40, 80}
    assert len({card["gpu_id"] for card in data}) == len(data) >= 4


def test_the_workload_may_stand_by_itself(client: TestClient) -> None:
    flat = size(client, model="70B", precision="fp8", gpu="h200")
    nested = size(client, workload={"model": "70B", "precision": "fp8"}, gpu="h200")
    assert flat == nested
    both = client.post("/v1/size", json={"workload": {"model": "70B"}, "precision": "fp8"})
    assert both.status_code == 422


def test_a_given_number_of_cards_gets_a_verdict(client: TestClient) -> None:
    verdicts = {
        cards: size(client, model="70B", gpu="h100-sxm5-80gb", cards=cards, context_tokens=32768)["data"][0]["verdict"]
        for cards in (1, 2, 4)
    }
    assert verdicts == {1: "does_not_fit", 2: "tight", 4: "fits"}


def test_a_format_the_card_lacks_is_said_and_computed_otherwise(client: TestClient) -> None:
    card = size(client, model="70B", gpu="a100-sxm4-80gb", precision="fp8")["data"][0]
    first = lines(card)["first_token"]
    assert any("no FP8 arithmetic" in note for note in first["notes"])
    assert {item["ref"] for item in first["inputs"] if item["basis"] == "card"} >= {"a100-sxm4-80gb.fp16_tensor_tflops"}


def test_a_model_by_its_shape(client: TestClient) -> None:
    shape = {
        "layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "intermediate": 14336, "vocab": 128256
    }  # fmt: skip
    body = size(client, shape=shape, precision="bf16")
    assert body["workload"]["model"]["parameters"] == 8030261248
    assert body["workload"]["model"]["attention"] == "gqa"


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"model": "Llama 3.1 71B"}, 404, "Llama 3.1 70B"),
        ({"model": "70B", "gpu": "H150"}, 404, "H1"),
        ({}, 422, "model"),
        ({"model": "70B", "parameters_b": 70}, 422, "exactly one"),
        ({"model": "70B", "precision": "fp7"}, 422, "precision"),
        ({"model": "70B", "context_tokens": 0}, 422, "context_tokens"),
        ({"model": "70B", "cards": 0}, 422, "cards"),
        ({"model": "70B", "colour": "red"}, 422, "colour"),
        ({"model": "0B"}, 400, "size"),
        ({"model": "70B", "batch": 2, "concurrency": 3}, 422, "batch"),
    ],
)
def test_what_cannot_be_sized(client: TestClient, body, status, says) -> None:
    response = client.post("/v1/size", json=body)
    assert response.status_code == status
    assert says in response.text


@pytest.mark.parametrize("field", ["parameters_b", "target_tpot_ms", "training_tokens"])
@pytest.mark.parametrize("value", [True, "7", -1, 0, 1e300])
def test_an_amount_is_a_number_within_reason(client: TestClient, field, value) -> None:
    task = "pretrain" if field == "training_tokens" else "inference"
    body = {field: value} if field == "parameters_b" else {"model": "7B", "task": task, field: value}
    assert client.post("/v1/size", json=body).status_code == 422


@pytest.mark.parametrize(("heads", "kv_heads", "status"), [(32, 8, 200), (32, 32, 200), (3, 2, 422), (8, 200, 422)])
def test_heads_share_their_keys_evenly(client: TestClient, heads, kv_heads, status) -> None:
    shape = {"layers": 2, "hidden": 64, "heads": heads, "kv_heads": kv_heads, "intermediate": 64, "vocab": 64}
    assert client.post("/v1/size", json={"shape": shape}).status_code == status


def test_a_size_may_be_written_full_width(client: TestClient) -> None:
    assert size(client, model="７Ｂ")["workload"]["model"]["parameters"] == 7e9


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"model": "Llama 3.1 71B"}, "最接近的是 Llama 3.1 70B"),
        ({"model": "70B", "gpu": "H150"}, "没有名为“H150”的卡"),
        ({"model": "70B", "parameters_b": 70}, "要给且只给一个"),
        ({"model": "70B", "batch": 2, "concurrency": 3}, "是一回事"),
        ({"model": "70B", "workload": {"model": "7B"}}, "不能两处都有"),
    ],
)
def test_what_cannot_be_sized_is_said_in_chinese(client: TestClient, body, words) -> None:
    response = client.post("/v1/size", json=body, headers={"Accept-Language": "zh"})
    assert words in response.json()["detail"]


@pytest.mark.parametrize(("language", "words"), [("zh", "按标称 GB"), ("en", "nominal GB")])
def test_words_in_both_languages(client: TestClient, language, words) -> None:
    body = size(client, language, model="70B", gpu="t4")
    assert any(words in assumption for assumption in body["assumptions"])
    assert lines(body["memory"])["weights"]["label"] == {"zh": "权重", "en": "Weights"}[language]


@pytest.mark.parametrize(
    "said",
    [
        {"optimizer": "sgd"},
        {"zero_stage": 2},
        {"recompute": "none"},
        {"training_tokens": 1e12},
        {"method": "lora"},
        {"method": "full"},
        {"lora_rank": 8},
        {"task": "pretrain", "lora_rank": 8},
        {"task": "finetune", "target_tpot_ms": 20},
        {"task": "finetune", "target_tokens_s": 20},
        {"task": "pretrain", "kv_precision": "fp8"},
    ],
)
def test_a_setting_the_task_has_no_use_for_is_refused_by_name(client: TestClient, said) -> None:
    name = next(key for key in reversed(said) if key != "task")
    for body in ({"model": "7B", **said}, {"workload": {"model": "7B", **said}}):
        for language, words in (("en", " only"), ("zh", "只用于")):
            response = client.post("/v1/size", json=body, headers={"Accept-Language": language})
            assert response.status_code == 422
            assert f"{name}" in response.json()["detail"]
            assert words in response.json()["detail"]
    selected = client.post("/v1/select", json={"workload": {"model": "7B", **said}})
    assert selected.status_code == 422


def test_settings_of_a_training_are_taken_with_one(client: TestClient) -> None:
    said = {"optimizer": "sgd", "zero_stage": 2, "recompute": "none", "training_tokens": 1e12, "method": "lora"}
    workload = size(client, model="7B", task="finetune", lora_rank=8, **said)["workload"]
    assert {key: workload[key] for key in said} == said


def test_cards_for_a_speed(client: TestClient) -> None:
    said = {"model": "Llama 3.1 70B", "precision": "fp8", "context_tokens": 4096, "gpu": "h100-sxm5-80gb"}
    found = size(client, **said, target_tokens_s=5000)["data"][0]["replicas"]
    assert found["cards"] == found["copies"] * found["layout"]["cards"] >= found["cards_least"]
    assert found["tokens_s_low"] * found["copies"] >= 5000 > found["tokens_s_low"] * (found["copies"] - 1)
    assert found["line"]["calculation"].startswith("⌈5,000 tokens/s / (")
    more = size(client, **said, target_tokens_s=50000)["data"][0]["replicas"]
    assert more["cards"] > found["cards"]
    assert size(client, **said)["data"][0]["replicas"] is None


def test_the_longest_context_of_each_card(client: TestClient) -> None:
    def longest(**said):
        return size(client, model="Llama 3.1 8B", gpu="rtx-4090", cards=1, **said)["data"][0]["longest_context"]

    one, four = longest(), longest(concurrency=4)
    assert one["limit"] == "memory"
    assert 0 < one["tokens_low"] < one["tokens_high"] < 131072
    assert four["tokens_low"] == pytest.approx(one["tokens_low"] / 4, rel=0.05)
    fits = size(client, model="Llama 3.1 8B", gpu="rtx-4090", cards=1, context_tokens=one["tokens_low"])["data"][0]
    beyond = size(client, model="Llama 3.1 8B", gpu="rtx-4090", cards=1, context_tokens=one["tokens_high"] + 1)["data"][
        0
    ]
    assert (fits["verdict"], beyond["verdict"]) == ("fits", "does_not_fit")
    assert longest(precision="int4")["tokens_low"] > one["tokens_low"]
    assert (
        size(client, model="Llama 3.1 8B", gpu="h200", context_tokens=1)["data"][0]["longest_context"]["limit"]
        == "model"
    )
    assert size(client, model="70B", gpu="t4", task="pretrain")["data"][0]["longest_context"] is None


@pytest.mark.parametrize(("gpu", "loc"), [(5, "gpu"), (["h100", 5], "gpu.1"), ([[]], "gpu.0")])
def test_a_field_of_several_types_is_named_once(client: TestClient, gpu, loc) -> None:
    for language, words in (("en", "Input should be"), ("zh", "应为字符串")):
        response = client.post("/v1/size", json={"model": "70B", "gpu": gpu}, headers={"Accept-Language": language})
        (error,) = response.json()["errors"]
        assert error["loc"] == loc
        assert words in error["msg"]
