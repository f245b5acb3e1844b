"""Where lines break at a width, without losing a character."""

from collections.abc import Iterator

from rich.cells import cell_len, get_character_cell_size

from pendtui.engines.record import Span


def wrap(text: str, width: int) -> Iterator[Span]:
    """Where one line of text breaks at a width in cells: at spaces, or inside a word longer than the line."""
    if text.isascii():
        if len(text) <= width:
            yield 0, len(text)
            return
    elif cell_len(text) <= width:
        yield 0, len(text)
        return
    start = 0
    while start < len(text):
        end, cells = start, 0
        while end < len(text):
            cells += get_character_cell_size(text[end])
            if cells > width:
                break
            end += 1
        if end == len(text):
            yield start, end
            return
        end = max(end, start + 1)
        space = text.rfind(" ", start + 1, end + 1)
        if space > start and text[start:space].strip():
            yield start, space
            start = space + 1
        else:
            yield start, end
            start = end
