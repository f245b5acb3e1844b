"""The label gate: an answer key derived a second time, with code of its own, and a sweep of every record.

Nothing here comes from the engines that the key was made with, so a slip in them does not excuse itself.
Only the standard library is imported. Values are named tuples and not dataclasses, for start-up time.
"""

import os
from collections.abc import Mapping
from datetime import date
from typing import Any

from pendtui.evals.labels.cases import check_case
from pendtui.evals.labels.claim import Claim
from pendtui.evals.labels.counts import (
    PUBLISHED,
    SHIPPED_POLICY,
    SHIPPED_RECORDS,
    SHIPPED_SEED,
    Tally,
)
from pendtui.evals.labels.folder import (
    read_bytes,
    read_corpus,
    read_key,
    read_record,
    read_rows,
    record_names,
)
from pendtui.evals.labels.identifiers import CLASSES, Finding, sweep
from pendtui.evals.labels.key import check_answers, check_citation
from pendtui.evals.labels.policy import Policy, read_policy
from pendtui.evals.labels.report import Count, Failure, Report, shown
from pendtui.evals.labels.rows import Row, compare, read_row
from pendtui.evals.labels.text import Document, read_document

__all__ = ["CLASSES", "Count", "Failure", "Finding", "Report", "check", "sweep"]


def check(folder: str | os.PathLike[str], policy_file: str | os.PathLike[str], today: date) -> Report:
    """Whether a queue's records, rows, key and counts hold under a policy, and what the sweep finds.

    Clocks are read on the day the policy names; `today` is used only where it names today. A file that
    cannot be read is one failure and the rest is checked all the same. Without gold.jsonl the key is not
    checked, without corpus.json the cases and counts are not, and the report says so. Never raises for
    anything that a file holds.
    """
    return _Gate(os.fspath(folder), os.fspath(policy_file), today).report()


