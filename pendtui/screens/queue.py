"""The queue: every record by the urgency of its clock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Key, Resize
from textual.message import Message
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from pendtui.actions import QUEUE
from pendtui.desk.desk import Desk, Ordered
from pendtui.desk.index import Changes
from pendtui.desk.journal import ConflictError
from pendtui.desk.listing import SORTS, QueueRow
from pendtui.desk.query import FilterError
from pendtui.desk.words import count
from pendtui.errors import JournalError, PendtuiError
from pendtui.plain import plain
from pendtui.screens.bindings import bindings_at
from pendtui.screens.model_reading import ModelReading
from pendtui.screens.notices import raise_notice
from pendtui.screens.place import PlaceScreen
from pendtui.screens.widgets.ahead import AheadLine
from pendtui.screens.widgets.key_bar import KeyBar
from pendtui.screens.widgets.queue_list import QueueList
from pendtui.screens.widgets.strip import DeskStrip
from pendtui.screens.widgets.tour import TourBar
from pendtui.screens.wording import folder_line, news_line, progress_line, resolution_word, turned_line

if TYPE_CHECKING:
    from pendtui.screens.exporting import ListExport
    from pendtui.screens.record import RecordScreen

SAVE_FILTER = "save the present filter"
LOOKING = "looking through the folder"
"""Said of a large queue until it is known what has changed since the program last ran."""
LOOK_SECONDS = 0.5
"""Between two looks at what others did."""
STAY_SECONDS = 20.0
"""Between two renewals of the leases that this program holds: a third of their term."""


class QueueScreen(PlaceScreen):
    """Lists the queue, and opens records from it."""

    CSS_PATH = "queue.tcss"
    PLACE = QUEUE
    BINDINGS = bindings_at(QUEUE)

    @dataclass
    class Followed(Message, bubble=False):
        """The index was brought further up to the folder."""

        changes: Changes

        def can_replace(self, message: Message) -> bool:
            """A newer count makes one on the way pointless."""
            under_way = self.changes.done < self.changes.due or self.changes.answered < self.changes.unanswered
            return isinstance(message, QueueScreen.Followed) and under_way

    @dataclass
    class Listed(Message, bubble=False):
        """A list that took long is there; or what is wrong with the filter."""

        ordered: Ordered | None
        said: str
        sort: str
        search: str

    @dataclass
    class Urgent(Message, bubble=False):
        """It was looked whether claims have become urgent."""

        before: str
        """What there is to say besides."""
        line: str

    def __init__(self, desk: Desk, reading: ModelReading, first_record: str | None = None) -> None:
        super().__init__(desk)
        self.reading = reading
        self._first_record = first_record
        self._sort = SORTS[0]
        self._search = ""
        self._complained = False
        """Whether the last line said is what is wrong with the filter."""
        self._progress = ""
        self._finding = ""
        self._count = ""
        self._told_of_trouble = ""
        self._repeatable: Callable[[list[str]], None] | None = None
        self._note = ""
        """Why claims were to be parked, where that could not be saved for all."""
        self._day = desk.today
        self._leaving = threading.Event()

    def compose(self) -> ComposeResult:
        yield DeskStrip(id="strip")
        yield AheadLine(self.desk)
        yield QueueList(self.desk.rows, self._show_detail, id="list")
        yield Static(id="detail")
        yield Input(placeholder="words to match, e.g. medicaid awaited escalate", id="filter")
        yield TourBar()
        yield KeyBar(QUEUE)

    def on_mount(self) -> None:
        self.query_one("#filter", Input).display = False
        self._refresh()
        self._look()
        self.relist()
        self.listed.focus()
        self.set_interval(LOOK_SECONDS, self._look)
        self.set_interval(STAY_SECONDS, self._stay)
        if self._first_record is not None:
            self.open(self._first_record)
        # Not before the first painting, which it would slow down.
        self.call_after_refresh(self._follow_folder)
        self.call_after_refresh(self._load_screens)
        self.set_timer(1.0, self._tell_urgent)  # what is urgent already is no news

    def on_resize(self, event: Resize) -> None:
        self.query_one(AheadLine).fit(event.size.height)

    def on_unmount(self) -> None:
        self._leaving.set()

    def _refresh(self) -> None:
        try:
            if self.desk.is_small:
                self.desk.refresh()
            else:
                self._progress = LOOKING
        except PendtuiError as fault:
            # A queue that cannot be read as a whole is wrong input: one line, and the same exit code as anywhere.
            self.app.exit(return_code=2, message=f"pendtui: {plain(str(fault))}")

    @property
    def listed(self) -> QueueList:
        """The list of records."""
        return self.query_one("#list", QueueList)

    def relist(self) -> None:
        """List the queue again by the present order and filter; the cursor stays on its record.

        What takes long in a large queue is listed when it is found, and the list stays as it is until then.
        """
        if self.desk.takes_long(self._sort, self._search):
            self._finding = "listing …"
            self._show_strip()
            self._list_elsewhere(self._sort, self._search)
            return
        self.workers.cancel_group(self, "list")
        try:
            rids = self.desk.order(self._sort, self._search)
            if self._complained:
                self._complained = False
                self.query_one(KeyBar).be_quiet()
        except FilterError as fault:
            # A word that is not finished yet must not empty the list.
            rids = self.desk.order(self._sort, "")
            self._complained = True
            self.say(str(fault), wrong=True)
        self._list(rids)

    def _list(self, rids: Sequence[int]) -> None:
        row = self.listed.row
        # Found by its id: an index that was made anew has another number for it.
        kept = self.desk.row_of(row.id) if row is not None else None
        self._finding = ""
        self.listed.show(rids, kept.rid if kept is not None else None)
        self._show_strip()

    @work(thread=True, exclusive=True, group="list")
    def _list_elsewhere(self, sort: str, search: str) -> None:
        worker = get_current_worker()
        ordered, said = None, ""
        try:
            ordered = self.desk.order_elsewhere(sort, search, lambda: worker.is_cancelled)
        except PendtuiError as fault:
            said = str(fault)
        if not worker.is_cancelled:
            self.post_message(self.Listed(ordered, said, sort, search))

    @on(Listed)
    def _show_listed(self, event: Listed) -> None:
        if (event.sort, event.search) != (self._sort, self._search):
            return
        if event.ordered is None:
            # As above: a word that is not finished yet.
            self._list(self.desk.order(self._sort, ""))
            self.say(event.said, wrong=True)
        elif self.desk.holds(event.ordered):
            self._list(event.ordered.rids)
        else:
            self.relist()

    def refresh_record(self, record_id: str) -> None:
        """Paint one record's line and the strip anew after its status changed."""
        row = self.desk.row_of(record_id)
        if row is not None:
            self.listed.refresh_row(row.rid)
        self._show_strip()

    def find_open(self, after: str, *, step: int = 1, urgent: bool = False) -> QueueRow | None:
        """The next open record after (or before) a record in the listed order, and put the cursor on it."""
        here = self.desk.row_of(after)
        rids = self.listed.rids
        if not rids:
            return None
        try:
            start = rids.index(here.rid) + step if here is not None else 0
        except ValueError:
            start = 0
        found = self.desk.find_open(rids, start, step=step, urgent=urgent)
        if found is not None:
            self.listed.move_to(rids.index(found.rid))
        return found

    # Others

    def _look(self) -> None:
        """Follow what others did, and the day, quietly: the cursor stays on its record."""
        self._follow_day()
        try:
            if self.desk.mend():
                self.relist()
            news = self.desk.colleagues.look()
        except PendtuiError as fault:
            self._trouble(str(fault))
            return
        self._told_of_trouble = ""
        if news is None:
            return
        self.relist()
        record = self._open_record
        if record is not None:
            record.follow(news)
        elif line := news_line(news):
            self.say(line)

    @property
    def _open_record(self) -> RecordScreen | None:
        """The record that is open, if only below a dialog or a view."""
        from pendtui.screens.record import RecordScreen

        return next((one for one in reversed(self.app.screen_stack) if isinstance(one, RecordScreen)), None)

    @property
    def _record_on_top(self) -> RecordScreen | None:
        record = self._open_record
        return record if record is self.app.screen else None

    def _stay(self) -> None:
        try:
            lost = self.desk.colleagues.stay()
        except PendtuiError as fault:
            self._trouble(str(fault))
            return
        if (record := self._open_record) is not None:
            for holder in lost:
                record.lost(holder)

    def _trouble(self, text: str) -> None:
        # Once, and not twice a second for as long as it lasts.
        if text != self._told_of_trouble:
            self._told_of_trouble = text
            (self._open_record or self).say(text, wrong=True)

    def action_take_next(self) -> None:
        row = self.take_next()
        if row is not None:
            self.open(row.id)

    def take_next(self, besides: str = "") -> QueueRow | None:
        """The next claim to work, held for this examiner, with the cursor on it where it is listed."""
        try:
            row = self.desk.take_next(besides)
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return None
        if row is None:
            self.say("No open claim is left that is nobody else's.")
        else:
            self.listed.move_to_row(row.rid)
        return row

    def action_mine(self) -> None:
        words = self._search.split()
        field = self.query_one("#filter", Input)
        field.value = (
            " ".join(word for word in words if word != "mine") if "mine" in words else f"mine {self._search}"
        )
        field.display = bool(field.value.strip())

    def action_assign(self) -> None:
        from pendtui.screens.working import ask_assignee

        ids = self._chosen_ids()
        if ids:
            which = ids[0] if len(ids) == 1 else count(len(ids), "claim")
            ask_assignee(self, self.desk, which, partial(self._assign, ids))

    def action_repeat(self) -> None:
        if self._repeatable is None:
            self.say("There is nothing to repeat: A and p can be.")
        elif ids := self._chosen_ids():
            self._repeatable(ids)

    def _assign(self, ids: Sequence[str], assignee: str) -> None:
        self._repeatable = lambda again: self._assign(again, assignee)
        done, failed = self._for_each(ids, lambda record_id: self.desk.decisions.assign(record_id, assignee))
        to = f"assigned to {assignee}" if assignee else "assigned to nobody"
        self.say(f"{count(len(done), 'claim')} {to}.{_failed(failed)}", wrong=bool(failed))

    def action_filters(self) -> None:
        from pendtui.screens.dialogs import Choice, ChoiceDialog

        try:
            saved = self.desk.journal.filters(self.desk.user)
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return
        choices = [Choice(name, words) for name, words in saved.items()]
        if self._search:
            choices.append(Choice(SAVE_FILTER, self._search))
        if not choices:
            self.say("No filter is saved. Type one with /, then f saves it under a name.")
            return
        current = next((name for name, words in saved.items() if words == self._search), None)
        question = "Which filter? Del forgets one"
        self.app.push_screen(
            ChoiceDialog(question, choices, current, self._drop_filter), partial(self._filter_chosen, saved)
        )

    def _filter_chosen(self, saved: Mapping[str, str], name: str | None) -> None:
        from pendtui.screens.dialogs import NoteDialog

        if name == SAVE_FILTER:
            self.app.push_screen(NoteDialog(f"Save the filter “{self._search}” as"), self._save_filter)
        elif name is not None:
            field = self.query_one("#filter", Input)
            field.value = saved[name]
            field.display = True
            self.listed.focus()

    def _save_filter(self, name: str | None) -> None:
        if name:
            saved = self._guarded(lambda: self.desk.journal.save_filter(self.desk.user, name, self._search))
            if saved:
                self.say(f"Saved as {name}; f lists by it.")

    def _drop_filter(self, name: str) -> bool:
        return name != SAVE_FILTER and self._guarded(lambda: self.desk.journal.drop_filter(self.desk.user, name))

    def _guarded(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return False
        return True

    # Painting

    def _show_strip(self) -> None:
        listed = len(self.listed.rids)
        self.query_one(DeskStrip).show(self.desk, listed, self._search, self._sort, self._progress or self._finding)

    def _show_detail(self, row: QueueRow | None) -> None:
        self.query_one("#detail", Static).update(self._detail(row), layout=False)

    def _detail(self, row: QueueRow | None) -> Content:
        if row is None:
            empty = "The queue is being read." if self._progress else "The queue holds no record."
            text = "No record matches; Esc lists all again." if self._search else empty
            return Content(text)
        if row.fault:
            second = Content.styled(f"faulty: {plain(row.fault)}", "bold $error")
        else:
            done = f" · {row.status} by {row.by}" if row.by else ""
            done += f" · in use by {row.in_use_by}" if row.in_use_by else ""
            done += f" · {row.assignee}'s" if row.assignee else ""
            done += f" · {row.waiting}: {row.asked}, due {row.due_on}" if row.waiting else ""
            stale = " · stale: record or policy has changed since" if row.stale else ""
            stale += f" · worth a call: {row.unsure}" if row.unsure and row.status == "open" else ""
            rule = f"{row.rule} " if row.rule else ""
            second = Content(
                plain(f"{rule}{resolution_word(row)} · register {row.evidence or 'unknown'}{done}{stale}")
            )
        first = plain(
            f"{row.id} {row.claim_id} {row.line_of_business} · received {row.received_on or 'unknown'}"
            f" · {row.clock_rule or 'no clock rule'} · {row.title}"
        )
        return Content("\n").join([Content(first), second])

    # The folder, and the day

    @work(thread=True, group="screens")
    def _load_screens(self) -> None:
        """Load what the keys open, so that the first record opens as fast as the next."""
        import pendtui.screens.record  # noqa: F401

    @work(thread=True, exclusive=True)
    def _follow_folder(self) -> None:
        """Keep the index up with the folder, in a thread with a connection of its own."""
        try:
            for changes in self.desk.follow(self._leaving):
                self.post_message(self.Followed(changes))
        except PendtuiError as fault:
            self.post_message(self.Followed(Changes(fault=str(fault))))

    @on(Followed)
    def _show_followed(self, event: Followed) -> None:
        """Show what has changed in the folder, quietly: the cursor stays on its record."""
        changes = event.changes
        under_way = changes.done < changes.due or changes.answered < changes.unanswered
        self._progress = progress_line(changes)
        if self._finding and under_way:
            # A list that takes long is not begun again with every batch, or it would never be there.
            self._show_strip()
        else:
            self.relist()
        if changes.fault:
            self.say(changes.fault, wrong=True)
        if under_way or not changes.any:
            return
        if (top := self._record_on_top) is not None:
            top.follow_folder()
            self._tell_urgent()
        else:
            first_time = changes.new == self.desk.standings().counts.records
            self._tell_urgent("" if first_time else folder_line(changes))

    def _follow_day(self) -> None:
        """Count the days anew after midnight."""
        if self.desk.today == self._day:
            return
        self._day = self.desk.today
        self.relist()
        if (top := self._record_on_top) is not None:
            top.follow_day()
        self._tell_urgent()

    @work(thread=True, group="urgent")
    def _tell_urgent(self, before: str = "") -> None:
        """Say, after what else there is to say, which claims have become urgent; outside the window too."""
        try:
            line = turned_line(self.desk.turned())
        except PendtuiError:
            # What keeps the index from being read is said by whoever follows the folder.
            line = ""
        self.post_message(self.Urgent(before, line))

    @on(Urgent)
    def _told_urgent(self, event: Urgent) -> None:
        before, line = event.before, event.line
        said = f"{before} {line}." if line and before else f"{line}." if line else before
        if said:
            top = self.app.screen
            (top if isinstance(top, PlaceScreen) else self).say(said, wrong=bool(line))
        if line:
            raise_notice(self.app, self.desk.config, line)

    # Actions

    def action_open_record(self) -> None:
        row = self.listed.row
        if row is not None:
            self.open(row.id)

    @on(QueueList.Chosen)
    def _open_chosen(self, event: QueueList.Chosen) -> None:
        self.open(event.row.id)

    def open(self, record_id: str) -> None:
        """Open a record of the queue, listed or not."""
        from pendtui.screens.record import RecordScreen

        try:
            view = self.desk.open(record_id)
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return
        self.app.push_screen(RecordScreen(self.desk, self, self.reading, view))

    def action_next_urgent(self) -> None:
        row = self.listed.row
        if row is None or self.find_open(row.id, urgent=True) is None:
            self.say("No open claim must escalate or is breached.")

    def action_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.display = True
        field.focus()

    @on(Input.Changed, "#filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        self._search = event.value.strip()
        self.relist()

    @on(Input.Submitted, "#filter")
    def _filter_entered(self) -> None:
        self.query_one("#filter", Input).display = bool(self._search)
        self.listed.focus()

    def action_clear(self) -> None:
        field = self.query_one("#filter", Input)
        if self._count:
            self._count = ""
            self.say("No count.")
        elif self.listed.marked and not field.has_focus:
            self.listed.mark_none()
            self.say("No record is marked.")
        else:
            field.value = ""
            field.display = False
            self.listed.focus()

    # Counts and marks

    def on_key(self, event: Key) -> None:
        """Collect the digits of a count, such as the 5 of 5j."""
        digit = event.character or ""
        if len(digit) == 1 and digit in "0123456789" and (self._count or digit != "0") and self.listed.has_focus:
            event.stop()
            self._count = (self._count + digit)[:7]
            self.say(self._count)

    def _counted(self, otherwise: int = 1) -> int:
        """The count that was typed, and forget it."""
        count = int(self._count or otherwise)
        if self._count:
            self._count = ""
            self.query_one(KeyBar).be_quiet()
        return count

    def action_mark(self) -> None:
        for _ in range(self._counted()):
            self.listed.mark()
        self._say_marked()

    def action_mark_all(self) -> None:
        if self.listed.marked:
            self.listed.mark_none()
        else:
            ids, _ = self.desk.ids_of(self.listed.rids)
            self.listed.mark_these(ids)
        self._say_marked()

    def _say_marked(self) -> None:
        marked = len(self.listed.marked)
        what = "A assigns, p parks, R reads, X exports them; Esc unmarks" if marked else "No record is marked"
        self.say(f"{marked:,} marked: {what}." if marked else f"{what}.")

    def _chosen_ids(self) -> list[str]:
        """The marked records, or else the one under the cursor."""
        row = self.listed.row
        return sorted(self.listed.marked) or ([row.id] if row is not None else [])

    def action_park(self) -> None:
        from pendtui.screens.dialogs import NoteDialog

        ids = self._chosen_ids()
        if ids:
            which = ids[0] if len(ids) == 1 else count(len(ids), "claim")
            question = f"Park {which}{self._in_use(ids)}: why, and what it waits for"
            self.app.push_screen(NoteDialog(plain(question), self._note), partial(self._park_answered, ids))

    def _in_use(self, ids: Sequence[str]) -> str:
        """What to say before deciding on claims of which others have some open; empty where they have none."""
        held = [holder for holder in map(self.desk.colleagues.holder, ids) if holder is not None]
        if not held:
            return ""
        by = ", ".join(dict.fromkeys(holder.by or holder.who for holder in held))
        return f" (in use by {by})" if len(ids) == 1 else f" ({len(held):,} in use by {by})"

    def _park_answered(self, ids: list[str], note: str | None) -> None:
        if note is None:
            return
        if not note:
            self.say("Not parked: a note has to say why.", wrong=True)
            return
        self._repeatable = lambda again: self._park_answered(again, note)
        parked, failed = self._for_each(ids, lambda one: self.desk.decisions.park(self.desk.open(one), note))
        self._note = note if failed else ""
        self.say(f"{count(len(parked), 'claim')} parked.{_failed(failed)}", wrong=bool(failed))

    def _for_each(self, ids: Sequence[str], act: Callable[[str], object]) -> tuple[list[str], list[str]]:
        """Do something to each of these records; which it was done to, and what was said of the others."""
        done: list[str] = []
        failed: list[str] = []
        for n, record_id in enumerate(ids):
            try:
                act(record_id)
            except PendtuiError as fault:
                failed.append(str(fault))
                if isinstance(fault, JournalError) and not isinstance(fault, ConflictError):
                    # The store fails for all of them alike, and each would have to wait for it.
                    failed += [str(fault)] * (len(ids) - n - 1)
                    break
            else:
                done.append(record_id)
        self.listed.unmark(done)
        self.relist()
        return done, failed

    def action_sort(self) -> None:
        self._sort = SORTS[(SORTS.index(self._sort) + 1) % len(SORTS)]
        self.relist()

    def action_undo(self) -> None:
        entry = self.undo()
        if entry is None:
            return
        self.refresh_record(entry.record_id)
        self.say(self.desk.decisions.undone(entry))

    def action_read_listed(self) -> None:
        from pendtui.screens.batch import BatchScreen

        obstacle = self.desk.model_obstacle()
        if obstacle is not None:
            self.say(f"No model can be asked: {obstacle}", wrong=True)
            return
        ids, unsure = self.desk.ids_of(self.listed.rids)
        if self.listed.marked:
            ids = [record_id for record_id in ids if record_id in self.listed.marked]
            unsure = sum(1 for row in map(self.desk.row_of, ids) if row is not None and row.unsure)
        self.app.push_screen(BatchScreen(self.reading, ids, unsure, self.desk.model_server()))

    def action_export(self) -> None:
        from pendtui.desk.exports.listed import Wanted

        marked = tuple(sorted(self.listed.marked))
        wanted = Wanted(self._sort, self._search, marked)
        self._exports.ask(wanted, len(marked) or len(self.listed.rids))

    @cached_property
    def _exports(self) -> ListExport:
        from pendtui.screens.exporting import ListExport

        return ListExport(self, self._leaving)

    def action_cursor_down(self) -> None:
        self.listed.move_by(self._counted())

    def action_cursor_up(self) -> None:
        self.listed.move_by(-self._counted())

    def action_page_down(self) -> None:
        self.listed.move_by(self.listed.page * self._counted())

    def action_page_up(self) -> None:
        self.listed.move_by(-self.listed.page * self._counted())

    def action_first(self) -> None:
        self.listed.move_to(0)

    def action_last(self) -> None:
        self.listed.move_to(self._counted(len(self.listed.rids)) - 1)

    def action_columns_right(self) -> None:
        self.listed.move_columns(1)

    def action_columns_left(self) -> None:
        self.listed.move_columns(-1)

    def action_quit_program(self) -> None:
        self.app.exit()


def _failed(failed: list[str]) -> str:
    return f" Not {len(failed):,}: {failed[0]}" if failed else ""
