"""`/v1/gpus`: the catalogue over HTTP."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient


def test_a_card_shows_every_field_with_its_source(client: TestClient) -> None:
    card = client.get("/v1/gpus/t4").json()
    bandwidth = card["specs"]["memory_bandwidth_gb_s"]
    assert (card["id"], card["object"], card["tier"]) == ("t4", "gpu", 1)
    assert (bandwidth["value"], bandwidth["unit"], bandwidth["state"]) == (320, "GB/s", "known")
    assert bandwidth["text"] == "320 GB/s"
    assert bandwidth["source"]["title"]
    assert bandwidth["conflicts"] == []


def test_what_the_hardware_lacks_and_what_nobody_publishes_differ(client: TestClient) -> None:
    specs = client.get("/v1/gpus/a100-sxm4-80gb", headers={"Accept-Language": "zh"}).json()["specs"]
    fp8 = specs["fp8_tensor_tflops"]
    assert (fp8["state"], fp8["text"], fp8["value"]) == ("not_supported", "不支持", None)
    assert {spec["state"] for spec in specs.values()} > {"known", "not_supported"}


def test_language_by_parameter_or_header(client: TestClient) -> None:
    chinese = client.get("/v1/gpus/t4", params={"lang": "zh"}).json()
    english = client.get("/v1/gpus/t4").json()
    key = "memory_bandwidth_gb_s"
    assert chinese["specs"][key]["label"] != english["specs"][key]["label"]


def test_an_unknown_card_names_near_ones(client: TestClient) -> None:
    response = client.get("/v1/gpus/a100-sxm4-80g")
    assert response.status_code == 404
    assert "a100-sxm4-80gb" in response.json()["detail"]


def test_lists_go_on_where_they_stopped(client: TestClient) -> None:
    ids: list[str] = []
    cursor = None
    while True:
        page = client.get("/v1/gpus", params={"limit": 500, **({"cursor": cursor} if cursor else {})}).json()
        ids += [card["id"] for card in page["data"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(ids) == len(set(ids)) == page["total"]
    assert client.get("/v1/gpus", params={"cursor": "nothing"}).status_code == 422


@pytest.mark.parametrize("vendor", ["nvidia", "NVIDIA"])
def test_by_vendor_and_name(client: TestClient, vendor: str) -> None:
    found = client.get("/v1/gpus", params={"vendor": vendor, "q": "rtx 4090", "fields": "memory_gb,tdp_w"}).json()
    card = next(card for card in found["data"] if card["id"] == "rtx-4090")
    assert set(card["specs"]) == {"memory_gb", "tdp_w"}
    assert client.get("/v1/gpus", params={"vendor": "amd", "q": "rtx 4090"}).json()["total"] == 0


def test_an_unknown_field_names_the_nearest(client: TestClient) -> None:
    problem = client.get("/v1/gpus", params={"fields": "memory_bandwith_gb_s"})
    assert problem.status_code == 422
    assert "memory_bandwidth_gb_s" in problem.json()["detail"]


def test_side_by_side(client: TestClient) -> None:
    body = client.get("/v1/gpus/compare", params={"ids": "t4,a100-sxm4-80gb,t4"}).json()
    assert [card["id"] for card in body["gpus"]] == ["t4", "a100-sxm4-80gb"]
    bandwidth = next(field for field in body["fields"] if field["key"] == "memory_bandwidth_gb_s")
    assert bandwidth["cells"]["t4"]["value"] == 320
    assert bandwidth["better"] == "higher"
    assert client.get("/v1/gpus/compare", params={"ids": "t4,nothing"}).status_code == 404
    assert client.get("/v1/gpus/compare", params={"ids": ","}).status_code == 422
    assert client.get("/v1/gpus/compare").status_code == 422


def test_a_page_with_every_field_is_cut_and_goes_on(client: TestClient) -> None:
    page = client.get("/v1/gpus", params={"fields": "all", "limit": 1000}).json()
    assert 50 < len(page["data"]) < 200
    assert page["next_cursor"] == page["data"][-1]["id"]
    assert len(client.get("/v1/gpus", params={"fields": "tdp_w", "limit": 1000}).json()["data"]) == 1000
