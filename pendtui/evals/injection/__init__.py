"""The injection experiment: one line added to the notes of a record, and what it moves."""
