"""The tables of a journal on a PostgreSQL server. They say what those in a SQLite file say, with the same rows."""

from pendtui.desk.journal.rows import NO_ROW_BEFORE

# Escapes are taken out before the answers are looked into: a citation may hold a character (a NUL, half of a
# surrogate pair) that JSON can write and PostgreSQL cannot hold, and no key or release answer has an escape.
_ANSWERS = r"regexp_replace({side}, '\\.', '_', 'g')::json"
_RELEASE_CHECK = (
    "CHECK (CASE WHEN action IN ('assign', 'request', 'answer') THEN (" + _ANSWERS + " -> 'release') IS NULL"
    " ELSE coalesce((" + _ANSWERS + " ->> 'release') = 'EXAMINER-APPLIES', false) END)"
)

DECISION_COLUMNS = f"""
    seq bigint PRIMARY KEY,
    at text NOT NULL,
    who text NOT NULL,
    display_name text NOT NULL,
    host text NOT NULL,
    program text NOT NULL,
    queue text NOT NULL,
    record_id text NOT NULL,
    record_sha256 text NOT NULL,
    policy_id text NOT NULL,
    policy_sha256 text NOT NULL,
    action text NOT NULL CONSTRAINT decision_actions CHECK (
        action IN ('accept', 'change', 'park', 'undo', 'confirm', 'assign', 'request', 'answer')
    ),
    reader text NOT NULL,
    proposed text NOT NULL CONSTRAINT decision_proposed_release {_RELEASE_CHECK.format(side="proposed")},
    decided text NOT NULL CONSTRAINT decision_decided_release {_RELEASE_CHECK.format(side="decided")},
    note text NOT NULL,
    undoes bigint CONSTRAINT decision_undoes CHECK ((undoes IS NOT NULL) = (action = 'undo')),
    previous_hash text NOT NULL,
    hash text NOT NULL
"""

GUARDS = {
    "decision_never_updated": ("BEFORE UPDATE ON {table} FOR EACH STATEMENT", "decision_refused('updated')"),
    "decision_never_deleted": ("BEFORE DELETE ON {table} FOR EACH STATEMENT", "decision_refused('deleted')"),
    "decision_never_truncated": ("BEFORE TRUNCATE ON {table} FOR EACH STATEMENT", "decision_refused('truncated')"),
    "decision_only_appended": ("BEFORE INSERT ON {table} FOR EACH ROW", "decision_appended()"),
}
"""The triggers that refuse whatever is not an append: when each fires, and what it calls."""

FUNCTIONS = {
    "decision_refused": """
    BEGIN
        RAISE EXCEPTION 'the journal is append-only: rows are never %', TG_ARGV[0]
            USING ERRCODE = 'integrity_constraint_violation';
    END
    """,
    "decision_appended": f"""
    DECLARE
        last_seq bigint;
        last_hash text;
    BEGIN
        SELECT seq, hash INTO last_seq, last_hash FROM decision ORDER BY seq DESC LIMIT 1;
        IF NEW.seq IS DISTINCT FROM coalesce(last_seq, 0) + 1
            OR NEW.previous_hash IS DISTINCT FROM coalesce(last_hash, '{NO_ROW_BEFORE}')
        THEN
            RAISE EXCEPTION 'the journal is append-only: rows are never put anywhere but at the end'
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END
    """,
}
"""What the triggers call: the body of each function."""

INDEXES = (
    "CREATE INDEX decision_by_record ON decision (queue, record_id, seq, action)",
    "CREATE INDEX decision_by_examiner ON decision (queue, who, seq)",
    "CREATE UNIQUE INDEX decision_undone ON decision (undoes) WHERE undoes IS NOT NULL",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (),  # the first version was never on a server: versions are counted as those of the file are
    (
        f"CREATE TABLE decision ({DECISION_COLUMNS})",
        "ALTER TABLE decision ADD CONSTRAINT decision_undone_row FOREIGN KEY (undoes) REFERENCES decision (seq)",
        *INDEXES,
        *(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT"
            f" AS $body${body}$body$"
            for name, body in FUNCTIONS.items()
        ),
        *(
            f"CREATE TRIGGER {name} {when.format(table='decision')} EXECUTE FUNCTION {call}"
            for name, (when, call) in GUARDS.items()
        ),
        """
        CREATE TABLE claim (
            queue text NOT NULL,
            record_id text NOT NULL,
            last_seq bigint NOT NULL,
            status text NOT NULL,
            decision_seq bigint,
            who text NOT NULL,
            display_name text NOT NULL,
            decided_at text NOT NULL,
            resolution text NOT NULL,
            record_sha256 text NOT NULL,
            policy_sha256 text NOT NULL,
            assignee text NOT NULL,
            waiting text NOT NULL,
            request_seq bigint,
            asked text NOT NULL,
            due_on text NOT NULL,
            PRIMARY KEY (queue, record_id)
        )
        """,
        "CREATE INDEX claim_by_row ON claim (last_seq)",
        """
        CREATE TABLE lease (
            queue text NOT NULL,
            record_id text NOT NULL,
            token text NOT NULL,
            who text NOT NULL,
            display_name text NOT NULL,
            host text NOT NULL,
            since bigint NOT NULL,
            until bigint NOT NULL,
            PRIMARY KEY (queue, record_id)
        )
        """,
        """
        CREATE TABLE saved_filter (
            who text NOT NULL,
            name text NOT NULL,
            words text NOT NULL,
            PRIMARY KEY (who, name)
        )
        """,
    ),
)
"""What takes a store from each schema version to the next. Only ever added to."""

VERSION = len(MIGRATIONS)
"""The schema version this program writes."""

TABLES = ("decision", "claim", "lease", "saved_filter")
"""What must not be in the way where a new store is made."""
