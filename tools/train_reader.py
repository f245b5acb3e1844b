"""Train the models of the floor reader on desk notes, and print how each writer is read by models of the others.

Usage: python tools/train_reader.py [--write]     (needs the extra `train`)

Reads tests/data/desk_notes: the records of all writers but the held-out ones, and the labelled sentences. Two
stages. The words' weights are trained first, together with a throw-away record model. The record model that ships
is then fitted to sentences as models heard them that had not been trained on their writer, since a model is too
sure of what it was trained on. With --write the words' weights are trained once more on all writers, and both go
into the reader's data folder.
"""

import json
import random
import sys
import tempfile
import zlib
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, embedding_bag, log_softmax

from pendtui.desk.queue_folder import read_record
from pendtui.engines.readers.floor import FloorReader, text_of
from pendtui.engines.readers.floor.judgement import FLOOR, MESSAGE, NOTES, OTHERS_FLOOR, SECTIONS, TRAIL, Around
from pendtui.engines.readers.floor.learned import (
    FINDING,
    FORM,
    HEADS,
    HINTS,
    RULES_OUT,
    SAID,
    SCALE,
    SIZE,
    WEIGHTS,
    ZERO,
    account,
    form,
    length_factor,
    packed,
    terms,
)
from pendtui.engines.readers.floor.lexicon import CLASSES, shipped_lexicon
from pendtui.evals.corpus.build import build
from pendtui.evals.readings import Labelled, load_notes

NOTES_FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data" / "desk_notes"
HELD_OUT = ("bd", "bx", "bz")
NO_MEASURE = ("a", "b", "generator")
"""Writers whose records the lexicon was adjusted to, and the generator: trained on, but left out of the sums."""
GENERATOR, GENERATOR_SEED, GENERATOR_RECORDS = "generator", 7, 300
EDIT_LISTS = ("v", "x", "bf")
"""Writers of edit descriptions, each of which is a record of its own, with nothing but the message."""
CODES = "codes"
ALONE, AMONG_ROUTINE, IN_A_NOTE = "edit alone", "edit among routine lines", "finding in a note"
THINNED = "thinned"
NO_RECORDS = (THINNED, ALONE, AMONG_ROUTINE, IN_A_NOTE)
"""Cases that are made of parts of records; they are reported apart."""
KEPT = 0.35
"""The share of a record's other sentences that a thinned copy of it keeps."""
FOLDS = 5
LEAST_SENTENCES = 2
"""A term that fewer sentences hold is not learned."""
STEPS = 60
"""More of them make the words' weights too sure of the writers they know."""
HOLD = {"terms": 0.15, "said": 0.1, "sections": 0.05, "around": 0.1, "classes": 0.5}
"""How strongly the weights of the first stage are held to 0."""
ROUTINE = 1.0
"""What a routine sentence counts in the first stage for speaking of all classes alike."""
RECORD_HOLD = 0.3
"""How strongly those of the second are held to where they start."""
QUOTING = 0.5
"""What the right quote counts beside the right class in the second stage."""
NO, YES = 0.0, 1.0
NOT_SAID = [0.0] * SAID
Parameters = dict[str, Tensor]


class Sentence(NamedTuple):
    """One training sentence; `cause` is -1 where it speaks of none, `section` -1 where it stands in none."""

    text: str
    cause: int
    role: str
    said: list[float]


class Seen(NamedTuple):
    """One record as the reader takes it apart."""

    case: str
    cause: int
    texts: list[str]
    sections: list[int]
    cited: list[bool]
    said: list[list[float]]


class Table(NamedTuple):
    """Sentences as numbers: those of records first, in order, then single ones."""

    terms: Tensor
    starts: Tensor
    factors: Tensor
    said: Tensor
    sections: Tensor
    forms: Tensor
    record: Tensor
    """For each sentence of a record, the record's number."""
    before: Tensor
    after: Tensor
    has_before: Tensor
    has_after: Tensor
    """The neighbours within the same section, and whether there are any."""
    cited: Tensor
    causes: Tensor
    about: Tensor
    findings: Tensor
    denials: Tensor
    routine: Tensor
    """Of the single sentences: the class, and whether they report a finding, rule one out, or speak of none."""


