"""`/v1/gpus`: the catalogue of cards."""

from __future__ import annotations

import difflib
from typing import Annotated

from fastapi import APIRouter, Query

from api.deps import KnowledgeBaseDep, LanguageDep
from api.problems import ProblemError
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.specs.schema import GpuSpec
from kb.wire.gpus import ComparisonOut, GpuList, GpuOut, comparison_out, gpu_out, gpu_summary, is_called, is_of

_MAX_COMPARED = 20
# Of one page: some megabytes of JSON.
_MOST_CELLS = 6000

# Plain functions: the framework runs them in threads, so that a large table does not hold up other requests.
router = APIRouter(tags=["Cards"])


@router.get("/v1/gpus", response_model_exclude_unset=False)
def list_gpus(
    kb: KnowledgeBaseDep,
    language: LanguageDep,
    vendor: Annotated[str | None, Query(max_length=100, description="Id or name of a vendor.")] = None,
    q: Annotated[str | None, Query(max_length=200, description="Part of a name, in any spelling.")] = None,
    fields: Annotated[str | None, Query(max_length=1000, description="Field keys, comma separated; `all`.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
) -> GpuList:
    """List cards, the well-checked ones first. With many fields a page has fewer cards than `limit`."""
    wanted = _field_keys(fields)
    catalog = kb.catalog
    found = [gpu for gpu in catalog.gpus.values() if is_of(gpu, vendor) and is_called(gpu, q)]
    start = _position_after(found, cursor)
    end = start + min(limit, _MOST_CELLS // max(1, len(wanted)))
    page = found[start:end]
    return GpuList(
        data=[gpu_summary(gpu, catalog, wanted, language) for gpu in page],
        total=len(found),
        next_cursor=page[-1].gpu_id if end < len(found) else None,
    )


@router.get("/v1/gpus/compare")
def compare_gpus(
    kb: KnowledgeBaseDep,
    language: LanguageDep,
    ids: Annotated[str, Query(max_length=2000, description="Ids of cards, comma separated.")],
    fields: Annotated[str | None, Query(max_length=1000)] = None,
) -> ComparisonOut:
    """Set cards side by side."""
    wanted = list(dict.fromkeys(part.strip() for part in ids.split(",") if part.strip()))
    if not 1 <= len(wanted) <= _MAX_COMPARED:
        raise _wrong("ids", f"Name 1 to {_MAX_COMPARED} cards", f"应为 1 至 {_MAX_COMPARED} 个型号")
    gpus = [_card(kb.catalog, gpu_id) for gpu_id in wanted]
    return comparison_out(gpus, kb.catalog, _field_keys(fields) or tuple(FIELDS), language)


@router.get("/v1/gpus/{gpu_id}")
def get_gpu(gpu_id: str, kb: KnowledgeBaseDep, language: LanguageDep) -> GpuOut:
    """Show everything the catalogue says of a card."""
    return gpu_out(_card(kb.catalog, gpu_id), kb.catalog, language)


def _card(catalog: Catalog, gpu_id: str) -> GpuSpec:
    found = catalog.gpus.get(gpu_id)
    if found is None:
        near = difflib.get_close_matches(gpu_id.lower(), list(catalog.gpus), n=3)
        also_en = f" Near: {', '.join(near)}." if near else ""
        also_zh = f"相近的有：{'、'.join(near)}。" if near else ""
        raise ProblemError("not_found", f"There is no card {gpu_id!r}.{also_en}", f"没有型号 {gpu_id!r}。{also_zh}")
    return found


def _field_keys(fields: str | None) -> tuple[str, ...]:
    if not fields:
        return ()
    if fields == "all":
        return tuple(FIELDS)
    keys = tuple(part.strip() for part in fields.split(",") if part.strip())
    for key in keys:
        if key not in FIELDS:
            near = difflib.get_close_matches(key, list(FIELDS), n=1)
            hint_en, hint_zh = (f"; did you mean {near[0]}?", f"，是否指 {near[0]}？") if near else ("", "")
            raise _wrong("fields", f"There is no field {key!r}{hint_en}", f"没有字段 {key!r}{hint_zh}")
    return keys


def _wrong(loc: str, en: str, zh: str) -> ProblemError:
    return ProblemError("validation_failed", f"{loc}: {en}", f"{loc}：{zh}", [{"loc": loc, "msg": en}])


def _position_after(found: list[GpuSpec], cursor: str | None) -> int:
    if cursor is None:
        return 0
    for position, gpu in enumerate(found):
        if gpu.gpu_id == cursor:
            return position + 1
    raise _wrong("cursor", "This cursor belongs to no such list", "该 cursor 不属于此列表")
