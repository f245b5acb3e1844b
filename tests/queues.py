"""Queue folders for tests, written to disk from parts."""

import json
from collections.abc import Mapping
from pathlib import Path

from tests.records import record_text, row_object

CAUSE_LINES = {
    "AUTH-MISSING": "EDIT 4410 - no precertification number on file for this stay.",
    "DUP-SUSPECT": "EDIT 18 - possible duplicate of a finished claim.",
    "CODE-EDIT": "EDIT 97 - procedure bundled into the primary service.",
    "ELIG-MISMATCH": "EDIT 27 - eligibility ended before the date of service.",
    "PRICE-UNAVAILABLE": "EDIT 147 - no rate loaded for this code.",
}


def write_queue(folder: Path, claims: Mapping[str, Mapping[str, object]], *, rows: bool = True) -> Path:
    """Write records and claims.json. Each claim may give `cause` (of CAUSE_LINES) and any field of its row."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for n, (record_id, given) in enumerate(claims.items(), 1):
        values = {"claim_id": f"CLM-2026-{400_000 + n}", **given}
        cause = str(values.pop("cause", "AUTH-MISSING"))
        row = row_object(record_id, **values)
        business = "Medicare Advantage" if row["line_of_business"] == "MA" else "Medicaid"
        text = record_text(
            record_id,
            message=[CAUSE_LINES[cause]],
            claim_id=str(row["claim_id"]),
            title=str(row["title"]),
            line_of_business=business,
            provider="contracted" if row["contracted"] else "non-contracted",
            claim_type="clean claim" if row["clean"] else "not a clean claim",
            received_on=str(row["received_on"]),
            pended_on=str(row["pended_on"]),
            register_read_on=str(row["register_read_on"]),
        )
        (folder / f"{record_id}.txt").write_text(text, encoding="utf-8")
        listed.append(row)
    if rows:
        (folder / "claims.json").write_text(json.dumps(listed), encoding="utf-8")
    return folder


def days_left(days: int) -> dict[str, object]:
    """Dates that leave a clean Medicaid claim so many days of its 30 when the register was read."""
    from datetime import date, timedelta

    received = date(2026, 9, 1) - timedelta(days=30 - days)
    pended = received + timedelta(days=1)
    return {
        "line_of_business": "MEDICAID",
        "received_on": received.isoformat(),
        "pended_on": min(pended, date(2026, 9, 1)).isoformat(),
    }


FIVE = {
    "PC-0001": {**days_left(20), "cause": "AUTH-MISSING"},
    "PC-0002": {**days_left(-4), "cause": "DUP-SUSPECT", "evidence": "none"},
    "PC-0003": {**days_left(3), "cause": "CODE-EDIT", "evidence": "correction"},
    "PC-0004": {**days_left(-1), "cause": "ELIG-MISMATCH", "evidence": "awaited"},
    "PC-0005": {**days_left(5), "cause": "PRICE-UNAVAILABLE", "evidence": "clean"},
}
"""Five sound claims; by clock they stand PC-0002, PC-0004, PC-0003, PC-0005, PC-0001."""