def main() -> None:
    """Print how each writer is read, and with --write put the weights trained on all into the package."""
    torch.manual_seed(0)
    reader = FloorReader()
    paths = sorted(path for path in NOTES_FOLDER.glob("*.jsonl") if not path.stem.startswith("sentences-"))
    writers = {
        path.stem: [seen(reader, each) for each in load_notes(path)] for path in paths if path.stem not in HELD_OUT
    }
    writers[GENERATOR] = [seen(reader, each) for each in generated()]
    sentences = {
        path.stem.removeprefix("sentences-"): [stored(reader, line) for line in path.open()]
        for path in sorted(NOTES_FOLDER.glob("sentences-*.jsonl"))
    }
    chance = random.Random(0)
    for found in writers.values():
        found.extend([thinned(each, chance) for each in found])
    routine = [each.text for found in sentences.values() for each in found if each.role == "routine"]
    for writer in EDIT_LISTS:
        alone = [
            Seen(ALONE, each.cause, [each.text], [MESSAGE], [True], [each.said]) for each in sentences.pop(writer)
        ]
        writers[writer] = alone + [among_routine(each, routine, chance) for each in alone]
    empty = [each for found in writers.values() for each in found if each.case == "vague"]
    for writer, lines in sentences.items():
        for line in lines:
            if line.role == "finding":
                made = in_a_note(line, chance.choice(empty), routine, chance)
                writers.setdefault(writer, []).append(made)
    writers[CODES] = [
        Seen("code alone", cause, [text], [MESSAGE], [True], [account(reader.say(text))])
        for text, cause in codes_alone()
    ]
    measured = [writer for writer in writers if writer != CODES]
    folds = [measured[at::FOLDS] for at in range(FOLDS)]
    heads: dict[str, Tensor] = {}
    tables: dict[str, Table] = {}
    for fold in folds:
        known, weights = train_words(
            [each for writer, found in writers.items() if writer not in fold for each in found],
            [each for writer, found in sentences.items() if writer not in fold for each in found],
        )
        for writer in fold:
            tables[writer] = table_of(writers[writer], [], known)
            heads[writer] = points(weights, tables[writer]).detach()
        print(f"trained without {', '.join(fold)}", file=sys.stderr)
    report(writers, folds, heads, tables)
    if "--write" in sys.argv:
        structure = fit_record([(heads[writer], tables[writer]) for writer in measured])
        known, weights = train_words(
            [each for found in writers.values() for each in found],
            [each for found in sentences.values() for each in found],
        )
        write(known, weights, structure)
        check_written(known, weights, structure, writers["d"])


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
    units = reader.units(labelled.record)
    start, end = labelled.span
    cited = []
    for unit in units:
        shared = max(0, min(unit.span[1], end) - max(unit.span[0], start))
        cited.append(shared > 0.5 * (end - start) or shared > 0.6 * (unit.span[1] - unit.span[0]))
    sections = [SECTIONS[unit.section] for unit in units]
    texts = [text_of(unit) for unit in units]
    said = [
        account(reader.say(text)) if at == MESSAGE else NOT_SAID for text, at in zip(texts, sections, strict=True)
    ]
    return Seen(labelled.case, class_number(labelled.cause_class), texts, sections, cited, said)


def codes_alone() -> Iterator[tuple[str, int]]:
    """Messages that are a standard code and no more."""
    announced = {"carc": "REASON CODE", "rarc": "RARC", "status": "STATUS CODE"}
    for name, (cause, _) in shipped_lexicon().codes.items():
        family, code = name.split()
        yield f"{announced[family]} {code.upper()}", cause


def thinned(seen: Seen, chance: random.Random) -> Seen:
    """A record with its cited sentence and a part of the others, as terse desks write."""
    kept = [at for at, cited in enumerate(seen.cited) if cited or chance.random() < KEPT]
    return Seen(
        THINNED,
        seen.cause,
        [seen.texts[at] for at in kept],
        [seen.sections[at] for at in kept],
        [seen.cited[at] for at in kept],
        [seen.said[at] for at in kept],
    )


