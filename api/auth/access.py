"""What each route asks of its caller: one table; a route that is missing in it asks for `admin`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from starlette.routing import BaseRoute, Mount, compile_path

Access = Literal["open", "read", "admin"]
"""`open`: anybody, also where keys are needed for all else."""

ROUTES: Final[Mapping[str, Mapping[str, Access]]] = {
    # Health, the page's own files, and its sign-in.
    "/healthz": {"GET": "open"},
    "/health": {"GET": "open"},
    "/readyz": {"GET": "open"},
    "/": {"GET": "open"},
    "/ui": {"GET": "open"},
    "/ui/": {"GET": "open"},
    "/ui/session": {"GET": "open", "POST": "open", "DELETE": "open"},
    # What the service is.
    "/docs": {"GET": "read"},
    "/docs/assets": {"GET": "read"},
    "/openapi.json": {"GET": "read"},
    "/metrics": {"GET": "read"},
    "/v1/info": {"GET": "read"},
    # Asking and looking up.
    "/v1/ask": {"POST": "read"},
    "/v1/search": {"POST": "read"},
    "/v1/verify": {"POST": "read"},
    "/v1/select": {"POST": "read"},
    "/v1/size": {"POST": "read"},
    "/v1/feedback": {"POST": "read"},
    "/v1/gpus": {"GET": "read"},
    "/v1/gpus/compare": {"GET": "read"},
    "/v1/gpus/{gpu_id}": {"GET": "read"},
    "/v1/models": {"GET": "read"},
    "/v1/models/{model}": {"GET": "read"},
    "/v1/chat/completions": {"POST": "read"},
    # Documents and the index.
    "/v1/documents": {"GET": "read", "POST": "admin"},
    "/v1/documents/{doc_id}": {"GET": "read", "DELETE": "admin"},
    "/v1/documents/{doc_id}/pages/{page}": {"GET": "read"},
    "/v1/index": {"GET": "read"},
    "/v1/index/jobs": {"GET": "admin", "POST": "admin"},
    "/v1/index/jobs/{job_id}": {"GET": "admin", "DELETE": "admin"},
    "/v1/index/jobs/{job_id}/events": {"GET": "admin"},
    "/v1/index/rollback": {"POST": "admin"},
}

_CONVERTOR: Final = re.compile(r":\w+(?=})")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route of the application: its template and the methods that it takes."""

    template: str
    methods: frozenset[str]
    is_mount: bool = False

    @property
    def plain(self) -> str:
        """The template without the types of its parameters, as it stands in the table."""
        return _CONVERTOR.sub("", self.template)

    def access(self, method: str) -> Access:
        """What the route asks for."""
        return ROUTES.get(self.plain, {}).get(method, "admin")


@dataclass(frozen=True, slots=True)
class Place:
    """What stands at a path.

    Attributes:
        methods: each with what it asks for.
        listed: those of the route that fits best; a name that holds `/pages/1` is also a document's.
    """

    methods: Mapping[str, Access]
    listed: frozenset[str]

    def allow(self) -> str:
        """The methods as a header lists them."""
        more = {"HEAD", "OPTIONS"} if "GET" in self.listed else {"OPTIONS"}
        return ", ".join(sorted(self.listed | more))


def endpoints(routes: Iterable[BaseRoute]) -> Iterator[Endpoint]:
    """Every route of an application, those of included routers too (which FastAPI keeps as branches)."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from endpoints(inner.routes)
        elif isinstance(route, Mount):
            yield Endpoint(route.path, frozenset({"GET"}), is_mount=True)
        else:
            methods = getattr(route, "methods", None) or ()
            yield Endpoint(getattr(route, "path", ""), frozenset(methods) - {"HEAD"})


class RouteTable:
    """Finds what stands at a path, by the very patterns that the router uses."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._exact: dict[str, Place] = {}
        self._patterns: list[tuple[re.Pattern[str], Endpoint]] = []
        exact: dict[str, dict[str, Access]] = {}
        for endpoint in endpoints(routes):
            if endpoint.is_mount or "{" in endpoint.template:
                template = f"{endpoint.template}/{{path:path}}" if endpoint.is_mount else endpoint.template
                self._patterns.append((compile_path(template)[0], endpoint))
            else:
                exact.setdefault(endpoint.template, {}).update(
                    (method, endpoint.access(method)) for method in endpoint.methods
                )
        self._exact = {path: Place(methods, frozenset(methods)) for path, methods in exact.items()}

    def at(self, path: str) -> Place | None:
        """What stands there; `None` for a path that no route has."""
        place = self._exact.get(path)
        if place is not None:
            return place
        fitting = [endpoint for pattern, endpoint in self._patterns if pattern.match(path)]
        if not fitting:
            return None
        methods: dict[str, Access] = {}
        for endpoint in fitting:
            for method in endpoint.methods:
                # Where several routes fit, the one that asks for more is right for all of them.
                access = endpoint.access(method)
                methods[method] = "admin" if "admin" in (access, methods.get(method)) else access
        best = [endpoint.methods for endpoint in fitting if endpoint.plain == fitting[0].plain]
        return Place(methods, frozenset().union(*best))
