"""Origins as browsers write them, whatever way they were typed."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from kb.config import Settings
from kb.config.origins import origin_of
from kb.errors import RequestError


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("https://A.Example/", "https://a.example"), ("https://a.example:443", "https://a.example"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"), ("http://[::1]:80", "http://[::1]"),
    ],
)  # fmt: skip
def test_origins_are_written_as_browsers_write_them(given, origin):
    assert origin_of(given) == origin


@pytest.mark.parametrize(
    "given", ["", "*", "https://*.example", "a.example", "null", "ftp://a", "https://a/b", "https://u@a", "https://a:x"]
)
def test_what_is_no_origin(given):
    with pytest.raises(RequestError, match="no origin"):
        origin_of(given)


def test_settings_take_origins_as_they_are_typed():
    settings = Settings(embed_origins="https://A.example/, http://127.0.0.1:80", cors_origins="https://b.example:443")
    assert settings.embed_origins == ("https://a.example", "http://127.0.0.1")
    assert settings.cors_origins == ("https://b.example",)
    with pytest.raises(ValidationError):
        Settings(embed_origins="*")
