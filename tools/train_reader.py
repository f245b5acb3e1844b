"""How well sentences read by trained weights would do on a writer they were not trained on. Writes nothing.

Usage: python tools/train_reader.py          (needs numpy and scipy: pip install -e '.[train]')

Each writer is read by weights trained on all other writers, the labelled sentences of other hands and the phrasings
of tools/training. In two steps. First, for each sentence and class, how much it reports a finding of the class,
speaks of it, or dismisses it (a softmax over the sentences of a record and the classes, over runs of words and
concepts). Second, how these scores, the section and the floor reader's own account combine; that is fitted on the
first step's scores of writers it was not trained on.
"""

import json
import random
import re
import tomllib
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

from pendtui.engines.citation import credit
from pendtui.engines.readers.floor import DATE, FloorReader
from pendtui.engines.readers.floor.bait import without_bait
from pendtui.engines.readers.floor.lexicon import CLASSES, shipped_lexicon
from pendtui.engines.readers.floor.sentences import Said, Weigher
from pendtui.engines.readers.floor.verdict import Verdict
from pendtui.engines.record import Unit
from pendtui.engines.vocabulary import READABLE_SECTIONS
from pendtui.evals.readings import load_notes
from tools.ngrams import Ngrams, compile_concepts

NOTES: Final = Path(__file__).parent.parent / "tests" / "data" / "desk_notes"
TRAINING: Final = Path(__file__).parent / "training"
TUNED: Final = "ab"
"""The lexicon was tuned on these, so that the floor's own account of them says nothing for the second step."""
READ: Final = "defgj"
SENTENCES: Final = "efgi"
SIZE: Final = len(CLASSES)
NULL_ROLES: Final = {
    "finding": {"quote", "ruled_out", "settled", "other", "routine"},
    "topic": {"routine"},
    "dismissed": {"finding", "quote", "routine"},
}
"""For each step-one question, the roles of sentences whose answer is no."""
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


class Example(NamedTuple):
    """One sentence, or all sentences of a record, with the class and which sentence establishes it."""

    grams: list[set[str]]
    sections: list[int]
    cause: int
    """Index of the class; -1 where none is established."""
    cited: list[int]
    weight: float
    role: str
    case: str = ""
    units: tuple[Unit, ...] = ()
    said: tuple[Said, ...] = ()
    verdict: Verdict | None = None


def records(writer: str, ngrams: Ngrams, reader: FloorReader, weigher: Weigher) -> list[Example]:
    """The records of one writer, without the text that the floor reader leaves out."""
    found = []
    for labelled in load_notes(NOTES / f"{writer}.jsonl"):
        units = list(labelled.record.units(*READABLE_SECTIONS))
        texts = [unit.text[DATE:] if unit.day else unit.text for unit in units]
        baited = [place for place, text in enumerate(texts) if weigher.weigh(text).bait]
        if baited:
            units = without_bait(labelled.record.text, units, baited, weigher)
            texts = [unit.text[DATE:] if unit.day else unit.text for unit in units]
        cited = [place for place, unit in enumerate(units) if credit(labelled.span, unit.span).credited]
        found.append(
            Example(
                [ngrams.of(text) for text in texts],
                [READABLE_SECTIONS.index(unit.section) for unit in units],
                [cause.value for cause in CLASSES].index(labelled.cause_class),
                cited,
                1.0,
                "finding",
                labelled.case,
                tuple(units),
                tuple(weigher.weigh(text) for text in texts),
                reader.weigh(labelled.record),
            )
        )
    return found


def sentence(text: str, cause: str | None, role: str, weight: float, ngrams: Ngrams) -> Example:
    """A labelled sentence that stands alone."""
    index = [each.value for each in CLASSES].index(cause) if cause else -1
    return Example([ngrams.of(text)], [len(READABLE_SECTIONS)], index, [0], weight, role)


def labelled_sentences(writer: str, ngrams: Ngrams) -> list[Example]:
    """The sentences of one writer's file."""
    rows = [json.loads(line) for line in (NOTES / f"sentences-{writer}.jsonl").read_text().splitlines()]
    return [sentence(row["text"], row["class"], row["role"], 1.0, ngrams) for row in rows]


