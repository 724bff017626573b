"""Settings: one frozen value, built once by an entry point and passed down.

A setting is looked for in the flags of the command, then in the environment (`GPUKB_PORT`), then in `gpukb.toml`
(`port = 8000`); the first that has it wins. A name that is no setting is an error that names the nearest one.

`Settings(...)` itself reads nothing from outside, so that a test or a notebook gets just what it asks for;
`load_settings` reads the three places.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from kb.errors import ConfigError

ENV_PREFIX = "GPUKB_"
CONFIG_ENV = "GPUKB_CONFIG"
"""Names the settings file where no `--config` does."""
CONFIG_FILE = "gpukb.toml"

# Names that begin like settings and are none of ours: the settings file itself, and a folder of test material.
_RESERVED_ENV = frozenset({CONFIG_ENV, "GPUKB_SHARED_DIR"})
# Kubernetes sets these for every container next to a Service called "gpukb"; nobody wrote them.
_SERVICE_LINK = re.compile(r"GPUKB_(SERVICE_(HOST|PORT\w*)|PORT_\d+_(TCP|UDP|SCTP)\w*)")
_SERVICE_ADDRESS = re.compile(r"(tcp|udp|sctp)://")

_PACKAGE = Path(__file__).resolve().parent


def checkout_dir() -> Path | None:
    """The source checkout that this code runs from, or `None` for an installed package."""
    root = _PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() and (root / "corpus").is_dir() else None


def default_corpus_dir() -> Path:
    """The checkout's `corpus/`, else the copy inside the package."""
    root = checkout_dir()
    return root / "corpus" if root else _PACKAGE / "_corpus"


def default_data_dir() -> Path:
    """`.gpukb/` in a checkout, else `gpukb` in the user's data folder."""
    root = checkout_dir()
    if root:
        return root / ".gpukb"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "gpukb"


def default_cache_dir() -> Path:
    """`.gpukb/cache/` in a checkout, else `gpukb` in the user's cache folder."""
    root = checkout_dir()
    if root:
        return root / ".gpukb" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpukb"


def _absolute(value: object) -> object:
    return Path(value).expanduser().absolute() if isinstance(value, str | Path) and str(value) else value


