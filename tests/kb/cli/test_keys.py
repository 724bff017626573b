"""`gpukb keys`: the text of a key is printed once and kept nowhere."""

from __future__ import annotations

import json
import re

import pytest

from kb.cli.main import run


def printed(capsys, *args):
    assert run(["keys", *args]) == 0
    return capsys.readouterr()


def test_a_key_is_made_listed_and_revoked(capsys, tmp_path):
    assert "gpukb keys new" in printed(capsys, "list").out
    made = printed(capsys, "new", "网页", "--rate", "60", "--origin", "https://a.example", "--expires", "90d")
    text = made.out.strip()
    assert re.fullmatch(r"gk_[0-9a-f]{8}_[\w-]{43}", text), "nothing else on stdout, so that a script can take it"
    assert "only time" in made.err
    listed = printed(capsys, "list").out
    for shown in (text[3:11], "网页", "valid", "https://a.example", "60"):
        assert shown in listed
    [row] = json.loads(printed(capsys, "list", "--json").out)["data"]
    assert (row["state"], row["scopes"], row["requests_per_minute"]) == ("valid", ["read"], 60)
    assert "is revoked" in printed(capsys, "revoke", "网页").out
    assert json.loads(printed(capsys, "list", "--json").out)["data"][0]["state"] == "revoked"
    everything = "".join(path.read_text() for path in (tmp_path / "data").iterdir())
    assert text not in everything + listed


def test_for_programs(capsys):
    made = json.loads(printed(capsys, "new", "ci", "--scope", "admin", "--scope", "read", "--json").out)
    assert made["key"].startswith(f"gk_{made['id']}_")
    assert made["scopes"] == ["read", "admin"]
    assert json.loads(printed(capsys, "revoke", made["key"], "--json").out)["state"] == "revoked"


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["new", "a", "--expires", "soon"], 2, "write 90d"),
        (["new", "a", "--expires", "2020-01-01"], 2, "is over already"),
        (["new", "a", "--origin", "a.example"], 1, "https://a.example"),
        (["new", "a", "--rate", "0"], 2, "--rate"),
        (["new", "a", "--scope", "write"], 2, "'read', 'admin'"),
        (["revoke", "nobody"], 1, "gpukb keys list"),
        (["revoke", "gk_0123abcd_" + "x" * 43], 1, "There is no key gk_…"),
    ],
)
def test_a_mistake_is_one_line(capsys, args, code, says):
    assert run(["keys", *args]) == code
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error


@pytest.mark.parametrize(("prepare", "status", "says"), [
    ("none", "ok", "only this machine"), ("valid", "ok", "1 valid of 1"), ("revoked", "warn", "nobody can get in"),
    ("open", "warn", "chmod 600"), ("damaged", "fail", "cannot be read"),
])  # fmt: skip
def test_doctor_looks_at_the_keys(capsys, tmp_path, prepare, status, says):
    file = tmp_path / "data/keys.json"
    if prepare != "none":
        printed(capsys, "new", "a")
    if prepare == "revoked":
        printed(capsys, "revoke", "a")
    if prepare == "open":
        file.chmod(0o644)
    if prepare == "damaged":
        file.write_text("{")
    from kb.cli.doctor import examine_keys
    from kb.config import Settings

    found = examine_keys(Settings(data_dir=tmp_path / "data"))
    assert found.status == status
    assert says in f"{found.detail} {found.hint}"
