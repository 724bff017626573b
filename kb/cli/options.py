"""Options that commands share: settings as flags, `--json`, `--lang`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from kb.config import Settings, allowed_values, load_settings
from kb.errors import ConfigError

Command = TypeVar("Command", bound=Callable[..., Any])

_COMMON = ("data_dir",)


def settings_options(*names: str) -> Callable[[Command], Command]:
    """Give a command `--config`, `--set` and a flag for each named setting; it gets one argument, `settings`.

    Args:
        names: settings with a flag of their own; all others can be given with `--set name=value`.
    """
    flags = tuple(dict.fromkeys((*names, *_COMMON)))

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_settings(*args: Any, config: Path | None, assignments: tuple[str, ...], **kwargs: Any) -> Any:
            given: dict[str, object] = dict(_assignment(text) for text in assignments)
            given.update({name: value for name in flags if (value := kwargs.pop(name)) is not None})
            return command(*args, settings=load_settings(given, config=config), **kwargs)

        decorated: Any = with_settings
        for name in reversed(flags):
            decorated = _flag(name)(decorated)
        decorated = click.option(
            "--set",
            "assignments",
            multiple=True,
            metavar="NAME=VALUE",
            help="Any setting; `gpukb settings` lists them.",
        )(decorated)
        decorated = click.option(
            "--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file, instead of ./gpukb.toml."
        )(decorated)
        return cast(Command, decorated)

    return decorate


def _flag(name: str) -> Callable[[Any], Any]:
    field = Settings.model_fields[name]
    flag = f"--{name.replace('_', '-')}"
    description = (field.description or "").replace("`", "")
    if field.annotation is bool:
        return click.option(flag, name, is_flag=True, default=None, help=description)
    return click.option(flag, name, metavar=_metavar(name), help=description)


def _metavar(name: str) -> str:
    allowed = allowed_values(name)
    if allowed.startswith("one of "):
        return "[" + "|".join(allowed.removeprefix("one of ").split(", ")) + "]"
    return "FOLDER" if allowed == "a folder" else "NUMBER" if "number" in allowed else "TEXT"


def _assignment(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise ConfigError(f"--set {text} has no value.", "Write it as --set NAME=VALUE.")
    return name.strip().replace("-", "_"), value


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, in the shape of the HTTP API.")

lang_option = click.option(
    "--lang", type=click.Choice(["auto", "zh", "en"]), default="auto", help="Language of the output."
)


def language_of(lang: str) -> str:
    """`zh` or `en`; for `auto` the language of the user's locale."""
    import os

    if lang != "auto":
        return lang
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"
