"""How values are put into words and marks on screen. No rule is decided here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pendtui.desk.colleagues import News
from pendtui.desk.desk import Turned
from pendtui.desk.index import Changes
from pendtui.desk.journal import Action, ClaimState, Entry, Lease, Status
from pendtui.desk.listing import QueueRow
from pendtui.desk.words import count
from pendtui.engines.vocabulary import ClockState
from pendtui.plain import plain

if TYPE_CHECKING:
    from pendtui.desk.batch import BatchProgress
    from pendtui.desk.model.calls import Progress

NOT_YET = "…"
"""In place of what a reader has not been asked yet."""


def clock_mark(state: ClockState | None) -> str:
    """Two signs for a clock state: !! breached, ! escalate-now, ? unknown."""
    if state is None:
        return " ?"
    return {ClockState.BREACHED: "!!", ClockState.ESCALATE_NOW: " !", ClockState.WITHIN_CLOCK: "  "}[state]


def days_left(days: int | None) -> str:
    """Days left, or days over, in eight characters."""
    if days is None:
        return " no days"
    return f"{-days:>3} over" if days < 0 else f"{days:>3} left"


def cause_word(row: QueueRow) -> str:
    """The cause class read; dots while the reader is still to be asked."""
    return row.cause or ("not read" if row.answered else NOT_YET)


def resolution_word(row: QueueRow) -> str:
    """The resolution proposed, or that it is blocked; dots while that may still come of the reader's answer."""
    return row.resolution or ("blocked" if row.answered else NOT_YET)


def status_word(row: QueueRow) -> str:
    """How a claim stands, in nine characters.

    What keeps an examiner from it comes first: it is open elsewhere, or an answer is awaited. Marks: * for a stale
    decision, ? for an open claim that is worth a call to a model.
    """
    decided = row.status not in ("open", Status.SECOND_LOOK) and not row.stale
    if row.in_use_by and (not decided or row.waiting):
        return "in use"
    if row.waiting:
        return row.waiting
    status = "2nd look" if row.status == Status.SECOND_LOOK else row.status
    if row.stale:
        return f"{status}*"
    return f"{status} ?" if row.unsure and status == "open" else status


def turned_line(turned: Turned) -> str:
    """What has become urgent, in one line; empty for nothing."""
    parts = [
        f"newly {state}: {plain(ids[0]) if len(ids) == 1 else count(len(ids), 'claim')}"
        for ids, state in ((turned.breached, "breached"), (turned.escalate, "escalate-now"))
        if ids
    ]
    return "; ".join(parts)


def news_line(news: News) -> str:
    """What others did, in one line."""
    claims = news.claims
    if not claims:
        return ""
    first = claims[-1]
    what = f"{first.record_id} {_stands(first)}"
    return what if len(claims) == 1 else f"{count(len(claims), 'claim')} changed by others, the last: {what}"


def progress_line(changes: Changes) -> str:
    """How far the folder has been followed, or what is in the way; empty once all is known."""
    if changes.done < changes.due:
        return f"indexing {changes.done:,} of {changes.due:,}"
    if changes.answered < changes.unanswered:
        return f"reading {changes.answered:,} of {changes.unanswered:,}"
    return changes.fault


def folder_line(changes: Changes) -> str:
    """What has changed in the queue's folder, in one line."""
    counted = ((changes.new, "new"), (changes.changed, "changed"), (changes.removed, "removed"))
    parts = [f"{count(number, 'record')} {what}" for number, what in counted if number]
    return f"In the queue's folder: {', '.join(parts)}."


def in_use_line(lease: Lease) -> str:
    """Who has a claim open, where and since when."""
    since = lease.since.astimezone().strftime("%H:%M")
    return f"in use by {lease.by or lease.who} on {lease.host} since {since}"


def done_words(entry: Entry) -> str:
    """What an acceptance came to."""
    if entry.action is Action.CONFIRM:
        return "confirmed"
    done = "accepted" if entry.action is Action.ACCEPT else "changed"
    return f"{done}, to be confirmed by another examiner" if entry.decided.get("second_look") else done


def _stands(claim: ClaimState) -> str:
    if claim.waiting:
        return f"{claim.waiting}: {claim.asked}" if claim.asked else claim.waiting
    if claim.status:
        return f"{claim.status} by {claim.by}"
    return f"is {claim.assignee}'s" if claim.assignee else "is open again"


def call_progress(progress: Progress, deadline_seconds: float) -> str:
    """How far a call has got, in one line that also says when it will be given up and how to cancel it."""
    parts = [f"{progress.phase}, {progress.elapsed:.0f} of at most {deadline_seconds:.0f} s"]
    if progress.first_token is not None:
        parts.append(f"first token after {progress.first_token:.1f} s")
    if progress.tokens:
        parts.append(f"{progress.tokens:,} tokens")
    if progress.attempt > 1:
        parts.append(f"attempt {progress.attempt}")
    if progress.note:
        parts.append(progress.note)
    return f"model {', '.join(parts)}; Esc cancels"


def batch_lines(progress: BatchProgress, width: int = 40) -> Iterator[str]:
    """A batch's progress: a bar, the counts, the money and the time, as far as each is known."""
    filled = width * progress.done // progress.total if progress.total else 0
    yield f"[{'#' * filled}{'.' * (width - filled)}] {progress.done:,} of {progress.total:,}"
    yield (
        f"{progress.failed:,} failed, {progress.not_sent:,} not sent, {progress.held:,} held,"
        f" {progress.by_first:,} left to the offline reader, {progress.left:,} left"
    )
    spent = "spend not known" if progress.spent is None else f"spent {progress.spent:.4f}"
    rest = "" if progress.estimate is None else f", the rest about {progress.estimate:.4f}"
    left = "" if progress.seconds_left is None else f", about {progress.seconds_left:.0f} s left"
    yield f"{progress.calls:,} calls, {spent}{rest}; {progress.seconds:.0f} s{left}"
    if progress.paused:
        yield "paused"
    if progress.stopped:
        yield f"ended early: {progress.stopped}"
