"""The answer put together from a response's objects: text, reasoning, usage, and why it ended."""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from pendtui.desk.model.calls import Phase, Usage
from pendtui.desk.model.failures import CallFailedError, FailureKind
from pendtui.desk.model.responses import error_in, failure_of_error, one_line
from pendtui.desk.model.usage import read_usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pendtui.desk.model.secrets import Secret

_OPENING = re.compile(r"\s*(?:<(?:think|thinking|thought|reasoning)>|\[THINK\])", re.IGNORECASE)
_CLOSING = re.compile(r"</(?:think|thinking|thought|reasoning)>|\[/THINK\]", re.IGNORECASE)
_LONGEST_TAG = len("</reasoning>")
_FENCE = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)

_REASONING = ("reasoning_content", "reasoning", "reasoning_details")
_AT_LIMIT = ("length", "max_tokens")
_FILTERED = ("content_filter", "safety")
_BROKEN = ("error", "abort", "insufficient_system_resource")


class Answer(NamedTuple):
    """What a response came to."""

    text: str
    reasoning_characters: int
    finish_reason: str | None
    usage: Usage
    model: str | None
    from_reasoning: bool


class AnswerBuilder:
    """Takes the objects of one response in their order."""

    def __init__(self, title: str, secret: "Secret | None" = None) -> None:
        """Build an answer of the server called `title`; the key is kept out of what its errors say."""
        self.phase = Phase.WAITING
        """What the model is doing."""
        self.pieces = 0
        """Pieces of text received, reasoning included."""
        self.usage = Usage()
        self.objects = 0
        """Objects received that were no errors."""
        self._title = title
        self._secret = secret
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._finish_reason: str | None = None
        self._model: str | None = None
        self._tags = _TagWatch()

    @property
    def tokens(self) -> int:
        """Tokens so far where the server counts them, else the pieces."""
        return self.usage.completion_tokens or self.pieces

    def take(self, found: Mapping[str, object]) -> None:
        """Take one object: a chunk of a stream, or a whole completion. Raises CallFailedError for an error."""
        if error_in(found):
            raise failure_of_error(found, self._title, self._secret)
        self.objects += 1
        model = found.get("model")
        if isinstance(model, str) and model.strip():
            self._model = one_line(model, self._secret)
        vendor = found.get("x_groq")
        for holder in (vendor, found):
            usage = holder.get("usage") if isinstance(holder, Mapping) else None
            if isinstance(usage, Mapping):
                self.usage = read_usage(usage, self.usage)
        choices = found.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, Mapping) and choice.get("index") in (0, None):
                self._choice(choice)

    def _choice(self, choice: Mapping[str, object]) -> None:
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish_reason = reason
        delta = choice.get("delta")
        whole = choice.get("message")
        if isinstance(delta, Mapping):
            message = delta
        elif isinstance(whole, Mapping) and not self._content:
            # a last chunk may repeat everything
            message = whole
        else:
            message = {}
        # only one of the fields: several servers fill two with the same text
        reasoning = next(
            filter(
                None, (_text(message.get(name)) for name in ("reasoning_content", "reasoning", "reasoning_details"))
            ),
            "",
        )
        if reasoning:
            self._reasoning.append(reasoning)
            self._received(Phase.REASONING)
        refusal = _text(message.get("refusal"))
        if refusal:
            self._refusal.append(refusal)
        content = _text(message.get("content")) or _text(choice.get("text"))
        if content:
            self._content.append(content)
            self._received(self._tags.feed(content))

    def _received(self, phase: Phase | None) -> None:
        self.pieces += 1
        self.phase = phase or self.phase

    def result(self, schema: Mapping[str, object] | None, *, ended: bool, lenient: bool = False) -> Answer:
        """The answer, once the response is over.

        `ended` says whether the response said itself that it was complete. Raises CallFailedError where it holds
        no complete answer; when lenient, only where it holds an error, a refusal or is cut off.
        """
        thought, text = split_thinking(_paired("".join(self._content)))
        reasoning = _paired("".join(self._reasoning))
        reason = (self._finish_reason or "").lower()
        from_reasoning = False
        if not text.strip() and reason in ("", "stop") and _validates(reasoning or thought, schema):
            text, from_reasoning = reasoning or thought, True
        if not from_reasoning:
            self._check(reason, text, reasoning + thought, ended=ended, lenient=lenient)
        characters = len(reasoning) + len(thought)
        return Answer(text, characters, self._finish_reason, self.usage, self._model, from_reasoning)

    def _check(self, reason: str, text: str, reasoning: str, *, ended: bool, lenient: bool) -> None:
        blank = not text.strip()
        refusal = "".join(self._refusal)
        if (refusal and blank) or reason == "refusal":
            said = one_line(refusal or text, self._secret)
            raise CallFailedError(FailureKind.REFUSAL, f"the model declined{': ' + said if said else ''}")
        if reason in _FILTERED:
            raise CallFailedError(
                FailureKind.CONTENT_FILTER,
                f"{self._title} withheld the answer by its content filter",
                remedy="Read this record with the offline reader",
            )
        if reason in _BROKEN:
            raise CallFailedError(FailureKind.SERVER, f"{self._title} broke the answer off ({reason})")
        if reason in _AT_LIMIT:
            if lenient or _is_object(text):
                return
            raise self._at_limit(blank=blank, reasoned=bool(reasoning))
        if not reason and not ended:
            raise CallFailedError(FailureKind.CUT_OFF, "the stream ended before the answer was said to be complete")
        if blank and not lenient:
            raise CallFailedError(FailureKind.EMPTY, self._emptiness(reason, bool(reasoning)))

    def _at_limit(self, *, blank: bool, reasoned: bool) -> CallFailedError:
        what = "the token limit was reached before the answer was complete"
        if blank:
            spent = "by the reasoning, " if reasoned else ""
            what = f"the token limit was reached {spent}before the answer began"
        count = self.usage.completion_tokens
        return CallFailedError(
            FailureKind.LENGTH,
            f"{what}{f' ({count:,} tokens)' if count is not None else ''}",
            remedy="Raise max_answer_tokens in [model], or the server's context",
        )

    def _emptiness(self, reason: str, reasoned: bool) -> str:
        if not self.objects or (not self.pieces and not reason):
            return f"{self._title} answered without any choice"
        if reason in ("tool_calls", "function_call"):
            return "the model called a tool instead of answering"
        return "the answer is empty" + (", though there is reasoning" if reasoned else "")


