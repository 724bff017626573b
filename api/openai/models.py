"""The models that a client may name: the same answers, their citations carried in one way each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from api.problems import ProblemError

Carrier = Literal["annotations", "events", "text"]
"""How citations travel: as OpenAI's annotations, as Open WebUI's source events, or as a list in the text."""

CARRIERS: Final[Mapping[str, Carrier]] = {"gpukb": "annotations", "gpukb-openwebui": "events", "gpukb-plain": "text"}
CREATED: Final = 1_764_547_200
"""When these models came to be, in seconds since 1970; the protocol wants it, nothing depends on it."""


def carrier_of(model: str) -> Carrier:
    """How the citations of a model's answers travel.

    Raises:
        ProblemError: there is no such model.
    """
    if model in CARRIERS:
        return CARRIERS[model]
    known = ", ".join(CARRIERS)
    en, zh = f"There is no model {model!r}; there are {known}.", f"没有模型 {model!r}；可用的有 {known}。"
    raise ProblemError("not_found", en, zh, [{"loc": "model", "msg": en}])
