"""Errors as RFC 9457 problem documents: one table from error to code and status, in Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kb.errors import (
    EmbeddingError,
    IndexError_,
    KbError,
    KeyFileError,
    LlmError,
    LlmTimeoutError,
    NotFoundError,
    RequestError,
    StorageError,
)
from kb.keys import scrub
from kb.types import Language

MEDIA_TYPE = "application/problem+json"
# A problem quotes what was sent; however much that was, the problem stays short.
_MOST_CHARACTERS = 500
_MOST_ERRORS = 20
REQUEST_ERROR = "request_error"
"""Type of a wrong field whose message stands in both languages in `ctx`."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem.

    Attributes:
        code: stable, for programs.
        retry_after_s: sent as `Retry-After`, where trying again can help.
    """

    code: str
    status: int
    title_en: str
    title_zh: str
    retry_after_s: int | None = None

    def title(self, language: Language) -> str:
        """The title in a language."""
        return self.title_zh if language == "zh" else self.title_en


_KINDS = (
    Kind("invalid_request", 400, "The request cannot be understood", "请求无法理解"),
    Kind("missing_api_key", 401, "A key is needed", "需要密钥"),
    Kind("invalid_api_key", 401, "The key is not valid", "密钥无效"),
    Kind("insufficient_scope", 403, "This is not allowed from here", "此处不允许该操作"),
    Kind("not_found", 404, "Not found", "未找到"),
    Kind("method_not_allowed", 405, "The method is not allowed here", "此处不允许该方法"),
    Kind("index_job_running", 409, "Another index job is running", "已有索引任务在运行"),
    Kind("payload_too_large", 413, "The request body is too large", "请求体过大"),
    Kind("unsupported_media_type", 415, "The body must be application/json", "请求体必须是 application/json"),
    Kind("validation_failed", 422, "The request has wrong fields", "请求字段有误"),
    Kind("rate_limited", 429, "Too many requests", "请求过于频繁", retry_after_s=1),
    Kind("internal_error", 500, "Something went wrong inside the service", "服务内部出错"),
    Kind("index_not_ready", 503, "The index cannot be used yet", "索引尚不可用", retry_after_s=5),
    Kind("embedder_not_ready", 503, "The embedding model cannot be used yet", "向量模型尚不可用", retry_after_s=5),
    Kind("llm_unavailable", 503, "The chat model does not answer", "对话模型不可用", retry_after_s=10),
    Kind("overloaded", 503, "The service is busy", "服务繁忙，请稍后再试", retry_after_s=1),
    Kind(
        "keys_unreadable",
        503,
        "The keys cannot be read; the service's log says why",
        "密钥文件无法读取，原因见服务日志",
    ),
    Kind("llm_timeout", 504, "The chat model took too long", "对话模型超时"),
    Kind("storage_unavailable", 507, "The disk cannot be written", "磁盘无法写入"),
)
KINDS: Mapping[str, Kind] = {kind.code: kind for kind in _KINDS}

# The one table from library error to HTTP; the first class that fits wins.
_BY_ERROR: tuple[tuple[type[KbError], str], ...] = (
    (NotFoundError, "not_found"),
    (RequestError, "invalid_request"),
    (IndexError_, "index_not_ready"),
    (EmbeddingError, "embedder_not_ready"),
    (LlmTimeoutError, "llm_timeout"),
    (LlmError, "llm_unavailable"),
    (StorageError, "storage_unavailable"),
    (KeyFileError, "keys_unreadable"),
)
# What these errors say is for who runs the service, not for who calls it.
_SILENT = frozenset({"keys_unreadable"})
_CHALLENGES = {"missing_api_key": "Bearer", "invalid_api_key": 'Bearer error="invalid_token"'}
_BY_STATUS = {400: "invalid_request", 404: "not_found", 405: "method_not_allowed", 413: "payload_too_large"}


class ProblemError(Exception):
    """A problem that the HTTP layer itself finds, with its text in both languages."""

    def __init__(
        self,
        code: str,
        en: str = "",
        zh: str = "",
        errors: Iterable[Mapping[str, Any]] = (),
        *,
        members: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.code = code
        self.en = en
        self.zh = zh
        self.errors = tuple(errors)
        self.members = dict(members or {})
        self.headers = dict(headers or {})
        super().__init__(en or KINDS[code].title_en)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem document before it is written."""

    kind: Kind
    detail: str
    language: Language
    errors: tuple[Mapping[str, Any], ...] = ()
    members: Mapping[str, Any] = field(default_factory=dict)
    own_headers: Mapping[str, str] = field(default_factory=dict)

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON object of RFC 9457, with our extension members."""
        body: dict[str, Any] = {
            "type": f"urn:gpukb:problem:{self.kind.code}",
            "title": self.kind.title(self.language),
            "status": self.kind.status,
            "detail": _short(self.detail),
            "code": self.kind.code,
            "request_id": request_id,
            **self.members,
        }
        if self.errors:
            body["errors"] = [_shortened(error) for error in self.errors[:_MOST_ERRORS]]
        return body

    def headers(self) -> dict[str, str]:
        """Headers that belong to the problem."""
        headers = {"Content-Language": self.language, "Vary": "Accept-Language"}
        if self.kind.retry_after_s is not None:
            headers["Retry-After"] = str(self.kind.retry_after_s)
        if self.kind.code in _CHALLENGES:
            headers["WWW-Authenticate"] = _CHALLENGES[self.kind.code]
        return {**headers, **self.own_headers}


def problem_of(error: BaseException, language: Language) -> Problem:
    """The problem document for an error. Errors nobody expected say nothing about the inside."""
    if isinstance(error, ProblemError):
        kind = KINDS[error.code]
        detail = (error.zh if language == "zh" else error.en) or kind.title(language)
        return Problem(kind, detail, language, error.errors, error.members, error.headers)
    if isinstance(error, KbError):
        for family, code in _BY_ERROR:
            if isinstance(error, family):
                return Problem(KINDS[code], _detail(KINDS[code], error, language), language)
    kind = KINDS["internal_error"]
    detail = {
        "en": "The request failed for a reason that is in the service's log under this request_id.",
        "zh": "请求失败，原因记录在服务日志中，可按 request_id 查找。",
    }[language]
    return Problem(kind, detail, language)


def problem_of_status(status: int, language: Language) -> Problem:
    """The problem document for a plain HTTP status, as the framework raises it."""
    kind = KINDS[_BY_STATUS.get(status, "internal_error" if status >= 500 else "invalid_request")]
    detail = kind.title(language)
    if kind.code == "not_found":
        detail = (
            "此地址下没有内容；/docs 列出全部接口。" if language == "zh" else "Nothing is here; /docs lists all routes."
        )
    return Problem(kind, detail, language)


def _short(text: str) -> str:
    text = scrub(text)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"


def _shortened(error: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _short(value) if isinstance(value, str) else value for key, value in error.items()}


def _detail(kind: Kind, error: KbError, language: Language) -> str:
    if kind.code in _SILENT:
        return kind.title(language)
    if language == "en":
        return str(error)
    # Where the library speaks only English, its words follow the translated title.
    return error.zh or f"{kind.title_zh}：{error}"


# ---------------------------------------------------------------- language


def preferred_language(accept_language: str) -> Language:
    """`zh` or `en`, whichever an Accept-Language header rates higher; `en` where it names neither."""
    best: tuple[float, Language] = (0.0, "en")
    for part in accept_language.lower().split(","):
        tag, _, parameters = part.strip().partition(";")
        match = re.search(r"q\s*=\s*([01](?:\.\d{0,3})?)", parameters)
        quality = float(match.group(1)) if match else 1.0
        language: Language | None = "zh" if tag.startswith("zh") else "en" if tag.startswith("en") else None
        if language and quality > best[0]:
            best = (quality, language)
    return best[1]


# ---------------------------------------------------------------- wrong fields

# Only where the validator speaks of Python rather than of JSON.
_FIELD_MESSAGES_EN = {
    "extra_forbidden": "There is no such field",
    "tuple_type": "Input should be a list",
    "too_long": "Should have at most {max_length} items",
    "dict_type": "Input should be an object",
    "model_type": "Input should be an object",
    "model_attributes_type": "Input should be an object",
}
_FIELD_MESSAGES_ZH = {
    "missing": "缺少必填字段",
    "extra_forbidden": "没有这个字段",
    "string_type": "应为字符串",
    "string_unicode": "应为有效的 Unicode 文本",
    "string_too_short": "长度至少为 {min_length}",
    "string_too_long": "长度至多为 {max_length}",
    "literal_error": "应为下列之一：{expected}",
    "int_type": "应为整数",
    "int_parsing": "应为整数",
    "int_from_float": "应为整数",
    "bool_type": "应为 true 或 false",
    "bool_parsing": "应为 true 或 false",
    "greater_than_equal": "应不小于 {ge}",
    "less_than_equal": "应不大于 {le}",
    "finite_number": "应为有限的数",
    "too_long": "至多 {max_length} 项",
    "list_type": "应为数组",
    "tuple_type": "应为数组",
    "dict_type": "应为对象",
    "model_type": "应为对象",
    "model_attributes_type": "应为对象",
    "string_pattern_mismatch": "格式不符",
    "value_error": "值不可用：{error}",
    "blank": "不能为空白",
    "float_type": "应为数字",
    "float_parsing": "应为数字",
    "greater_than": "应大于 {gt}",
    "less_than": "应小于 {lt}",
    "too_short": "至少 {min_length} 项",
}


_SHOULD_BE: Mapping[Language, tuple[str, str]] = {"en": ("Input should be ", " or "), "zh": ("应为", "或")}
"""How a message begins that says what a field should be, and what joins several of them."""


def validation_problem(errors: Iterable[Mapping[str, Any]], language: Language, body: object = None) -> Problem:
    """The problem for what request validation found; text that is no JSON at all is a 400.

    A field that may be of several types fails once for each of them; it is named once, with all that it may be.

    Args:
        errors: as the validator lists them.
        language: of the messages.
        body: what was sent, by which the places of errors are told from the names of types.
    """
    found = list(errors)
    broken = next((item for item in found if item["type"] in {"json_invalid", "json_type"}), None)
    if broken is not None:
        text = {"en": "The body is not valid JSON.", "zh": "请求体不是有效的 JSON。"}[language]
        return Problem(KINDS["invalid_request"], text, language)
    messages: dict[tuple[str, ...], dict[str, None]] = {}
    for item in found:
        messages.setdefault(_place(item, body), {})[_message(item, language)] = None
    # Where an item of a list is wrong, that the list is no text is of no interest.
    wholes = {place[:size] for place in messages for size in range(1, len(place))}
    places = [place for place in messages if place not in wholes]
    listed = tuple({"loc": ".".join(place), "msg": _joined(list(messages[place]), language)} for place in places)
    first = listed[0]
    detail = "：".join((first["loc"], first["msg"])) if language == "zh" else f"{first['loc']}: {first['msg']}"
    return Problem(KINDS["validation_failed"], detail, language, listed)


def _joined(messages: list[str], language: Language) -> str:
    start, joint = _SHOULD_BE[language]
    if len(messages) > 1 and all(message.startswith(start) for message in messages):
        return start + joint.join(message.removeprefix(start) for message in messages)
    return "; ".join(messages)


def _place(item: Mapping[str, Any], body: object) -> tuple[str, ...]:
    """Where the error is, as a path into what was sent; types that were tried on the way are no part of it."""
    part_of, *parts = item["loc"]
    if part_of not in ("body", "query", "path") or not parts:
        return tuple(map(str, item["loc"]))
    if part_of != "body" or body is None:
        return tuple(map(str, parts))
    place: list[str] = []
    value = body
    for part in parts:
        if _holds(value, part):
            value = value[part]  # type: ignore[index]
        elif not (item["type"] == "missing" and part is parts[-1]):
            continue
        place.append(str(part))
    return tuple(place) or ("body",)


def _holds(value: object, part: object) -> bool:
    if isinstance(value, list):
        return isinstance(part, int) and part < len(value)
    return isinstance(value, Mapping) and part in value


def _message(item: Mapping[str, Any], language: Language) -> str:
    if item["type"] == REQUEST_ERROR:
        return str(item["ctx"][language])
    wordings = _FIELD_MESSAGES_ZH if language == "zh" else _FIELD_MESSAGES_EN
    wording = wordings.get(item["type"])
    if wording is None:
        return str(item["msg"]).removeprefix("Value error, ")
    return wording.format_map(item.get("ctx", {}))