class _Gate:
    """One run of the gate over one folder."""

    def __init__(self, folder: str, policy_file: str, today: date) -> None:
        self._folder = folder
        self._today = today
        self._failures: list[Failure] = []
        self._not_run: list[str] = []
        self._sweep: dict[str, int] = dict.fromkeys(CLASSES, 0)
        self._tally = Tally()
        self._policy = self._read_policy(policy_file)
        self._names, failures = record_names(folder)
        self._failures += failures
        self._rows = self._take(read_rows(folder))
        self._key = self._take(read_key(folder))
        self._corpus = self._take(read_corpus(folder))
        cases = (self._corpus or {}).get("cases")
        self._cases: Mapping[str, Any] | None = cases if isinstance(cases, dict) else None

    def report(self) -> Report:
        """Check every record, then what is left over, then the counts."""
        for record_id in self._names:
            self._check_record(record_id)
        self._check_strays()
        self._check_claim_ids()
        self._say_what_did_not_run()
        counts = tuple(self._counts())
        self._failures += [
            Failure(count.source, count.name, shown(count.expected), shown(count.found))
            for count in counts
            if not count.holds
        ]
        return Report(len(self._names), tuple(self._failures), counts, self._sweep, tuple(self._not_run))

    def _take(self, read: tuple[Mapping[str, Any] | None, list[Failure]]) -> Mapping[str, Any] | None:
        self._failures += read[1]
        return read[0]

    def _read_policy(self, policy_file: str) -> Policy | None:
        try:
            data = read_bytes(policy_file)
        except OSError as fault:
            self._failures.append(Failure("policy", "file", "a policy file", shown(fault.strerror)))
            return None
        policy, failures = read_policy(data)
        self._failures += failures
        return policy

    def _check_record(self, record_id: str) -> None:
        text, failures = read_record(self._folder, record_id)
        self._failures += failures
        document = None
        if text is not None:
            document, failures = read_document(record_id, text)
            self._failures += failures
        claim = self._claim(record_id, document)
        if claim.label is not None:
            self._failures += check_answers(claim)
            if document is not None:
                self._failures += check_citation(claim.label, document)
        case = self._cases.get(record_id) if self._cases is not None else None
        if self._cases is not None:
            self._failures += check_case(claim, case)
        if self._corpus is not None:
            self._tally.add(claim, case)
        if document is not None:
            self._sweep_record(record_id, document.text, claim.row)

    def _claim(self, record_id: str, document: Document | None) -> Claim:
        """Everything that is known of a record, with what it comes to under the policy."""
        row = self._row(record_id, document)
        label = self._label(record_id)
        if row is None or self._policy is None:
            return Claim(record_id, document, row, label, None, None, None)
        cause = str(label.get("cause_class")) if label else ""
        decisions = self._policy.decisions
        return Claim(
            record_id,
            document,
            row,
            label,
            decisions.get((row.evidence, cause)),
            decisions.get(("none", cause)),
            self._policy.standing(row, self._today),
        )

    def _row(self, record_id: str, document: Document | None) -> Row | None:
        row = None
        if self._rows is not None:
            given = self._rows.get(record_id)
            if given is None:
                self._failures.append(Failure(record_id, "row", "one in claims.json", "none"))
            else:
                row, failures = read_row(record_id, given)
                self._failures += failures
        if document is not None and document.sections:
            self._failures += compare(row, record_id, document.facts)
        return row

    def _label(self, record_id: str) -> Mapping[str, Any] | None:
        if self._key is None:
            return None
        label: Mapping[str, Any] | None = self._key.get(record_id)
        if label is None:
            self._failures.append(Failure(record_id, "key", "one in gold.jsonl", "none"))
        return label

    def _sweep_record(self, record_id: str, text: str, row: Row | None) -> None:
        received = row.received_on if row else None
        places = [("line", text)]
        if row is not None and row.title not in text:
            places.append(("title of its row, line", row.title))
        for where, swept in places:
            for finding in sweep(swept, received):
                self._sweep[finding.kind] += 1
                found = f"one at {where} {finding.line}, offset {finding.start}"
                self._failures.append(Failure(record_id, f"sweep {finding.kind}", "none", found))

    def _check_strays(self) -> None:
        """Rows, labels and cases that no record has."""
        names = set(self._names)
        for check_name, table, source in (
            ("row", self._rows, "claims.json"),
            ("key", self._key, "gold.jsonl"),
            ("case", self._cases, PUBLISHED),
        ):
            self._failures += [
                Failure(record_id, check_name, f"a record for this id of {source}", "no such record")
                for record_id in table or ()
                if record_id not in names
            ]

    def _check_claim_ids(self) -> None:
        owners: dict[str, str] = {}
        for record_id, row in (self._rows or {}).items():
            claim_id = row.get("claim_id")
            if isinstance(claim_id, str) and owners.setdefault(claim_id, record_id) != record_id:
                found = f"the claim id of {owners[claim_id]}"
                self._failures.append(Failure(record_id, "claim_id", "a claim id of its own", found))

    def _say_what_did_not_run(self) -> None:
        say = self._not_run.append
        if self._key is None:
            say("the answer key: there is no gold.jsonl to hold against the records")
        if self._rows is None:
            say("resolutions and clocks: there are no rows in claims.json to derive them from")
        if self._policy is None:
            say("resolutions and clocks: the policy cannot be used")
        if self._corpus is None:
            say("cases and counts: there is no corpus.json, this queue was not built here")

    def _counts(self) -> list[Count]:
        corpus = self._corpus
        if corpus is None:
            return []
        for name in ("cases", "counts"):
            if not isinstance(corpus.get(name), dict):
                self._failures.append(Failure(PUBLISHED, name, "a table", shown(corpus.get(name))))
        published = corpus.get("counts")
        if not isinstance(published, dict):
            return []
        if self._key is None or self._rows is None or self._policy is None:
            self._not_run.append("counts: they need rows, key and policy")
            return []
        if corpus.get("policy_id") != self._policy.policy_id:
            found = shown(corpus.get("policy_id"))
            self._failures.append(Failure(PUBLISHED, "policy_id", self._policy.policy_id, found))
        counts = list(self._tally.against_published(published, corpus.get("records")))
        if (corpus.get("seed"), corpus.get("records")) == (SHIPPED_SEED, SHIPPED_RECORDS):
            if self._policy.policy_id == SHIPPED_POLICY:
                counts += self._tally.against_shipped(published)
            else:
                self._not_run.append(f"the counts of the shipped queue: they hold under {SHIPPED_POLICY}")
        return counts