def among_routine(edit: Seen, routine: Sequence[str], chance: random.Random) -> Seen:
    """An edit that stands as a record's message, with notes and trail that say nothing to the matter."""
    notes, trail = chance.randint(1, 2), chance.randint(1, 3)
    return Seen(
        AMONG_ROUTINE,
        edit.cause,
        edit.texts + chance.sample(routine, notes + trail),
        edit.sections + [NOTES] * notes + [TRAIL] * trail,
        edit.cited + [False] * (notes + trail),
        edit.said + [NOT_SAID] * (notes + trail),
    )


def in_a_note(finding: Sentence, vague: Seen, routine: Sequence[str], chance: random.Random) -> Seen:
    """A finding as an examiner's note, below a message without content and among lines to no purpose."""
    printed = vague.sections.count(MESSAGE)
    before, after, trail = chance.randint(0, 1), chance.randint(0, 1), chance.randint(1, 3)
    others = chance.sample(routine, before + after + trail)
    notes = [*others[:before], finding.text, *others[before : before + after]]
    return Seen(
        IN_A_NOTE,
        finding.cause,
        [*vague.texts[:printed], *notes, *others[before + after :]],
        [MESSAGE] * printed + [NOTES] * len(notes) + [TRAIL] * trail,
        [False] * (printed + before) + [True] + [False] * (after + trail),
        vague.said[:printed] + [NOT_SAID] * (len(notes) + trail),
    )


def stored(reader: FloorReader, line: str) -> Sentence:
    """A line of a sentences file."""
    row = json.loads(line)
    return Sentence(row["text"], class_number(row["class"]), row["role"], account(reader.say(row["text"])))


def class_number(name: str | None) -> int:
    """The place of a cause class; -1 for none."""
    return next((n for n, each in enumerate(CLASSES) if each == name), -1)


def table_of(
    records: Sequence[Seen], sentences: Sequence[Sentence], known: dict[str, int], *, learn: bool = False
) -> Table:
    """The sentences as numbers. With `learn` the terms that are met often enough become known."""
    texts = [text for each in records for text in each.texts] + [each.text for each in sentences]
    found = [terms(text) for text in texts]
    if learn:
        counted = Counter(term for each in dict(zip(texts, found, strict=True)).values() for term in each)
        for term in sorted(term for term, count in counted.items() if count >= LEAST_SENTENCES):
            known[term] = len(known)
    places = [[known[term] for term in sorted(each) if term in known] for each in found]
    starts = [0]
    for each in places[:-1]:
        starts.append(starts[-1] + len(each))
    sections = [at for each in records for at in each.sections]
    record = [n for n, each in enumerate(records) for _ in each.texts]
    total = len(record)
    before, after = [max(0, n - 1) for n in range(total)], [min(total - 1, n + 1) for n in range(total)]
    joined = [n > 0 and record[n - 1] == record[n] and sections[n - 1] == sections[n] for n in range(total)]
    in_section = torch.zeros(len(found), 3)
    for n, at in enumerate(sections):
        in_section[n, at] = YES
    return Table(
        torch.tensor([place for each in places for place in each]),
        torch.tensor(starts),
        torch.tensor([length_factor(len(each)) for each in places])[:, None],
        torch.tensor([row for each in records for row in each.said] + [each.said for each in sentences]),
        in_section,
        torch.tensor([form(text) for each in records for text in each.texts]),
        torch.tensor(record),
        torch.tensor(before),
        torch.tensor(after),
        torch.tensor([YES if each else NO for each in joined]),
        torch.tensor([YES if each else NO for each in [*joined[1:], False]]),
        torch.tensor([cited for each in records for cited in each.cited]),
        torch.tensor([each.cause for each in records]),
        torch.tensor([each.cause for each in sentences], dtype=torch.long),
        torch.tensor([float(each.role == "finding") for each in sentences]),
        torch.tensor([float(each.role in ("ruled_out", "settled")) for each in sentences]),
        torch.tensor([float(each.role == "routine") for each in sentences]),
    )


def points(weights: Parameters, table: Table) -> Tensor:
    """The points of every sentence: one a head."""
    words = embedding_bag(table.terms, weights["terms"], table.starts, mode="sum") * table.factors
    return words + weights["bias"] + table.said @ weights["said"]


