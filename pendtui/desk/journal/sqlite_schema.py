"""The tables of a journal in a SQLite file, and how a file gets from one version of them to the next."""

from pendtui.desk.journal.rows import NO_ROW_BEFORE

_APPEND_ONLY = "SELECT RAISE(ABORT, 'the journal is append-only: rows are never {what}')"

_INDEXES = (
    "CREATE INDEX decision_by_record ON decision (queue, record_id, seq, action)",
    "CREATE INDEX decision_by_examiner ON decision (queue, who, seq)",
    "CREATE UNIQUE INDEX decision_undone ON decision (undoes) WHERE undoes IS NOT NULL",
)

_GUARDS = (
    f"""
    CREATE TRIGGER decision_never_updated BEFORE UPDATE ON decision
    BEGIN {_APPEND_ONLY.format(what="updated")}; END
    """,
    f"""
    CREATE TRIGGER decision_never_deleted BEFORE DELETE ON decision
    BEGIN {_APPEND_ONLY.format(what="deleted")}; END
    """,
    # INSERT OR REPLACE deletes without firing the trigger above, so a row may only go after the last one.
    f"""
    CREATE TRIGGER decision_only_appended BEFORE INSERT ON decision
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM decision)
        OR NEW.previous_hash IS NOT
            coalesce((SELECT hash FROM decision ORDER BY seq DESC LIMIT 1), '{NO_ROW_BEFORE}')
    BEGIN {_APPEND_ONLY.format(what="put anywhere but at the end")}; END
    """,
)


def _decision_table(name: str, actions: str, answers: str) -> str:
    return f"""
    CREATE TABLE {name} (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        who TEXT NOT NULL,
        display_name TEXT NOT NULL,
        host TEXT NOT NULL,
        program TEXT NOT NULL,
        queue TEXT NOT NULL,
        record_id TEXT NOT NULL,
        record_sha256 TEXT NOT NULL,
        policy_id TEXT NOT NULL,
        policy_sha256 TEXT NOT NULL,
        action TEXT NOT NULL CHECK (action IN ({actions})),
        reader TEXT NOT NULL,
        proposed TEXT NOT NULL CHECK ({answers.format(side="proposed")}),
        decided TEXT NOT NULL CHECK ({answers.format(side="decided")}),
        note TEXT NOT NULL,
        undoes INTEGER REFERENCES decision (seq) CHECK ((undoes IS NOT NULL) = (action = 'undo')),
        previous_hash TEXT NOT NULL,
        hash TEXT NOT NULL
    )
    """


_EXAMINER_APPLIES = "json_extract({side}, '$.release') IS 'EXAMINER-APPLIES'"

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        _decision_table("decision", "'accept', 'change', 'park', 'undo'", _EXAMINER_APPLIES),
        *_INDEXES,
        *_GUARDS,
    ),
    (
        # A table's checks cannot be changed, so the rows move to a wider table as they are, whatever they are:
        # to find a row that was tampered with is for verification, and the count of rows there ever were stays.
        _decision_table(
            "wider_decision",
            "'accept', 'change', 'park', 'undo', 'confirm', 'assign', 'request', 'answer'",
            "CASE WHEN action IN ('assign', 'request', 'answer') THEN json_type({side}, '$.release') IS NULL"
            f" ELSE {_EXAMINER_APPLIES} END",
        ),
        "INSERT INTO wider_decision SELECT * FROM decision ORDER BY seq",
        "DELETE FROM sqlite_sequence WHERE name = 'wider_decision'",
        "INSERT INTO sqlite_sequence (name, seq)"
        " SELECT 'wider_decision', seq FROM sqlite_sequence WHERE name = 'decision'",
        "DROP TABLE decision",
        "ALTER TABLE wider_decision RENAME TO decision",
        *_INDEXES,
        *_GUARDS,
        """
        CREATE TABLE claim (
            queue TEXT NOT NULL,
            record_id TEXT NOT NULL,
            last_seq INTEGER NOT NULL,
            status TEXT NOT NULL,
            decision_seq INTEGER,
            who TEXT NOT NULL,
            display_name TEXT NOT NULL,
            decided_at TEXT NOT NULL,
            resolution TEXT NOT NULL,
            record_sha256 TEXT NOT NULL,
            policy_sha256 TEXT NOT NULL,
            assignee TEXT NOT NULL,
            waiting TEXT NOT NULL,
            request_seq INTEGER,
            asked TEXT NOT NULL,
            due_on TEXT NOT NULL,
            PRIMARY KEY (queue, record_id)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX claim_by_row ON claim (queue, last_seq)",
        """
        CREATE TABLE lease (
            queue TEXT NOT NULL,
            record_id TEXT NOT NULL,
            token TEXT NOT NULL,
            who TEXT NOT NULL,
            display_name TEXT NOT NULL,
            host TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (queue, record_id)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE saved_filter (
            who TEXT NOT NULL,
            name TEXT NOT NULL,
            words TEXT NOT NULL,
            PRIMARY KEY (who, name)
        ) WITHOUT ROWID
        """,
    ),
)
"""What takes a journal from each schema version to the next. Only ever added to."""

VERSION = len(MIGRATIONS)
"""The schema version this program writes."""