def _comma_separated(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


Folder = Annotated[Path, BeforeValidator(_absolute)]
Names = Annotated[tuple[str, ...], BeforeValidator(_comma_separated)]


class Settings(BaseModel):
    """Every setting of gpukb. Each one's description is also its help text and its line in the documentation."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, str_strip_whitespace=True)

    # ------------------------------------------------------------ folders
    corpus_dir: Folder = Field(default_factory=default_corpus_dir, description="Folder of the documents to index.")
    data_dir: Folder = Field(default_factory=default_data_dir, description="Folder that holds the index.")
    cache_dir: Folder = Field(
        default_factory=default_cache_dir, description="Folder for converted model files; safe to delete."
    )
    catalog: str = Field(
        default="builtin",
        min_length=1,
        description="Catalogue of cards: `builtin`, `none` (no card is known or called unknown), or a folder.",
    )
    scenarios: str = Field(
        default="builtin",
        min_length=1,
        description="What cards are selected for: `builtin`, or a file like `corpus/scenarios.yaml`.",
    )

    keep_generations: int = Field(
        default=3,
        ge=1,
        le=1000,
        description="Generations of the index that stay on the disk: for `gpukb index rollback`, and for citations of "
        "answers given before a rebuild.",
    )

    # ------------------------------------------------------------ embedding
    embedding_model: str = Field(
        default="bundled",
        min_length=1,
        description="`bundled` (multilingual-e5-small, on the CPU, no download), or a sentence-transformers model by "
        "name or path, or the name a remote server knows.",
    )
    embedding_revision: str | None = Field(default=None, description="Revision of that model, where it comes by name.")
    embedding_device: str = Field(
        default="auto",
        pattern=r"^(auto|cpu|cuda(:\d+)?|mps)$",
        description="Where the embedding model runs: `auto`, `cpu`, `cuda`, `cuda:N` or `mps`.",
    )
    embedding_threads: int = Field(
        default=0, ge=0, le=256, description="Threads of the bundled model; 0: one per core, at most 4."
    )
    embedding_base_url: str | None = Field(
        default=None, pattern=r"^https?://", description="Address of an OpenAI-compatible embedding server."
    )
    embedding_api_key: SecretStr | None = Field(default=None, description="Key for that server.")
    cross_embedding: Literal["use", "none"] = Field(
        default="use", description="Second encoder, which finds passages in the other language."
    )

    # ------------------------------------------------------------ answers
    top_k: int = Field(default=8, ge=1, le=50, description="Passages read for an answer.")
    llm_base_url: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Address of an OpenAI-compatible chat model; without one, answers are extracted.",
    )
    llm_model: str | None = Field(default=None, description="Name of the chat model at that address.")
    llm_api_key: SecretStr | None = Field(default=None, description="Key for the chat model.")
    llm_timeout_s: float = Field(default=60.0, gt=0, le=3600, description="How long a chat model may take.")
    llm_temperature: float = Field(default=0.0, ge=0, le=2, description="Sampling temperature of the chat model.")

    # ------------------------------------------------------------ service
    host: str = Field(default="127.0.0.1", min_length=1, description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on; 0: any free one.")
    insecure: bool = Field(
        default=False, description="Serve on an address that others can reach although no keys are set up."
    )
    cors_origins: Names = Field(
        default=(),
        description="Web pages that may call the API, comma separated: `https://a.example,https://b.example`.",
    )
    max_concurrency: int = Field(default=8, ge=1, le=1024, description="Questions worked on at the same time.")
    max_waiting: int = Field(
        default=256, ge=0, le=100_000, description="Questions that may wait; beyond that a request gets 503."
    )
    max_body_bytes: int = Field(default=1_048_576, ge=1024, description="Largest request body.")
    max_document_bytes: int = Field(default=67_108_864, ge=1024, description="Largest document that is indexed.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="What is logged.")
    log_format: Literal["text", "json"] = Field(default="text", description="How it is logged.")

    @model_validator(mode="after")
    def _needs_each_other(self) -> Settings:
        if self.llm_base_url and not self.llm_model:
            raise ValueError("llm_base_url needs llm_model, the name of the chat model there")
        if "*" in self.cors_origins:
            raise ValueError("cors_origins lists the pages that may call; * is not allowed")
        return self


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
            environ[_variable(name)] = ",".join(value) if isinstance(value, tuple) else str(value)
    return environ


def _from_environment(environ: Mapping[str, str]) -> dict[str, Given]:
    given = {}
    for variable in sorted(environ):
        value = environ[variable]
        if not variable.upper().startswith(ENV_PREFIX) or _is_foreign(variable, value):
            continue
        name = variable[len(ENV_PREFIX) :].lower()
        if variable != variable.upper() or name not in Settings.model_fields:
            raise ConfigError(f"{variable} is no setting.", _nearest(name, Settings.model_fields, shown_as=_variable))
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


def _variable(name: str) -> str:
    return f"{ENV_PREFIX}{name.upper()}"


def _config_error(error: ValidationError, given: Mapping[str, Given]) -> ConfigError:
    first = error.errors(include_url=False)[0]
    if not first["loc"]:
        return ConfigError(f"{str(first['msg']).removeprefix('Value error, ')}.")
    name = str(first["loc"][0])
    origin = given[name].origin if name in given else name
    shown = "" if "key" in name else f" {given[name].value!r}" if name in given else ""
    return ConfigError(f"{origin}{shown} is not possible: it must be {allowed_values(name)}.")


# ---------------------------------------------------------------- description


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as documentation shows it; `default` is empty where there is none."""

    name: str
    variable: str
    allowed: str
    default: str
    description: str


def setting_rows() -> tuple[SettingRow, ...]:
    """All settings in their documented order."""
    return tuple(
        SettingRow(
            name=name,
            variable=_variable(name),
            allowed=allowed_values(name),
            default=_default_text(name, field),
            description=field.description or "",
        )
        for name, field in Settings.model_fields.items()
    )


def allowed_values(name: str) -> str:
    """What a setting may be, in words: `a whole number from 0 to 65535`."""
    field = Settings.model_fields[name]
    kind = _plain_type(field)
    if typing.get_origin(kind) is Literal:
        return "one of " + ", ".join(str(option) for option in typing.get_args(kind))
    if name == "embedding_device":
        return "auto, cpu, cuda, cuda:N or mps"
    if name.endswith("_url"):
        return "an address that begins with http:// or https://"
    if kind is bool:
        return "true or false"
    if kind in (int, float):
        return ("a whole number" if kind is int else "a number") + _bounds(field)
    if kind is Path:
        return "a folder"
    return "names separated by commas" if typing.get_origin(kind) is tuple else "text"


def _plain_type(field: FieldInfo) -> Any:
    if typing.get_origin(field.annotation) in (typing.Union, types.UnionType):
        return next(option for option in typing.get_args(field.annotation) if option is not type(None))
    return field.annotation


def _bounds(field: FieldInfo) -> str:
    found: dict[str, object] = {}
    for item in field.metadata:
        for bound in ("ge", "gt", "le"):
            value = getattr(item, bound, None)
            if value is not None:
                found[bound] = value
    words = {"ge": "from", "gt": "over", "le": "to"}
    return "".join(f" {words[bound]} {value}" for bound, value in found.items())


def _default_text(name: str, field: FieldInfo) -> str:
    if name == "corpus_dir":
        return "`corpus/` of the checkout, else the packaged copy"
    if name == "data_dir":
        return "`.gpukb/` in the checkout, else `~/.local/share/gpukb`"
    if name == "cache_dir":
        return "`.gpukb/cache/` in the checkout, else `~/.cache/gpukb`"
    if field.default in (None, PydanticUndefined, ()):
        return ""
    return str(field.default).lower() if isinstance(field.default, bool) else str(field.default)


def settings_markdown() -> str:
    """All settings as a Markdown table, as `docs/operations.md` shows it."""
    lines = ["| Setting | Variable | Allowed | Default | Meaning |", "|---|---|---|---|---|"]
    for row in setting_rows():
        allowed = row.allowed.replace("|", "\\|")
        default = row.default if "`" in row.default or not row.default else f"`{row.default}`"
        lines.append(f"| `{row.name}` | `{row.variable}` | {allowed} | {default} | {row.description} |")
    return "\n".join(lines)
