"""A record's own words, wrapped to the width, with the cited sentence marked where it stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pendtui.engines.record import Record, Span
from pendtui.plain import plain_lines
from pendtui.screens.wrapping import wrap

GUTTER = 2
"""Cells left of the text, for the mark beside cited lines."""
CITED_MARK = "▌"
OTHER_MARK = "┊"
"""Beside the sentence that another reading cites."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line on screen: the original characters `start:end`, and whether it is a heading."""

    start: int
    end: int
    heading: bool = False


class RecordText(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a record verbatim. Line breaks stay, long lines wrap at spaces, and nothing is interpreted."""

    COMPONENT_CLASSES = {
        "record-text--text",
        "record-text--heading",
        "record-text--cited",
        "record-text--other",
        "record-text--mark",
    }

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._record: Record | None = None
        self._text = ""
        self._cited: Span | None = None
        self._other: Span | None = None
        self._lines: Sequence[Line] = ()
        self._width = 0
        """The width that the lines are wrapped to."""

    def show(self, record: Record, cited: Span | None, other: Span | None = None) -> None:
        """Show a record from its top, or from where its cited sentence comes into view.

        `other` is the sentence of another reading; it is marked with another sign and in another style.
        """
        self._record = record
        self._text = plain_lines(record.text)
        self._cited, self._other = cited, other
        self._wrap()
        self.scroll_to_sentence()
        self.refresh()

    def cite(self, cited: Span | None, other: Span | None = None) -> None:
        """Mark other sentences, or none."""
        self._cited, self._other = cited, other
        self.refresh()

    def scroll_to_sentence(self) -> None:
        """Bring the cited sentence into view, with a little of what stands before it; the top without one."""
        first, last = self._cited_lines()
        height = max(1, self.size.height)
        before = max(0, min(3, height - (last - first + 1)))
        self.scroll_to(y=max(0, first - before), animate=False, force=True, immediate=True)

    @property
    def sentence_in_view(self) -> bool:
        """Whether the first line of the cited sentence is on screen."""
        first, _ = self._cited_lines()
        return self._cited is not None and 0 <= first - self.scroll_offset.y < self.size.height

    @property
    def _room(self) -> int:
        """The cells of a line beside the scroll bar."""
        return self.scrollable_content_region.width

    def render_line(self, y: int) -> Strip:
        width = self._room
        if width != self._width:
            self._wrap()  # the first painting comes before the resize that tells of the width
        at = self.scroll_offset.y + y
        style = self.get_component_rich_style("record-text--text")
        if self._record is None or at >= len(self._lines):
            return Strip.blank(width, style)
        line = self._lines[at]
        if line.heading:
            style = self.get_component_rich_style("record-text--heading")
        segments = [self._mark(line), *self._segments(line, style)]
        return Strip(segments).adjust_cell_length(width, style).crop(0, width)

    def _mark(self, line: Line) -> Segment:
        signs = "".join(
            sign
            for span, sign in ((self._cited, CITED_MARK), (self._other, OTHER_MARK))
            if span is not None and line.start < span[1] and span[0] < line.end
        )
        return Segment(set_cell_size(signs, GUTTER), self.get_component_rich_style("record-text--mark"))

    def _segments(self, line: Line, style: Style) -> Iterator[Segment]:
        """The line's text, cut where a citation begins or ends. Where two overlap, the first one's style shows."""
        spans = [span for span in (self._cited, self._other) if span is not None]
        cuts = {line.start, line.end, *(at for span in spans for at in span if line.start < at < line.end)}
        edges = sorted(cuts)
        for first, last in pairwise(edges):
            yield Segment(self._text[first:last], self._style_at(first, style))

    def _style_at(self, offset: int, style: Style) -> Style:
        if self._cited is not None and self._cited[0] <= offset < self._cited[1]:
            return self.get_component_rich_style("record-text--cited")
        if self._other is not None and self._other[0] <= offset < self._other[1]:
            return self.get_component_rich_style("record-text--other")
        return style

    def _cited_lines(self) -> tuple[int, int]:
        if self._cited is None:
            return 0, 0
        touched = [
            n for n, line in enumerate(self._lines) if line.start < self._cited[1] and self._cited[0] < line.end
        ]
        return (touched[0], touched[-1]) if touched else (0, 0)

    def _wrap(self) -> None:
        self._width = self._room
        width = max(10, self._width - GUTTER)
        headings = {section.heading[0] for section in self._record.sections.values()} if self._record else set()
        lines: list[Line] = []
        offset = 0
        for text in self._text.rstrip("\n").split("\n"):
            heading = offset in headings or offset == 0
            lines.extend(Line(offset + a, offset + b, heading) for a, b in wrap(text, width))
            offset += len(text) + 1
        self._lines = lines
        self.virtual_size = Size(self._width, len(lines))

    def on_resize(self) -> None:
        if self._record is not None:
            self._wrap()
            # Once more when the layout has settled: until then the old height limits the scrolling.
            self.scroll_to_sentence()
            self.call_after_refresh(self.scroll_to_sentence)