def new_structure() -> Parameters:
    """A record model that knows nothing yet."""
    starts: Mapping[str, Any] = {
        "scales": [1.0] * 4,
        "sections": torch.zeros(3, 3).tolist(),
        "around": torch.zeros(2, len(Around._fields)).tolist(),
        "form": torch.zeros(1 + 3, FORM).tolist(),
        "agrees": [0.0, 0.0],
        "answered": [0.0],
        "others": [0.0, 0.0],
        "classes": [1.0, 0.4, 0.0],
    }
    return {name: torch.tensor(value, requires_grad=True) for name, value in starts.items()}


def weigh(structure: Parameters, heads: Tensor, table: Table) -> tuple[Tensor, Tensor, Tensor]:
    """What pendtui.engines.readers.floor.judgement.weigh does: totals, scores, and points for being a finding."""
    count, records, record = len(table.record), len(table.causes), table.record
    heads, sections = heads[:count], table.sections[:count]
    scales, added = structure["scales"], sections @ structure["sections"]
    logs = log_softmax(heads[:, :SIZE] * scales[0], 1)
    shares = logs.exp()
    plain = heads[:, FINDING] * scales[1] + added[:, 0]
    ruled_out = torch.sigmoid(heads[:, RULES_OUT] * scales[2] + added[:, 1])
    told = 1 - sections[:, MESSAGE]
    hints = torch.sigmoid(heads[:, HINTS] * scales[3] + added[:, 2]) * told
    sure = torch.sigmoid(plain)
    neighbours = torch.stack(
        [
            ruled_out[table.before] * table.has_before,
            ruled_out[table.after] * table.has_after,
            1 - table.has_before,
            1 - table.has_after,
            sure[table.before] * table.has_before,
            sure[table.after] * table.has_after,
        ],
        1,
    )
    around = structure["around"]
    finding = plain + (neighbours @ around[0]) * sections[:, NOTES] + (neighbours @ around[1]) * sections[:, TRAIL]
    forms = structure["form"]
    finding = finding + table.forms @ forms[0] + ((table.forms @ forms[1:].T) * sections).sum(1)

    def summed(each: Tensor) -> Tensor:
        return torch.zeros(records, *each.shape[1:]).index_add(0, record, each)

    message = summed(shares * sections[:, MESSAGE : MESSAGE + 1])
    message = message / (message.sum(1, keepdim=True) + 0.01)
    agreement = (message[record] * shares).sum(1) * told
    agrees = structure["agrees"]
    finding = finding + agreement * (sections[:, NOTES] * agrees[0] + sections[:, TRAIL] * agrees[1])
    answered = summed(agreement * ruled_out)
    finding = finding + structure["answered"] * answered[record] * sections[:, MESSAGE]
    own_hints, own_denials = shares * hints[:, None], shares * (ruled_out * told)[:, None]
    hinted, denied = summed(own_hints), summed(own_denials)
    others = structure["others"]
    scores = logs + finding[:, None]
    scores = scores + others[0] * torch.log(OTHERS_FLOOR + hinted[record] - own_hints)
    scores = scores - others[1] * (denied[record] - own_denials)
    kept = structure["classes"]
    totals = torch.stack([together(scores[:, cause], record, records) for cause in range(SIZE)], 1)
    totals = totals + kept[0] * torch.log(FLOOR + hinted) - kept[1] * denied + kept[2] * torch.log(FLOOR + message)
    return totals, scores, finding


def together(values: Tensor, record: Tensor, records: int) -> Tensor:
    """For each record the logarithm of the sum of what its sentences' values are logarithms of."""
    most = torch.full((records,), -1e9).scatter_reduce(0, record, values.detach(), "amax")
    return most + torch.log(torch.zeros(records).index_add(0, record, torch.exp(values - most[record])) + 1e-30)


