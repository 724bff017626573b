"""`/ui/session`: the page signs in with a key, and gets a cookie that names it without holding it."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from api.admin import require_admin
from api.auth.sessions import COOKIE
from api.deps import JsonBody, StateDep
from api.problems import ProblemError
from api.schemas.session import SessionIn, SessionOut
from api.state import AppState
from kb.keys import ApiKey

router = APIRouter(tags=["Page"])

_PRIVATE: Final = {"Cache-Control": "no-store"}


@router.get("/ui/session", response_model=SessionOut)
async def get_session(request: Request, state: StateDep) -> Response:
    """Tell whether a key is needed and whether this browser has signed in."""
    if not state.gate.keyring().is_required:
        return _shown(_without_keys(request, state))
    caller = state.gate.caller(request.scope)
    return _shown(_of_key(caller.key if caller else None))


@router.post("/ui/session", response_model=SessionOut, dependencies=[JsonBody])
async def sign_in(body: SessionIn, request: Request, state: StateDep) -> Response:
    """Sign in with a key; the cookie holds for two weeks at most, and no longer than the key."""
    if not state.gate.keyring().is_required:
        return _shown(_without_keys(request, state))
    key = state.gate.key_by_text(body.key.strip(), request.headers.get("origin"))
    token, seconds = state.gate.sessions.begin(key)
    response = _shown(_of_key(key))
    is_safe = request.url.scheme == "https"
    response.set_cookie(COOKIE, token, max_age=seconds, path="/", httponly=True, samesite="strict", secure=is_safe)
    return response


@router.delete("/ui/session", status_code=204, response_class=Response)
async def sign_out(request: Request) -> Response:
    """Forget the sign-in of this browser."""
    response = Response(status_code=204)
    is_safe = request.url.scheme == "https"
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=is_safe)
    return response


def _shown(session: SessionOut) -> Response:
    return JSONResponse(session.model_dump(), headers=_PRIVATE)


def _of_key(key: ApiKey | None) -> SessionOut:
    scopes = [scope for scope in ("read", "admin") if key is not None and key.has(scope)]
    return SessionOut.model_validate({"keys_required": True, "signed_in": key is not None, "scopes": scopes})


def _without_keys(request: Request, state: AppState) -> SessionOut:
    try:
        require_admin(request, state)
    except ProblemError:
        return SessionOut(keys_required=False, signed_in=False, scopes=["read"])
    return SessionOut(keys_required=False, signed_in=False, scopes=["read", "admin"])
