"""PowerPoint slides since 2007 (`.pptx`): each slide a page, its title the heading, shapes in reading order."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.flow import Flow
from ingest.loaders.grid import Merge
from ingest.loaders.pipe_table import joined_lines

if TYPE_CHECKING:
    from pptx.slide import Slide
    from pptx.table import Table

_LINE_EMU = 200_000
"""Shapes whose tops differ by less stand in one line (a fifth of an inch)."""
_MAX_GROUP_DEPTH = 16


class PptxLoader:
    """Reads `.pptx`."""

    media_type = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

    def parse(self, source: SourceFile) -> Parsed:
        """Read the slides that are shown, with the speaker's notes."""
        import pptx

        presentation = pptx.Presentation(io.BytesIO(source.data))
        flow = Flow()
        hidden = 0
        title = presentation.core_properties.title or ""
        for number, slide in enumerate(presentation.slides, 1):
            if slide._element.get("show") == "0":  # the library has no name for it
                hidden += 1
                continue
            flow.page(number)
            heading = _slide(flow, slide)
            title = title if title and title != "PowerPoint Presentation" else heading
            source.progress()
        flow.finish()
        notes = (f"{hidden} hidden slide(s) left out",) if hidden else ()
        return Parsed(flow.builder.text, flow.builder.blocks, title, "", {}, notes)


def _slide(flow: Flow, slide: Slide) -> str:
    """Write a slide; returns its title."""
    title_shape = slide.shapes.title
    title = " ".join(title_shape.text_frame.text.split()) if title_shape is not None else ""
    flow.heading(title, 1)
    for shape in _in_reading_order(slide.shapes, 0):
        if title_shape is not None and shape.shape_id == title_shape.shape_id:
            continue
        if getattr(shape, "has_table", False):
            _table(flow, shape.table)
        elif getattr(shape, "has_chart", False):
            _chart(flow, shape.chart)
        elif shape.has_text_frame:
            _text(flow, shape)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        flow.paragraph(slide.notes_slide.notes_text_frame.text)
    flow.finish()
    return title


def _in_reading_order(shapes: Any, depth: int) -> Iterator[Any]:
    """Shapes by line and then from left to right; groups opened."""
    flat = [shape for shape in shapes if not shape.is_placeholder or shape.placeholder_format.type not in _furniture()]
    for shape in sorted(flat, key=lambda item: ((item.top or 0) // _LINE_EMU, item.left or 0)):
        inner = getattr(shape, "shapes", None)
        if inner is None:
            yield shape
        elif depth < _MAX_GROUP_DEPTH:
            yield from _in_reading_order(inner, depth + 1)


def _furniture() -> frozenset[Any]:
    """What every slide repeats."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    return frozenset({PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER, PP_PLACEHOLDER.SLIDE_NUMBER})


def _text(flow: Flow, shape: Any) -> None:
    paragraphs = [item for item in shape.text_frame.paragraphs if item.text.strip()]
    # The lines of a body placeholder are bullets; those of a lone text box are lines.
    if len(paragraphs) > 1 and (shape.is_placeholder or any(item.level for item in paragraphs)):
        for item in paragraphs:
            flow.item(item.text.replace("\x0b", " "), item.level)
    else:
        flow.paragraph("\n".join(item.text.replace("\x0b", "\n") for item in paragraphs))


def _table(flow: Flow, table: Table) -> None:
    rows = [[joined_lines(cell.text.replace("\x0b", "\n").split("\n")) for cell in row.cells] for row in table.rows]
    merges = [
        Merge(top, left, top + cell.span_height - 1, left + cell.span_width - 1)
        for top, row in enumerate(table.rows)
        for left, cell in enumerate(row.cells)
        if cell.is_merge_origin
    ]
    flow.table(rows, merges)


def _chart(flow: Flow, chart: Any) -> None:
    """The figures behind a chart: a row a category, a column a series."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    for plot in chart.plots:
        series = list(plot.series)
        categories = [str(category) for category in plot.categories]
        rows = [
            [category, *(_value(item.values, number) for item in series)] for number, category in enumerate(categories)
        ]
        flow.table([["", *(item.name for item in series)], *rows], header_rows=1, caption=title)


def _value(values: Any, number: int) -> str:
    value = values[number] if number < len(values) else None
    return "" if value is None else f"{value:g}"
