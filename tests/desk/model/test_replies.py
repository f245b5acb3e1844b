"""Answers in another shape than asked for, through the client and the reply's reader, as a table."""

import json

import pytest

from pendtui.engines.reply import Reply, ReplyFault, read_reply
from tests.desk.model.server import MESSAGES, SCHEMA, ModelServer, answers, client_for, completion, responds

WHOLE = {
    "cause_class": "AUTH-MISSING",
    "citation": "No precertification on file",
    "resolution": "PEND-EXTERNAL",
    "clock": "WITHIN-CLOCK",
    "release": "EXAMINER-APPLIES",
    "confidence": 0.8,
    "why": "Nothing was located; PR-9.",
}
SOUND = json.dumps(WHOLE)

REPLIES: list[tuple[str, str, str | None, int | None]] = [
    # what comes, its text, the cause class understood, and how many departures at least; None for no answer
    ("as asked", SOUND, "AUTH-MISSING", 0),
    ("preamble", f"Here is my answer:\n{SOUND}", "AUTH-MISSING", 1),
    ("fenced", f"```json\n{SOUND}\n```", "AUTH-MISSING", 1),
    ("trailing text", f"{SOUND}\n\nI hope that this helps.", "AUTH-MISSING", 1),
    ("duplicate key, same value", SOUND.replace("{", '{"cause_class": "AUTH-MISSING", ', 1), "AUTH-MISSING", 1),
    ("duplicate key, other value", SOUND.replace("{", '{"cause_class": "CODE-EDIT", ', 1), None, 1),
    ("extra key", SOUND.replace("{", '{"mood": "good", ', 1), "AUTH-MISSING", 1),
    ("wrong types", json.dumps(WHOLE | {"cause_class": 3, "confidence": "high"}), None, 2),
    ("unknown cause class", json.dumps(WHOLE | {"cause_class": "AUTH-MISLAID"}), None, 1),
    ("null citation", json.dumps(WHOLE | {"citation": None}), "AUTH-MISSING", 0),
    ("a list", f"[{SOUND}]", "AUTH-MISSING", 1),
    ("two answers", f"[{SOUND}, {SOUND.replace('AUTH-MISSING', 'CODE-EDIT')}]", None, None),
    ("prose", "The authorization seems to be missing.", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "cause", "departures"), [pytest.param(*case[1:], id=case[0]) for case in REPLIES])
@pytest.mark.parametrize("whole", [False, True], ids=["streamed", "in one piece"])
async def test_a_reply_in_another_shape_arrives_to_the_letter_and_is_taken_apart(
    server: ModelServer, text: str, cause: str | None, departures: int | None, whole: bool
) -> None:
    server.will(responds(200, completion(text)) if whole else answers(text))
    async with client_for(server) as client:
        call = await client.call(MESSAGES, SCHEMA)
    assert (call.text, len(server.asked)) == (text, 1)
    reply = read_reply(call.text, call.answer_from_reasoning)
    if departures is None:
        assert isinstance(reply, ReplyFault)
    else:
        assert isinstance(reply, Reply)
        assert reply.cause == cause and len(reply.departures) >= departures
        assert bool(reply.departures) is bool(departures)
