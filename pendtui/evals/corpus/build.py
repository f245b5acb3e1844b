"""Build a queue folder of invented claims: records, claims.json, the answer key, and the counts that must hold."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

import pendtui
from pendtui.engines.clock import Clock, read_clock
from pendtui.engines.facts import ClaimFacts
from pendtui.engines.gate import release_for
from pendtui.engines.policy import Blocked, Policy, Resolved
from pendtui.engines.policy_file import load_policy
from pendtui.engines.vocabulary import CauseClass, Evidence
from pendtui.errors import PendtuiError
from pendtui.evals.corpus.claims import Deadlines, draw_facts
from pendtui.evals.corpus.draw import shuffle
from pendtui.evals.corpus.plan import CLEAN_CASES, Cell, allot
from pendtui.evals.corpus.pools import Pools, read_pools
from pendtui.evals.corpus.writer import BAIT, Writer, Written

SEED = 20260901
"""The seed of the shipped queue."""
RECORDS = 60
"""The size of the shipped queue."""
GENERATOR = 1
"""The version of the generator that corpus.json names."""

_OWN_FILES = ("claims.json", "gold.jsonl")
_CORPUS = "corpus.json"
_CLAIM_STEP = 61_803
"""Strides through the claim numbers; prime to every power of ten, so that none comes twice."""


class Counts:
    """What a built queue holds. `pendtui check` derives the same counts anew."""

    def __init__(self, seed: int, cause_sentences: int, register_lines: int) -> None:
        self.records = 0
        self.seed = seed
        self.cases: dict[str, int] = {}
        self.clean_records = 0
        self.hard_records = 0
        self.rules: dict[str, int] = {}
        self.clock_rules: dict[str, int] = {}
        self.decided_by_register = 0
        self.decided_by_cause = 0
        self.resolutions: dict[str, int] = {}
        self.clocks: dict[str, int] = {}
        self.must_escalate = 0
        self.clock_trap_records = 0
        """Records whose clock state would be another if counted from the pend date."""
        self.causes: dict[str, int] = {}
        self.cause_sentences = cause_sentences
        """How many cause sentences the pools hold."""
        self.register_lines = register_lines
        """How many register lines the pools hold."""
        self.bait_records = 0

    def add(self, cell: Cell, resolved: Resolved, clock: Clock) -> None:
        """Count one record in."""
        self.records += 1
        for table, word in (
            (self.cases, cell.case),
            (self.rules, resolved.rule.id),
            (self.clock_rules, clock.rule.id),
            (self.resolutions, str(resolved.resolution)),
            (self.clocks, str(clock.state)),
            (self.causes, str(cell.cause)),
        ):
            table[word] = table.get(word, 0) + 1
        clean = cell.case in CLEAN_CASES
        self.clean_records += clean
        self.hard_records += not clean
        self.decided_by_register += cell.evidence is not Evidence.NONE
        self.decided_by_cause += cell.evidence is Evidence.NONE
        self.must_escalate += clock.must_escalate
        self.clock_trap_records += clock.state is not clock.pend_state
        self.bait_records += cell.case == BAIT

    def as_json(self) -> dict[str, object]:
        """The counts as corpus.json publishes them, tables in the order of their words."""
        return {
            name: dict(sorted(value.items())) if isinstance(value, dict) else value
            for name, value in vars(self).items()
            if name not in ("records", "seed")
        }


class InventedClaim(NamedTuple):
    """One claim of the corpus with everything that is written of it."""

    id: str
    cell: Cell
    facts: ClaimFacts
    written: Written
    resolved: Resolved
    clock: Clock

    @property
    def citation(self) -> str:
        """The cause sentence, exactly as it stands in the record."""
        start, stop = self.written.span
        return self.written.text[start:stop]

    def row(self) -> dict[str, object]:
        """The claim's row of claims.json."""
        facts = self.facts
        return {
            "id": self.id,
            "claim_id": facts.claim_id,
            "title": self.written.title,
            "line_of_business": facts.line_of_business,
            "clean": facts.clean,
            "contracted": facts.contracted,
            "received_on": facts.received_on.isoformat(),
            "pended_on": facts.pended_on.isoformat(),
            "register_read_on": facts.register_read_on.isoformat(),
            "evidence": facts.evidence,
        }

    def key(self, release: str) -> dict[str, object]:
        """The claim's line of gold.jsonl."""
        return {
            "id": self.id,
            "cause_class": self.cell.cause,
            "resolution": self.resolved.resolution,
            "rule": self.resolved.rule.id,
            "clock": self.clock.state,
            "clock_rule": self.clock.rule.id,
            "release": release,
            "citation": self.citation,
            "span": list(self.written.span),
        }


def shipped_policy() -> Policy:
    """PR-2026, the policy that the key is derived by."""
    path = Path(pendtui.__file__).parent / "policies" / "pr-2026.toml"
    return load_policy(path.read_text(encoding="utf-8"), path.name)


