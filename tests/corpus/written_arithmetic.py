"""Arithmetic written in a text: finds `expression = result` and says whether the digits agree.

Words and units between the numbers are ignored, so a result may differ from its expression by a power of a thousand
(bytes and GB), of 1024 (GiB) or by a hundred (per cent); a wrong digit is still seen.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_EQUALS = re.compile(r"(?<![<>=!≥≤])[=≈](?!=)|⇒")
_BREAK = re.compile(r"[|。；;！？\n]|:\s|：|->|→|，|,\s|“|”|`")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_TEN_TO = re.compile(r"(\d(?:[\d,]*\d)?(?:\.\d+)?)\s?[×x·]\s?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?<![\d.])10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_TOKEN = re.compile(
    r"""                                                             # a code such as H100, 4K, 70B is no number
    (?P<code>[A-Za-z]+[-_]?\d[\w.-]*|\d+(?!e\d)[A-Za-z]+\d\w*|\d+(?:\.\d+)?[BKk](?![a-zA-Z/]))
  | (?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?)\s?(?P<scale>[%万亿])?
  | (?P<root>sqrt(?=\s?\()|√(?=\s?[(（]))
  | (?P<operator>[×·*÷+()（）−]|(?<![A-Za-z])x(?![A-Za-z])|/(?=\s?[(\d])|[–-](?=\s?[(\d])|\^)
  | (?P<space>\s+)
  | (?P<word>[^\W\d_]+[²³]?(?:/[^\W\d_]+)*)
  | (?P<other>.)
    """,
    re.VERBOSE,
)
_OPERATORS = {"×": "*", "x": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**", "（": "(", "）": ")"}
_SCALED = {"%": "/100", "万": "*1e4", "亿": "*1e8"}
_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_SCALES = (*(1000.0**k for k in range(-5, 6)), *(1024.0**k for k in range(-5, 6) if k), 100.0, 0.01)


@dataclass(frozen=True, slots=True)
class Equation:
    """`left = right` as written.

    Attributes:
        left: what the left side comes to.
        rights: what the right side comes to: as a whole, and its first number alone.
        slack: how far apart they may be, as a share: half of the last digit of the rougher side, 3 % for `≈`.
        result: where the right side's first number stands in the text.
    """

    words: str
    left: float
    rights: tuple[float, ...]
    slack: float
    result: int

    @property
    def holds(self) -> bool:
        """Whether the digits agree."""
        return any(
            abs(self.left - right * scale) <= self.slack * abs(right * scale)
            for right in self.rights
            for scale in _SCALES
        )


def equations(text: str) -> Iterator[Equation]:
    """The equations of a text whose both sides are arithmetic, in order."""
    marks = list(_EQUALS.finditer(text))
    for number, mark in enumerate(marks):
        before = text[marks[number - 1].end() if number else 0 : mark.start()]
        after = text[mark.end() : marks[number + 1].start() if number + 1 < len(marks) else len(text)]
        left_words = _BREAK.split(before)[-1]
        right_words = after[: m.start()] if (m := _BREAK.search(after)) else after
        left = _longest(_tokens(left_words), from_end=True)
        right = _longest(_tokens(right_words), from_end=False)
        if left is None or right is None or not left.has_operator:
            continue
        rough = max(left.rounding, right.rounding)
        slack = max(rough, 0.03) if mark.group() == "≈" or re.match(r"\s?(?:约|about)", right_words) else rough
        words = f"{left_words}{mark.group()}{right_words}".strip()
        yield Equation(words, left.value, (right.value, right.first), slack, mark.end() + _first_digit(right_words))


def _first_digit(words: str) -> int:
    found = re.search(r"\d", words)
    return found.start() if found else 0


def value_of(expression: str) -> float:
    """What an arithmetic expression comes to: numbers, + - * / **, brackets, sqrt.

    Raises:
        ValueError: it is anything else.
        SyntaxError: it is no expression.
    """
    return _value(ast.parse(expression.strip(), mode="eval").body)


@dataclass(frozen=True, slots=True)
class _Side:
    value: float
    first: float
    has_operator: bool
    rounding: float


def _tokens(words: str) -> list[str]:
    plain = _TEN_TO.sub(lambda m: f"{m.group(1) or 1}e{(m.group(2) or m.group(3)).translate(_SUPERSCRIPTS)}", words)
    found: list[str] = []
    for match in _TOKEN.finditer(plain):
        if match["number"]:
            number = match["number"].replace(",", "")
            found.append(f"({number}{_SCALED[match['scale']]})" if match["scale"] else number)
        elif match["root"]:
            found.append("sqrt")
        elif match["operator"]:
            found.append(_OPERATORS.get(match["operator"], match["operator"]))
        elif match["code"] or match["other"]:
            found.append("?")
    return found


def _longest(tokens: Sequence[str], *, from_end: bool) -> _Side | None:
    """The longest arithmetic at the end (or start) of a side."""
    for length in range(len(tokens), 0, -1):
        part = tokens[-length:] if from_end else tokens[:length]
        try:
            value = value_of(" ".join(part))
        except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
            continue
        numbers = [t for t in part if t[0].isdigit() or (len(t) > 1 and t[0] == "(")]
        return _Side(value, value_of(numbers[0]), len(numbers) > 1, _rounding(numbers))
    return None


def _rounding(numbers: Sequence[str]) -> float:
    """Half a unit of the last digit of the roughest number, as a share of it; whole round numbers count as exact."""
    shares = [0.002]
    for text in numbers:
        mantissa = text.strip("()").partition("/")[0].partition("*")[0].partition("e")[0]
        digits = mantissa.replace(".", "").lstrip("0")
        significant = digits if "." in mantissa else digits.rstrip("0")
        if digits and ("." in mantissa or len(numbers) == 1):
            shares.append(0.51 * 10.0 ** (len(digits) - len(significant)) / float(digits))
    return max(shares)


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return float(_BINARY[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sqrt":
        return math.sqrt(_value(node.args[0]))
    raise ValueError(f"no arithmetic: {ast.dump(node)}")
