"""The three places that settings come from: flags, environment, settings file."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr, ValidationError

from kb.config.description import allowed_values
from kb.config.settings import ENV_PREFIX, Settings, variable_of
from kb.errors import ConfigError

CONFIG_ENV = "GPUKB_CONFIG"
"""Names the settings file where no `--config` does."""
CONFIG_FILE = "gpukb.toml"

# Names that begin like settings and are none of ours: the settings file itself, and a folder of test material.
_RESERVED_ENV = frozenset({CONFIG_ENV, "GPUKB_SHARED_DIR"})
# Kubernetes sets these for every container next to a Service called "gpukb"; nobody wrote them.
_SERVICE_LINK = re.compile(r"GPUKB_(SERVICE_(HOST|PORT\w*)|PORT_\d+_(TCP|UDP|SCTP)\w*)")
_SERVICE_ADDRESS = re.compile(r"(tcp|udp|sctp)://")


@dataclass(frozen=True, slots=True)
class Given:
    """A setting's raw value and the place it came from, for example `GPUKB_PORT` or `port in gpukb.toml`."""

    value: object
    origin: str


def load_settings(
    flags: Mapping[str, object] | None = None,
    *,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Settings from flags, environment and settings file.

    Args:
        flags: by setting name; `None` values count as not given.
        config: a settings file that must exist; without it `GPUKB_CONFIG`, then `gpukb.toml` in the current folder.
        environ: instead of the process's environment.

    Raises:
        ConfigError: an unknown name or an impossible value, in one line.
    """
    return build_settings(given_settings(flags, config=config, environ=environ))


def given_settings(
    flags: Mapping[str, object] | None = None,
    *,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> dict[str, Given]:
    """What the three places say, by setting name, the strongest place winning; arguments as of `load_settings`."""
    environment = os.environ if environ is None else environ
    given = _from_file(config, environment)
    given.update(_from_environment(environment))
    for name, value in (flags or {}).items():
        if name not in Settings.model_fields:
            raise ConfigError(f"{name} is no setting.", _nearest(name, Settings.model_fields))
        if value is not None:
            given[name] = Given(value, f"--{name.replace('_', '-')}")
    return given


def build_settings(given: Mapping[str, Given]) -> Settings:
    """Check raw values and freeze them.

    Raises:
        ConfigError: naming the place of the first wrong value and what is allowed.
    """
    try:
        return Settings(**{name: item.value for name, item in given.items()})  # type: ignore[arg-type]
    except ValidationError as error:
        raise _config_error(error, given) from None


def settings_environ(settings: Settings) -> dict[str, str]:
    """The environment that gives a child process these settings, keys included."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(ENV_PREFIX)}
    for name in Settings.model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        if value is not None:
            environ[variable_of(name)] = ",".join(value) if isinstance(value, tuple) else str(value)
    return environ


def _from_environment(environ: Mapping[str, str]) -> dict[str, Given]:
    given = {}
    for variable in sorted(environ):
        value = environ[variable]
        if not variable.upper().startswith(ENV_PREFIX) or _is_foreign(variable, value):
            continue
        name = variable[len(ENV_PREFIX) :].lower()
        if variable != variable.upper() or name not in Settings.model_fields:
            raise ConfigError(f"{variable} is no setting.", _nearest(name, Settings.model_fields, shown_as=variable_of))
        # An empty variable means "not set", as in `GPUKB_LLM_MODEL= gpukb serve`.
        if value.strip():
            given[name] = Given(value, variable)
    return given


def _is_foreign(variable: str, value: str) -> bool:
    if variable in _RESERVED_ENV or _SERVICE_LINK.fullmatch(variable):
        return True
    return variable == "GPUKB_PORT" and _SERVICE_ADDRESS.match(value) is not None


def _from_file(config: Path | None, environ: Mapping[str, str]) -> dict[str, Given]:
    path = config or (Path(environ[CONFIG_ENV]) if environ.get(CONFIG_ENV) else None)
    if path is None:
        path = Path(CONFIG_FILE)
        if not path.is_file():
            return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"The settings file {path} cannot be read: {error.strerror}.", "Name another with --config."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"The settings file {path} is not valid TOML: {error}.") from None
    given = {}
    for name, value in content.items():
        if name not in Settings.model_fields:
            raise ConfigError(f"{name} in {path} is no setting.", _nearest(name, Settings.model_fields))
        given[name] = Given(_beside(path, name, value), f"{name} in {path}")
    return given


def _beside(path: Path, name: str, value: object) -> object:
    """A relative folder in a settings file is meant relative to that file."""
    is_folder = Settings.model_fields[name].annotation is Path
    is_named = name in {"catalog", "scenarios"} and value not in {"builtin", "none"}
    if isinstance(value, str) and (is_folder or is_named):
        return str(path.absolute().parent / Path(value).expanduser())
    return value


def _nearest(name: str, names: Iterable[str], shown_as: Callable[[str], str] = str) -> str:
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"Did you mean {shown_as(close[0])}?" if close else "`gpukb settings` lists them all."


def _config_error(error: ValidationError, given: Mapping[str, Given]) -> ConfigError:
    first = error.errors(include_url=False)[0]
    if not first["loc"]:
        return ConfigError(f"{str(first['msg']).removeprefix('Value error, ')}.")
    name = str(first["loc"][0])
    origin = given[name].origin if name in given else name
    shown = "" if "key" in name else f" {given[name].value!r}" if name in given else ""
    return ConfigError(f"{origin}{shown} is not possible: it must be {allowed_values(name)}.")
