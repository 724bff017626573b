"""Many small documents about machines that do not exist, in both languages, the same for the same seed."""

from __future__ import annotations

import random
from pathlib import Path

_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ren",
    "tas",
    "vel",
    "dor",
    "pim",
    "sho",
    "quen",
    "bar",
    "nul",
    "fes",
    "tor",
    "gim",
    "wa",
)
_MARKS = "天苍星云青赤玄白流长远明静飞寒金石木水火"
_KINDS = (("fan", "风扇"), ("pump", "水泵"), ("rack", "机柜"), ("board", "主板"), ("cable", "线缆"), ("filter", "滤网"))
_ACTIONS = (
    ("is cleaned every {n} days", "每 {n} 天清洗一次"),
    ("is rated for {n} W at the wall", "的墙上功率是 {n} W"),
    ("is stored in cabinet C-{n}", "存放在 C-{n} 号柜"),
    ("turns at most {n} times a minute", "每分钟最多转 {n} 圈"),
    ("weighs {n} g without its screws", "不含螺丝重 {n} 克"),
    ("may not be opened before day {n}", "第 {n} 天以前不得打开"),
    ("was checked by crew {n} after the move", "搬迁后由第 {n} 组检查"),
    ("takes {n} minutes to replace with two people", "两个人更换需要 {n} 分钟"),
)
_REASONS = (
    ("because dust gathers behind its grille", "因为灰尘会积在格栅后面"),
    ("since the older series failed there twice", "因为旧系列在那里坏过两次"),
    ("as the seal hardens in dry air", "因为密封圈在干燥空气里会变硬"),
    ("while the spare part is on its way", "在备件到货之前"),
    ("unless the room is warmer than usual", "除非房间比平时热"),
    ("so that the neighbouring row stays quiet", "以免影响旁边一排"),
)


def write_documents(corpus: Path, count: int, seed: int = 1) -> None:
    """Write `count` documents below a folder, a hundred in each folder."""
    for number in range(count):
        path = corpus / document_name(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document_text(number, seed), encoding="utf-8")


def document_name(number: int) -> str:
    """Where document `number` is, below the corpus folder."""
    return f"shelf-{number // 100:03}/sheet-{number:05}.md"


def document_text(number: int, seed: int = 1, edition: int = 0) -> str:
    """One document; another edition has other figures."""
    chance = random.Random(f"{seed}/{number}")
    is_chinese = number % 2 == 1
    title = f"{_chinese_name(chance) if is_chinese else _name(chance)} {number}"
    chance = random.Random(f"{seed}/{number}/{edition}")
    parts = [f"# {title}\n"]
    for section in range(2):
        heading = ("Care", "Parts")[section] if not is_chinese else ("保养", "部件")[section]
        sentences = [_sentence(chance, title, is_chinese) for _ in range(4)]
        parts.append(f"## {heading}\n\n{('' if is_chinese else ' ').join(sentences)}\n")
    if number % 5 == 0:
        parts.append(_table(chance, is_chinese))
    return "\n".join(parts)


def _name(chance: random.Random) -> str:
    return "".join(chance.choice(_SYLLABLES) for _ in range(3)).capitalize()


def _chinese_name(chance: random.Random) -> str:
    return "".join(chance.choice(_MARKS) for _ in range(3))


def _sentence(chance: random.Random, title: str, is_chinese: bool) -> str:
    kind, action, reason = chance.choice(_KINDS), chance.choice(_ACTIONS), chance.choice(_REASONS)
    figure = chance.randrange(2, 4000)
    if is_chinese:
        part = f"{_chinese_name(chance)}{kind[1]}"
        return f"{title} 的{part}{action[1].format(n=figure)}，{reason[1]}。"
    part = f"{_name(chance)} {kind[0]}"
    return f"The {part} of the {title} {action[0].format(n=figure)}, {reason[0]}."


def _table(chance: random.Random, is_chinese: bool) -> str:
    head = ("部件", "柜号", "天数") if is_chinese else ("Part", "Cabinet", "Days")
    rows = [head, ("---",) * 3]
    rows += [(_name(chance), f"C-{chance.randrange(90)}", str(chance.randrange(2, 90))) for _ in range(4)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
