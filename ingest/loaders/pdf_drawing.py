"""Coordinates of a PDF page, and the lines and pictures of its drawing."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium_c

_MAX_OBJECTS = 20_000
_MAX_SEGMENTS = 200_000
_MAX_FORM_DEPTH = 8
_THIN = 2.5

Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(frozen=True, slots=True)
class Ruling:
    """A straight line; either `left == right` or `top == bottom`, nearly."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def is_horizontal(self) -> bool:
        """Whether it runs from left to right."""
        return self.right - self.left >= self.bottom - self.top


class Frame:
    """From the file's coordinates to those of the page as it is shown."""

    def __init__(self, page: Any) -> None:
        self.width, self.height = page.get_size()
        self._rotation = page.get_rotation() // 90 % 4
        left, bottom, right, top = page.get_bbox()
        self._left, self._bottom, self._right, self._top = left, bottom, right, top

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """Left, top, right, bottom on the shown page."""
        first, second = self._point(left, bottom), self._point(right, top)
        return (
            min(first[0], second[0]), min(first[1], second[1]), max(first[0], second[0]), max(first[1], second[1]),
        )  # fmt: skip

    def _point(self, x: float, y: float) -> tuple[float, float]:
        if self._rotation == 1:
            return y - self._bottom, x - self._left
        if self._rotation == 2:
            return self._right - x, y - self._bottom
        if self._rotation == 3:
            return self._top - y, self._right - x
        return x - self._left, self._top - y


@dataclass(slots=True)
class Drawing:
    """What is drawn on a page."""

    rulings: list[Ruling] = field(default_factory=list)
    pictures: int = 0


def drawing_of(page: Any, frame: Frame) -> Drawing:
    """Ruling lines and pictures of a page; no lines at all from a drawing of too many parts."""
    objects = _Objects(frame)
    objects.read(page)
    return objects.drawing


class _Objects:
    """Goes through a page's drawing, forms inside forms included."""

    def __init__(self, frame: Frame) -> None:
        self.drawing = Drawing()
        self._frame = frame
        self._objects = 0
        self._segments = 0

    def read(self, page: Any) -> None:
        """Gather all."""
        raw = page.raw
        for index in range(min(pdfium_c.FPDFPage_CountObjects(raw), _MAX_OBJECTS)):
            self._object(pdfium_c.FPDFPage_GetObject(raw, index), _IDENTITY, 0)
        if self._objects >= _MAX_OBJECTS or self._segments >= _MAX_SEGMENTS:
            self.drawing.rulings.clear()

    def _object(self, handle: Any, outer: Matrix, depth: int) -> None:
        self._objects += 1
        if self._objects >= _MAX_OBJECTS or not handle:
            return
        kind = pdfium_c.FPDFPageObj_GetType(handle)
        if kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            self.drawing.pictures += 1
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth < _MAX_FORM_DEPTH:
            matrix = _times(_matrix(handle), outer)
            for index in range(min(pdfium_c.FPDFFormObj_CountObjects(handle), _MAX_OBJECTS)):
                self._object(pdfium_c.FPDFFormObj_GetObject(handle, index), matrix, depth + 1)
        elif kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            self._path(handle, _times(_matrix(handle), outer))

    def _path(self, handle: Any, matrix: Matrix) -> None:
        count = pdfium_c.FPDFPath_CountSegments(handle)
        self._segments += max(count, 0)
        if self._segments >= _MAX_SEGMENTS:
            return
        x, y = ctypes.c_float(), ctypes.c_float()
        start = last = (0.0, 0.0)
        for index in range(count):
            segment = pdfium_c.FPDFPath_GetPathSegment(handle, index)
            pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
            point = _applied(matrix, x.value, y.value)
            kind = pdfium_c.FPDFPathSegment_GetType(segment)
            if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
                start = point
            elif kind == pdfium_c.FPDF_SEGMENT_LINETO:
                self._line(last, point)
            last = point
            if pdfium_c.FPDFPathSegment_GetClose(segment):
                self._line(last, start)

    def _line(self, first: tuple[float, float], second: tuple[float, float]) -> None:
        if not all(map(math.isfinite, (*first, *second))):
            return
        left, top, right, bottom = self._frame.box(*first, *second)
        across, down = right - left, bottom - top
        if min(across, down) <= _THIN and max(across, down) > _THIN:
            self.drawing.rulings.append(Ruling(left, top, right, bottom))


def _matrix(handle: Any) -> Matrix:
    value = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(handle, value):
        return _IDENTITY
    return value.a, value.b, value.c, value.d, value.e, value.f


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _applied(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
