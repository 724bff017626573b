"""Settings: one frozen value, built once by an entry point and passed down.

A setting is looked for in the flags of the command, then in the environment (`GPUKB_PORT`), then in `gpukb.toml`
(`port = 8000`); the first that has it wins. A name that is no setting is an error that names the nearest one.

`Settings(...)` itself reads nothing from outside, so that a test or a notebook gets just what it asks for;
`load_settings` reads the three places.
"""

from kb.config.description import SettingRow, allowed_values, setting_rows, settings_markdown
from kb.config.folders import checkout_dir, default_cache_dir, default_corpus_dir, default_data_dir
from kb.config.settings import ENV_PREFIX, Settings
from kb.config.sources import (
    CONFIG_ENV,
    CONFIG_FILE,
    Given,
    build_settings,
    given_settings,
    load_settings,
    settings_environ,
)

__all__ = [
    "CONFIG_ENV",
    "CONFIG_FILE",
    "ENV_PREFIX",
    "Given",
    "SettingRow",
    "Settings",
    "allowed_values",
    "build_settings",
    "checkout_dir",
    "default_cache_dir",
    "default_corpus_dir",
    "default_data_dir",
    "given_settings",
    "load_settings",
    "setting_rows",
    "settings_environ",
    "settings_markdown",
]
