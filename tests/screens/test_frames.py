"""Only what differs is sent to the terminal, and it shows the same as if all had been."""

from typing import NamedTuple

import pyte
from hypothesis import given
from hypothesis import strategies as st

from pendtui.screens.frames import Frames

COLUMNS, LINES = 12, 4


class Piece(NamedTuple):
    """A piece of a frame: where it begins, and its texts with their styles."""

    row: int
    column: int
    texts: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        styled = "".join(f"\x1b[{style}m{text}\x1b[0m" if style else text for style, text in self.texts)
        return f"\x1b[{self.row};{self.column}H{styled}"


TEXTS = st.sampled_from(["a", "ab", "  ", "   b", "abc", "─▌", "漢", "漢字", "a漢", "ę"])
PIECES = st.builds(
    Piece,
    st.integers(1, LINES),
    st.integers(1, 6),
    st.lists(st.tuples(st.sampled_from(["", "1", "31", "1;31;44"]), TEXTS), min_size=1, max_size=2).map(tuple),
)
FRAMES = st.lists(PIECES, min_size=1, max_size=4, unique_by=lambda piece: piece.row).map(
    lambda pieces: "\r\n".join(map(str, sorted(pieces))) + f"\x1b[{pieces[0].row};1H"
)


def shown(writes: list[str]) -> pyte.Screen:
    screen = pyte.Screen(COLUMNS, LINES)
    screen.reset_mode(7 << 5)  # as Textual does, so that nothing wraps
    stream = pyte.Stream(screen)
    for data in writes:
        stream.feed(data)
    return screen


def cells(screen: pyte.Screen) -> list[list[object]]:
    return [[screen.buffer[y][x] for x in range(COLUMNS)] for y in range(LINES)]


@given(st.lists(FRAMES, min_size=1, max_size=6))
def test_the_terminal_shows_the_same_as_if_everything_had_been_sent(frames: list[str]) -> None:
    sent = Frames()
    whole, reduced = shown(frames), shown([sent.reduced(frame) for frame in frames])
    assert cells(reduced) == cells(whole)
    assert (reduced.cursor.y, reduced.cursor.x) == (whole.cursor.y, whole.cursor.x)


@given(FRAMES)
def test_a_frame_that_is_there_already_costs_nothing(frame: str) -> None:
    sent = Frames()
    sent.reduced(frame)
    assert sent.reduced(frame) == ""


def test_of_a_line_only_the_cells_that_differ_are_sent() -> None:
    sent = Frames()
    sent.reduced("\x1b[2;1H\x1b[44mopen the record\x1b[0m\x1b[1;1H")
    assert sent.reduced("\x1b[2;1H\x1b[44mopen his record\x1b[0m\x1b[1;1H").startswith("\x1b[2;6H\x1b[44mhis")
    assert sent.reduced("\x1b[2;6H\x1b[41mhis\x1b[0m\x1b[1;1H") == "\x1b[2;6H\x1b[41mhis\x1b[0m\x1b[1;1H"


def test_after_a_change_of_size_everything_is_sent_again() -> None:
    sent = Frames()
    frame = "\x1b[2;1H\x1b[44mopen\x1b[0m\x1b[1;1H"
    sent.reduced(frame)
    sent.forget()
    assert sent.reduced(frame) == frame


def test_what_is_no_frame_is_sent_as_it_is_and_what_clears_the_screen_is_heeded() -> None:
    sent = Frames()
    frame = "\x1b[2;1H\x1b[44mopen\x1b[0m\x1b[1;1H"
    sent.reduced(frame)
    for harmless in ("\x07", "\x1b]9;one claim is breached\x07", "\x1b[?2026h"):
        assert sent.reduced(harmless) == harmless
        assert sent.reduced(frame) == ""
    assert sent.reduced("\x1b[?1049h") == "\x1b[?1049h"
    assert sent.reduced(frame) == frame
    cleared = "\x1b[2;1Hopen\x1b[J\x1b[1;1H"
    assert sent.reduced(cleared) == cleared
    assert sent.reduced(frame) == frame