def invent(policy: Policy, pools: Pools, seed: int, records: int) -> Iterator[InventedClaim]:
    """The claims of a corpus one by one. The same seed and number give the same claims."""
    rng = Random(seed)
    writer = Writer(pools, rng)
    deadlines = Deadlines.of(policy)
    cells = allot(records)
    shuffle(rng, cells)
    first = int(rng.random() * 100_000)
    span = 10 ** max(5, len(str(records - 1)))
    width = max(4, len(str(records)))
    resolutions: dict[tuple[CauseClass, Evidence], Resolved] = {}
    for number, cell in enumerate(cells, 1):
        record_id = f"PC-{number:0{width}d}"
        claim_id = f"CLM-2026-4{(first + number * _CLAIM_STEP) % span:0{len(str(span)) - 1}d}"
        facts = draw_facts(rng, cell, claim_id, deadlines)
        clock = read_clock(facts, facts.register_read_on, policy)
        if clock.state is not cell.clock or clock.rule.id != cell.clock_rule:
            raise PendtuiError(
                f"the policy reads {clock.state} by {clock.rule.id} where {cell.clock} by {cell.clock_rule}"
                " was planned",
                where=record_id,
            )
        resolved = resolutions.get((cell.cause, cell.evidence))
        if resolved is None:
            resolved = resolutions[cell.cause, cell.evidence] = _resolve(policy, cell)
        yield InventedClaim(record_id, cell, facts, writer.write(record_id, cell, facts), resolved, clock)


def build(out: Path, *, seed: int = SEED, records: int = RECORDS) -> Counts:
    """Write a queue folder of invented claims: the same seed and number give the same bytes.

    A folder that the generator made before is replaced exactly. Raises PendtuiError when the folder holds
    records that it did not make, or cannot be written.
    """
    if records < 1:
        raise PendtuiError("a queue needs at least one record", remedy="Ask for --records 1 or more")
    leftover = _claim_folder(out)
    policy = shipped_policy()
    release = release_for(policy)
    pools = read_pools()
    counts = Counts(seed, pools.cause_sentences(), pools.register_lines())
    encode = json.JSONEncoder(ensure_ascii=False).encode
    cases: dict[str, str] = {}
    rows: list[str] = []
    gold: list[str] = []
    folder = str(out)
    try:
        # first, so that a build cut short can be built again over
        _write(f"{folder}/{_CORPUS}", _corpus(seed, records, policy, cases, None))
        for name in _OWN_FILES:
            if name in leftover:
                (out / name).unlink()
                leftover.discard(name)
        for claim in invent(policy, pools, seed, records):
            name = f"{claim.id}.txt"
            if name not in leftover or not _holds(f"{folder}/{name}", claim.written.text):
                _write(f"{folder}/{name}", claim.written.text)
            leftover.discard(name)
            counts.add(claim.cell, claim.resolved, claim.clock)
            cases[claim.id] = claim.cell.case
            rows.append(encode(claim.row()))
            gold.append(encode(claim.key(release)))
        for name in leftover:
            (out / name).unlink()
        _write(f"{folder}/gold.jsonl", "\n".join(gold) + "\n")
        _write(f"{folder}/claims.json", "[\n" + ",\n".join(rows) + "\n]\n")
        _write(f"{folder}/{_CORPUS}", _corpus(seed, records, policy, cases, counts.as_json()))
    except OSError as fault:
        raise PendtuiError(f"cannot be written: {fault.strerror}", where=fault.filename or folder) from None
    return counts


def _claim_folder(out: Path) -> set[str]:
    """Make the folder, or see that it is the generator's own; the names of what it wrote there before."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        names = set(os.listdir(out))
    except OSError as fault:
        raise PendtuiError(f"cannot be used as a folder: {fault.strerror}", where=str(out)) from None
    own = {name for name in names if _is_record(name)} | names.intersection(_OWN_FILES)
    foreign = sorted(name for name in names if name.endswith(".txt") and name not in own)
    if own and not (_CORPUS in names and _made_here(out / _CORPUS)):
        foreign = sorted(own)
    if foreign:
        raise PendtuiError(
            f"holds {foreign[0]}, which the generator did not make",
            where=str(out),
            remedy="Name a new or empty folder with --out",
        )
    return own


def _is_record(name: str) -> bool:
    return name.startswith("PC-") and name.endswith(".txt") and name[3:-4].isdigit()


def _made_here(path: Path) -> bool:
    try:
        corpus = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(corpus, dict) and isinstance(corpus.get("generator"), int)


def _resolve(policy: Policy, cell: Cell) -> Resolved:
    resolved = policy.resolve(cell.cause, cell.evidence)
    if isinstance(resolved, Blocked):
        raise PendtuiError(f"{policy.policy_id} does not decide {cell.cause} with {cell.evidence}")
    return resolved


def _corpus(
    seed: int, records: int, policy: Policy, cases: dict[str, str], counts: Mapping[str, object] | None
) -> str:
    """The text of corpus.json, one claim a line. Counts of None mark a build that was cut short."""
    head = {"generator": GENERATOR, "seed": seed, "records": records, "policy_id": policy.policy_id}
    listed = ",\n".join(f'  "{record_id}": "{case}"' for record_id, case in cases.items())
    fields = [f'"{name}": {json.dumps(value)}' for name, value in head.items()]
    fields.append(f'"cases": {{\n{listed}\n }}')
    fields.append(f'"counts": {json.dumps(counts)}')
    return "{\n " + ",\n ".join(fields) + "\n}\n"


def _holds(path: str, text: str) -> bool:
    """Whether a file has exactly this text; reading one costs a fraction of writing it again."""
    data = text.encode()
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, len(data) + 1) == data
    finally:
        os.close(handle)


def _write(path: str, text: str) -> None:
    data = text.encode()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        while data:
            data = data[os.write(handle, data) :]
    finally:
        os.close(handle)
