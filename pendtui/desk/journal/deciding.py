"""Decisions into the journal, and what accompanies them: whose a claim is, and whom somebody asked for what."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import NamedTuple

from pendtui.desk.journal.claims import Waiting
from pendtui.desk.journal.projection import catch_up, parts_of, project
from pendtui.desk.journal.reading import Reading, entry_of
from pendtui.desk.journal.rows import (
    COLUMNS,
    NO_ROW_BEFORE,
    STATUS_AFTER,
    Action,
    ConflictError,
    Entry,
    NewEntry,
    SecondLookError,
    UnknownOutcomeError,
    answers_json,
    instant_text,
    plain_json,
    row_hash,
    storable,
)
from pendtui.errors import JournalError

_INSERT = f"INSERT INTO decision ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_HEAD = (
    "SELECT d.seq, d.hash, c.last_seq"
    " FROM (SELECT seq, hash, queue, record_id FROM decision ORDER BY seq DESC LIMIT 1) d"
    " LEFT JOIN claim c ON c.queue = d.queue AND c.record_id = d.record_id"
)


class _Signed(NamedTuple):
    """Who puts a row in, when, and with what note."""

    who: str
    at: datetime
    display_name: str
    note: str


class Deciding(Reading):
    """What can be put into an open journal.

    Every call is one transaction that is on disk when it returns. Where it raises, nothing was saved and the
    journal can be used again; the one exception is UnknownOutcomeError, for a connection that was lost at the
    very end and cannot be made again.
    """

    def append(self, entry: NewEntry, *, expected_last: int | None) -> Entry:
        """Save a decision, if the claim's last decision is still the one the examiner saw (None: none yet).

        What counts as the last decision are rows with accept, change, park, undo or confirm; that the claim was
        assigned meanwhile, or a request or its answer noted, is no conflict (see `Entry.decides`).
        Raises ConflictError with the claim's last decision when it is another, GateError for a release answer
        other than EXAMINER-APPLIES, JournalError when it could not be written.
        """
        if entry.action not in STATUS_AFTER:
            raise ValueError(f"'{entry.action}' is not accept, change or park")
        where = storable(entry.record_id)
        unsaved = Entry(
            seq=0,
            at=entry.at,
            who=storable(entry.who),
            display_name=storable(entry.display_name),
            host=storable(self._host),
            program=self._program,
            queue=storable(entry.queue),
            record_id=where,
            record_sha256=entry.record_sha256,
            policy_id=storable(entry.policy_id),
            policy_sha256=entry.policy_sha256,
            action=Action(entry.action),
            reader=storable(entry.reader),
            proposed_json=answers_json(entry.proposed, where),
            decided_json=answers_json(entry.decided, where),
            note=storable(entry.note),
            undoes=None,
            previous_hash="",
            hash="",
        )

        def check() -> None:
            last = self._last_decision(unsaved.queue, where)
            if (last.seq if last else None) != expected_last:
                raise ConflictError(last, where=where)

        return self._saved(unsaved, check)

    def undo(self, entry: Entry, *, who: str, at: datetime, display_name: str = "", note: str = "") -> Entry:
        """Take a decision or a second look back with a new row, so that the claim stands as it did before it.

        Raises ConflictError with the claim's last decision when that one is no longer what the claim stands by,
        JournalError when the row could not be written. Whose decision it may be is for the caller to say
        (see `last_by`).
        """
        if entry.action is Action.UNDO:
            raise ValueError("an undo is not undone; decide the claim anew")
        if not entry.decides:
            raise ValueError(f"'{entry.action}' decides nothing that could be undone")
        unsaved = self._on(entry, Action.UNDO, _Signed(who, at, display_name, note), undoes=entry.seq)
        return self._saved(unsaved, lambda: self._check_standing(entry))

    def confirm(self, entry: Entry, *, who: str, at: datetime, display_name: str = "", note: str = "") -> Entry:
        """Give another examiner's decision a second look: it stands from now on.

        The row repeats the decision's answers, with `confirms` (its row) and `confirmed` (its action). Raises
        SecondLookError when `who` is the one who decided or there is nothing to confirm, ConflictError with the
        claim's last decision when it no longer stands or was confirmed, JournalError when the row could not be
        written.
        """
        if entry.action not in (Action.ACCEPT, Action.CHANGE):
            raise SecondLookError(f"a row with {entry.action} is not confirmed", where=entry.record_id)
        if storable(who) == entry.who:
            raise SecondLookError(
                "the examiner who decided cannot give the second look",
                where=entry.record_id,
                remedy="Another examiner has to confirm it",
            )
        decided = answers_json(
            entry.decided | {"confirms": entry.seq, "confirmed": str(entry.action)}, entry.record_id
        )
        unsaved = self._on(entry, Action.CONFIRM, _Signed(who, at, display_name, note), decided_json=decided)
        return self._saved(unsaved, lambda: self._check_standing(entry))

    def assign(
        self,
        queue: str,
        record_id: str,
        assignee: str,
        *,
        who: str,
        at: datetime,
        display_name: str = "",
        note: str = "",
        expected: str | None = None,
    ) -> Entry:
        """Say whose the claim is: an examiner's operating system user or a specialist queue; empty for nobody's.

        With `expected`, only if it is still that one's: raises ConflictError when it is not.
        """

        def check() -> None:
            if expected is not None and self.claim(queue, record_id).assignee != storable(expected):
                raise ConflictError(self._last_row(storable(queue), storable(record_id)), where=record_id)

        said = {"assignee": storable(assignee)}
        signed = _Signed(who, at, display_name, note)
        return self._saved(self._aside(queue, record_id, Action.ASSIGN, said, signed), check)

    def request(
        self,
        queue: str,
        record_id: str,
        *,
        asked: str,
        due_on: date,
        what: str,
        who: str,
        at: datetime,
        display_name: str = "",
        note: str = "",
    ) -> Entry:
        """Note that somebody outside was asked for something, and by when an answer is expected.

        A claim has one request that counts: a new one takes the place of one that is out.
        """
        said = {"asked": storable(asked), "due_on": due_on.isoformat(), "what": storable(what)}
        signed = _Signed(who, at, display_name, note)
        return self._saved(self._aside(queue, record_id, Action.REQUEST, said, signed), lambda: None)

    def answer(
        self,
        queue: str,
        record_id: str,
        *,
        request: int,
        withdrawn: bool = False,
        who: str,
        at: datetime,
        display_name: str = "",
        note: str = "",
    ) -> Entry:
        """Note that the answer to a request (its row) is in, or with `withdrawn` that none is needed any more.

        Raises ConflictError with the claim's last row when that request is not, or no longer, out.
        """

        def check() -> None:
            state = self.claim(queue, record_id)
            if state.waiting != Waiting.ASKED or state.request_seq != request:
                raise ConflictError(self._last_row(storable(queue), storable(record_id)), where=record_id)

        said = {"request": request, "withdrawn": withdrawn}
        signed = _Signed(who, at, display_name, note)
        return self._saved(self._aside(queue, record_id, Action.ANSWER, said, signed), check)

    # What they have in common

    def _on(self, entry: Entry, action: Action, signed: _Signed, **other: object) -> Entry:
        """A row about an earlier one, with its answers."""
        return entry._replace(
            at=signed.at,
            who=storable(signed.who),
            display_name=storable(signed.display_name),
            host=storable(self._host),
            program=self._program,
            action=action,
            note=storable(signed.note),
            **other,  # type: ignore[arg-type]
        )

    def _aside(
        self, queue: str, record_id: str, action: Action, said: Mapping[str, object], signed: _Signed
    ) -> Entry:
        """A row that decides nothing."""
        return Entry(
            seq=0,
            at=signed.at,
            who=storable(signed.who),
            display_name=storable(signed.display_name),
            host=storable(self._host),
            program=self._program,
            queue=storable(queue),
            record_id=storable(record_id),
            record_sha256="",
            policy_id="",
            policy_sha256="",
            action=action,
            reader="",
            proposed_json="{}",
            decided_json=plain_json(said),
            note=storable(signed.note),
            undoes=None,
            previous_hash="",
            hash="",
        )

    def _check_standing(self, entry: Entry) -> None:
        if self._standing_row(entry.queue, entry.record_id) != entry:
            raise ConflictError(self._last_decision(entry.queue, entry.record_id), where=entry.record_id)

    def _saved(self, unsaved: Entry, check: Callable[[], None]) -> Entry:
        entry = None
        try:
            with self._db.writing():
                check()
                entry = self._insert(unsaved)
        except UnknownOutcomeError as lost:
            if entry is None or not self._was_saved(entry, lost):
                raise JournalError(lost.what, where=self.where, remedy="Nothing was saved. Try again") from None
        assert entry is not None
        return entry

    def _was_saved(self, entry: Entry, lost: UnknownOutcomeError) -> bool:
        # Waits its turn behind the transaction whose end was not heard of, if the server still has that one.
        try:
            with self._db.writing():
                found = self._db.row("SELECT 1 FROM decision WHERE seq = ? AND hash = ?", entry.seq, entry.hash)
        except JournalError:
            raise lost from None
        return found is not None

    def _insert(self, unsaved: Entry) -> Entry:
        head = self._db.row(_HEAD)
        seq, previous_hash, last_seq = head or (0, NO_ROW_BEFORE, 0)
        if last_seq != seq:
            catch_up(self._db)  # a program that knows of no list of claims has written here
        values = (
            seq + 1,
            instant_text(unsaved.at),
            unsaved.who,
            unsaved.display_name,
            unsaved.host,
            unsaved.program,
            unsaved.queue,
            unsaved.record_id,
            unsaved.record_sha256,
            unsaved.policy_id,
            unsaved.policy_sha256,
            str(unsaved.action),
            unsaved.reader,
            unsaved.proposed_json,
            unsaved.decided_json,
            unsaved.note,
            unsaved.undoes,
            previous_hash,
        )
        saved = (*values, row_hash(values))
        self._db.run(_INSERT, *saved)
        project(self._db, parts_of(COLUMNS, saved))
        return entry_of(saved)
