"""`/v1/select`: selection over HTTP."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient


def select(client: TestClient, **body):
    response = client.post("/v1/select", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def test_cards_pass_in_order_with_every_check(client: TestClient) -> None:
    constraints = {"int8_tops": {"gte": 200}, "tdp_w": {"lte": 300}}
    found = select(client, constraints=constraints, limit=5000)
    assert found["interpreted"]["constraints"] == constraints
    scores = [row["score"] for row in found["data"]]
    assert scores == sorted(scores, reverse=True)
    assert found["timings_ms"]["total"] >= found["timings_ms"]["evaluate"]
    assert [row["rank"] for row in found["data"]] == list(range(1, len(scores) + 1))
    sources = {source["id"] for source in found["sources"]}
    for row in found["data"]:
        assert [check["result"] for check in row["checks"]] == ["pass", "pass"]
        assert {check["source"] for check in row["checks"]} <= sources
        assert all(check["value"] is not None or check["value_low"] is not None for check in row["checks"])


def test_every_card_is_in_one_of_three_lists(client: TestClient) -> None:
    found = select(client, constraints={"int8_tops": {"gte": 200}}, limit=5000)
    lists = [{row["gpu_id"] for row in found[name]} for name in ("data", "rejected", "unknown")]
    assert sum(map(len, lists)) == len(set().union(*lists)) == found["counts"]["searched"] == 1330
    rejected = {row["gpu_id"]: row["failed"] for row in found["rejected"]}
    unknown = {row["gpu_id"]: row["missing"] for row in found["unknown"]}
    assert rejected["t4"] == ["int8_tops"]
    assert rejected["v100-sxm2-32gb"] == ["int8_tops"]  # the hardware lacks it
    assert unknown["rtx-2060-12gb"] == ["int8_tops"]  # nobody publishes it


def test_a_range_and_figures_that_differ_carry_both_ends(client: TestClient) -> None:
    found = select(client, constraints={"tdp_w": {"lte": 50}}, limit=1, explain=True)
    a2 = next(row for row in found["unknown"] if row["gpu_id"] == "a2")
    check = a2["checks"][0]
    assert (check["value"], check["value_low"], check["value_high"]) == (None, 40, 60)
    assert (check["result"], check["state"]) == ("unknown", "range")
    found = select(client, constraints={"int8_tops": {"gte": 150}}, limit=5000)
    check = next(row for row in found["data"] if row["gpu_id"] == "iluvatar-mr-v100")["checks"][0]
    assert (check["value_low"], check["value_high"], check["state"]) == (192, 384, "conflicting")


def test_strict_and_other_bounds_stay_apart(client: TestClient) -> None:
    def ids(operator):
        found = select(client, constraints={"memory_gb": {operator: 80}, "vendor": {"eq": "nvidia"}}, limit=5000)
        return {row["gpu_id"] for row in found["data"]}

    equal = ids("eq")
    assert "h100-sxm5-80gb" in equal
    assert ids("gte") == ids("gt") | equal
    assert not ids("gt") & equal
    assert ids("lte") == ids("lt") | equal


def test_a_scenario_is_said_and_what_few_publish_excludes_nothing(client: TestClient) -> None:
    found = select(client, scenario="inference", limit=5000)
    assert found["interpreted"]["constraints"] == {"int8_tops": {"gte": 200}, "tdp_w": {"lte": 300}}
    assert found["interpreted"]["prefer"][0]["field"] == "video_decode_1080p30"
    assert {row["preferences"][0]["result"] for row in found["data"]} >= {"unknown"}
    assert all(part["weight"] for part in found["data"][0]["parts"])


def test_relaxed_constraints_can_be_sent_and_add_what_they_say(client: TestClient) -> None:
    found = select(client, constraints={"memory_gb": {"gte": 100}, "tdp_w": {"lt": 100}, "memory_type": {"eq": "HBM3"}})
    assert found["data"] == []
    assert found["relaxations"]
    for relaxation in found["relaxations"]:
        again = select(client, constraints=relaxation["constraints"], limit=5000)
        assert len(again["data"]) == relaxation["adds"]
        assert set(relaxation["gpu_ids"]) <= {row["gpu_id"] for row in again["data"]}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"constraints": {"memory_gbs": {"gte": 1}}}, "memory_gb"),
        ({"constraints": {"memory_gb": {"ge": 1}}}, "gte"),
        ({"constraints": {"memory_gb": {"gte": "much"}}}, "memory_gb"),
        ({"constraints": {"memory_gb": {}}}, "memory_gb"),
        ({"constraints": {"released_on": {"gte": "2023-13"}}}, "2023-03"),
        ({"constraints": {"vendor": {"gte": "NVIDIA"}}}, "vendor"),
        ({"constraints": {"fp8_tensor_tflops": {"exists": "yes"}}}, "exists"),
        ({"constraints": {"memory_gb": {"gte": 1}}, "rank_by": [{"field": "memory_type"}]}, "memory_type"),
        ({"constraints": {"memory_gb": {"gte": 1}}, "rank_by": [{"field": "memory_gb", "weight": 0}]}, "weight"),
        ({"constraint": {}}, "constraint"),
        ({}, "constraints"),
        ({"scenario": "inference", "limit": 5001}, "limit"),
    ],
)
def test_what_is_wrong_is_named(client: TestClient, body, words) -> None:
    response = client.post("/v1/select", json=body)
    assert response.status_code == 422
    assert words in response.text


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400", "NaN GB", True, [1], None, "80 W", "80 florp"])
@pytest.mark.parametrize("operator", ["eq", "gte", "lt"])
def test_what_is_no_finite_amount_is_refused(client: TestClient, operator, value) -> None:
    response = client.post("/v1/select", json={"constraints": {"memory_gb": {operator: value}}})
    assert response.status_code == 422


@pytest.mark.parametrize("value", [True, "nan", "1e400"])
def test_nor_in_a_list_or_as_a_weight(client: TestClient, value) -> None:
    listed = client.post("/v1/select", json={"constraints": {"memory_gb": {"in": [80, value]}}})
    weight = client.post("/v1/select", json={"rank_by": [{"field": "memory_gb", "weight": value}]})
    assert (listed.status_code, weight.status_code) == (422, 422)


@pytest.mark.parametrize("question", ["\x00", "😀", "\u200b\u202e", "……", " "])
def test_a_question_without_a_letter_or_figure_asks_nothing(client: TestClient, question) -> None:
    assert client.post("/v1/select", json={"question": question}).status_code == 422


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"constraints": {"memory_gbs": {"gte": 1}}}, "没有字段 memory_gbs。是不是 memory_gb？"),
        ({"constraints": {"memory_gb": {"ge": 1}}}, "没有运算符 ge"),
        ({"constraints": {"memory_gb": {"gte": "80 W"}}}, "以 GB 为单位的数字"),
        ({"constraints": {"released_on": {"gte": "2023-13"}}}, "不是日期"),
        ({"constraints": {"vendor": {"gte": "NVIDIA"}}}, "只用于数字和日期"),
        ({"constraints": {"memory_type": {"in": "HBM3"}}}, "要用列表"),
        ({"rank_by": [{"field": "memory_type"}]}, "不能排序"),
        ({"rank_by": [{"field": "memory_gb", "weight": 0}]}, "应大于 0"),
        ({"scenario": "mining"}, "没有场景 mining"),
        ({"question": "今天天气怎么样"}, "没有读出任何条件"),
        ({"workload": {"model": "florp"}}, "没有收录模型"),
        ({"workload": {"model": "0B"}}, "不是语言模型的规模"),
        ({"workload": {}}, "且只给一个"),
        ({}, "至少一项"),
    ],
)
def test_what_is_wrong_is_said_in_chinese_alone(client: TestClient, body, words) -> None:
    response = client.post("/v1/select", json=body, headers={"Accept-Language": "zh-CN"})
    assert 400 <= response.status_code < 500
    problem = response.json()
    assert words in problem["detail"]
    assert not any(english in problem["detail"] for english in ("There is", "Give", "Input", "needed"))


def test_an_unknown_scenario_names_those_there_are(client: TestClient) -> None:
    response = client.post("/v1/select", json={"scenario": "mining"})
    assert response.status_code == 400
    assert "inference" in response.json()["detail"]


def test_in_chinese_and_english(client: TestClient) -> None:
    body = {"constraints": {"memory_type": {"eq": "HBM3"}}, "limit": 1}
    chinese = client.post("/v1/select", json=body, headers={"Accept-Language": "zh"}).json()
    english = client.post("/v1/select", json=body).json()
    assert chinese["interpreted"]["text"] == "显存类型 = HBM3"
    assert english["interpreted"]["text"] == "Memory type = HBM3"
    assert chinese["interpreted"]["constraints"] == english["interpreted"]["constraints"]


def test_an_amount_may_have_its_unit(client: TestClient) -> None:
    found = select(client, constraints={"memory_bandwidth_gb_s": {"gte": "3.35 TB/s"}, "tdp_w": {"lte": "0.7 kW"}})
    assert found["interpreted"]["constraints"] == {"memory_bandwidth_gb_s": {"gte": 3350}, "tdp_w": {"lte": 700}}


def test_a_workload_says_how_many_of_each_card_hold_it(client: TestClient) -> None:
    workload = {"model": "Llama 3.1 70B", "precision": "fp16", "context_tokens": 8192, "concurrency": 8}
    found = select(client, workload=workload, constraints={"vendor": {"eq": "NVIDIA"}}, limit=5000)
    rows = {row["gpu_id"]: row for row in found["data"]}
    sized = client.post("/v1/size", json={"workload": workload, "gpu": ["h100-sxm5-80gb", "l4"]}).json()
    for card in sized["data"]:
        row = rows[card["gpu_id"]]
        assert row["count"] == card["cards"] == row["memory"]["layout"]["cards"] > 1
        assert row["memory"]["each_gb_high"] == pytest.approx(card["bytes_each_high"] / 1e9, abs=1e-3)
        decode = next(line for line in card["lines"] if line["key"] == "decode_total")
        assert row["throughput"]["decode_tokens_s_high"] == pytest.approx(decode["high"], abs=1e-3)
    counts = [row["count"] for row in found["data"]]
    assert counts == sorted(counts)
    assert "rtx-pro-5000-blackwell" not in rows or rows["rtx-pro-5000-blackwell"]["count"] > 1


def test_a_card_whose_memory_nobody_publishes_is_unknown_for_a_workload(client: TestClient) -> None:
    found = select(client, workload={"parameters_b": 7}, limit=5000)
    unknown = {row["gpu_id"]: row["missing"] for row in found["unknown"]}
    assert unknown["mlu270-s4"] == ["memory_gb"]
    assert found["workload"]["model"]["parameters"] == 7e9
    assert all(row["failed"] == ["workload"] for row in found["rejected"])


QUESTIONS = {
    "INT8 ≥ 200 TOPS, ≤ 300 W 的推理卡有哪些？": {"int8_tops": {"gte": 200}, "tdp_w": {"lte": 300}},
    "inference cards with at least 200 INT8 TOPS under 300 W": {"int8_tops": {"gte": 200}, "tdp_w": {"lt": 300}},
}


@pytest.mark.parametrize(("question", "constraints"), QUESTIONS.items())
def test_a_question_is_read_and_its_reading_can_be_sent(client: TestClient, question, constraints) -> None:
    found = select(client, question=question, limit=5000)
    assert found["interpreted"]["constraints"] == constraints
    assert found["interpreted"]["scenario"] == "inference"
    assert found["interpreted"]["not_understood"] == []
    again = select(client, constraints=found["interpreted"]["constraints"], limit=5000)
    assert {row["gpu_id"] for row in again["data"]} == {row["gpu_id"] for row in found["data"]}


def test_what_is_not_understood_is_said(client: TestClient) -> None:
    found = select(client, question="功耗低于 75W 且支持 AV1 编码的卡")
    assert found["language"] == "zh"
    assert found["interpreted"]["constraints"] == {"tdp_w": {"lt": 75}}
    assert found["interpreted"]["not_understood"] == ["AV1 编码"]


@pytest.mark.parametrize("question", ["你好", "what is the weather like", "延迟低于 10 ms"])
def test_a_question_without_any_condition_selects_nothing(client: TestClient, question) -> None:
    response = client.post("/v1/select", json={"question": question})
    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
    assert len(select(client, question=question, constraints={"memory_gb": {"gte": 200}})["data"]) < 10


def test_stated_constraints_stand_in_place_of_the_questions(client: TestClient) -> None:
    found = select(client, question="显存至少 24GB，功耗 300W 以内", constraints={"memory_gb": {"gte": 80}})
    assert found["interpreted"]["constraints"] == {"memory_gb": {"gte": 80}, "tdp_w": {"lte": 300}}
    assert any("memory_gb" in note for note in found["interpreted"]["assumptions"])


def test_a_question_may_say_how_many(client: TestClient) -> None:
    found = select(client, question="top 5 cards by memory bandwidth per watt with at least 24 GB")
    assert len(found["data"]) == 5
    assert found["counts"]["passed"] > 5
    assert found["interpreted"]["rank_by"] == [{"field": "memory_bandwidth_gb_s/tdp_w", "order": "desc", "weight": 1.0}]


def test_of_a_choice_one_alternative_is_enough(client: TestClient) -> None:
    any_of = [[{"memory_gb": {"gte": 80}}, {"memory_bandwidth_gb_s": {"gte": 2000}}]]
    found = select(client, constraints={"tdp_w": {"lte": 400}}, any_of=any_of, limit=5000)
    assert found["interpreted"]["any_of"] == any_of
    by_question = select(client, question="at least 80 GB or at least 2 TB/s of bandwidth, at most 400 W", limit=5000)
    assert by_question["interpreted"]["any_of"] == any_of
    assert [row["gpu_id"] for row in by_question["data"]] == [row["gpu_id"] for row in found["data"]]
    both = select(client, constraints={"tdp_w": {"lte": 400}, **any_of[0][0], **any_of[0][1]}, limit=5000)
    assert {row["gpu_id"] for row in both["data"]} < {row["gpu_id"] for row in found["data"]}
    for row in found["data"]:
        assert {check["field"]: check["choice"] for check in row["checks"]} == {
            "tdp_w": 0, "memory_gb": 1, "memory_bandwidth_gb_s": 1
        }  # fmt: skip
        assert "pass" in [check["result"] for check in row["checks"] if check["choice"]]
    rejected = {row["gpu_id"]: row["failed"] for row in found["rejected"]}
    assert rejected["t4"] == ["memory_gb", "memory_bandwidth_gb_s"]
    assert all(relaxation["any_of"] == any_of for relaxation in found["relaxations"])


def test_a_choice_gives_way_to_constraints_on_its_fields(client: TestClient) -> None:
    question = "at least 80 GB or at least 2 TB/s of bandwidth"
    found = select(client, question=question, constraints={"memory_gb": {"lte": 24}})
    assert found["interpreted"]["any_of"] == []
    assert any("stands in place" in note for note in found["interpreted"]["assumptions"])


@pytest.mark.parametrize(
    ("body", "loc", "words"),
    [
        ({"any_of": [[{"memory_gb": {"gte": 80}}]]}, "any_of.0", "at least 2"),
        ({"any_of": [[{"memory_gb": {"gte": 80}}, {}]]}, "any_of", "none of them empty"),
        ({"any_of": [[{"memory_gb": {"gte": 80}}, {"nothing": {"gte": 1}}]]}, "any_of", "no field 'nothing'"),
        ({"constraints": {"memory_gb": {"gte": {}}}}, "constraints.memory_gb.gte", "a valid boolean or a valid number"),
        ({"constraints": {"memory_gb": {"gte": [1, {}]}}}, "constraints.memory_gb.gte.1", "a valid number or a valid"),
    ],
)
def test_a_wrong_value_is_named_by_its_place_in_the_request(client: TestClient, body, loc, words) -> None:
    response = client.post("/v1/select", json=body)
    assert response.status_code == 422
    (error,) = response.json()["errors"]
    assert error["loc"] == loc
    assert words in error["msg"]
