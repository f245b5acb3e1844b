"""Replies as models give them: taken apart, never mended, every departure from the shape told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.facts import claim_of
from pendtui.engines.prompt import FIELDS
from pendtui.engines.recheck import recheck
from pendtui.engines.record import parse_record
from pendtui.engines.reply import MAX_CHARACTERS, Reply, ReplyFault, read_reply, reading_of
from pendtui.engines.vocabulary import CauseClass, ClockState, Release, Resolution
from tests.policies import policy
from tests.records import MESSAGE, record_text, row

ANSWER = {
    "cause_class": "AUTH-MISSING",
    "citation": MESSAGE,
    "resolution": "PEND-EXTERNAL",
    "clock": "WITHIN-CLOCK",
    "release": "EXAMINER-APPLIES",
    "confidence": 0.9,
    "why": "The message finds no precertification; PR-9.",
}
TEXT = json.dumps(ANSWER)


def answer(**changes: object) -> str:
    return json.dumps(ANSWER | changes)


def understood(text: str) -> Reply:
    reply = read_reply(text)
    assert isinstance(reply, Reply), reply
    return reply


def fault(text: str) -> str:
    reply = read_reply(text)
    assert isinstance(reply, ReplyFault), reply
    return reply.what


def test_a_reply_in_the_shape_asked_for_has_no_departures() -> None:
    reply = understood(TEXT)
    assert reply.departures == ()
    assert (reply.cause, reply.citation, reply.confidence) == (CauseClass.AUTH_MISSING, MESSAGE, 0.9)
    assert reply.why == ANSWER["why"]
    assert reply.raw._asdict() == ANSWER


@pytest.mark.parametrize(
    ("text", "departures"),
    [
        (f"\n  {TEXT}\n", ()),
        (f"\ufeff{TEXT}", ()),
        (json.dumps(ANSWER, indent=4), ()),
        (f"```json\n{TEXT}\n```", ("the object stands in a code fence",)),
        (f"```\n{TEXT}\n```\n", ("the object stands in a code fence",)),
        (f"Here it is:\n{TEXT}", ("there is text before the object",)),
        (f"{TEXT}\nAnything else?", ("there is text after the object",)),
        (
            f"Sure {{here}}.\n```json\n{TEXT}\n```\nDone.",
            (
                "the object stands in a code fence",
                "there is text before the object",
                "there is text after the object",
            ),
        ),
        (f"[{TEXT}]", ("the object stands in a list",)),
        (f'{{"answer": {TEXT}}}', ("the object stands inside another value",)),
        (f'{{"a": [1, {TEXT}]}}', ("the object stands inside another value",)),
        (f"{TEXT}\n{TEXT}", ("the object is given 2 times",)),
        (f"{{}} {TEXT}", ("there is text before the object",)),
        (
            TEXT.replace("precertification;", "precertification;\n"),
            ("a text of the object holds bare control characters",),
        ),
    ],
)
def test_the_object_is_found_wherever_it_stands(text: str, departures: tuple[str, ...]) -> None:
    reply = understood(text)
    assert (reply.cause, reply.citation) == (CauseClass.AUTH_MISSING, MESSAGE)
    assert reply.departures == departures


def test_an_answer_taken_from_the_reasoning_says_so() -> None:
    reply = read_reply(TEXT, answer_from_reasoning=True)
    assert isinstance(reply, Reply)
    assert reply.departures == ("the answer stood in the reasoning, not in the content",)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the reply is empty"),
        (" \n\ufeff", "the reply is empty"),
        ("I cannot help with that.", "the reply holds no JSON object"),
        ("[]", "the reply holds no JSON object"),
        ("null", "the reply holds no JSON object"),
        (TEXT[:-40], "the reply holds no whole JSON object with the fields asked for"),
        ("{}", "the reply holds no whole JSON object with the fields asked for"),
        ('{"answer": "AUTH-MISSING"}', "the reply holds no whole JSON object with the fields asked for"),
        (str(ANSWER), "the reply holds no whole JSON object with the fields asked for"),
        (TEXT + answer(cause_class="CODE-EDIT"), "the reply holds two objects with different answers"),
        (f"[{TEXT}, {answer(release='AUTO-RELEASE')}]", "the reply holds two objects with different answers"),
        ("x" * (MAX_CHARACTERS + 1), "the reply has 200,001 characters, more than 200,000"),
        ("{" * MAX_CHARACTERS, "the reply holds no whole JSON object with the fields asked for"),
        ('{"a":' * 30_000, "the reply holds no whole JSON object with the fields asked for"),
        ('{"why":' + "[" * 100_000, "the reply holds no whole JSON object with the fields asked for"),
        (
            '{"why":' + "[" * 50_000 + "]" * 50_000 + "}",
            "the reply holds no whole JSON object with the fields asked for",
        ),
    ],
)
def test_a_reply_without_one_answer_is_a_named_fault(text: str, what: str) -> None:
    assert fault(text) == what


@pytest.mark.parametrize("depth", [100, 300, 500, 700, 900, 980, 2_000])
def test_deep_nesting_raises_nothing(depth: int) -> None:
    text = answer()[:-1] + ', "extra": ' + "[" * depth + "]" * depth + "}"
    reply = read_reply(f"{text}\n{text}")
    assert isinstance(reply, ReplyFault) or reply.cause is CauseClass.AUTH_MISSING


@pytest.mark.parametrize(
    ("field", "written", "word"),
    [
        ("cause_class", "auth missing", "AUTH-MISSING"),
        ("cause_class", "AUTH_MISSING", "AUTH-MISSING"),
        ("cause_class", " Auth - Missing ", "AUTH-MISSING"),
        ("cause_class", "auth\u2011missing", "AUTH-MISSING"),
        ("cause_class", "Auth\u2013Missing", "AUTH-MISSING"),
        ("resolution", "release as billed", "RELEASE-AS-BILLED"),
        ("resolution", "Deny_Line", "DENY-LINE"),
        ("clock", "breached", "BREACHED"),
        ("clock", "Escalate\nNow", "ESCALATE-NOW"),
        ("release", "AUTO RELEASE", "AUTO-RELEASE"),
        ("release", "Auto Release", "AUTO-RELEASE"),
        ("release", "auto_release", "AUTO-RELEASE"),
        ("release", "examiner applies", "EXAMINER-APPLIES"),
    ],
)
def test_case_and_separators_of_a_word_are_folded_and_told(field: str, written: str, word: str) -> None:
    reply = understood(answer(**{field: written}))
    assert getattr(reply.raw, field) == word
    assert reply.departures == (f"{field} is written {json.dumps(written)}",)


@pytest.mark.parametrize(
    "written",
    [
        "AUTHMISSING",
        "AUTH",
        "AUTH-MISSING.",
        "the AUTH-MISSING class",
        "AUTH-MISSING, CODE-EDIT",
        "",
        "-",
        "PR\u0130CE",
    ],
)
def test_a_word_outside_the_vocabulary_is_never_guessed_at(written: str) -> None:
    reply = understood(answer(cause_class=written))
    assert reply.cause is None
    assert reply.raw.cause_class == written
    assert reply.departures == (f"cause_class is {json.dumps(written)}, which is none of its words",)


def test_letters_that_only_turn_ascii_in_upper_case_are_other_letters() -> None:
    assert understood(answer(cause_class="el\u0131g-m\u0131smatch")).cause is None
    assert understood(answer(clock="breached\u017f")).raw.clock == "breached\u017f"


@pytest.mark.parametrize(
    ("field", "value", "departure"),
    [
        ("cause_class", None, "cause_class is null"),
        ("cause_class", ["AUTH-MISSING"], "cause_class is a list, not text"),
        ("cause_class", 3, "cause_class is a number, not text"),
        ("cause_class", {"AUTH-MISSING": 1}, "cause_class is an object, not text"),
        ("citation", 17, "citation is a number, not text"),
        ("citation", [MESSAGE], "citation is a list, not text"),
        ("citation", "", "citation is empty"),
        ("citation", " \n", "citation is empty"),
        ("resolution", True, "resolution is true or false, not text"),
        ("clock", None, "clock is null"),
        ("why", None, "why is null"),
        ("why", {}, "why is an object, not text"),
        ("confidence", None, "confidence is null"),
        ("confidence", "0.9", "confidence is text, not a number"),
        ("confidence", True, "confidence is true or false, not a number"),
        ("confidence", 95, "confidence is 95, not from 0 to 1"),
        ("confidence", -0.1, "confidence is -0.1, not from 0 to 1"),
        ("confidence", float("nan"), "confidence is not a finite number"),
        ("confidence", float("inf"), "confidence is not a finite number"),
        ("confidence", [0.9], "confidence is a list, not a number"),
    ],
)
def test_a_value_of_the_wrong_kind_counts_as_not_given_and_is_told(
    field: str, value: object, departure: str
) -> None:
    reply = understood(answer(**{field: value}))
    assert reply.departures == (departure,)
    understood_as = {
        "cause_class": reply.cause,
        "citation": reply.citation,
        "resolution": reply.raw.resolution,
        "clock": reply.raw.clock,
        "why": reply.why,
        "confidence": reply.confidence,
    }
    assert understood_as[field] is None


@pytest.mark.parametrize(("edge", "value"), [("0", 0.0), ("1", 1.0), ("1e-3", 0.001)])
def test_the_edges_of_the_confidence_are_inside(edge: str, value: float) -> None:
    assert understood(TEXT.replace("0.9", edge)).confidence == value


@pytest.mark.parametrize("number", ["9" * 5_000, "1e999", "-1e999", "123456789012345678901234567890"])
def test_a_huge_number_is_no_confidence(number: str) -> None:
    reply = understood(TEXT.replace("0.9", number))
    assert reply.confidence is None
    assert len(reply.departures) == 1 and reply.departures[0].startswith("confidence is ")


def test_a_null_citation_was_allowed_and_is_no_departure() -> None:
    reply = understood(answer(citation=None))
    assert (reply.citation, reply.departures) == (None, ())


def test_a_citation_is_kept_to_the_letter() -> None:
    quote = "  no “auth” on\u00a0file -- see  note…  "
    reply = understood(answer(citation=quote))
    assert reply.citation == quote == reply.raw.citation
    assert reply.departures == ()


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_told_and_the_others_stand(field: str) -> None:
    reply = understood(json.dumps({key: value for key, value in ANSWER.items() if key != field}))
    assert reply.departures == (f"{field} is missing",)
    assert getattr(reply.raw, field) is None
    assert {key: value for key, value in reply.raw._asdict().items() if key != field} == {
        key: value for key, value in ANSWER.items() if key != field
    }


def test_fields_that_were_not_asked_for_are_told_and_not_used() -> None:
    reply = understood(answer(open_category=True, note="x" * 90))
    assert reply.departures == (
        '"open_category" was not asked for',
        '"note" was not asked for',
    )
    many = understood(answer(**{f"extra {n}\x1b": n for n in range(30)}))
    assert len(many.departures) == 6
    assert many.departures[-1] == "25 more fields were not asked for"
    assert all(departure.isascii() and departure.isprintable() for departure in many.departures)


def test_a_key_in_another_spelling_is_the_field_and_is_told() -> None:
    reply = understood(TEXT.replace('"cause_class"', '"Cause Class"'))
    assert reply.cause is CauseClass.AUTH_MISSING
    assert reply.departures == ('cause_class is written "Cause Class"',)


def with_second(field: str, value: object) -> str:
    return TEXT[:-1] + f", {json.dumps(field)}: {json.dumps(value)}}}"


def test_a_field_given_twice_with_the_same_value_stands_and_is_told() -> None:
    reply = understood(with_second("cause_class", "AUTH-MISSING"))
    assert reply.cause is CauseClass.AUTH_MISSING
    assert reply.departures == ("cause_class is given 2 times",)


def test_a_field_given_twice_with_different_values_counts_as_not_given() -> None:
    for field, second in (("cause_class", "CODE-EDIT"), ("citation", "another"), ("confidence", 0.1)):
        reply = understood(with_second(field, second))
        assert getattr(reply.raw, field) is None
        assert reply.departures == (
            f"{field} is given 2 times",
            f"{field} has different values and counts as not given",
        )
    assert understood(with_second("cause_class", "CODE-EDIT")).cause is None


@pytest.mark.parametrize("text", [with_second("release", "auto release"), answer(release="AUTO-RELEASE")])
def test_a_false_release_is_not_counted_away_by_a_second_answer(text: str) -> None:
    assert understood(text).raw.release == Release.AUTO_RELEASE
    if text.count('"release"') == 2:
        assert understood(text).departures == ("release is given 2 times", 'release is written "auto release"')


def test_half_a_surrogate_pair_is_written_out_so_that_it_can_be_stored() -> None:
    reply = understood(TEXT.replace("no precert", r"no \ud83d precert", 1))
    assert reply.citation is not None and r"no \ud83d precert" in reply.citation
    reply.citation.encode("utf-8")
    assert reply.departures == ("citation holds half of a surrogate pair",)
    assert understood(TEXT.replace("no precert", r"no \ud83d\ude00 precert", 1)).departures == ()


@given(st.text() | st.text(alphabet='{}[]",:ae \\u\n`'))
def test_no_text_makes_it_raise(text: str) -> None:
    read_reply(text)
    reply = read_reply(text + TEXT)
    assert isinstance(reply, ReplyFault | Reply)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(FIELDS) | st.text(), JSON_VALUES))
def test_every_reply_understood_can_be_stored_and_stays_inside_the_vocabularies(
    obj: dict[str, object],
) -> None:
    reply = read_reply(json.dumps(obj))
    if isinstance(reply, ReplyFault):
        return
    json.dumps(reply, allow_nan=False).encode("utf-8")
    "".join(str(value) for value in reply.raw).encode("utf-8")
    assert reply.cause is None or reply.cause in CauseClass
    assert reply.confidence is None or 0 <= reply.confidence <= 1
    citation = obj.get("citation")
    assert reply.citation is None or reply.citation == citation or "\\u" in reply.citation


@given(
    st.sampled_from(CauseClass),
    st.sampled_from(Resolution),
    st.sampled_from(ClockState),
    st.sampled_from(Release),
    st.text(),
)
def test_only_the_cause_and_the_quote_get_past_the_recheck(
    cause: CauseClass, resolution: Resolution, clock: ClockState, release: Release, citation: str
) -> None:
    text = answer(cause_class=cause, resolution=resolution, clock=clock, release=release, citation=citation)
    claim = claim_of(parse_record(record_text(), "PC-0001"), row())
    rules = policy()
    with_all = recheck(reading_of(understood(text)), claim, rules, "register", row().facts.received_on)
    bare = answer(cause_class=cause, citation=citation)
    with_right = recheck(reading_of(understood(bare)), claim, rules, "register", row().facts.received_on)
    assert with_all._replace(overrides=()) == with_right._replace(overrides=())
    assert with_all.release is Release.EXAMINER_APPLIES
    overridden = {override.field for override in with_all.overrides}
    assert ("release" in overridden) == (release is Release.AUTO_RELEASE)


def test_a_reply_becomes_a_reading_whose_quote_is_searched_for() -> None:
    reading = reading_of(understood(answer(release="auto_release", clock="breached")))
    assert (reading.arm, reading.cause, reading.quote) == ("model", CauseClass.AUTH_MISSING, MESSAGE)
    assert (reading.span, reading.confidence) == (None, 0.9)
    claim = claim_of(parse_record(record_text(), "PC-0001"), row())
    answers = recheck(reading, claim, policy(), "register", row().facts.received_on)
    assert answers.span is not None and record_text()[slice(*answers.span)] == MESSAGE
    assert [(o.field, o.raw, o.recomputed) for o in answers.overrides] == [
        ("clock", "BREACHED", "WITHIN-CLOCK"),
        ("release", "AUTO-RELEASE", "EXAMINER-APPLIES"),
    ]
