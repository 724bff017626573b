"""`POST /v1/verify`: the contract's fields, both languages, and what is refused."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

TEXT = "The H100 PCIe has 3.35 TB/s. RTX 4095: 24 GB. 1. Buy 12 gadgets."


def verify(client: TestClient, text: str, **fields: object) -> dict:
    response = client.post("/v1/verify", json={"text": text, **fields})
    assert response.status_code == 200, response.text
    assert response.headers["server-timing"].startswith("verify;dur=")
    return response.json()


def test_a_fact_has_every_field_of_the_contract(client: TestClient) -> None:
    body = verify(client, TEXT)
    fact = next(f for f in body["facts"] if f["text"] == "3.35 TB/s")
    assert fact["source"].pop("title")
    assert fact == {
        "text": "3.35 TB/s",
        "kind": "figure",
        "gpu_id": "h100-pcie-80gb",
        "gpu_ids": ["h100-pcie-80gb"],
        "field": "memory_bandwidth_gb_s",
        "value": 3350.0,
        "value_high": None,
        "unit": "GB/s",
        "qualifier": None,
        "verdict": "contradicted",
        "expected": "2000 GB/s",
        "reason": fact["reason"],
        "source": fact["source"],
        "start": 18,
        "end": 27,
    }
    assert "H100 SXM5 80GB" in fact["reason"]
    assert set(fact["source"]) == {"id", "ref", "authority", "as_of"}


def test_the_summary_counts_the_facts(client: TestClient) -> None:
    body = verify(client, TEXT)
    verdicts = [fact["verdict"] for fact in body["facts"]]
    summary = body["summary"]
    for verdict in ("supported", "contradicted", "untyped", "unknown"):
        assert summary[verdict] == verdicts.count(verdict)
    assert [f["text"] for f in body["facts"] if f["verdict"] == "untyped"] == ["12"]
    assert [f["text"] for f in body["facts"] if f["verdict"] == "unknown"] == ["RTX 4095", "24 GB"]
    assert summary["numbers"] == len(verdicts)
    assert summary["typed"] == len(verdicts) - 1
    assert summary["typed_share"] == pytest.approx(summary["typed"] / summary["numbers"], abs=1e-4)


def test_reasons_come_in_the_language_of_the_text_or_the_one_asked_for(client: TestClient) -> None:
    text = "H100 PCIe 的显存带宽是 3.35 TB/s。"
    chinese, english = verify(client, text), verify(client, text, language="en")
    assert (chinese["language"], english["language"]) == ("zh", "en")
    assert "的数字" in chinese["facts"][-1]["reason"]
    assert "figure of" in english["facts"][-1]["reason"]


def test_a_text_without_numbers_has_no_facts(client: TestClient) -> None:
    body = verify(client, "Nothing to see here.")
    assert body["facts"] == []
    assert body["summary"]["typed_share"] == 1.0


@pytest.mark.parametrize(
    ("body", "loc"),
    [({}, "text"), ({"text": " \n"}, "text"), ({"text": "x" * 100_001}, "text"), ({"text": "a", "lang": "zh"}, "lang")],
)
def test_what_is_no_text_is_refused(client: TestClient, body: dict[str, str], loc: str) -> None:
    response = client.post("/v1/verify", json=body)
    assert response.status_code == 422
    assert any(loc in str(error["loc"]) for error in response.json()["errors"])


def test_what_is_wrong_is_said_in_both_languages(client: TestClient) -> None:
    messages = {
        language: client.post("/v1/verify", json={"text": " "}, headers={"Accept-Language": language}).json()["errors"]
        for language in ("zh", "en")
    }
    assert {language: errors[0]["msg"] for language, errors in messages.items()} == {
        "zh": "不能为空白",
        "en": "Should not be blank",
    }