def phrasings(ngrams: Ngrams, each: int = 5, of_frame: int = 3) -> list[Example]:
    """Sentences drawn from tools/training/phrasings.toml; all wordings of one line weigh what one sentence does."""
    tables = tomllib.loads((TRAINING / "phrasings.toml").read_text(encoding="utf-8"))
    frames = tables.pop("frames")
    chance = random.Random(1)
    found: list[Example] = []

    def draw(  # noqa: PLR0917
        line: str, count: int, cause: str | None, role: str, weight: float, topics: tuple[str, ...]
    ) -> None:
        drawn = sorted({_drawn(line, topics, chance) for _ in range(count * 2)})[:count]
        found.extend(sentence(text, cause, role, weight / len(drawn), ngrams) for text in drawn)

    for cause, table in tables.items():
        for line in table["finding"]:
            draw(line, each, cause, "finding", 1.5, ())
        for role, lines in frames.items():
            for line in lines if role != "routine" else ():
                draw(line, of_frame, cause, role, 0.75, tuple(table["topic"]))
    for line in frames["routine"]:
        draw(line, each, None, "routine", 1.5, ())
    return found


def _drawn(line: str, topics: tuple[str, ...], chance: random.Random) -> str:
    if topics:
        line = line.replace("{T}", chance.choice(topics))
    line = _BRACES.sub(lambda found: chance.choice(found[1].split("|")), line)
    return re.sub(r"\s+([,.:;])", r"\1", re.sub(r"\s+", " ", line)).strip(" ,")


def fit(  # noqa: PLR0917
    rows: Any, dense: Any, groups: Any, wanted: Any, cited: Any, empty: Any, weights: Any, rounds: int
) -> Any:
    """Weights that make, of all sentences and classes of a record, the cited sentence and its class likely.

    `rows` is sentences by runs of words (sparse), `dense` sentences by classes by columns, `groups` the record of
    each sentence; `wanted` and `cited` mark sentence and class pairs; `empty` marks records that establish nothing.
    """
    import numpy as np
    from scipy.optimize import minimize

    n, runs = rows.shape
    columns = dense.shape[2]
    flat = dense.reshape(n * SIZE, columns)
    turned = rows.T.tocsr()
    lambdas = np.concatenate([np.full(runs * (SIZE + 1), 1.0), np.full(columns, 0.01 if runs else 5.0), [0.0]])

    def total(values: Any) -> Any:
        return np.bincount(groups, values, len(empty))

    def loss(p: Any) -> Any:
        scores = _scores(p, rows, dense)
        most = np.zeros(len(empty))
        np.maximum.at(most, groups, scores.max(1))
        raised, nothing = np.exp(scores - most[groups][:, None]), np.exp(-most)
        whole = total(raised.sum(1)) + nothing
        value = -(weights * empty * np.log(nothing / whole)).sum() + (lambdas * p * p).sum() / 2
        aim = np.zeros_like(raised)
        for mask, share in ((wanted, 0.5 if runs else 0.3), (cited, 0.5 if runs else 0.7)):
            part = np.where(empty, 1.0, np.maximum(total((raised * mask).sum(1)), 1e-300))
            value -= (weights * ~empty * share * np.log(part / whole)).sum()
            aim += share * raised * mask / part[groups][:, None]
        slope = weights[groups][:, None] * (raised / whole[groups][:, None] - aim * ~empty[groups][:, None])
        parts = [(turned @ slope).ravel(), turned @ slope.sum(1), flat.T @ slope.ravel(), [slope.sum()]]
        return value, np.concatenate(parts) + lambdas * p

    start = np.zeros(runs * (SIZE + 1) + columns + 1)
    start[-1] = -3.0
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": rounds}).x


def _scores(p: Any, rows: Any, dense: Any) -> Any:
    runs = rows.shape[1]
    own, shared = p[: runs * SIZE].reshape(runs, SIZE), p[runs * SIZE : runs * (SIZE + 1)]
    return rows @ own + (rows @ shared)[:, None] + dense @ p[runs * (SIZE + 1) : -1] + p[-1]


