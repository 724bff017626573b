"""What an architecture's hardware lacks, and how that is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class Capabilities:
    """The architectures of `capabilities.yaml`."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._features: Mapping[str, Mapping[str, Any]] = data["features"]
        self._architectures: Mapping[str, Mapping[str, Any]] = data["architectures"]
        self._derivations: dict[tuple[str, str], Mapping[str, Any]] = {
            (architecture, row["field"]): row
            for row in data.get("derivations", ())
            for architecture in row["architectures"]
        }

    def derivation(self, architecture_id: str, key: str) -> Mapping[str, Any] | None:
        """How a figure that nobody publishes follows from another one on that architecture, if it does."""
        return self._derivations.get((architecture_id, key))

    def lack_reason(self, architecture_id: str, own_lacks: Iterable[str], key: str) -> tuple[str, str] | None:
        """Why a card has no figure for `key`, (zh, en), if its hardware lacks what the field measures."""
        architecture = self._architectures[architecture_id]
        for name in own_lacks:
            if key in self._features[name]["fields"]:
                feature = self._features[name]
                return self._with_since(
                    feature, architecture["vendor"], f"没有{_spaced(feature['zh'])}", f"no {feature['en']}"
                )
        for name in architecture["lacks"]:
            feature = self._features[name]
            if key in feature["fields"]:
                name_zh = architecture.get("name_zh") or architecture["name"]
                zh, en = f"{name_zh} 没有{_spaced(feature['zh'])}", f"{architecture['name']} has no {feature['en']}"
                return self._with_since(feature, architecture["vendor"], zh, en)
        return None

    @staticmethod
    def _with_since(feature: Mapping[str, Any], vendor: str, zh: str, en: str) -> tuple[str, str]:
        since_zh = feature.get("since_zh", {}).get(vendor) or feature.get("since_zh", {}).get("*")
        since_en = feature.get("since_en", {}).get(vendor) or feature.get("since_en", {}).get("*")
        return (f"{zh}（{since_zh}）" if since_zh else zh, f"{en}; {since_en}" if since_en else en)


def _spaced(text: str) -> str:
    """`text` with the space that stands between Chinese and Latin letters."""
    return f" {text}" if text[:1].isascii() else text
