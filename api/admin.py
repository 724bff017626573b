"""Who may change the index: a key with the scope `admin`; as long as there are no keys, programs of this machine."""

from __future__ import annotations

from fastapi import Depends, Request

from api.auth.caller import caller_of
from api.auth.machine import require_own_program
from api.deps import StateDep
from api.problems import ProblemError
from api.state import AppState


def require_admin(request: Request, state: AppState) -> None:
    """Refuse who may not.

    Raises:
        ProblemError: `insufficient_scope`.
    """
    if not state.gate.keyring().is_required:
        require_own_program(request.scope, request.headers, state.settings.cors_origins)
    elif not caller_of(request.scope).has("admin"):
        raise ProblemError("insufficient_scope")


async def _require_admin(request: Request, state: StateDep) -> None:
    require_admin(request, state)


AdminOnly = Depends(_require_admin)
