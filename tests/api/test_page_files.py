"""The pages' files as they are sent: shorter, of the same meaning, and never two versions at once."""

from __future__ import annotations

import tree_sitter_css
import tree_sitter_javascript
from fastapi.testclient import TestClient
from tree_sitter import Language, Parser

from api.web import web_dir

GRAMMARS = {".js": Language(tree_sitter_javascript.language()), ".css": Language(tree_sitter_css.language())}
FILES = sorted(path for path in web_dir().rglob("*") if path.suffix in GRAMMARS)


def _meaning(grammar: Language, code: bytes) -> list[tuple[str, bytes]]:
    """The kinds of all nodes in order with the text of those that hold no others, without comments."""
    root = Parser(grammar).parse(code).root_node
    assert not root.has_error
    found, left = [], [root]
    while left:
        node = left.pop()
        if node.type == "comment" or node.type in {";", ","}:
            continue
        found.append((node.type, b"" if node.children else node.text or b""))
        left.extend(reversed(node.children))
    return found


def test_what_is_sent_means_what_is_written(client: TestClient) -> None:
    for path in FILES:
        sent = client.get(f"/ui/{path.relative_to(web_dir()).as_posix()}").content
        written = path.read_bytes()
        assert len(sent) < len(written), path.name
        assert _meaning(GRAMMARS[path.suffix], sent) == _meaning(GRAMMARS[path.suffix], written), path.name


def test_files_are_asked_for_again_and_not_sent_again(client: TestClient) -> None:
    tags = set()
    for encoding in ("gzip", "identity"):
        first = client.get("/ui/page.js", headers={"Accept-Encoding": encoding})
        assert first.headers["Cache-Control"] == "no-cache"
        assert first.headers["Content-Type"].startswith("text/javascript")
        assert first.headers["Vary"].startswith("Accept-Encoding")
        tag = first.headers["ETag"]
        tags.add(tag)
        again = client.get("/ui/page.js", headers={"Accept-Encoding": encoding, "If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        stale = client.get("/ui/page.js", headers={"Accept-Encoding": encoding, "If-None-Match": '"other"'})
        assert stale.status_code == 200
    assert len(tags) == 2, "a cache between must not mix the two"


def test_nothing_else_is_sent(client: TestClient) -> None:
    for path in ("../pyproject.toml", "%2e%2e/pyproject.toml", "chat", "chat/", "none.js", "/etc/hosts"):
        response = client.get(f"/ui/{path}")
        assert response.status_code == 404, path
        assert response.headers["Content-Type"] == "application/problem+json"
