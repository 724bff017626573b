"""Logging to stderr, as text or as one JSON object a line; no line holds a key."""

from __future__ import annotations

import json
import logging
import logging.config
from datetime import UTC, datetime
from typing import Literal

from kb.keys import scrub

_EXTRA = ("request_id", "path")


class JsonFormatter(logging.Formatter):
    """One JSON object a line, with the request's id where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update({key: value for key in _EXTRA if (value := getattr(record, key, None)) is not None})
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return scrub(json.dumps(line, ensure_ascii=False))


class TextFormatter(logging.Formatter):
    """Time, level, message, and the request's id where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        text = super().format(record)
        request_id = getattr(record, "request_id", None)
        return scrub(f"{text} [{request_id}]" if request_id else text)


def configure_logging(level: str, style: Literal["text", "json"]) -> None:
    """Set up logging for the whole process."""
    formatter = (
        {"()": JsonFormatter}
        if style == "json"
        else {"()": TextFormatter, "format": "%(asctime)s %(levelname)-7s %(message)s", "datefmt": "%H:%M:%S"}
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": formatter},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
            "root": {"handlers": ["stderr"], "level": "WARNING"},
            "loggers": {
                "gpukb": {"level": level.upper()},
                "uvicorn": {"level": "WARNING"},
                "uvicorn.error": {"level": "WARNING"},
            },
        }
    )
