"""Train the sentence and record models of the offline reader, and say how they read writers they have not met.

Usage: python tools/train_reader.py [--write]     (needs the extra `train`)

Reads tests/data/desk_notes: all records but the held-out writer's, and the labelled sentences. Each writer is read
by models trained on all others; the model over the record is fitted to those readings, since a model is too sure
of what it was trained on. With --write the weights trained on all of them go into the reader's data folder.
"""

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from pendtui.desk.queue_folder import read_record
from pendtui.engines.readers.floor import FloorReader
from pendtui.engines.readers.floor.learned import (
    FEATURES,
    SCALE,
    SECTIONS,
    WEIGHTS,
    Model,
    Weights,
    account,
    record_rows,
    terms,
)
from pendtui.engines.readers.floor.lexicon import CLASSES
from pendtui.engines.readers.floor.verdict import decide
from pendtui.evals.corpus.build import build
from pendtui.evals.readings import Labelled, load_notes

NOTES = Path(__file__).resolve().parent.parent / "tests" / "data" / "desk_notes"
HELD_OUT = "h"
GENERATOR, GENERATOR_SEED, GENERATOR_RECORDS = "generator", 7, 90
TOPIC_STRENGTH, FINDING_STRENGTH = 3.0, 1.0
"""Of the two sentence models: less holds the weights closer to 0."""
RECORD_HOLD = 0.3
"""How strongly the record model's weights are held to 0."""
FINDING = "finding"


class Sentence(NamedTuple):
    """One training sentence; `cause` is -1 where it speaks of none, `section` -1 where it stands in none."""

    text: str
    cause: int
    finding: bool
    section: int


class Seen(NamedTuple):
    """One record as the reader takes it apart."""

    labelled: Labelled
    cause: int
    sentences: list[str]
    sections: list[int]
    cited: list[bool]


def main() -> None:
    """Print how each writer is read, and with --write put the weights trained on all into the package."""
    reader = FloorReader()
    writers = {
        path.stem: [seen(reader, each) for each in load_notes(path)]
        for path in sorted(NOTES.glob("?.jsonl"))
        if path.stem != HELD_OUT
    }
    writers[GENERATOR] = [seen(reader, each) for each in generated()]
    sentences = {path.stem[-1]: list(map(stored, path.open())) for path in sorted(NOTES.glob("sentences-?.jsonl"))}
    texts = {each.text for found in sentences.values() for each in found}
    texts |= {text for found in writers.values() for each in found for text in each.sentences}
    said = {text: account(reader.say(text)) for text in texts}
    rows: dict[str, list[tuple[np.ndarray, int]]] = {}
    scores: dict[str, list[list[tuple[float, ...]]]] = {}
    for writer, records in writers.items():
        model = Model(train(training(writers, sentences, without=writer), said))
        rows[writer], scores[writer] = [], []
        for each in records:
            table, score = record_table(reader, model, each)
            rows[writer].append((table, each.cause))
            scores[writer].append(score)
        print(f"trained without {writer}", file=sys.stderr)
    sharpness = report(writers, rows, scores)
    if "--write" in sys.argv:
        weights = train(training(writers, sentences), said)
        record = fit_record([pair for found in rows.values() for pair in found])
        write(weights._replace(record=tuple(record), sharpness=sharpness))


def generated() -> list[Labelled]:
    """Records of the project's own generator, none of which is of the shipped queue."""
    with tempfile.TemporaryDirectory() as folder:
        queue = Path(folder) / "queue"
        build(queue, seed=GENERATOR_SEED, records=GENERATOR_RECORDS)
        found = []
        for line in (queue / "gold.jsonl").read_text(encoding="utf-8").splitlines():
            gold = json.loads(line)
            record = read_record(queue / f"{gold['id']}.txt", gold["id"]).record
            start, end = gold["span"]
            found.append(Labelled(record, "generated", gold["cause_class"], (start, end)))
        return found


def seen(reader: FloorReader, labelled: Labelled) -> Seen:
    """A record's sentences, where each stands and whether it is the cited one."""
    units, _ = reader.sentences(labelled.record)
    start, end = labelled.span
    cited = []
    for unit in units:
        shared = max(0, min(unit.span[1], end) - max(unit.span[0], start))
        cited.append(shared > 0.5 * (end - start) or shared > 0.6 * (unit.span[1] - unit.span[0]))
    cause = next(n for n, each in enumerate(CLASSES) if each == labelled.cause_class)
    texts = [reader.text_of(unit) for unit in units]
    return Seen(labelled, cause, texts, [SECTIONS.index(unit.section) for unit in units], cited)


def stored(line: str) -> Sentence:
    """A line of a sentences file."""
    row = json.loads(line)
    about = next((n for n, each in enumerate(CLASSES) if each == row["class"]), -1)
    return Sentence(row["text"], -1 if row["role"] == "routine" else about, row["role"] == FINDING, -1)


def training(
    writers: dict[str, list[Seen]], sentences: dict[str, list[Sentence]], without: str = ""
) -> list[Sentence]:
    """All that may be learned from when one writer is to be read afterwards."""
    found = [each for writer, given in sentences.items() if writer != without for each in given]
    for writer, records in writers.items():
        if writer == without:
            continue
        for each in records:
            for text, section, cited in zip(each.sentences, each.sections, each.cited, strict=True):
                if cited or section != 0:  # what else the message prints may name the cause as well
                    found.append(Sentence(text, each.cause if cited else -1, cited, section))
    return found


