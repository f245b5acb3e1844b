"""One claim: its record with the cited sentence, and beside it the four answers to confirm."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from pendtui.actions import RECORD
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.colleagues import News
from pendtui.desk.desk import Desk
from pendtui.desk.diary import due_day, suggested_due_day
from pendtui.desk.journal import ConflictError, Entry, Lease, UnknownOutcomeError, Waiting
from pendtui.engines.policy import Resolved
from pendtui.engines.vocabulary import CauseClass, Evidence
from pendtui.errors import PendtuiError
from pendtui.plain import plain
from pendtui.screens import answers
from pendtui.screens.batch import RawReplyScreen
from pendtui.screens.bindings import bindings_at
from pendtui.screens.dialogs import Choice, ChoiceDialog, ConfirmDialog, Field, FormDialog, NoteDialog
from pendtui.screens.model_reading import ModelReading
from pendtui.screens.place import PlaceScreen
from pendtui.screens.why import WhyScreen
from pendtui.screens.widgets.key_bar import KeyBar
from pendtui.screens.widgets.record_text import RecordText
from pendtui.screens.widgets.tour import TourBar
from pendtui.screens.wording import done_words, in_use_line, news_line
from pendtui.screens.working import (
    ANSWERED,
    ASK_AGAIN,
    WITHDRAWN,
    answer_choices,
    ask_assignee,
)

if TYPE_CHECKING:
    from pendtui.screens.queue import QueueScreen

WIDE = 110
"""From this many columns on, record and answers stand side by side."""


class RecordScreen(PlaceScreen):
    """Shows one claim and takes the examiner's decision on it."""

    CSS_PATH = "record.tcss"
    PLACE = RECORD
    BINDINGS = bindings_at(RECORD)

    def __init__(self, desk: Desk, queue: QueueScreen, reading: ModelReading, view: ClaimView) -> None:
        super().__init__(desk)
        self.reading = reading
        self.view = view
        self._queue = queue
        self._note = ""
        """Why the claim was to be parked, where that could not be saved."""
        self._request: list[str] = []
        """What was to be noted of a request, likewise."""

    @property
    def claim(self) -> ClaimView:
        return self.view

    def compose(self) -> ComposeResult:
        self.set_class(self.app.size.width < WIDE, "narrow")
        yield Static(id="title")
        yield Static(id="short")
        with Horizontal(id="panes"):
            yield RecordText(id="record")
            with VerticalScroll(id="answers", can_focus=False):
                yield Static(id="full")
        yield TourBar()
        yield KeyBar(RECORD)

    def on_mount(self) -> None:
        self.query_one(RecordText).focus()
        self.reading.changed = self._model_changed
        self.show(self._with_answer(self.view))
        self._take(self.view.id)

    def on_unmount(self) -> None:
        self.reading.changed = lambda record_id: None
        self._let_go(self.view.id)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width < WIDE, "narrow")

    def show(self, view: ClaimView, *, moved: bool = True) -> None:
        """Show a claim. With `moved` off, the record stays scrolled where it is."""
        self.view = view
        obstacle = self.desk.decisions.obstacle(view)
        answered = answers.full(view, self.desk.policy, self.desk.as_of, self.desk.today, obstacle)
        self._show_title()
        self.query_one("#full", Static).update(answered)
        self.query_one("#short", Static).update(answers.short(view, obstacle))
        text = self.query_one(RecordText)
        if moved:
            text.show(view.claim.record, view.answers.span, view.other_span)
            self.query_one("#answers", VerticalScroll).scroll_home(animate=False)
        else:
            text.cite(view.answers.span, view.other_span)

    def open(self, record_id: str) -> None:
        """Show another record of the queue."""
        try:
            view = self.desk.open(record_id)
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            if record_id != self.view.id:
                self._let_go(record_id)
            return
        if record_id != self.view.id:
            self._note, self._request = "", []
            self._let_go(self.view.id)
            self._take(record_id)
        self.show(self._with_answer(view))

    # Others

    def _take(self, record_id: str) -> None:
        """Say to others that this claim is open here, once it is on screen."""
        self.call_after_refresh(self._take_now, record_id)

    def _take_now(self, record_id: str) -> None:
        if record_id != self.view.id or not self.is_attached:
            return
        try:
            holder = self.desk.colleagues.take(record_id)
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return
        if holder is not None:
            self._show_title()
            self.say(f"{in_use_line(holder)}. You may look; a decision asks once more.", wrong=True)

    def _let_go(self, record_id: str) -> None:
        # A lease that could not be given back lapses by itself.
        with suppress(PendtuiError):
            self.desk.colleagues.let_go(record_id)

    def follow(self, news: News) -> None:
        """Take in what others did while this claim is open: what is said of it is shown, nothing else moves."""
        colleagues = self.desk.colleagues
        if news.leases and not colleagues.holds(self.view.id) and colleagues.holder(self.view.id) is None:
            self._take(self.view.id)
        self._show_title()
        mine = next((claim for claim in news.claims if claim.record_id == self.view.id), None)
        if mine is None:
            return
        standing = self.view.standing
        seen = (standing.entry.seq, str(standing.status)) if standing is not None else (None, "")
        line = news_line(News((mine,), leases=False))
        if (mine.decision_seq, mine.status) == seen:
            self.view = replace(self.view, state=mine)
            self._show_title()
            self.say(f"{line}.")
        else:
            self.say(f"{line}. Enter shows it.", wrong=True)

    def lost(self, holder: Lease) -> None:
        """Say so where somebody else has taken the claim, after its lease here had lapsed."""
        if holder.record_id == self.view.id:
            self._show_title()
            self.say(
                f"{in_use_line(holder)}; your own hold on it had lapsed. A decision asks once more.", wrong=True
            )

    def follow_folder(self) -> None:
        """Say so where the claim on screen has become another in the folder."""
        if outdated := self.desk.outdated(self.view):
            self.say(f"{self.view.id}: {outdated}. Enter reads it again.", wrong=True)

    def follow_day(self) -> None:
        """Show the clock as it stands today; what the examiner has changed stays."""
        self.show(self.desk.on_this_day(self.view), moved=False)

    def action_show_again(self) -> None:
        self.open(self.view.id)

    def _with_answer(self, view: ClaimView) -> ClaimView:
        answer = self.reading.answer_for(view)
        return view if answer is None else self.desk.with_model(view, answer)

    def _show_title(self) -> None:
        self.query_one("#title", Static).update(self._title(self.view))

    def _title(self, view: ClaimView) -> Content:
        facts = view.claim.facts
        stands = [f"{view.standing.status} by {view.standing.entry.by}" if view.standing else self._undecided(view)]
        state, holder = view.state, self.desk.colleagues.holder(view.id)
        if holder is not None:
            stands.append(f"in use by {holder.by or holder.who}")
        if state is not None and state.waiting:
            stands.append(f"{state.waiting}: {state.asked} {state.due_on}")
        if state is not None and state.assignee:
            stands.append(f"for {state.assignee}")
        about = f"{facts.claim_id}  {facts.line_of_business}" if facts else "no claim facts"
        if len(stands) == 1:  # the record's first line repeats it, and on a narrow screen the others need the room
            about += f"  {view.claim.record.title}"
        return Content.assemble((f"{view.id}  ", "bold"), plain(about), (f"  [{plain(', '.join(stands))}]", "bold"))

    @staticmethod
    def _undecided(view: ClaimView) -> str:
        return "faulty" if view.claim.faults else "open"

    # Deciding

    def action_accept(self) -> None:
        obstacle = self.desk.decisions.obstacle(self.view)
        if obstacle is not None:
            self.say(f"Not accepted: {obstacle}.", wrong=True)
            return
        resolution = self.view.answers.resolution
        assert isinstance(resolution, Resolved)
        holder = self.desk.colleagues.holder(self.view.id)
        if holder is not None:
            question = f"{in_use_line(holder)}. Decide {self.view.id} all the same?"
            self.app.push_screen(ConfirmDialog(question, self._grounds(resolution)), self._saved_if)
            return
        if resolution.resolution.denies and self.desk.config.confirm_denials:
            question = f"{self.view.id}: {resolution.resolution}?"
            self.app.push_screen(ConfirmDialog(question, self._grounds(resolution)), self._saved_if)
            return
        self._save_acceptance()

    def _grounds(self, resolution: Resolved) -> list[Content]:
        quote = self.view.answers.quote
        said = f"“{' '.join(plain(quote).split())}”" if quote else "no sentence is cited"
        return [
            Content(f"{self.view.answers.cause}: {said}"),
            Content(plain(f"{resolution.rule.id}: {resolution.rule.title}. {resolution.rule.reason}")),
        ]

    def _saved_if(self, yes: bool | None) -> None:
        if yes:
            self._save_acceptance()

    def _save_acceptance(self) -> None:
        view = self.view
        entry = self._tried(lambda: self.desk.decisions.accept(view))
        if entry is not None:
            self._decided(f"Saved as row {entry.seq}: {view.id} {done_words(entry)}.")

    def _tried(self, act: Callable[[], Entry]) -> Entry | None:
        """What was saved. Where nothing was, it is said why; another examiner's decision is shown."""
        try:
            return act()
        except ConflictError as conflict:
            with suppress(PendtuiError):  # what was not saved is said below all the same
                self.desk.load_claims()
            self._queue.refresh_record(self.view.id)
            self.open(self.view.id)
            self.say(f"Not saved: {conflict}", wrong=True)
        except UnknownOutcomeError as fault:
            self.say(str(fault), wrong=True)
        except PendtuiError as fault:
            self.say(f"Not saved: {fault}", wrong=True)
        return None

    def action_park(self) -> None:
        holder = self.desk.colleagues.holder(self.view.id)
        told = f" ({in_use_line(holder)})" if holder is not None else ""
        question = f"Park {self.view.id}{told}: why, and what it waits for"
        self.app.push_screen(NoteDialog(plain(question), self._note), self._park_answered)

    def _park_answered(self, note: str | None) -> None:
        if note is None:
            return
        if not note:
            self.say("Not parked: a note has to say why.", wrong=True)
            return
        self._note = note
        entry = self._tried(lambda: self.desk.decisions.park(self.view, note))
        if entry is not None:
            self._note = ""
            self._decided(f"Saved as row {entry.seq}: {self.view.id} parked.")

    def action_assign(self) -> None:
        ask_assignee(self, self.desk, self.view.id, self._assign)

    def _assign(self, assignee: str) -> None:
        record_id = self.view.id
        entry = self._tried(lambda: self.desk.decisions.assign(record_id, assignee))
        if entry is not None:
            self._noted(f"Row {entry.seq}: {record_id} is {assignee or 'nobody'}'s.")

    def _noted(self, said: str) -> None:
        """Show the claim with what was just noted; what the examiner has changed stays."""
        with suppress(PendtuiError):  # it is saved; how the claim stands with it is seen at the next look
            self.view = replace(self.view, state=self.desk.journal.claim(self.desk.queue_name, self.view.id))
        self._show_title()
        self._queue.relist()
        self.say(said)

    def action_diary(self) -> None:
        state = self.view.state
        if state is not None and state.waiting == Waiting.ASKED:
            question = f"{self.view.id}: {state.asked} was asked, due {state.due_on}"
            self.app.push_screen(ChoiceDialog(question, answer_choices(state.asked), ANSWERED), self._answered)
        else:
            self._ask()

    def _ask(self) -> None:
        due = suggested_due_day(self.view.answers.clock, self.desk.today)
        asked, what, due_on = self._request or ("", "", due.isoformat())
        fields = [
            Field("Who was asked", asked),
            Field("What for", what),
            Field("Answer expected by: a date, or +10 for ten days", due_on),
        ]
        self.app.push_screen(FormDialog(f"{self.view.id}: note a request", fields), self._asked)

    def _asked(self, said: list[str] | None) -> None:
        if said is None:
            return
        self._request = said
        asked, what, due = said
        due_on = due_day(due, self.desk.today)
        if not asked or due_on is None:
            wrong = "somebody has to be named" if not asked else f"'{due}' is no day; write 2026-09-14 or +10"
            self.say(f"Not noted: {wrong}.", wrong=True)
            return
        entry = self._tried(lambda: self.desk.decisions.request(self.view, asked, what, due_on))
        if entry is not None:
            self._request = []
            self._noted(f"Row {entry.seq}: {asked} asked, answer expected by {due_on.isoformat()}.")

    def _answered(self, word: str | None) -> None:
        if word == ASK_AGAIN:
            self._ask()
        elif word is not None:
            withdrawn = word == WITHDRAWN
            entry = self._tried(lambda: self.desk.decisions.answer_in(self.view, withdrawn=withdrawn))
            if entry is not None:
                self._noted(f"Row {entry.seq}: {word}.")

    def _decided(self, said: str) -> None:
        done = self.view.id
        self._queue.refresh_record(done)
        following = self._queue.find_open(done)
        if following is None:
            self.app.pop_screen()
            self._queue.query_one(KeyBar).say(f"{said} No open claim is left in the list.")
            return
        self.open(following.id)
        self.say(said)

    def action_undo(self) -> None:
        entry = self.undo()
        if entry is None:
            return
        self._queue.refresh_record(entry.record_id)
        self.open(entry.record_id)
        self.say(self.desk.decisions.undone(entry))

    # The model

    def action_read_model(self) -> None:
        if self.reading.under_way(self.view.id):
            self.say(self.reading.under_way(self.view.id))
            return
        obstacle = self.desk.model_obstacle()
        if obstacle is not None:
            self.say(f"No model can be asked: {obstacle}", wrong=True)
            return
        self.reading.start(self.view.id)

    def _model_changed(self, record_id: str) -> None:
        if record_id != self.view.id:
            return
        if line := self.reading.under_way(record_id):
            self.say(line)
            return
        if failure := self.reading.failure(record_id):
            self.say(failure, wrong=True)
            return
        answer = self.reading.answer_for(self.view)
        if answer is None:
            self.say("The model's read was cancelled; the offline answers stand.")
            return
        self.show(self.desk.with_model(self.view, answer), moved=False)
        if answer.reading is None:
            self.say(f"No answer: {answer.record.error}", wrong=True)
        elif answer.reading.cause == self.view.reading.cause:
            self.say("The model gave the same cause class; the comparison stands with the answers.")
        else:
            self.say(f"The model gave {answer.reading.cause or 'no class'}; t rests the acceptance on it.")

    def action_swap(self) -> None:
        try:
            self.show(self.desk.swapped(self.view), moved=False)
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return
        self.query_one(RecordText).scroll_to_sentence()
        self.say(f"The acceptance rests on the {self.view.base.arm} reading.")

    def action_raw_reply(self) -> None:
        call = self.view.model.record.call if self.view.model is not None else None
        if not call or not isinstance(call.get("text"), str):
            self.say("There is no raw reply; r asks the model.", wrong=True)
            return
        self.app.push_screen(RawReplyScreen(str(call["text"])))

    def action_cancel(self) -> None:
        if not self.reading.cancel(self.view.id):
            self.action_to_queue()

    def action_why(self) -> None:
        self.app.push_screen(WhyScreen(self.view))

    def action_change_cause(self) -> None:
        meanings = self.desk.policy.meanings["cause_class"]
        choices = [Choice(cause, meanings[cause]) for cause in CauseClass]
        question = f"{self.view.id}: why did it pend?"
        self.app.push_screen(ChoiceDialog(question, choices, self.view.answers.cause), self._cause_chosen)

    def _cause_chosen(self, word: str | None) -> None:
        if word is not None:
            self.show(self.desk.with_cause(self.view, CauseClass(word)), moved=False)

    def action_set_evidence(self) -> None:
        obstacle = self.desk.evidence_is_given(self.view)
        if obstacle is not None:
            self.say(obstacle, wrong=True)
            return
        facts = self.view.claim.facts
        current = facts.evidence if facts else None
        meanings = self.desk.policy.meanings["evidence"]
        choices = [Choice(evidence, meanings[evidence]) for evidence in Evidence]
        question = f"{self.view.id}: what does the register hold?"
        self.app.push_screen(ChoiceDialog(question, choices, current), self._evidence_chosen)

    def _evidence_chosen(self, word: str | None) -> None:
        if word is not None:
            self.show(self.desk.with_evidence(self.view, Evidence(word)), moved=False)

    def action_export(self) -> None:
        from pendtui.screens.exporting import ask_sheet

        ask_sheet(self, self.view)

    # Moving

    def action_take_next(self) -> None:
        self._go(self._queue.take_next(self.view.id), "is left that is nobody else's")

    def action_next_open(self) -> None:
        self._go(self._queue.find_open(self.view.id))

    def action_previous_open(self) -> None:
        self._go(self._queue.find_open(self.view.id, step=-1))

    def action_next_urgent(self) -> None:
        self._go(self._queue.find_open(self.view.id, urgent=True), "must escalate or is breached")

    def _go(self, row: object, which: str = "is left") -> None:
        from pendtui.desk.listing import QueueRow

        if isinstance(row, QueueRow) and row.id != self.view.id:
            self.open(row.id)
        else:
            self.say(f"No other open claim {which}.")

    def action_switch_pane(self) -> None:
        self.toggle_class("answers-first")

    def _pane(self) -> RecordText | VerticalScroll:
        if self.has_class("answers-first"):
            return self.query_one("#answers", VerticalScroll)
        return self.query_one(RecordText)

    def action_scroll_down(self) -> None:
        self._pane().scroll_down(animate=False)

    def action_scroll_up(self) -> None:
        self._pane().scroll_up(animate=False)

    def action_page_down(self) -> None:
        self._pane().scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        self._pane().scroll_page_up(animate=False)

    def action_sentence(self) -> None:
        self.query_one(RecordText).scroll_to_sentence()

    def action_to_queue(self) -> None:
        self.app.pop_screen()
