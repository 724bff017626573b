"""Damage of the kinds that files come to: bytes changed, parts lost, doubled, swapped; the end cut off."""

from __future__ import annotations

import io
import random
import zipfile

_EDGE_BYTES = (0x00, 0x01, 0x7F, 0x80, 0xFF)
_ZIP_MAGIC = b"PK"
_INSIDE_SHARE = 0.7


def damaged_copy(data: bytes, chance: random.Random) -> bytes:
    """A file with some damage; in a zip container mostly behind the checksum, where the parsers are."""
    if data.startswith(_ZIP_MAGIC) and chance.random() < _INSIDE_SHARE:
        return _damaged_inside(data, chance)
    return damaged(data, chance)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Bytes with some damage."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        if not changed:
            break
        at = chance.randrange(len(changed))
        length = chance.randint(1, max(1, min(len(changed) // 4, 300)))
        kind = chance.randrange(6)
        if kind == 0:
            changed[at] = chance.randrange(256)
        elif kind == 1:
            changed[at] = chance.choice(_EDGE_BYTES)
        elif kind == 2:
            del changed[at : at + length]
        elif kind == 3:
            changed[at:at] = changed[at : at + length]
        elif kind == 4:
            other = chance.randrange(len(changed))
            changed[at : at + length] = changed[other : other + length]
        else:
            changed[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f"))
    return bytes(changed[: chance.randrange(len(changed) + 1)] if chance.random() < 0.1 else changed)


def _damaged_inside(data: bytes, chance: random.Random) -> bytes:
    """A zip container with one of its parts damaged and packed again."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = chance.choice(old.namelist())
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, damaged(part, chance) if name == chosen else part)
    return out.getvalue()
