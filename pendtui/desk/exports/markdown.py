"""Markdown that shows what a record says and obeys none of it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from pendtui.desk.account import Kind, Line
from pendtui.desk.exports.made import PROPOSES
from pendtui.desk.exports.sheet import HISTORY_HEADS, Context, Sheet, foot_lines, history_cells
from pendtui.plain import plain, plain_lines

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~!&$@])")
_ADDRESS = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
_LINE_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")


def text(value: str) -> str:
    """Text in one line, with every sign that Markdown would obey turned into itself."""
    return _escaped(plain(value))


def _escaped(line: str) -> str:
    line = _ADDRESS.sub(lambda found: f"\\{found[0]}", _SIGNS.sub(r"\\\1", line))
    return _LINE_START.sub(_not_a_list, line)


def _not_a_list(found: re.Match[str]) -> str:
    # A number is no sign to be escaped; an entity for its first digit does it.
    start = found[2]
    return found[1] + (f"&#{ord(start[0])};{start[1:]}" if start[0].isdigit() else f"\\{start}")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of one line a row."""
    yield f"| {' | '.join(text(head) for head in heads)} |\n|{' --- |' * len(heads)}\n"
    for row in rows:
        yield f"| {' | '.join(text(' '.join(cell.split())) for cell in row)} |\n"


def sheets_markdown(sheets: Sequence[Sheet]) -> Iterator[str]:
    """Hand-over sheets one after the other."""
    for n, sheet in enumerate(sheets):
        if n:
            yield "\n---\n\n"
        yield from _sheet(sheet)


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield f"# Hand-over: {text(sheet.record_id)}\n\n"
    if sheet.title:
        yield f"{text(sheet.title)}\n\n"
    yield f"**{PROPOSES} Nothing here has been applied by the program.**\n\n"
    for fault in sheet.faults:
        yield f"**Faulty:** {text(fault)}\n\n"
    for name, value in sheet.facts:
        yield f"- {text(name)}: {text(value)}\n"
    for n, (heading, lines) in enumerate(sheet.answers, 1):
        yield f"\n## {n} {heading.capitalize()}\n\n"
        yield from _lines(lines)
    if sheet.obstacle:
        yield f"\n**Not to be accepted yet:** {text(sheet.obstacle)}\n"
    yield from _stretch("The sentence where it stands", sheet.cited)
    yield from _stretch("What the record says was located", sheet.register)
    yield "\n## On file\n\n"
    yield from _lines(sheet.standing or (Line(Kind.TEXT, "not decided"),))
    yield from (f"- {text(line)}\n" for line in sheet.diary)
    if sheet.history:
        yield "\n"
        yield from table(HISTORY_HEADS, map(history_cells, sheet.history))
    yield "\n---\n\n"
    yield from (f"{text(line)}  \n" for line in foot_lines(sheet))


def _lines(lines: Iterable[Line]) -> Iterator[str]:
    for line in lines:
        if line.kind is Kind.ANSWER:
            yield f"**{text(line.text)}**{f' {text(line.more)}' if line.more else ''}\n\n"
        elif line.kind is Kind.QUOTE:
            yield f"> “{text(line.text)}”\n\n"
        elif line.kind is Kind.TERM:
            yield f"- {text(line.label)}: {text(line.text)}{f' {text(line.more)}' if line.more else ''}\n"
        elif line.kind in (Kind.WARNING, Kind.FAULT):
            yield f"- **{text(line.text)}**\n"
        else:
            yield f"- {text(line.text)}\n"


def _stretch(heading: str, context: Context | None) -> Iterator[str]:
    if context is None:
        return
    cut = " (cut)" if context.cut else ""
    yield f"\n## {heading}: {text(context.section.capitalize())}{cut}\n\n"
    for line in _marked(context):
        yield f"> {line}\n" if line else ">\n"


def _marked(context: Context) -> Iterator[str]:
    """The lines of a stretch of the record with what is cited in bold; two spaces at its end keep a line a line."""
    for whole in _cited_lines(context):
        line = "".join(
            f"**{_escaped(part.strip())}**" if cited and part.strip() else _escaped(part) for part, cited in whole
        ).strip()
        yield f"{line}  " if line else ""


def _cited_lines(context: Context) -> Iterator[list[tuple[str, bool]]]:
    """Each line as its parts, and whether a part is cited."""
    line: list[tuple[str, bool]] = []
    for part, cited in ((context.before, False), (context.quote, True), (context.after, False)):
        first, *others = plain_lines(part).split("\n")
        line.append((first, cited))
        for other in others:
            yield line
            line = [(other, cited)]
    yield line
