"""Whether a PostgreSQL store still has the tables, checks and triggers that it was made with."""

from collections.abc import Iterator

from pendtui.desk.journal.database import Database
from pendtui.desk.journal.postgres_schema import DECISION_COLUMNS, FUNCTIONS, GUARDS, INDEXES
from pendtui.desk.journal.rows import Fault

_COLUMNS = (
    "SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute"
    " WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
)
_CHECKS = (
    "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE conrelid = to_regclass(?) AND contype = 'c' AND convalidated"
)
_TRIGGERS = (
    "SELECT t.tgname, t.tgtype, p.proname, encode(t.tgargs, 'hex'), t.tgenabled, t.tgqual IS NULL FROM pg_trigger t"
    " JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = to_regclass(?) AND NOT t.tgisinternal"
)
_BODIES = (
    "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = to_regnamespace(current_schema()::text)"
    " AND proname = ANY(?)"
)
_UNIQUE = (
    "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
    " WHERE i.indrelid = to_regclass('decision') AND i.indisunique AND i.indisvalid"
    " AND c.relname IN ('decision_pkey', 'decision_undone')"
)


def guard_faults(db: Database) -> Iterator[Fault]:
    """What is missing or altered; inside `reading`.

    How the server words a check or a trigger is its own affair, so a table like ours is made, compared with and
    given up again at the end of the look.
    """
    db.run(f"CREATE TEMP TABLE decision_as_made ({DECISION_COLUMNS}) ON COMMIT DROP")
    for name, (when, call) in GUARDS.items():
        db.run(f"CREATE TRIGGER {name} {when.format(table='decision_as_made')} EXECUTE FUNCTION {call}")
    if db.rows(_COLUMNS, "decision") != db.rows(_COLUMNS, "decision_as_made"):
        yield _altered("decision")
    checks: dict[str, str] = dict(db.rows(_CHECKS, "decision"))
    wanted: dict[str, str] = dict(db.rows(_CHECKS, "decision_as_made"))
    yield from (_altered(name) for name in wanted if checks.get(name) != wanted[name])
    triggers = {name: rest for name, *rest in db.rows(_TRIGGERS, "decision")}
    made = {name: rest for name, *rest in db.rows(_TRIGGERS, "decision_as_made")}
    yield from (_altered(name) for name in GUARDS if triggers.get(name) != made[name])
    bodies: dict[str, str] = dict(db.rows(_BODIES, list(FUNCTIONS)))
    yield from (_altered(name) for name, body in FUNCTIONS.items() if bodies.get(name) != body)
    (unique,) = db.row(_UNIQUE) or (0,)
    if unique != len([index for index in INDEXES if "UNIQUE" in index]) + 1:
        yield _altered("decision_undone")


def _altered(name: str) -> Fault:
    return Fault(None, f"{name} is missing or altered: the journal's guards were taken off")
