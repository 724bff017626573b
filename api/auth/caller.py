"""Who sent a request, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from starlette.types import Scope

from kb.keys import ApiKey
from kb.keys import Scope as KeyScope

Proof = Literal["nothing", "header", "cookie", "link"]
_STATE: Final = "caller"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    Attributes:
        key: that was shown; `None` where no keys are set up.
        proof: how it was shown; a `link` opens nothing but itself.
    """

    key: ApiKey | None = None
    proof: Proof = "nothing"

    @property
    def key_id(self) -> str:
        """The key's public id; empty without one."""
        return self.key.key_id if self.key else ""

    def has(self, scope: KeyScope) -> bool:
        """Whether the key allows it; without a key this says nothing."""
        return self.key is not None and self.key.has(scope)


NOBODY: Final = Caller()


def remember(scope: Scope, caller: Caller) -> None:
    """Note who sent a request, for those who serve it."""
    scope.setdefault("state", {})[_STATE] = caller


def caller_of(scope: Scope) -> Caller:
    """Who sent a request."""
    caller = scope.get("state", {}).get(_STATE, NOBODY)
    return caller if isinstance(caller, Caller) else NOBODY
