"""The hand-over sheet in a real browser: nothing of a record runs, nothing is loaded, and it prints on paper."""

import re
from pathlib import Path

from pendtui.cli import main
from tests.desks import desk_in
from tests.records import record_text
from tests.web.browser import needs_chromium, open_page

HOSTILE = (
    "EDIT 18 - possible duplicate of a finished claim.",
    "<script>document.title='run'</script><img src=http://127.0.0.1:9/x onerror=\"document.title='run'\">",
    "<style>mark{display:none}</style><iframe src=http://127.0.0.1:9/y></iframe></pre><base href=//e.example>",
)


def sheet_file(folder: Path) -> Path:
    desk_in(folder).close()
    text = record_text("PC-0002", message=HOSTILE, title="<svg onload=\"document.title='run'\">")
    (folder / "queue" / "PC-0002.txt").write_text(text, encoding="utf-8")
    (folder / "config.toml").write_text(
        f'[desk]\nqueue = "queue"\njournal = "{folder}/journal.db"\nindex_folder = "{folder}/index"\n',
        encoding="utf-8",
    )
    out = folder / "sheets.html"
    given = ["handover", "PC-0002", "PC-0004", "--config", str(folder / "config.toml"), "--out", str(out)]
    assert main(given) == 0
    return out


@needs_chromium
async def test_a_hostile_record_does_nothing_and_the_sheets_are_printed_on_a4(tmp_path: Path) -> None:
    file = sheet_file(tmp_path)
    async with open_page() as page:
        await page.go(file.as_uri())
        marked = "[...document.querySelectorAll('mark')].map(each => each.textContent)"
        first, second = await page.evaluate(marked)
        assert [line.strip() for line in first.splitlines()] == list(HOSTILE)  # the cited sentence runs on
        assert second == "EDIT 27 - eligibility ended before the date of service."
        assert await page.evaluate("getComputedStyle(document.querySelector('mark')).display") == "inline"
        assert await page.evaluate("document.title") == "Hand-over of 2 claims"
        assert await page.evaluate("document.querySelectorAll('script,img,iframe,svg,link,object,a').length") == 0
        assert page.asked == [file.as_uri()]
        wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert await page.evaluate(wide)
        printed = await page.pdf()
    assert printed.startswith(b"%PDF")
    sizes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert len(sizes) in (2, 3, 4) and {(round(float(w)), round(float(h))) for w, h in sizes} == {(595, 842)}
