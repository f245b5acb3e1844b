"""The desk: one queue under one policy, one reader and one journal, as the screens see it."""

from __future__ import annotations

import os
import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.claim_view import ClaimView, NotDecidableError
from pendtui.desk.colleagues import Colleagues
from pendtui.desk.decisions import Decisions
from pendtui.desk.index import Changes, QueueIndex
from pendtui.desk.index_file import is_damage
from pendtui.desk.journal import ClaimState, Fault, Head, Journal, Status, Waiting, os_user
from pendtui.desk.listing import Counts, Listing, Mark, QueueRow
from pendtui.desk.order import row_numbers
from pendtui.desk.overview import Overview
from pendtui.desk.queue_folder import Rows, claim_in, read_record, read_rows, record_path, record_stamp
from pendtui.engines.facts import Claim
from pendtui.engines.policy import Policy
from pendtui.engines.readers import Reader, Reading, offline_reader
from pendtui.engines.recheck import recheck
from pendtui.engines.vocabulary import CauseClass, Evidence
from pendtui.errors import ConfigError, JournalError, QueueError

if TYPE_CHECKING:
    from pendtui.desk.model_reads import ModelAnswer
    from pendtui.engines.population import Population

T = TypeVar("T")

SMALL_QUEUE = 500
"""Entries of a queue folder up to which it is indexed before the first painting."""

LARGE_QUEUE = 20_000
"""Records from which a filter, or another order than by the clock, is looked for in a thread of its own."""

KEY_VARIABLE = "API_KEY"
"""The environment variable whose presence the strip reports."""


class Ordered(NamedTuple):
    """Row numbers in order, and the index file that numbers its rows so."""

    rids: Sequence[int]
    file: tuple[int, int] | None


class Turned(NamedTuple):
    """The claims that have become urgent since the last look, by id."""

    escalate: tuple[str, ...]
    breached: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standings:
    """What the strip shows of the desk."""

    counts: Counts
    decided_today: int


