"""The page's sign-in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from api.schemas.common import RequestModel


class SessionIn(RequestModel):
    """The key to sign in with."""

    key: Annotated[str, Field(min_length=1, max_length=300)]


class SessionOut(BaseModel):
    """Whether a key is needed, and what this browser may do."""

    keys_required: bool
    signed_in: bool
    scopes: list[Literal["read", "admin"]]
