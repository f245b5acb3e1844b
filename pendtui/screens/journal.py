"""The journal view: the rows of this queue from the newest backwards, to look up, undo, verify and export."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from pendtui.actions import JOURNAL
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Desk
from pendtui.desk.export_file import export_file
from pendtui.desk.journal import Entry, Fault, Head
from pendtui.desk.journal.export import FORMATS, export_entries
from pendtui.desk.words import count
from pendtui.errors import PendtuiError
from pendtui.plain import plain
from pendtui.screens.bindings import bindings_at
from pendtui.screens.dialogs import Field, FormDialog
from pendtui.screens.place import RowsScreen
from pendtui.screens.widgets.key_bar import KeyBar
from pendtui.screens.widgets.tour import TourBar

PAGE = 500
"""Rows that are listed at first, and that are added when older ones are asked for."""
AFRESH_SECONDS = 2.0
"""Between two looks for rows that came in."""


class JournalScreen(RowsScreen):
    """Lists what was decided, by whom and when; nothing here changes a row."""

    PLACE = JOURNAL
    BINDINGS = bindings_at(JOURNAL)

    def __init__(self, desk: Desk, claim: ClaimView | None = None) -> None:
        super().__init__(desk, claim)
        self._words: Sequence[str] = (claim.id.lower(),) if claim is not None else ()
        self._wanted = PAGE
        self._listed: list[Entry] = []
        self._more = False
        self._head: Head | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="view-title")
        yield OptionList(id="rows", compact=True)
        yield Static(id="row")
        yield Input(" ".join(self._words), placeholder="words to match, e.g. ann park PC-0007", id="filter")
        yield TourBar()
        yield KeyBar(JOURNAL)

    def begin(self) -> None:
        self.query_one("#filter", Input).display = bool(self._words)
        self._rows.focus()
        self.show()
        self.set_interval(AFRESH_SECONDS, self._look)

    def _look(self) -> None:
        try:
            changed = self.desk.journal.head() != self._head
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return
        if changed:
            self.show()

    def show(self) -> None:
        """List the rows as they are; the cursor stays on its row."""
        at = self._rows.highlighted
        under = self._listed[at].seq if at is not None and at < len(self._listed) else None
        try:
            self._head = self.desk.journal.head()
            found = list(islice(self._matching(), self._wanted + 1))
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return
        self._listed, self._more = found[: self._wanted], len(found) > self._wanted
        self._rows.clear_options()
        self._rows.add_options([Content(plain(row_line(entry))) for entry in self._listed])
        seqs = [entry.seq for entry in self._listed]
        self._rows.highlighted = seqs.index(under) if under in seqs else (0 if seqs else None)
        self.query_one("#view-title", Static).update(self.title_line())
        self._show_row()

    def _matching(self) -> Iterator[Entry]:
        for entry in self.desk.journal.newest(self.desk.queue_name):
            text = row_line(entry).lower()
            if all(word in text for word in self._words):
                yield entry

    def title_line(self) -> Content:
        head = count(self._head.rows, "row") if self._head is not None else "no row"
        more = "; O lists older ones" if self._more else ""
        which = f" that hold “{' '.join(self._words)}”" if self._words else ""
        listed = f"{count(len(self._listed), 'row')} of this queue{which}{more}"
        path = self.desk.journal.path
        return Content(
            plain(f"Journal: {listed}; {head} in {self.desk.journal.where if path is None else path.name}")
        )

    @on(OptionList.OptionHighlighted)
    def _moved(self) -> None:
        self._show_row()

    def _show_row(self) -> None:
        entry = self._entry
        nothing = ("No row matches; Esc in the filter lists all.",)
        lines = row_detail(entry) if entry is not None else nothing
        self.query_one("#row", Static).update(Content("\n").join(Content(plain(line)) for line in lines))

    @property
    def _entry(self) -> Entry | None:
        at = self._rows.highlighted
        return self._listed[at] if at is not None and at < len(self._listed) else None

    # Actions

    def action_open_record(self) -> None:
        if self._entry is not None:
            self.open(self._entry.record_id)

    @on(OptionList.OptionSelected)
    def _chosen(self) -> None:
        self.action_open_record()

    def action_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.display = True
        field.focus()

    @on(Input.Changed, "#filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        self._words = event.value.lower().split()
        self._wanted = PAGE
        self.show()

    @on(Input.Submitted, "#filter")
    def _filter_entered(self) -> None:
        self.query_one("#filter", Input).display = bool(self._words)
        self._rows.focus()

    def action_leave(self) -> None:
        field = self.query_one("#filter", Input)
        if field.has_focus:
            field.value = ""
            self._filter_entered()
        else:
            super().action_leave()

    def action_older(self) -> None:
        if self._more:
            self._wanted += PAGE
            self.show()
        else:
            self.say("There are no older rows.")

    def action_undo(self) -> None:
        entry = self.undo()
        if entry is None:
            return
        self.show()
        self.say(self.desk.decisions.undone(entry))

    def action_verify(self) -> None:
        self.say("verifying …")
        self._verify()

    @work(thread=True, exclusive=True)
    def _verify(self) -> None:
        try:
            head, faults = self.desk.verify_elsewhere()
        except PendtuiError as fault:
            self.app.call_from_thread(self.say, str(fault), wrong=True)
        else:
            self.app.call_from_thread(self._verified, head, faults)

    def _verified(self, head: Head, faults: Sequence[Fault]) -> None:
        if not faults:
            self.say(f"{count(head.rows, 'row')}, each as it was written; head {head.hash}")
        else:
            first = faults[0]
            where = "" if first.seq is None else f"row {first.seq}: "
            self.say(f"{count(len(faults), 'fault')}, the first: {where}{first.what}", wrong=True)

    def action_export(self) -> None:
        question = f"Export {count(len(self._listed), 'listed row')} to a file that ends in .csv or .jsonl"
        self.app.push_screen(FormDialog(question, [Field("File", "journal.csv")]), self._export)

    def _export(self, said: list[str] | None) -> None:
        if said is None:
            return
        path = Path(said[0]).expanduser()
        suffix = path.suffix.removeprefix(".")
        if suffix not in FORMATS:
            self.say("Not exported: the file's name has to end in .csv or .jsonl.", wrong=True)
            return
        try:
            with export_file(path) as out:
                export_entries(reversed(self._listed), suffix, out)
        except PendtuiError as fault:
            self.say(f"Not exported: {fault}", wrong=True)
        else:
            self.say(f"{count(len(self._listed), 'row')} written to {path}.")


def row_line(entry: Entry) -> str:
    """A row in one line: number, when, who, what, on which record, and what was decided."""
    at = entry.at.astimezone().strftime("%Y-%m-%d %H:%M")
    decided, proposed = entry.decided, entry.proposed
    cause, was = decided.get("cause_class"), proposed.get("cause_class")
    answer = " ".join(str(word) for word in (cause, decided.get("resolution")) if word)
    changed = f" (proposed {was})" if was and cause and was != cause else ""
    undoes = f"row {entry.undoes}" if entry.undoes else ""
    return " ".join(
        part
        for part in (
            f"{entry.seq:>6} {at} {entry.by:<12} {entry.action:<8} {entry.record_id:<9}",
            undoes,
            f"{answer}{changed}",
            f"“{entry.note}”" if entry.note else "",
        )
        if part
    )


def row_detail(entry: Entry) -> tuple[str, ...]:
    """What else a row holds: where it comes from, what it rests on, and its hash."""
    decided = entry.decided
    clock = f"{decided.get('clock')} by {decided.get('clock_rule')}" if decided.get("clock") else "no clock"
    quote = " ".join(str(decided.get("citation") or "").split())
    return (
        f"by {entry.who} on {entry.host} with {entry.program}; policy {entry.policy_id}, reader {entry.reader}",
        f"rule {decided.get('rule') or 'none'}, register {decided.get('evidence') or 'unknown'}, {clock}"
        + (f"; “{quote}”" if quote else ""),
        f"record {entry.record_sha256[:12]}, row {entry.hash}",
    )