class Desk:
    """Everything a screen may ask for and everything it may do. Use it from one thread."""

    def __init__(self, config: Config, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.config = config
        self.folder = sources.queue_folder(config)
        self.policy: Policy = sources.read_policy(config)
        self.as_of = sources.as_of(config, self.policy)
        self.reader: Reader = self._reader()
        self.user = os_user()
        self.journal = Journal.open(config.store())
        # What the journal says of the claims is kept in the index, so it belongs to one queue of one journal.
        kept_for = f"{self.journal.where}\n{config.queue_name}"
        self.index = QueueIndex.at(config.index_path(), self.folder, self.policy, self.reader, kept_for)
        self.decisions = Decisions(
            self.journal,
            self.policy,
            self.queue_name,
            who=self.user,
            name=config.display_name,
            now=now,
            saved=self.load_claims,
        )
        self.colleagues = Colleagues(
            self.journal,
            self.queue_name,
            who=self.user,
            name=config.display_name,
            listing=lambda: self.index.listing,
            load_claims=self.load_claims,
        )
        self._now = now
        self._lists_are_old = False
        self._rows: tuple[tuple[int, int] | None, Rows] | None = None
        self._urgency: bytes | None = None
        self._looking_at_urgency = threading.Lock()
        self._seen: int | None = None
        """The last row of the journal that this program has been told of."""
        self.load_claims()

    def reopened(self, config: Config) -> Desk:
        """Another desk by other settings, with the same idea of what time it is. Raises PendtuiError."""
        return Desk(config, self._now)

    def close(self) -> None:
        """Let go of index and journal, and of the claims that are open."""
        with suppress(JournalError):
            self.colleagues.let_go_of_all()
        self.index.close()
        self.journal.close()

    @property
    def today(self) -> date:
        """The current day where the examiner sits."""
        return _local_day(self._now())

    @property
    def day(self) -> str | date:
        """The as-of setting with `today` put in, as the index takes it."""
        return self.today if self.as_of == "today" else self.as_of

    @property
    def queue_name(self) -> str:
        """How the journal names this queue: by the settings, else the folder's resolved path."""
        return sources.queue_name(self.config, self.folder)

    @property
    def mine(self) -> tuple[str, ...]:
        """The names that claims of mine are assigned to: my system user, and the queues that I work."""
        return (self.user, *self.config.my_queues)

    @property
    def assignees(self) -> dict[str, str]:
        """Whom claims can be assigned to by the settings, me first, and what each of them is."""
        named = dict.fromkeys((self.user, *self.config.examiners), "examiner")
        for queue in self.config.specialist_queues:
            named.setdefault(queue, "specialist queue")
        return named

    @property
    def has_key(self) -> bool:
        """Whether a key for a model call is at hand: in the environment, or in the place that the settings name."""
        return bool(os.environ.get(KEY_VARIABLE) or self.config.key_file or self.config.keyring_service)

    def _reader(self) -> Reader:
        """A reader as the settings name it, of its own a thread. Raises RunError where a run is not there."""
        if self.config.recorded:
            from pendtui.desk.recorded import reader_in

            return reader_in(self.config)
        return offline_reader(self.config.reader)

    # The queue

    @property
    def is_small(self) -> bool:
        """Whether the folder holds so few records that following it does not keep anybody waiting."""
        with os.scandir(self.folder) as entries:
            return sum(1 for _ in zip(range(SMALL_QUEUE + 1), entries, strict=False)) <= SMALL_QUEUE

    def refresh(self) -> None:
        """Bring the index up to the folder. Raises QueueError."""
        for _ in chain(self.index.refresh(), self.index.answer()):
            pass

    def follow(self, stop: threading.Event) -> Iterator[Changes]:
        """Keep the index up with the folder until `stop` is set, yielding what has changed; see `following.follow`.

        For a thread of its own, with a connection of its own.
        """
        from pendtui.desk.following import follow

        return follow(lambda: QueueIndex(self.index.path, self.folder, self.policy, self._reader()), stop)

    def verify_elsewhere(self) -> tuple[Head, tuple[Fault, ...]]:
        """The journal's head, and what its check finds, by a connection of its own, for another thread.

        Raises JournalError.
        """
        with Journal.open(self.config.store(), read_only=True) as journal:
            return journal.head(), journal.verify()

    def turned(self) -> Turned:
        """Which undecided claims have become escalate-now or breached since the last call; none at the first.

        For another thread: it looks at every urgent claim. Raises QueueError.
        """
        with self._looking_at_urgency, self.listing_elsewhere() as listing:
            before, self._urgency = self._urgency, listing.urgency(self.day)
            if before is None or before == self._urgency:
                return Turned((), ())
            levels = zip_longest(self._urgency, before[: len(self._urgency)], fillvalue=0)
            turned = [(rid, level) for rid, (level, held) in enumerate(levels) if level > held]
            ids: dict[int, list[str]] = {1: [], 2: []}
            for rid, level in turned:
                ids[level] += (row.id for row in listing.rows([rid], self.day))
            return Turned(tuple(ids[1]), tuple(ids[2]))

    def mend(self) -> bool:
        """Whether the list on screen has to be taken anew, because the index was; it is made anew where damaged.

        A large queue is empty then until it has been read again.
        """
        if self.index.listing.unreadable:
            self._make_index_anew()
        return self._lists_are_old

    def _make_index_anew(self) -> None:
        self.index.mend()
        self._told_anew()
        if self.is_small:
            self.refresh()

    def _told_anew(self) -> None:
        """Tell an index that was opened anew what the journal says. Row numbers are those of other records now."""
        self._lists_are_old = True
        self._urgency = None
        with suppress(JournalError):  # said by whoever looks at the journal next
            self.load_claims()
            self.colleagues.look_at_leases()

    def _asked(self, ask: Callable[[Listing], T]) -> T:
        """What the index answers; once more after it was found to be damaged."""
        try:
            return ask(self.index.listing)
        except sqlite3.DatabaseError as fault:
            if not is_damage(fault):
                raise self._unreadable(fault) from None
        self._make_index_anew()
        return ask(self.index.listing)

    def _unreadable(self, fault: sqlite3.Error) -> QueueError:
        return QueueError(f"the queue index cannot be read: {fault}", where=str(self.index.path))

    def standings(self) -> Standings:
        """Counts by clock state over the queue, and the claims decided today."""
        midnight = datetime.combine(self.today, time()).astimezone()
        tomorrow = datetime.combine(self.today + timedelta(days=1), time()).astimezone()
        decided = self._asked(lambda listing: listing.decided_between(midnight, tomorrow))
        return Standings(self._asked(lambda listing: listing.counts(self.day)), decided)

    def overview_elsewhere(self) -> Overview:
        """How the undecided claims stand, by a connection of its own, for another thread. Raises QueueError."""
        with self.listing_elsewhere() as listing:
            return listing.overview(self.day, self.today)

    def population_elsewhere(self) -> Population:
        """Where the percentile standards stand, by a connection of its own, for another thread.

        Raises QueueError, and ConfigError for month totals that cannot be.
        """
        from pendtui.engines.population import measure, month_totals

        totals = month_totals(self.config.months, self.policy, self.config.origins.get("months", ""))
        with self.listing_elsewhere() as listing:
            return measure(listing.pended_claims(), self.policy, self._population_day(listing), totals)

    @contextmanager
    def listing_elsewhere(self) -> Iterator[Listing]:
        """The queue's lists by a connection of their own, for another thread; leases as last seen.

        Raises QueueError where the index cannot be read.
        """
        with self._index_elsewhere() as index:
            yield index.listing

    @contextmanager
    def _index_elsewhere(self) -> Iterator[QueueIndex]:
        index = QueueIndex(self.index.path, self.folder, self.policy, self.reader)  # no record is read there
        try:
            index.listing.set_leases(self.colleagues.others, "")
            yield index
        except sqlite3.DatabaseError as fault:
            raise self._unreadable(fault) from None
        finally:
            index.close()

    def _population_day(self, listing: Listing) -> date:
        """The one day that a population is measured on: the as-of day, or the newest register reading."""
        day = self.day
        if isinstance(day, date):
            return day
        return listing.counts(day).newest_register or self.today

    def takes_long(self, sort: str, search: str) -> bool:
        """Whether `order` would keep waiting whoever types: a large queue, not listed whole by its clocks."""
        if not search and sort == "clock":
            return False
        return self._asked(lambda listing: listing.counts(self.day)).records > LARGE_QUEUE

    def order_elsewhere(self, sort: str, search: str, asked_to_stop: Callable[[], bool]) -> Ordered:
        """What `order` gives, for another thread; it gives up as soon as it is asked to.

        Raises FilterError, and QueueError where the index cannot be read or it gave up.
        """
        with self._index_elsewhere() as index:
            index.stop_when(asked_to_stop)
            rids = index.listing.order(self.day, sort, search, today=self.today, me=self.mine)
            return Ordered(rids if isinstance(rids, array) else row_numbers(rids), index.file)

    def holds(self, ordered: Ordered) -> bool:
        """Whether an order that was taken elsewhere is one of the index as it is; if not, it is of no use."""
        self._keep_up()
        self._lists_are_old = ordered.file != self.index.file
        return not self._lists_are_old

    def _keep_up(self) -> None:
        if self.index.reopened():
            self._told_anew()

    def order(self, sort: str, search: str) -> Sequence[int]:
        """Row numbers of the records that match, in order. Raises FilterError."""
        self._keep_up()
        listed = self._asked(lambda listing: listing.order(self.day, sort, search, today=self.today, me=self.mine))
        self._lists_are_old = False
        return listed

    def rows(self, rids: Sequence[int]) -> list[QueueRow]:
        """The rows of these numbers; none for a list that has to be taken anew, see `mend`."""
        if self._lists_are_old:
            return []
        try:
            return self.index.listing.rows(rids, self.day)
        except sqlite3.DatabaseError as fault:
            # No second try: in an index that is made anew the numbers are those of other records.
            self.index.listing.unreadable = is_damage(fault)
            return []

    def row_of(self, record_id: str) -> QueueRow | None:
        """The row of one record."""
        return self._asked(lambda listing: listing.row_of(record_id, self.day))

    def find_ids(self, start: str, limit: int) -> list[QueueRow]:
        """The records whose id begins so, in order of their ids; at most `limit`."""
        return self._asked(lambda listing: listing.starting_with(start, limit, self.day))

    def take_next(self, besides: str = "") -> QueueRow | None:
        """The claim to work next, by days left, held for this examiner; None when none is left besides that one.

        It is open, not in anybody else's hands and not waiting for an answer, or its answer is in or was due by
        today. No claim is dealt to two examiners at once: whoever holds its lease first has it. Raises
        JournalError.
        """
        passed = {besides}
        self.load_claims()
        while (row := self._next_to_work(passed)) is not None:
            if self.colleagues.take(row.id) is not None:
                passed.add(row.id)
            elif all(claim.record_id != row.id for claim in self.load_claims()):
                return row
            else:  # decided a moment ago by whoever had it, so that the list it was found in was too old
                self.colleagues.let_go(row.id)
        return None

    def _next_to_work(self, passed: set[str]) -> QueueRow | None:
        return self._asked(lambda listing: listing.next_to_work(self.user, self.mine, self.day, passed, self.today))

    def find_open(self, rids: Sequence[int], start: int, *, step: int = 1, urgent: bool = False) -> QueueRow | None:
        """The next record from position `start` on that is open (or stale), wrapping round once.

        With `urgent`, only one that must escalate or is breached.
        """
        total = len(rids)
        for first in range(0, total, 200):
            positions = [(start + step * n) % total for n in range(first, min(first + 200, total))]
            for row in self.rows([rids[at] for at in positions]):
                late = row.state is not None and row.state != "WITHIN-CLOCK"
                if self.is_to_work(row) and (late or not urgent):
                    return row
        return None

    def is_to_work(self, row: QueueRow) -> bool:
        """Whether a claim is there for this examiner to decide: in nobody else's hands, and no answer awaited.

        One whose answer is in, or was due by today, is there to be taken up again.
        """
        if row.in_use_by or row.status == "faulty":
            return False
        if row.waiting == Waiting.ASKED:
            return bool(row.due_on) and row.due_on <= self.today.isoformat()
        seconds = row.status == Status.SECOND_LOOK and row.who != self.user
        return row.status == "open" or row.stale or seconds or row.waiting == Waiting.ANSWERED

    # One claim

    def open(self, record_id: str) -> ClaimView:
        """Read a record afresh and derive its four answers. Raises QueueError when the record has gone."""
        path = record_path(self.folder, record_id)
        if record_stamp(path) is None:
            raise QueueError("the record is no longer in the queue", where=record_id)
        loaded = read_record(path, record_id)
        claim = claim_in(loaded.record, self._claim_rows(record_id))
        reading = self.reader.read(claim.record)
        answers = recheck(reading, claim, self.policy, self.as_of, self.today)
        standing = self.journal.standing(self.queue_name, record_id)
        history = self.journal.history(self.queue_name, record_id)
        return ClaimView(
            claim,
            loaded.sha256,
            reading,
            answers,
            answers,
            last_seq=next((entry.seq for entry in reversed(history) if entry.decides), None),
            standing=standing,
            state=self.journal.claim(self.queue_name, record_id),
        )

    def with_cause(self, view: ClaimView, cause: CauseClass) -> ClaimView:
        """The claim with another cause class and all answers recomputed; the reader's own brings its quote back."""
        if cause == view.base.cause:
            reading, changed = view.base, False
        else:
            reading, changed = Reading("examiner", cause), True
        return self._recomputed(replace(view, cause_by_examiner=changed), reading, view.claim)

    def with_evidence(self, view: ClaimView, evidence: Evidence) -> ClaimView:
        """The claim with what the examiner says the register holds; only where no row says it."""
        obstacle = self.evidence_is_given(view)
        if obstacle is not None or view.claim.facts is None:
            raise NotDecidableError(obstacle or "", where=view.id)
        claim = view.claim._replace(facts=view.claim.facts._replace(evidence=evidence))
        cause = view.answers.cause
        reading = Reading("examiner", cause) if view.cause_by_examiner else view.base
        return self._recomputed(replace(view, evidence_by_examiner=True), reading, claim)

    def with_model(self, view: ClaimView, answer: ModelAnswer) -> ClaimView:
        """The claim with a model's read of it beside the offline reader's; what the answers rest on stays."""
        return replace(view, model=answer)

    def swapped(self, view: ClaimView) -> ClaimView:
        """The claim resting on the other reading. Raises NotDecidableError where there is only one."""
        if view.model is None or view.model.reading is None:
            raise NotDecidableError("there is only one reading", where=view.id, remedy="Ask a model with r")
        turned = replace(view, rests_on_model=not view.rests_on_model, cause_by_examiner=False)
        return self._recomputed(turned, turned.base, view.claim)

    def on_this_day(self, view: ClaimView) -> ClaimView:
        """The claim with its answers as they are today; what the examiner has changed stays."""
        proposed = recheck(view.reading, view.claim, self.policy, self.as_of, self.today)
        reading = Reading("examiner", view.answers.cause) if view.cause_by_examiner else view.base
        return self._recomputed(replace(view, proposed=proposed), reading, view.claim)

    def outdated(self, view: ClaimView) -> str:
        """What of the claim has become another in the folder since it was opened; empty for nothing."""
        try:
            found = self.open(view.id)
        except QueueError as fault:
            return str(fault)
        except JournalError:  # said by whoever looks at the journal next
            return ""
        if found.sha256 != view.sha256:
            return "the record has changed in the folder"
        facts, seen = found.claim.facts, view.claim.facts
        if facts is not None and seen is not None and view.evidence_by_examiner and facts.evidence is None:
            facts = facts._replace(evidence=seen.evidence)
        same = facts == seen and found.claim.faults == view.claim.faults
        return "" if same else "the claim's row in claims.json has changed"

    def evidence_is_given(self, view: ClaimView) -> str | None:
        """Why what the register holds cannot be set by the examiner; None when it can."""
        if view.claim.has_row:
            return "What the register holds comes from claims.json here and cannot be set."
        if view.claim.facts is None:
            return "Without the claim's facts no rule can be applied; the claim can be parked (p)."
        return None

    def _recomputed(self, view: ClaimView, reading: Reading, claim: Claim) -> ClaimView:
        answers = recheck(reading, claim, self.policy, self.as_of, self.today)
        return replace(view, claim=claim, answers=answers)

    def model_obstacle(self) -> str | None:
        """Why no model can be asked here, with what to do about it; None when one can."""
        from pendtui.desk.model.settings import model_secret, model_settings

        try:
            model_secret(self.config, model_settings(self.config))
        except ConfigError as fault:
            return str(fault)
        return None

    def model_server(self) -> str:
        """Whom a model call would ask, in words. Raises ConfigError where nothing says."""
        from pendtui.desk.model.settings import model_settings

        settings = model_settings(self.config)
        return f"{settings.title}, {settings.model} at {settings.host}"

    def ids_of(self, rids: Sequence[int]) -> tuple[list[str], int]:
        """The record ids of these row numbers, and how many of them the offline reader is unsure of."""
        ids, unsure = [], 0
        for first in range(0, len(rids), 500):
            for row in self.rows(rids[first : first + 500]):
                ids.append(row.id)
                unsure += bool(row.unsure)
        return ids, unsure

    # What the journal says

    def load_claims(self) -> tuple[ClaimState, ...]:
        """Take over from the journal where claims of this queue stand; those with rows since the last call."""
        return self._asked(self._load_claims)

    def _load_claims(self, listing: Listing) -> tuple[ClaimState, ...]:
        mark, head = listing.mark(), self.journal.head()
        now = Mark(head.rows, head.hash)
        # The index may be another program's as well, which has told it already: what is news here is counted here.
        seen, self._seen = self._seen, now.seq
        if mark is None or not self._holds(mark):
            listing.set_claims(self.journal.claims(self.queue_name), now)
        elif mark != now:
            listing.add_claims(self.journal.claims(self.queue_name, since=mark.seq), now)
        if seen is None or seen >= now.seq:
            return ()
        return tuple(self.journal.claims(self.queue_name, since=seen))

    def _holds(self, mark: Mark) -> bool:
        """Whether the journal is still the one that the index was told of."""
        if mark.seq == 0:
            return True
        entry = self.journal.entry(mark.seq)
        return entry is not None and entry.hash == mark.hash

    def _claim_rows(self, record_id: str) -> Rows:
        indexed = self._asked(lambda _: self.index.claim_rows(record_id))
        if indexed is not None:
            return indexed
        stamp = _stamp(self.folder / "claims.json")
        if self._rows is None or self._rows[0] != stamp:
            self._rows = (stamp, read_rows(self.folder))
        return self._rows[1]


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


def _local_day(at: datetime) -> date:
    return at.astimezone().date()
