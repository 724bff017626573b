"""Settings: where they come from, which place wins, and what a mistake says."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from kb.config import Settings, given_settings, load_settings, setting_rows
from kb.errors import ConfigError


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_defaults_need_nothing() -> None:
    settings = load_settings(environ={})
    assert (settings.host, settings.port, settings.insecure) == ("127.0.0.1", 8000, False)
    assert settings.corpus_dir.is_absolute()
    assert settings.catalog == "builtin"


def test_flags_win_over_environment_over_file() -> None:
    Path("gpukb.toml").write_text('port = 1\nhost = "1.1.1.1"\ntop_k = 3\n')
    settings = load_settings({"port": "3", "host": None}, environ={"GPUKB_PORT": "2", "GPUKB_HOST": "2.2.2.2"})
    assert (settings.port, settings.host, settings.top_k) == (3, "2.2.2.2", 3)


def test_origins_are_known() -> None:
    Path("gpukb.toml").write_text("port = 1\n")
    given = given_settings({"top_k": 4}, environ={"GPUKB_HOST": "::1"})
    assert {name: item.origin for name, item in given.items()} == {
        "port": "port in gpukb.toml",
        "host": "GPUKB_HOST",
        "top_k": "--top-k",
    }


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"GPUKB_PROT": "1"}, "GPUKB_PROT is no setting. Did you mean GPUKB_PORT?"),
        ({"gpukb_port": "1"}, "gpukb_port is no setting. Did you mean GPUKB_PORT?"),
        ({"GPUKB_ZZZ": "1"}, "GPUKB_ZZZ is no setting. `gpukb settings` lists them all."),
        ({"GPUKB_PORT": "abc"}, "GPUKB_PORT 'abc' is not possible: it must be a whole number from 0 to 65535."),
        ({"GPUKB_PORT": "70000"}, "GPUKB_PORT '70000' is not possible: it must be a whole number from 0 to 65535."),
        ({"GPUKB_LOG_FORMAT": "xml"}, "GPUKB_LOG_FORMAT 'xml' is not possible: it must be one of text, json."),
        ({"GPUKB_INSECURE": "maybe"}, "GPUKB_INSECURE 'maybe' is not possible: it must be true or false."),
        ({"GPUKB_LLM_BASE_URL": "http://x"}, "llm_base_url needs llm_model, the name of the chat model there."),
        (
            {"GPUKB_CORS_ORIGINS": "*"},
            "GPUKB_CORS_ORIGINS '*' is not possible: "
            "it must be origins such as https://a.example, separated by commas.",
        ),
        (
            {"GPUKB_EMBEDDING_DEVICE": "tpu"},
            "GPUKB_EMBEDDING_DEVICE 'tpu' is not possible: it must be auto, cpu, cuda, cuda:N or mps.",
        ),
        (
            {"GPUKB_CONFIG": "missing.toml"},
            "The settings file missing.toml cannot be read: No such file or directory. Name another with --config.",
        ),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(environ: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(environ=environ)
    assert str(caught.value) == message


def test_a_misspelt_key_in_the_file_names_the_nearest() -> None:
    Path("mine.toml").write_text("embeding_model = 'x'\n")
    with pytest.raises(ConfigError, match=r"embeding_model in mine.toml is no setting. Did you mean embedding_model\?"):
        load_settings(config=Path("mine.toml"), environ={})


def test_broken_toml_names_the_file() -> None:
    Path("gpukb.toml").write_text("port = = 1")
    with pytest.raises(ConfigError, match=r"gpukb\.toml is not valid TOML: .*line 1"):
        load_settings(environ={})


def test_an_unknown_flag_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"prt is no setting. Did you mean port\?"):
        load_settings({"prt": 1}, environ={})


def test_variables_that_kubernetes_sets_beside_a_service_are_not_ours() -> None:
    links = {
        "GPUKB_SERVICE_HOST": "10.0.0.1",
        "GPUKB_SERVICE_PORT_HTTP": "8000",
        "GPUKB_PORT": "tcp://10.0.0.1:8000",
        "GPUKB_PORT_8000_TCP_ADDR": "10.0.0.1",
    }
    assert load_settings(environ=links).port == 8000


def test_an_empty_variable_is_not_set() -> None:
    assert load_settings(environ={"GPUKB_LLM_MODEL": "", "GPUKB_PORT": " "}).llm_model is None


def test_folders_in_a_file_are_relative_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    folder.mkdir()
    (folder / "gpukb.toml").write_text('data_dir = "state"\ncatalog = "cards"\n')
    settings = load_settings(config=folder / "gpukb.toml", environ={})
    assert settings.data_dir == folder / "state"
    assert settings.catalog == str(folder / "cards")


def test_folders_elsewhere_are_relative_to_the_current_one(tmp_path: Path) -> None:
    assert load_settings(environ={"GPUKB_DATA_DIR": "state"}).data_dir == tmp_path / "state"


def test_lists_are_separated_by_commas() -> None:
    settings = load_settings(environ={"GPUKB_CORS_ORIGINS": "https://a.example, https://b.example"})
    assert settings.cors_origins == ("https://a.example", "https://b.example")


def test_keys_are_never_shown() -> None:
    settings = load_settings(environ={"GPUKB_LLM_API_KEY": "sk-secret"})
    assert "sk-secret" not in repr(settings)
    assert settings.llm_api_key is not None
    assert settings.llm_api_key.get_secret_value() == "sk-secret"


def test_settings_are_frozen_and_read_nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUKB_PORT", "9")
    settings = Settings()
    assert settings.port == 8000
    with pytest.raises(ValidationError, match="frozen"):
        settings.port = 1  # type: ignore[misc]


def test_every_setting_is_described() -> None:
    rows = setting_rows()
    assert len(rows) == len(Settings.model_fields)
    assert all(row.description and row.allowed for row in rows)
