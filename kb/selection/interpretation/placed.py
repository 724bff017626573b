"""Requirements with the place in a text that states them."""

from __future__ import annotations

from dataclasses import dataclass

from kb.selection.requirement import Requirement


@dataclass(frozen=True, slots=True)
class Placed:
    """Requirements that hold together.

    Attributes:
        first, last: positions of the tokens that state them, as far as no "or" lies between.
    """

    first: int
    last: int
    requirements: tuple[Requirement, ...]