class _TagWatch:
    """Tells, while pieces of content come in, whether they are reasoning between tags."""

    def __init__(self) -> None:
        self._head = ""
        self._inside: bool | None = None
        self._tail = ""

    def feed(self, piece: str) -> Phase | None:
        """What the piece is part of, or None for as long as there is nothing but space."""
        if self._inside is None:
            self._head += piece
            begun = self._head.lstrip()
            if not begun:
                return None
            if _OPENING.match(self._head):
                self._inside = True
            elif len(begun) >= _LONGEST_TAG or begun[0] not in "<[":
                self._inside = False
        elif self._inside:
            seen = self._tail + piece
            self._tail = seen[-_LONGEST_TAG:]
            if _CLOSING.search(seen):
                self._inside = False
        # what may still become an opening tag most often does
        return Phase.ANSWERING if self._inside is False else Phase.REASONING


def split_thinking(content: str) -> tuple[str, str]:
    """The reasoning that stands in tags before an answer, and the answer.

    The opening tag may be missing, as it is where the chat template has written it. A closing tag inside an
    answer that is a JSON object ends nothing.
    """
    thought = ""
    while opening := _OPENING.match(content):
        closing = _CLOSING.search(content, opening.end())
        if closing is None:
            return thought + content[opening.end() :], ""
        thought += content[opening.end() : closing.start()]
        content = content[closing.end() :].lstrip()
    if not thought and not _is_object(content):
        closing = _CLOSING.search(content)
        if closing is not None:
            return content[: closing.start()], content[closing.end() :].lstrip()
    return thought, content


def _validates(text: str, schema: Mapping[str, object] | None) -> bool:
    """Whether a text is, in its entirety, an object that has what the schema asks for."""
    fenced = _FENCE.match(text)
    found = _parsed(fenced[1] if fenced else text)
    if schema is None or not isinstance(found, dict):
        return False
    required, properties = schema.get("required"), schema.get("properties")
    if not isinstance(required, list) or not isinstance(properties, Mapping):
        return False
    for name in required:
        allowed = properties.get(name)
        words = allowed.get("enum") if isinstance(allowed, Mapping) else None
        if name not in found or (isinstance(words, list) and found[name] not in words):
            return False
    return True


def _is_object(text: str) -> bool:
    return isinstance(_parsed(text), dict)


def _parsed(text: str) -> object:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(value: object) -> str:
    """Text as servers nest it: a string, or a list of parts that hold one."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(_text, value))
    if isinstance(value, Mapping):
        return next((each for name in ("text", "summary") if isinstance(each := value.get(name), str)), "")
    return ""


def _paired(text: str) -> str:
    """The text with characters beyond the basic plane joined that were split over two pieces."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
