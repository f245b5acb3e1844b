"""The desk: one queue under one policy, one reader and one journal, as the screens see it."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.index import QueueIndex
from pendtui.desk.journal import Entry, Journal, NewEntry, Standing, os_user
from pendtui.desk.journal.claims import ClaimState
from pendtui.desk.journal.rows import instant_text
from pendtui.desk.listing import Counts, Mark, QueueRow
from pendtui.desk.model_reads import ModelAnswer
from pendtui.desk.queue_folder import Rows, claim_in, read_record, read_rows, record_path, record_stamp
from pendtui.engines.facts import Claim
from pendtui.engines.gate import require_examiner
from pendtui.engines.policy import Blocked, Policy, Resolved
from pendtui.engines.readers import Reader, Reading, offline_reader
from pendtui.engines.recheck import Answers, recheck
from pendtui.engines.record import Span
from pendtui.engines.vocabulary import CauseClass, Evidence
from pendtui.errors import ConfigError, PendtuiError, QueueError

SMALL_QUEUE = 500
"""Entries of a queue folder up to which it is indexed before the first painting."""

KEY_VARIABLE = "API_KEY"
"""The environment variable whose presence the strip reports."""


class NotDecidableError(PendtuiError):
    """The claim cannot be accepted as it stands; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One opened claim: the record, the reader's proposal, and the answers under what the examiner has changed."""

    claim: Claim
    sha256: str
    reading: Reading
    proposed: Answers
    answers: Answers
    cause_by_examiner: bool = False
    evidence_by_examiner: bool = False
    model: ModelAnswer | None = None
    """What a model's read of the record came to; None where none was asked."""
    rests_on_model: bool = False
    """Whether the answers rest on the model's reading and not on the offline reader's."""
    last_seq: int | None = None
    """The journal row that the examiner saw as this claim's last; None when there was none."""
    standing: Standing | None = None

    @property
    def id(self) -> str:
        """The record's id."""
        return self.claim.record.id

    @property
    def base(self) -> Reading:
        """The reading that the answers rest on, before the examiner changed anything."""
        if self.rests_on_model and self.model is not None and self.model.reading is not None:
            return self.model.reading
        return self.reading

    @property
    def other_span(self) -> Span | None:
        """Where the sentence stands that the other reading cites; None where there is none or it is the same."""
        if self.model is None or self.model.answers is None:
            return None
        other = self.proposed.span if self.rests_on_model else self.model.answers.span
        return None if other == self.answers.span else other

    @property
    def stale(self) -> bool:
        """Whether a decision stands on other bytes of the record."""
        return self.standing is not None and self.standing.record_sha256 != self.sha256


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
        self.reader: Reader = offline_reader(config.reader)
        self.user = os_user()
        self.journal = Journal.open(config.journal_path())
        self.index = QueueIndex.at(
            config.index_path(), self.folder, self.policy, self.reader, str(self.journal.path)
        )
        self._now = now
        self._rows: tuple[tuple[int, int] | None, Rows] | None = None
        self.load_claims()

    def close(self) -> None:
        """Let go of index and journal."""
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
        """How the journal names this queue: the folder's resolved path."""
        return str(self.folder.resolve())

    @property
    def has_key(self) -> bool:
        """Whether a key for a model call is at hand: in the environment, or in the place that the settings name."""
        return bool(os.environ.get(KEY_VARIABLE) or self.config.key_file or self.config.keyring_service)

    # The queue

    @property
    def is_small(self) -> bool:
        """Whether the folder holds so few records that following it does not keep anybody waiting."""
        with os.scandir(self.folder) as entries:
            return sum(1 for _ in zip(range(SMALL_QUEUE + 1), entries, strict=False)) <= SMALL_QUEUE

    def refresh(self) -> None:
        """Bring the index up to the folder. Raises QueueError."""
        for _ in self.index.refresh():
            pass

    def refresh_elsewhere(self) -> Iterator[tuple[int, int]]:
        """The same through a connection of its own, for another thread, yielding records done and to do."""
        index = QueueIndex(self.index.path, self.folder, self.policy, offline_reader(self.config.reader))
        try:
            for progress in index.refresh():
                yield progress.done, progress.due
        finally:
            index.close()

    def standings(self) -> Standings:
        """Counts by clock state over the queue, and the claims decided today."""
        midnight = datetime.combine(self.today, time()).astimezone()
        tomorrow = datetime.combine(self.today + timedelta(days=1), time()).astimezone()
        decided = self.index.listing.decided_between(midnight, tomorrow)
        return Standings(self.index.listing.counts(self.day), decided)

    def order(self, sort: str, search: str) -> Sequence[int]:
        """Row numbers of the records that match, in order. Raises FilterError."""
        if self.index.reopened():
            self.load_claims()
        return self.index.listing.order(self.day, sort, search, today=self.today, me=self.user)

    def rows(self, rids: Sequence[int]) -> list[QueueRow]:
        """The rows of these numbers."""
        return self.index.listing.rows(rids, self.day)

    def row_of(self, record_id: str) -> QueueRow | None:
        """The row of one record."""
        return self.index.listing.row_of(record_id, self.day)

    def find_ids(self, start: str, limit: int) -> list[QueueRow]:
        """The records whose id begins so, in order of their ids; at most `limit`."""
        return self.index.listing.starting_with(start, limit, self.day)

    def find_open(self, rids: Sequence[int], start: int, *, step: int = 1, urgent: bool = False) -> QueueRow | None:
        """The next record from position `start` on that is open (or stale), wrapping round once.

        With `urgent`, only one that must escalate or is breached.
        """
        total = len(rids)
        for first in range(0, total, 200):
            positions = [(start + step * n) % total for n in range(first, min(first + 200, total))]
            for row in self.rows([rids[at] for at in positions]):
                waiting = row.status == "open" or row.stale
                late = row.state is not None and row.state != "WITHIN-CLOCK"
                if waiting and (late or not urgent):
                    return row
        return None

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
            last_seq=history[-1].seq if history else None,
            standing=standing,
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

    def obstacle(self, view: ClaimView) -> str | None:
        """Why the claim cannot be accepted as it stands; None when it can."""
        if view.claim.faults:
            return "a faulty record can be parked (p) and not accepted"
        if view.answers.cause is None:
            return "no cause class was read; choose one (c)"
        if isinstance(view.answers.resolution, Blocked):
            key = "say what it holds (v)" if view.answers.resolution.missing == "evidence" else "choose one (c)"
            return f"{view.answers.resolution.reason}; {key}"
        if view.answers.clock is None:
            return "its clock cannot be read; it can be parked (p)"
        return None

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

    # Deciding

    def accept(self, view: ClaimView) -> Entry:
        """Save the answers as the examiner's decision.

        Raises NotDecidableError or JournalError; nothing is half-written.
        """
        obstacle = self.obstacle(view)
        if obstacle is not None:
            raise NotDecidableError(f"cannot be accepted: {obstacle}", where=view.id)
        require_examiner(view.answers.release)
        changed = view.cause_by_examiner or view.evidence_by_examiner
        return self._append(view, "change" if changed else "accept", "")

    def park(self, view: ClaimView, note: str) -> Entry:
        """Set the claim aside with a note."""
        return self._append(view, "park", note)

    def undo(self) -> Entry | None:
        """Take back my last decision in this queue, with a new journal row; None when there is none."""
        last = self.journal.last_by(self.queue_name, self.user)
        if last is None:
            return None
        entry = self.journal.undo(last, who=self.user, display_name=self.config.display_name, at=self._now())
        self._settle(last.record_id)
        return entry

    def undone(self, entry: Entry) -> str:
        """What an undo has left: the claim open again, or standing as before."""
        standing = self.journal.standing(self.queue_name, entry.record_id)
        left = "is open again" if standing is None else f"stands as {standing.status} again, by {standing.entry.by}"
        return f"Row {entry.undoes} undone by row {entry.seq}: {entry.record_id} {left}."

    def _append(self, view: ClaimView, action: str, note: str) -> Entry:
        entry = self.journal.append(
            NewEntry(
                at=self._now(),
                who=self.user,
                display_name=self.config.display_name,
                queue=self.queue_name,
                record_id=view.id,
                record_sha256=view.sha256,
                policy_id=self.policy.policy_id,
                policy_sha256=self.policy.sha256,
                action=action,
                reader=view.base.arm,
                proposed=self._as_json(view.proposed, view),
                decided=self._as_json(view.answers, view) | self._reply_json(view),
                note=note,
            ),
            expected_last=view.last_seq,
        )
        self._settle(view.id)
        return entry

    def _as_json(self, answers: Answers, view: ClaimView) -> dict[str, object]:
        clock, resolution = answers.clock, answers.resolution
        resolved = resolution if isinstance(resolution, Resolved) else None
        facts = view.claim.facts
        return {
            "cause_class": answers.cause,
            "citation": answers.quote,
            "span": list(answers.span) if answers.span else None,
            "resolution": resolved.resolution if resolved else None,
            "rule": resolved.rule.id if resolved else None,
            "clock": clock.state if clock else None,
            "clock_rule": clock.rule.id if clock else None,
            "release": answers.release,
            "as_of": clock.as_of.isoformat() if clock else None,
            "elapsed_days": clock.elapsed_days if clock else None,
            "deadline_days": clock.deadline_days if clock else None,
            "evidence": facts.evidence if facts else None,
        }

    @staticmethod
    def _reply_json(view: ClaimView) -> dict[str, object]:
        """The hash of the model's raw reply that was on screen; nothing where no model was asked."""
        return {"reply_sha256": view.model.reply_sha256} if view.model is not None else {}

    # What the journal says

    def load_claims(self) -> None:
        """Take over from the journal what its rows since the last time say of this queue's claims."""
        listing, head, mark = self.index.listing, self.journal.head(), self.index.listing.mark()
        now = Mark(head.rows, head.hash)
        if mark is not None and (mark.seq == 0 or self._row_hash(mark.seq) == mark.hash):
            if mark != now:
                changed = {entry.record_id for entry in self.journal.entries(self.queue_name, since=mark.seq)}
                listing.add_claims(map(self._state, changed), now)
            return
        standings = self.journal.standings(self.queue_name)
        listing.set_claims((_state(one.entry.seq, record_id, one) for record_id, one in standings.items()), now)

    def _row_hash(self, seq: int) -> str:
        entry = next(self.journal.entries(since=seq - 1), None)
        return entry.hash if entry is not None else ""

    def _state(self, record_id: str) -> ClaimState:
        standing = self.journal.standing(self.queue_name, record_id)
        return _state(self.journal.history(self.queue_name, record_id)[-1].seq, record_id, standing)

    def _settle(self, record_id: str) -> None:
        self.index.listing.add_claims([self._state(record_id)])

    def _claim_rows(self, record_id: str) -> Rows:
        indexed = self.index.claim_rows(record_id)
        if indexed is not None:
            return indexed
        stamp = _stamp(self.folder / "claims.json")
        if self._rows is None or self._rows[0] != stamp:
            self._rows = (stamp, read_rows(self.folder))
        return self._rows[1]


def _state(last_seq: int, record_id: str, standing: Standing | None) -> ClaimState:
    if standing is None:
        return ClaimState(record_id, last_seq)
    entry = standing.entry
    return ClaimState(
        record_id,
        last_seq,
        status=standing.status,
        decision_seq=entry.seq,
        who=entry.who,
        by=entry.by,
        decided_at=instant_text(entry.at),
        resolution=str(entry.decided.get("resolution") or ""),
        record_sha256=standing.record_sha256,
        policy_sha256=standing.policy_sha256,
    )


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


def _local_day(at: datetime) -> date:
    return at.astimezone().date()
