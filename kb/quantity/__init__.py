"""Figures in text: values, units and what qualifies them, in Chinese and English.

`parse_quantities` finds what is a quantity; `number_tokens` types every number of a text, so that a number which is
part of a name, a format, a date or a list is never taken for a figure.
"""

from __future__ import annotations

from kb.quantity.numbers import NumberToken, TokenKind, number_tokens, parse_quantities
from kb.quantity.parsing import Comparator, Quantity
from kb.quantity.units import canonical_unit, convert

__all__ = [
    "Comparator",
    "NumberToken",
    "Quantity",
    "TokenKind",
    "canonical_unit",
    "convert",
    "number_tokens",
    "parse_quantities",
]
