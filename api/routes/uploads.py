"""Putting documents in and taking them out, over HTTP; a job indexes what has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from api.admin import AdminOnly
from api.corpus_files import safe_doc_id
from api.deps import StateDep
from api.problems import ProblemError
from api.schemas.jobs import JobIn, JobOut
from api.state import AppState
from kb.index.build_record import record_of
from kb.specs.sheet import sheet_named

router = APIRouter(tags=["Documents"], dependencies=[AdminOnly])

_MAX_FILES: Final = 100
_FORM: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "additionalProperties": False,
                    "properties": {
                        "file": {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}},
                        "folder": {"type": "string", "description": "Below the corpus folder; made if missing."},
                    },
                }
            }
        },
    }
}


class UploadedDocument(BaseModel):
    """A file that was taken in."""

    id: str
    bytes: int
    is_replacement: bool


class UploadOut(BaseModel):
    """What was taken in, and the job that indexes it."""

    object: Literal["upload"] = "upload"
    documents: list[UploadedDocument]
    job: JobOut


class DeletionOut(BaseModel):
    """What was deleted, and the job that takes it out of the index."""

    object: Literal["deletion"] = "deletion"
    id: str
    job: JobOut


@router.post("/v1/documents", status_code=202, response_model=UploadOut, openapi_extra=_FORM)
async def upload_documents(request: Request, state: StateDep) -> Response:
    """Put documents into the corpus folder, whole or not at all, and index them; the same name replaces."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise ProblemError(
            "unsupported_media_type", "Send the file as multipart/form-data.", "请以 multipart/form-data 发送文件。"
        )
    is_document = known_to(state)
    documents: list[UploadedDocument] = []
    async with request.form(max_files=_MAX_FILES, max_fields=_MAX_FILES) as form:
        for doc_id, part in _named_files(form):
            try:
                replaced = await to_thread.run_sync(state.corpus.put, doc_id, part.file, is_document)
            except BaseException:
                if documents:  # those before it are in the folder
                    await state.jobs.follow_up(JobIn())
                raise
            documents.append(UploadedDocument(id=doc_id, bytes=part.size or 0, is_replacement=replaced))
    job = await state.jobs.follow_up(JobIn())
    return _accepted(UploadOut(documents=documents, job=job), job)


def _named_files(form: FormData) -> list[tuple[str, UploadFile]]:
    unknown = next((name for name in form if name not in {"file", "folder"}), None)
    if unknown is not None:
        en, zh = "There is no such field", "没有这个字段"
        raise ProblemError("validation_failed", f"{unknown}: {en}", f"{unknown}：{zh}", [{"loc": unknown, "msg": en}])
    folder = form.get("folder", "")
    files = [(name, part) for name, part in form.multi_items() if isinstance(part, UploadFile)]
    if not files or any(name != "file" for name, _ in files) or not isinstance(folder, str):
        en = "There must be at least one part named `file`, with a file name, and no other file."
        raise ProblemError(
            "validation_failed", en, "至少需要一个名为 file 的文件，且不得有其他文件。", [{"loc": "file", "msg": en}]
        )
    return [(safe_doc_id(part.filename or "", folder), part) for _, part in files]


@router.delete("/v1/documents/{doc_id:path}", status_code=202, response_model=DeletionOut)
async def delete_document(doc_id: str, state: StateDep) -> Response:
    """Delete a document's file and take it out of the index."""
    is_document = known_to(state)
    was_there = await to_thread.run_sync(state.corpus.delete, doc_id, is_document)
    if not was_there and (not is_document(doc_id) or sheet_named(doc_id) is not None):
        raise ProblemError("not_found", f"There is no document {doc_id}.", f"没有文档 {doc_id}。")
    job = await state.jobs.follow_up(JobIn())
    return _accepted(DeletionOut(id=doc_id, job=job), job)


def known_to(state: AppState) -> Callable[[str], bool]:
    """Whether a name is that of a document of the served index, or of a file that it lists as unreadable.

    A name that ends in `/` asks for an archive: whether any document is inside it.
    """
    if state.knowledge.state != "ready":
        return lambda name: False
    generation = state.knowledge.current().generation
    record = record_of(generation)
    names = {*generation.documents.ids(), *(note["doc_id"] for note in (*record.failed, *record.skipped))}
    return lambda name: name in names or (name.endswith("/") and any(known.startswith(name) for known in names))


def _accepted(out: BaseModel, job: JobOut) -> Response:
    return JSONResponse(out.model_dump(mode="json"), 202, {"Location": f"/v1/index/jobs/{job.id}"})
