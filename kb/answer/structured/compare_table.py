"""The table of a comparison: cards in columns or in rows, those with the same figures as one."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.draft import DraftTable
from kb.answer.structured.page import Group, fields_table, groups_table
from kb.answer.structured.voice import Voice

MOST_COLUMNS = 4


def table(voice: Voice, groups: Sequence[Group], keys: Sequence[str]) -> DraftTable:
    """Cards in columns where there are few of them and many fields, else in rows."""
    wide = len(groups) <= MOST_COLUMNS and len(keys) > len(groups)
    return fields_table(voice, groups, keys) if wide else groups_table(voice, groups, keys)