def train(found: Sequence[Sentence], said: dict[str, list[float]]) -> Weights:
    """The two sentence models."""
    known: dict[str, int] = {}
    for each in found:
        for term in terms(each.text):
            known.setdefault(term, len(known))

    def table(chosen: Sequence[Sentence], sections: bool) -> csr_matrix:
        places = [(row, known[term]) for row, each in enumerate(chosen) for term in terms(each.text)]
        words = csr_matrix(
            (np.ones(len(places)), ([row for row, _ in places], [at for _, at in places])),
            (len(chosen), len(known)),
        )
        parts = [words, csr_matrix(np.array([said[each.text] for each in chosen]))]
        if sections:
            parts.append(csr_matrix(np.array([[float(each.section == n) for n in range(3)] for each in chosen])))
        return hstack(parts).tocsr()

    about = [each for each in found if each.cause >= 0]
    topic = LogisticRegression(C=TOPIC_STRENGTH, max_iter=300).fit(table(about, False), [e.cause for e in about])
    finding = LogisticRegression(C=FINDING_STRENGTH, max_iter=300, class_weight="balanced")
    finding.fit(table(found, True), [each.finding for each in found])
    rows = np.vstack([topic.coef_, finding.coef_[:, : topic.coef_.shape[1]]]).T
    return Weights(
        {term: tuple(rows[at]) for term, at in known.items()},
        tuple(map(tuple, rows[len(known) :])),
        (*topic.intercept_, float(finding.intercept_[0])),
        tuple(finding.coef_[0][-3:]),
        (0.0,) * FEATURES,
        1.0,
    )


def record_table(reader: FloorReader, model: Model, each: Seen) -> tuple[np.ndarray, list[tuple[float, ...]]]:
    """What speaks for each class of a record, and each sentence's scores."""
    units, said = reader.sentences(each.labelled.record)
    verdict = decide(units, said)
    heard = [model.hear(text, one) for text, one in zip(each.sentences, said, strict=True)]
    scores = model.weigh(units, heard, verdict).scores
    table = record_rows(each.sections, heard, scores, model.section_points, verdict)
    return np.array(table), list(scores)


def fit_record(pairs: Sequence[tuple[np.ndarray, int]]) -> np.ndarray:
    """The weights under which the right class of each record has the largest share."""

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = RECORD_HOLD * weights @ weights, 2 * RECORD_HOLD * weights
        for table, cause in pairs:
            shares = softmax(table @ weights)
            total -= np.log(shares[cause] + 1e-12)
            slope = slope + table.T @ shares - table[cause]
        return total, slope

    return np.array(minimize(loss, np.zeros(FEATURES), jac=True, method="L-BFGS-B").x)


def report(
    writers: dict[str, list[Seen]],
    rows: dict[str, list[tuple[np.ndarray, int]]],
    scores: dict[str, list[list[tuple[float, ...]]]],
) -> float:
    """Print what each writer's records are read as by models of the others; what makes the shares come true."""
    points, causes = [], []
    for writer, records in writers.items():
        weights = fit_record([pair for other, found in rows.items() if other != writer for pair in found])
        right, quoted = 0, 0
        by_case: dict[str, list[int]] = defaultdict(list)
        for each, (table, cause), score in zip(records, rows[writer], scores[writer], strict=True):
            point = table @ weights
            points.append(point)
            causes.append(cause)
            given = int(point.argmax())
            best = max(range(len(score)), key=lambda at: score[at][given])
            right += given == cause
            quoted += given == cause and each.cited[best]
            by_case[each.labelled.case].append(given == cause)
        cases = "  ".join(f"{case} {sum(found)}/{len(found)}" for case, found in sorted(by_case.items()))
        print(f"{writer}: class {right} of {len(records)}, best sentence {quoted}; {cases}")

    def brier(sharpness: float) -> float:
        kept = [softmax(sharpness * point) for point in points]
        return float(np.mean([(s.max() - (s.argmax() == c)) ** 2 for s, c in zip(kept, causes, strict=True)]))

    sharpness = min((n / 20 for n in range(6, 31)), key=brier)
    for least in (0.7, 0.8, 0.85, 0.9):
        sure = [
            (s.argmax() == c, s.max() >= least)
            for s, c in ((softmax(sharpness * p), c) for p, c in zip(points, causes, strict=True))
        ]
        marked, wrong = sum(not kept for _, kept in sure), sum(not right for right, _ in sure)
        caught = sum(not right and not kept for right, kept in sure)
        print(f"share under {least}: {marked} of {len(sure)}, with {caught} of {wrong} wrong")
    print(f"Brier score {brier(sharpness):.3f} at a sharpness of {sharpness}")
    return sharpness


def softmax(points: np.ndarray) -> np.ndarray:
    """Shares of points."""
    raised = np.exp(points - points.max())
    return np.array(raised / raised.sum())


def write(weights: Weights) -> None:
    """Store the weights in steps of 1/SCALE; a term whose weights all round to 0 is left out."""
    kept = {
        term: [round(float(weight) * SCALE) for weight in row]
        for term, row in weights.terms.items()
        if any(round(float(weight) * SCALE) for weight in row)
    }
    document = {
        "terms": list(kept),
        "rows": list(kept.values()),
        "said": [[round(float(weight), 3) for weight in row] for row in weights.said],
        "bias": [round(float(weight), 3) for weight in weights.bias],
        "sections": [round(float(weight), 3) for weight in weights.sections],
        "record": [round(float(weight), 3) for weight in weights.record],
        "sharpness": weights.sharpness,
    }
    WEIGHTS.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(kept):,} terms, {WEIGHTS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
