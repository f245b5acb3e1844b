"""Make a folder of very many valid records quickly: those of a built queue over and over, under ids of their own.

Usage: python bench/many_records.py FOLDER RECORDS
A million take about a minute and 4 GB in files of 4 KB each; put them under /dev/shm, and delete them afterwards.
"""

import argparse
import json
import tempfile
from pathlib import Path

from pendtui.evals.corpus.build import build

BASE = 2_000
"""Different records that the generator writes; all others repeat one of them."""


def make(folder: Path, records: int) -> None:
    """Write records PC-0000001 and so on, and claims.json. The dates are those of the built queue."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name:
        build(Path(name), records=min(records, BASE))
        rows = json.loads((Path(name) / "claims.json").read_text(encoding="utf-8"))
        texts = [(Path(name) / f"{row['id']}.txt").read_text(encoding="utf-8") for row in rows]
    with (folder / "claims.json").open("w", encoding="utf-8") as listed:
        for n in range(1, records + 1):
            row, text = rows[n % len(rows)], texts[n % len(rows)]
            record_id, claim_id = f"PC-{n:07}", f"CLM-2026-{n:07}"
            text = text.replace(row["id"], record_id).replace(row["claim_id"], claim_id)
            (folder / f"{record_id}.txt").write_text(text, encoding="utf-8")
            listed.write("[" if n == 1 else ",\n")
            listed.write(json.dumps({**row, "id": record_id, "claim_id": claim_id}))
        listed.write("]\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("records", type=int)
    args = parser.parse_args()
    make(args.folder, args.records)
