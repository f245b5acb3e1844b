"""Pages to print: whole in themselves, without scripts, and with nothing from a record that a browser obeys."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape

from pendtui.desk.account import Kind, Line
from pendtui.desk.exports.made import PROPOSES
from pendtui.desk.exports.sheet import HISTORY_HEADS, Context, Sheet, foot_lines, history_cells
from pendtui.plain import plain_lines

STYLE = """
@page { size: A4; margin: 15mm 15mm 18mm; @bottom-right {
  content: counter(page) " / " counter(pages); font: 8pt "Liberation Sans", Arial, sans-serif; } }
@page wide { size: A4 landscape; margin: 12mm; }
* { box-sizing: border-box; }
body { font: 10pt/1.4 "Liberation Sans", Arial, sans-serif; color: #111; background: #fff; margin: 0 auto;
  padding: 8mm; max-width: 190mm; }
body.wide { page: wide; max-width: none; font-size: 8.5pt; }
h1 { font-size: 15pt; margin: 0; }
h2 { font-size: 10.5pt; margin: 4mm 0 1mm; border-bottom: 0.4pt solid #555; break-after: avoid; }
p { margin: 0.6mm 0; }
.proposes { border: 0.8pt solid #111; padding: 1.5mm 2.5mm; margin: 2mm 0 3mm; font-weight: bold; }
.answer { font-size: 12pt; font-weight: bold; }
.answer .more { font-weight: normal; font-size: 10pt; }
.note { color: #444; font-size: 9pt; }
.warning, .fault { font-weight: bold; border-left: 2.5pt solid #111; padding-left: 2mm; }
blockquote { margin: 1mm 0; padding: 0 3mm; border-left: 2pt solid #555; font-style: italic; }
pre { font: 9pt/1.4 "Liberation Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 1mm 0;
  padding: 2mm; border: 0.4pt solid #999; }
mark { background: #fe9; color: #111; text-decoration: underline; font-weight: bold;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
table { border-collapse: collapse; width: 100%; margin: 1mm 0; }
th, td { text-align: left; vertical-align: top; padding: 0.7mm 2mm 0.7mm 0; border-bottom: 0.3pt solid #bbb;
  overflow-wrap: anywhere; }
th { font-weight: bold; } thead { display: table-header-group; } tr { break-inside: avoid; }
table.sum th { width: 36mm; font-weight: normal; color: #444; }
dl { display: grid; grid-template-columns: max-content 1fr max-content 1fr; gap: 0.5mm 4mm; margin: 0; }
dt { color: #444; } dd { margin: 0; overflow-wrap: anywhere; }
table.sum { width: auto; } table.sum td { font-variant-numeric: tabular-nums; padding-right: 6mm; }
table.sum td.number { text-align: right; }
.sign { table-layout: fixed; } .sign td { height: 11mm; vertical-align: bottom; color: #444; font-size: 9pt; }
footer { margin-top: 5mm; border-top: 0.4pt solid #555; padding-top: 1mm; color: #444; font-size: 8pt;
  overflow-wrap: anywhere; }
section { break-inside: auto; } .sheet + .sheet { break-before: page; }
@media print { body { padding: 0; } }
"""
"""One style for paper and screen. Nothing is said by colour alone."""


def text(value: str) -> str:
    """Text for a page: markup shown and not obeyed, and so are control and direction-changing characters."""
    return escape(plain_lines(value), quote=True)


def page(title: str, body: Iterable[str], *, wide: bool = False) -> Iterator[str]:
    """A whole page around its body. Its policy lets the browser load nothing and run nothing."""
    allowed = b64encode(sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    wide_body = ' class="wide"' if wide else ""
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body{wide_body}>\n"
    )
    yield from body
    yield "</body>\n</html>\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table whose heads are repeated on each page."""
    named = "".join(f'<th scope="col">{text(head)}</th>' for head in heads)
    yield f"<table>\n<thead><tr>{named}</tr></thead>\n<tbody>\n"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>\n"
    yield "</tbody>\n</table>\n"


def sheets_page(sheets: Sequence[Sheet]) -> Iterator[str]:
    """Hand-over sheets as one page, each beginning on a new sheet of paper."""
    title = f"Hand-over of {sheets[0].record_id}" if len(sheets) == 1 else f"Hand-over of {len(sheets)} claims"
    return page(title, (part for sheet in sheets for part in _sheet(sheet)))


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield '<article class="sheet">\n'
    yield f"<h1>Hand-over: {text(sheet.record_id)}</h1>\n<p>{text(sheet.title)}</p>\n"
    yield f'<p class="proposes">{text(PROPOSES)} Nothing here has been applied by the program.</p>\n'
    for fault in sheet.faults:
        yield f'<p class="fault">Faulty: {text(fault)}</p>\n'
    facts = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in sheet.facts)
    yield f"<dl>{facts}</dl>\n"
    for n, (heading, lines) in enumerate(sheet.answers, 1):
        yield f"<section>\n<h2>{n} {text(heading.capitalize())}</h2>\n"
        yield from _lines(lines)
        yield "</section>\n"
    if sheet.obstacle:
        yield f'<p class="warning">Not to be accepted yet: {text(sheet.obstacle)}</p>\n'
    yield from _stretch("The sentence where it stands", sheet.cited)
    yield from _stretch("What the record says was located", sheet.register)
    yield "<section>\n<h2>On file</h2>\n"
    yield from _lines(sheet.standing or (Line(Kind.TEXT, "not decided"),))
    yield from (f"<p>{text(line)}</p>\n" for line in sheet.diary)
    if sheet.history:
        yield from table(HISTORY_HEADS, map(history_cells, sheet.history))
    yield "</section>\n"
    yield (
        "<section>\n<h2>Handed over</h2>\n"
        '<table class="sign"><tr><td>from</td><td>to</td><td>on</td></tr></table>\n</section>\n'
    )
    yield f"<footer>{''.join(f'<p>{text(line)}</p>' for line in foot_lines(sheet))}</footer>\n</article>\n"


def _lines(lines: Iterable[Line]) -> Iterator[str]:
    terms: list[str] = []
    for line in lines:
        if line.kind is Kind.TERM or (line.kind is Kind.NOTE and line.label):
            terms.append(_term(line))
            continue
        yield from _sum(terms)
        if line.kind is Kind.QUOTE:
            yield f"<blockquote>“{text(line.text)}”</blockquote>\n"
        elif line.kind is Kind.ANSWER:
            more = f' <span class="more">{text(line.more)}</span>' if line.more else ""
            yield f'<p class="answer">{text(line.text)}{more}</p>\n'
        else:
            yield f'<p class="{line.kind.value}">{text(line.text)}</p>\n'
    yield from _sum(terms)


def _term(line: Line) -> str:
    if line.kind is Kind.NOTE:
        return f'<tr><th scope="row"></th><td class="note" colspan="2">{text(line.text)}</td></tr>\n'
    number = ' class="number"' if line.text.lstrip("-").isdigit() else ""
    head = f'<tr><th scope="row">{text(line.label)}</th>'
    return f"{head}<td{number}>{text(line.text)}</td><td>{text(line.more)}</td></tr>\n"


def _sum(terms: list[str]) -> Iterator[str]:
    if terms:
        yield '<table class="sum">\n'
        yield from terms
        yield "</table>\n"
        terms.clear()


def _stretch(heading: str, context: Context | None) -> Iterator[str]:
    if context is None:
        return
    cut = " (cut)" if context.cut else ""
    cited = f"<mark>{text(context.quote)}</mark>" if context.quote else ""
    yield f"<section>\n<h2>{heading}: {text(context.section.capitalize())}{cut}</h2>\n"
    yield f"<pre>{text(context.before)}{cited}{text(context.after)}</pre>\n</section>\n"