class StepOne:
    """Scores sentences for one question: finding, topic or dismissed."""

    def __init__(self, question: str, examples: list[Example]) -> None:
        import numpy as np

        counts = Counter(gram for example in examples for grams in example.grams for gram in grams)
        self._index = {gram: i for i, gram in enumerate(sorted(g for g, n in counts.items() if n > 1))}
        self._whole = question == "finding"
        kept = [
            e if self._whole else e._replace(grams=[e.grams[e.cited[0]]], sections=[3], cited=[0]) for e in examples
        ]
        groups: Any = np.repeat(np.arange(len(kept)), [len(e.grams) for e in kept])
        no = NULL_ROLES[question]
        empty = np.array([e.role in no or e.cause < 0 or (question == "dismissed" and bool(e.units)) for e in kept])
        wanted: Any = np.zeros((len(groups), SIZE), bool)
        cited: Any = wanted.copy()
        at = 0
        for e, nothing in zip(kept, empty, strict=True):
            if not nothing:
                wanted[at : at + len(e.grams), e.cause] = True
                cited[[at + place for place in e.cited], e.cause] = True
            at += len(e.grams)
        weights = np.array([e.weight * (0.5 if e.role == "quote" and self._whole else 1.0) for e in kept])
        rows, dense = self._columns([g for e in kept for g in e.grams], [s for e in kept for s in e.sections])
        self._p = fit(rows, dense, groups, wanted, cited, empty, weights, 60)

    def _columns(self, grams: list[set[str]], sections: list[int]) -> Any:
        import numpy as np
        from scipy.sparse import csr_matrix

        found = [[self._index[gram] for gram in each if gram in self._index] for each in grams]
        values = np.concatenate([np.full(len(f), (max(len(f), 1) / 30.0) ** -0.15) for f in found])
        ends = np.cumsum([0, *(len(f) for f in found)])
        rows = csr_matrix(
            (values, np.concatenate([np.array(f, int) for f in found]), ends), (len(found), len(self._index))
        )
        dense = np.zeros((len(found), SIZE, 4))
        if self._whole:
            dense[np.arange(len(found)), :, sections] = 1.0
        return rows, dense

    def scores(self, example: Example) -> Any:
        """Sentences by classes."""
        return _scores(self._p, *self._columns(example.grams, example.sections))


def step_two(example: Example, finding: Any, topic: Any, dismissed: Any) -> Any:
    """Sentences by classes by columns: the step-one scores, the section, and what the whole record says."""
    import numpy as np

    section = np.array(example.sections)
    n = len(section)
    finding, topic, dismissed = (np.clip(each, -8.0, 6.0) for each in (finding, topic, dismissed))
    columns: list[Any] = []

    def add(values: Any) -> None:
        values = np.asarray(values, float)
        columns.append(
            values[:, None].repeat(SIZE, 1) if values.shape == (n,) else np.broadcast_to(values, (n, SIZE))
        )

    sure, about, aside = _odds(finding), _odds(topic), _odds(dismissed)
    printed, told = section == 0, section > 0
    for part in range(3):
        add(section == part)
        add(finding * (section == part)[:, None])
        strongest = _strongest(finding[section == part])
        add(strongest[None])
        add(_odds(strongest)[None])
    for each in (sure, topic, about, dismissed, aside):
        add(each)
    denied = _strongest(dismissed[told])
    set_aside = np.minimum((aside[told] * (1.0 - sure[told])).sum(0), 3.0)
    named = _strongest(topic[printed])
    for of_class in (
        denied,
        _odds(denied),
        set_aside,
        named,
        _odds(named),
        np.minimum(about[told].sum(0), 5.0),
        _odds(named) * np.minimum(set_aside, 2.0),
    ):
        add(of_class[None])
    narrative = _strongest(finding[told])
    others = np.array([np.delete(narrative, c).max() for c in range(SIZE)])
    add(printed[:, None] * others[None])
    add(np.log([len(unit.text) / 60.0 for unit in example.units]))
    supports, against = np.zeros((2, n, SIZE))
    for place, said in enumerate(example.said):
        for cause, points in said.supports.items():
            supports[place, cause] = min(points, 5.0)
        for cause, points in said.against.items():
            against[place, cause] = min(points, 5.0)
    for each in (supports * printed[:, None], supports * told[:, None], against, supports > 1.5):
        add(each)
    if example.verdict is not None:
        for account in (
            example.verdict.totals,
            example.verdict.narrative,
            example.verdict.message,
            example.verdict.against,
        ):
            add(np.clip(account, -4.0, 6.0)[None])
    corrects = np.array([said.corrects for said in example.said])
    add(corrects)
    add([said.settles or said.edit_off for said in example.said])
    last = max(np.flatnonzero(corrects & (section == 1)), default=-1)
    add((np.arange(n) < last) & (section == 1))
    return np.stack(columns, 2)