def train_words(records: Sequence[Seen], sentences: Sequence[Sentence]) -> tuple[dict[str, int], Parameters]:
    """The words' weights, with the number of each term."""
    known: dict[str, int] = {}
    table = table_of(records, sentences, known, learn=True)
    structure = new_structure()
    weights = {
        "terms": torch.zeros(len(known), HEADS, requires_grad=True),
        "said": torch.zeros(SAID, HEADS, requires_grad=True),
        "bias": torch.zeros(HEADS, requires_grad=True),
    }
    count, single = len(table.record), table.about >= 0
    counted = torch.cat([~((table.sections[:count, MESSAGE] > 0) & ~table.cited), torch.ones(len(table.about)) > 0])
    is_finding = torch.cat([table.cited.float(), table.findings])
    held = {**weights, **{name: structure[name] for name in ("sections", "around", "form", "agrees", "others")}}

    def loss() -> Tensor:
        heads = points(weights, table)
        totals, scores, finding = weigh({**structure, "scales": torch.ones(4)}, heads, table)
        lost = cross_entropy(totals, table.causes, reduction="sum") + quoting_loss(scores, table).sum()
        every_finding = torch.cat([finding, heads[count:, FINDING]])
        lost = (
            lost + (binary_cross_entropy_with_logits(every_finding, is_finding, reduction="none") * counted).sum()
        )
        lost = lost + binary_cross_entropy_with_logits(heads[count:, RULES_OUT], table.denials, reduction="sum")
        logs = log_softmax(heads[:, :SIZE], 1)
        lost = lost - logs[:count][table.cited].gather(1, table.causes[table.record][table.cited][:, None]).sum()
        lost = lost - logs[count:][single].gather(1, table.about[single][:, None]).sum()
        # A sentence of no class is to speak of all alike.
        lost = lost - (logs[count:].mean(1) * table.routine).sum() * ROUTINE
        for name, value in held.items():
            lost = lost + HOLD.get(name, HOLD["around"]) * (value**2).sum() * (name != "bias")
        return lost + HOLD["classes"] * (structure["classes"] ** 2).sum()

    descend(loss, [*weights.values(), *(value for name, value in structure.items() if name != "scales")], STEPS)
    return known, {name: value.detach() for name, value in weights.items()}


def quoting_loss(scores: Tensor, table: Table) -> Tensor:
    """For each record how unlikely its cited sentence is, for its class, among all sentences and classes."""
    records = len(table.causes)
    right = scores.gather(1, table.causes[table.record][:, None])[:, 0].masked_fill(~table.cited, -1e4)
    everything = together(torch.logsumexp(scores, 1), table.record, records)
    return (everything - together(right, table.record, records)).clamp(max=30)


def fit_record(found: Sequence[tuple[Tensor, Table]]) -> Parameters:
    """The record model under which the right class has the largest share, and the right quote the most points."""
    structure = new_structure()
    starts = {name: value.detach().clone() for name, value in structure.items()}

    def loss() -> Tensor:
        lost = torch.tensor(0.0)
        for heads, table in found:
            totals, scores, _ = weigh(structure, heads, table)
            lost = lost + cross_entropy(totals, table.causes, reduction="sum")
            lost = lost + QUOTING * quoting_loss(scores, table).sum()
        for name, value in structure.items():
            lost = lost + RECORD_HOLD * ((value - starts[name]) ** 2).sum()
        return lost

    descend(loss, list(structure.values()), 80)
    return {name: value.detach() for name, value in structure.items()}


