"""reStructuredText beyond docutils: directives and roles of Sphinx and of any project, read for what they show.

Docutils refuses a directive it does not know and drops its content. Here every unknown one is registered before
parsing: its argument becomes a title and its content is read, unless its name says that it holds code or nothing.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en
from docutils.parsers.rst.states import SubstitutionDef

_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([A-Za-z][\w:+.-]*?)[ \t]?::(?=[ \t\n]|$)", re.MULTILINE)
_ROLE = re.compile(r":([A-Za-z][\w:+.-]*):`")
_TARGET = re.compile(r"\s*(?<!\\)<[^<>]*>\s*$")

_CODE = frozenset(
    {
        "code",
        "code-block",
        "sourcecode",
        "mermaid",
        "graphviz",
        "digraph",
        "graph",
        "prompt",
        "code-cell",
        "productionlist",
        "uml",
    }
)
_LISTINGS = frozenset({"code", "code-block", "sourcecode", "prompt", "code-cell"})
_NOTHING_LIST = """
    toctree literalinclude index bibliography tabularcolumns highlight currentmodule module py:module py:currentmodule
    autosummary automodule autoclass autofunction doxygenfile doxygenstruct
"""
_NOTHING = frozenset(_NOTHING_LIST.split())
_WITHOUT_TITLE = frozenset(
    {"only", "ifconfig", "tab-set", "tabs", "grid", "container", "glossary", "hlist", "centered"}
)
_CHANGES = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_ELSEWHERE = re.compile(r"^[ \t]*(?:\.\.[ \t]+(?:include|literalinclude)::|:(?:file|url):)[ \t]+\S", re.MULTILINE)


def register_unknown(text: str) -> None:
    """Make docutils know every directive and role that a source names."""
    for name in {match[1].lower() for match in _DIRECTIVE.finditer(text)}:
        directives.register_directive(name, _lenient(name))
    roles._roles.pop("", None)  # what `default-role` of an earlier document set
    for name in {match[1].lower() for match in _ROLE.finditer(text)}:
        if name not in roles._role_registry and name not in en.roles and name not in roles._roles:
            roles.register_local_role(name, _label)


def parts_elsewhere(text: str) -> int:
    """How many parts of a source stand in other files, which are not read with it."""
    return len(_ELSEWHERE.findall(text))


def _lenient(name: str) -> Any:
    """The class that reads a directive; one that docutils knows takes options that only Sphinx knows, too."""
    if name in _CODE:
        return _Code
    if name == "raw":
        return _Raw
    canonical = en.directives.get(name, name)
    if canonical not in directives._directive_registry:
        return _Anything
    known, _ = directives.directive(canonical, en, None)
    if isinstance(known.option_spec, _AnyOption):
        return known
    return type(known.__name__, (known,), {"option_spec": _AnyOption(known.option_spec or {})})


class _AnyOption(dict[str, Any]):
    """Accepts every option as it is."""

    def __missing__(self, name: str) -> Any:
        return directives.unchanged


class _Anything(Directive):  # type: ignore[misc]
    """A directive that nobody told us about."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = _AnyOption(name=directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """Its title in bold, then its content."""
        if self.name in _NOTHING:
            return []
        container = nodes.container()
        argument = self.arguments[0] if self.arguments else ""
        if self.name in _CHANGES:
            version, words = [*argument.split(None, 1), "", ""][:2]
            argument = f"{_CHANGES[self.name]} {version}"
            if words:
                container += nodes.paragraph("", "", *self.state.inline_text(words, self.lineno)[0])
        elif not argument and self.name not in _WITHOUT_TITLE and self.content:
            argument = self.name.rsplit(":", 1)[-1].replace("-", " ").capitalize()
        if argument and self.name not in _WITHOUT_TITLE - {"centered"}:
            texts, messages = self.state.inline_text(argument, self.lineno)
            container.insert(0, nodes.rubric("", "", *texts))
            container += messages
        self.state.nested_parse(self.content, self.content_offset, container)
        return [container]


class _Raw(_Anything):
    """Markup for one output format only, most often a line break."""

    def run(self) -> list[nodes.Node]:
        """A space where it stands for a word, else nothing."""
        return [nodes.Text(" ")] if isinstance(self.state, SubstitutionDef) else []


class _Code(_Anything):
    """A directive whose content is a program."""

    def run(self) -> list[nodes.Node]:
        """Its content as it is."""
        text = "\n".join(self.content)
        language = self.arguments[0] if self.arguments else "" if self.name in _LISTINGS else self.name
        return [nodes.literal_block(text, text, language=language)] if text else []


def _label(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """A role's text without its target: `label <target>`."""
    shown = _TARGET.sub("", text) or text.strip("<> ")
    return [nodes.inline(rawtext, shown.removeprefix("~").removeprefix("!"))], []