def _odds(values: Any) -> Any:
    import numpy as np

    return 1.0 / (1.0 + np.exp(-values))


def _strongest(values: Any) -> Any:
    import numpy as np

    return np.clip(np.log(np.exp(values).sum(0) + 1e-4), -8.0, 6.0)


def scored(left_out: frozenset[str]) -> tuple[frozenset[str], dict[str, list[Any]]]:
    """Step-two columns of the writers left out, by step-one weights trained on everyone else."""
    ngrams = Ngrams(compile_concepts(tomllib.loads((TRAINING / "concepts.toml").read_text(encoding="utf-8"))))
    reader, weigher = FloorReader(), Weigher(shipped_lexicon())
    kept = [e for w in TUNED + READ if w not in left_out for e in records(w, ngrams, reader, weigher)]
    kept += [e for w in SENTENCES if w not in left_out for e in labelled_sentences(w, ngrams)]
    kept += phrasings(ngrams)
    steps = [StepOne(question, kept) for question in NULL_ROLES]
    return left_out, {
        w: [step_two(e, *(s.scores(e) for s in steps)) for e in records(w, ngrams, reader, weigher)]
        for w in left_out
    }


def main() -> None:
    """Print, for each writer and kind of record, how many are read right by weights that never met the writer."""
    from concurrent.futures import ProcessPoolExecutor

    import numpy as np
    from scipy.sparse import csr_matrix

    ngrams = Ngrams(compile_concepts(tomllib.loads((TRAINING / "concepts.toml").read_text(encoding="utf-8"))))
    reader, weigher = FloorReader(), Weigher(shipped_lexicon())
    notes = {w: records(w, ngrams, reader, weigher) for w in READ}
    sets = [frozenset(each) for size in (1, 2) for each in combinations(READ, size)]
    with ProcessPoolExecutor(2) as pool:
        columns = dict(pool.map(scored, sets))
    totals: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    error = 0.0
    for writer in READ:
        met = [
            (e, z)
            for w in READ
            if w != writer
            for e, z in zip(notes[w], columns[frozenset((w, writer))][w], strict=True)
        ]
        dense = np.concatenate([z for _, z in met])
        mean, spread = dense.mean((0, 1)), dense.std((0, 1)) + 1e-6
        groups: Any = np.repeat(np.arange(len(met)), [len(z) for _, z in met])
        wanted: Any = np.zeros((len(groups), SIZE), bool)
        cited: Any = wanted.copy()
        at = 0
        for e, z in met:
            wanted[at : at + len(z), e.cause] = True
            cited[[at + place for place in e.cited], e.cause] = True
            at += len(z)
        none = csr_matrix((len(groups), 0))
        p = fit(
            none, (dense - mean) / spread, groups, wanted, cited, np.zeros(len(met), bool), np.ones(len(met)), 200
        )
        right: Counter[str] = Counter()
        for e, z in zip(notes[writer], columns[frozenset(writer)][writer], strict=True):
            raised = ((z - mean) / spread) @ p[:-1]
            likely = np.exp(raised - raised.max())
            share = likely.sum(0) / likely.sum()
            top = int(share.argmax())
            good = top == e.cause
            right["class"] += good
            right["citation"] += int(raised[:, top].argmax()) in e.cited
            right[e.case] += good
            counts[e.case] += 1
            error += (share[top] - good) ** 2
        print(writer, *(f"{name} {n}" for name, n in sorted(right.items())))
        totals += right
    number = sum(counts.values())
    print("all", *(f"{name} {n} of {counts[name] or number}" for name, n in sorted(totals.items())))
    print(f"Brier score of the class, as fitted: {error / number:.3f}")


if __name__ == "__main__":
    main()