def descend(loss: Any, parameters: list[Tensor], steps: int) -> None:
    """Change the parameters so that the loss is least, in so many steps at most."""
    optimizer = torch.optim.LBFGS(parameters, max_iter=steps, history_size=8, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        lost: Tensor = loss()
        lost.backward()
        return lost

    optimizer.step(closure)


def report(
    writers: Mapping[str, list[Seen]],
    folds: Sequence[Sequence[str]],
    heads: Mapping[str, Tensor],
    tables: Mapping[str, Table],
) -> None:
    """Print what each writer's records are read as by models of the others."""
    by_case: dict[str, list[bool]] = defaultdict(list)
    quotes: dict[str, list[bool]] = defaultdict(list)
    sure: list[tuple[float, bool]] = []
    for fold in folds:
        others = [writer for other in folds if other is not fold for writer in other]
        structure = fit_record([(heads[writer], tables[writer]) for writer in others])
        for writer in fold:
            totals, scores, _ = weigh(structure, heads[writer], tables[writer])
            shares, at, right, cited = torch.softmax(totals, 1), 0, [], []
            for each, share in zip(writers[writer], shares, strict=True):
                given = int(share.argmax())
                best = int(scores[at : at + len(each.texts), given].argmax())
                at += len(each.texts)
                right.append(given == each.cause)
                cited.append(given == each.cause and each.cited[best])
                if writer in NO_MEASURE:
                    continue
                by_case[each.case].append(right[-1])
                quotes[each.case].append(cited[-1])
                if each.case not in NO_RECORDS:
                    sure.append((float(share.max()), right[-1]))
            print(f"{writer}: class {sum(right)} of {len(right)}, quote {sum(cited)}")
    for case, found in by_case.items():
        print(f"{case}: class {percent(found)} of {len(found)}, quote {percent(quotes[case])}")
    whole = [case for case in by_case if case not in NO_RECORDS]
    every = [each for case in whole for each in by_case[case]]
    print(
        f"all: class {percent(every)} of {len(every)}, quote {percent(q for case in whole for q in quotes[case])}"
    )
    print(f"Brier score {sum((share - right) ** 2 for share, right in sure) / len(sure):.3f}")
    wrong = sum(not right for _, right in sure)
    for least in (0.7, 0.8, 0.85, 0.9, 0.95):
        marked = [right for share, right in sure if share < least]
        print(f"share under {least}: {len(marked) / len(sure):.1%}, with {marked.count(False)} of {wrong} wrong")


def percent(found: Iterable[bool]) -> str:
    """How many of these are so."""
    each = list(found)
    return f"{sum(each) / len(each):.1%}"


def write(known: Mapping[str, int], weights: Parameters, structure: Parameters) -> None:
    """Store the weights; those of words in steps of 1/SCALE, and none of a term for which all round to 0."""
    rows = [[round(weight * SCALE) for weight in row] for row in weights["terms"].tolist()]
    rows = [[max(-ZERO, min(ZERO, weight)) for weight in row] for row in rows]
    kept = [(term, rows[at]) for term, at in known.items() if any(rows[at])]
    forms = structure["form"]
    document = {
        "terms": b64encode(zlib.compress("\n".join(term for term, _ in kept).encode(), 9)).decode(),
        "rows": b64encode(zlib.compress(packed([row for _, row in kept]), 9)).decode(),
        "said": rounded(weights["said"]),
        "bias": rounded(weights["bias"]),
        "scales": rounded(structure["scales"]),
        "record": {
            "sections": rounded(structure["sections"]),
            "around": rounded(structure["around"]),
            "form": rounded(forms[0] + forms[1:]),
            "agrees": [0.0, *rounded(structure["agrees"])],
            "answered": rounded(structure["answered"])[0],
            "others": rounded(structure["others"]),
            "classes": rounded(structure["classes"]),
        },
    }
    WEIGHTS.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(kept):,} terms, {WEIGHTS.stat().st_size:,} bytes")


def rounded(values: Tensor) -> Any:
    """The numbers with four places."""
    return json.loads(json.dumps(values.tolist()), parse_float=lambda each: round(float(each), 4))


def check_written(known: dict[str, int], weights: Parameters, structure: Parameters, records: list[Seen]) -> None:
    """See that the reader, with what was written, comes to the shares that were fitted."""
    from pendtui.engines.readers.floor.judgement import structure_of
    from pendtui.engines.readers.floor.judgement import weigh as weigh_record
    from pendtui.engines.readers.floor.learned import SentenceModel, weights_of
    from pendtui.engines.record import Unit

    stored_now = json.loads(WEIGHTS.read_bytes())
    model, shipped = SentenceModel(weights_of(stored_now)), structure_of(stored_now["record"])
    names = {number: name for name, number in SECTIONS.items()}
    table = table_of(records, [], known)
    totals, _, _ = weigh(structure, points(weights, table), table)
    most = 0.0
    for each, fitted in zip(records, torch.softmax(totals, 1).tolist(), strict=True):
        heard = [model.hear_numbers(text, said) for text, said in zip(each.texts, each.said, strict=True)]
        units = [Unit(names[at], (0, 0), text) for text, at in zip(each.texts, each.sections, strict=True)]
        found = weigh_record(units, heard, shipped).shares
        most = max(most, *(abs(a - b) for a, b in zip(found, fitted, strict=True)))
    print(f"the reader's shares are off those fitted by {most:.3f} at most")


if __name__ == "__main__":
    main()
