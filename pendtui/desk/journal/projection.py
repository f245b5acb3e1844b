"""Where every claim stands, kept beside the rows that say so and in the same transaction as each of them.

Lists of claims read this and not the rows. It holds nothing that the rows do not, and can be made anew from them.
"""

import json
from collections.abc import Iterable, Iterator

from pendtui.desk.journal.claims import ClaimState, Waiting
from pendtui.desk.journal.database import Database, Row
from pendtui.desk.journal.rows import STATUS_AFTER, Action, Status
from pendtui.engines.vocabulary import Resolution

STATE_COLUMNS = (
    "record_id, last_seq, status, decision_seq, who, display_name, decided_at, resolution, record_sha256,"
    " policy_sha256, assignee, waiting, request_seq, asked, due_on"
)
"""The fields of ClaimState as the table has them, in their order."""

_PARTS = "seq, queue, record_id, action, who, display_name, at, record_sha256, policy_sha256, decided, undoes"
_OF_CLAIM = f"SELECT {STATE_COLUMNS} FROM claim WHERE queue = ? AND record_id = ?"
_ROWS_OF_CLAIM = f"SELECT {_PARTS} FROM decision WHERE queue = ? AND record_id = ? ORDER BY seq"
_SET = (
    f"INSERT INTO claim (queue, {STATE_COLUMNS}) VALUES (?{', ?' * len(ClaimState._fields)})"
    " ON CONFLICT (queue, record_id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in STATE_COLUMNS.split(", ")[1:])
)
_STATUS_AFTER = {str(action): str(status) for action, status in STATUS_AFTER.items()}
_CHUNK = 1000


def project(db: Database, row: Row) -> None:
    """Take a row that was just put into the journal, as `parts_of` gives it, over into its claim's state."""
    _, queue, record_id, action, *_, undoes = row
    if action == Action.UNDO:
        rows = db.rows(_ROWS_OF_CLAIM, queue, record_id)
        undone = {each[-1] for each in rows} | {undoes}
        state = ClaimState(record_id, 0)
        for each in rows:
            state = after(state, each, each[0] in undone)
    else:
        found = db.row(_OF_CLAIM, queue, record_id)
        state = after(ClaimState._make(found) if found else ClaimState(record_id, 0), row, False)
    db.run(_SET, queue, *state)


def after(state: ClaimState, row: Row, undone: bool) -> ClaimState:
    """How a claim stands after one more row. Of one that was taken back later, only its number counts.

    Only the decision that stands is ever taken back, so leaving such rows out is the same as going back.
    """
    seq, _, _, action, who, display_name, at, record_sha256, policy_sha256, decided_json, _ = row
    state = state._replace(last_seq=seq)
    if undone or action == Action.UNDO:
        return state
    said = _parsed(decided_json)
    if action == Action.ASSIGN:
        return state._replace(assignee=str(said.get("assignee", "")))
    if action == Action.REQUEST:
        return state._replace(
            waiting=Waiting.ASKED.value,
            request_seq=seq,
            asked=str(said.get("asked", "")),
            due_on=str(said.get("due_on", "")),
        )
    if action == Action.ANSWER:
        return _not_waiting(state) if said.get("withdrawn") else state._replace(waiting=Waiting.ANSWERED.value)
    if action == Action.CONFIRM:
        return state._replace(status=_STATUS_AFTER.get(str(said.get("confirmed")), state.status))
    if action == Action.PARK:
        resolution = ""
    else:
        resolution = str(said.get("resolution") or "")
        if state.waiting == Waiting.ANSWERED or resolution != Resolution.PEND_EXTERNAL:
            state = _not_waiting(state)
    second_look = action != Action.PARK and said.get("second_look")
    return state._replace(
        status=Status.SECOND_LOOK.value if second_look else _STATUS_AFTER.get(action, ""),
        decision_seq=seq,
        who=who,
        by=display_name or who,
        decided_at=at,
        resolution=resolution,
        record_sha256=record_sha256,
        policy_sha256=policy_sha256,
    )


def parts_of(columns: tuple[str, ...], values: Row) -> Row:
    """Of a whole journal row, what the projection needs."""
    return tuple(values[columns.index(name)] for name in _PARTS.split(", "))


def folded(rows: Iterable[Row], undone: Iterable[int]) -> dict[tuple[str, str], ClaimState]:
    """How every claim stands after these rows (as `parts_of` gives them), by queue and record id."""
    gone = frozenset(undone)
    states: dict[tuple[str, str], ClaimState] = {}
    for row in rows:
        claim = row[1], row[2]
        states[claim] = after(states.get(claim) or ClaimState(row[2], 0), row, row[0] in gone)
    return states


def saved_states(db: Database) -> Iterator[tuple[tuple[str, str], ClaimState]]:
    """How every claim stands by the table; inside a transaction."""
    for queue, *state in db.stream(f"SELECT queue, {STATE_COLUMNS} FROM claim"):
        yield (queue, state[0]), ClaimState._make(state)


def catch_up(db: Database) -> None:
    """Make the table anew from the rows; inside a writing transaction.

    For a store that had no such table until now, or that an older program has written to.
    """
    db.run("DELETE FROM claim")
    undone = [row[0] for row in db.rows("SELECT undoes FROM decision WHERE undoes IS NOT NULL")]
    states = folded(db.stream(f"SELECT {_PARTS} FROM decision ORDER BY seq"), undone)
    db.run_each(_SET, ((queue, *state) for (queue, _), state in states.items()))


def _not_waiting(state: ClaimState) -> ClaimState:
    return state._replace(waiting=Waiting.NOBODY.value, request_seq=None, asked="", due_on="")


def _parsed(text: str) -> dict[str, object]:
    try:
        said = json.loads(text)
    except (TypeError, ValueError):
        return {}  # somebody changed the row behind the journal's back; verification says where
    return said if isinstance(said, dict) else {}
