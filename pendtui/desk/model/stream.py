"""The bytes of a response as the objects they carry: a stream of events, or one JSON document.

Whatever the headers say, the first byte decides: a brace or bracket begins a document, anything else a stream.
Bytes are counted as they are unpacked, so that a small response cannot grow without bound.
"""

import json
import zlib
from collections.abc import Iterator
from typing import Final

from pendtui.desk.model.failures import CallFailedError, FailureKind

DONE = "[DONE]"
"""What the last event of a stream says."""

_HEAD = 2000
_GZIP_OR_ZLIB: Final = 47
"""Window bits that make zlib tell the two apart itself."""
_MARK = b"\xef\xbb\xbf"


class Unpacker:
    """Undoes a response's content encoding, giving no more than `most` bytes."""

    def __init__(self, encoding: str, most: int) -> None:
        """Raises CallFailedError for an encoding that was not asked for and is not known."""
        self._left = most
        self._most = most
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise CallFailedError(FailureKind.GARBLED, "the response is packed in a way that was not asked for")
        self._packed = zlib.decompressobj(_GZIP_OR_ZLIB) if name not in ("", "identity") else None

    def feed(self, data: bytes) -> bytes:
        """The bytes behind the next ones of the response. Raises CallFailedError: garbled, or too many."""
        if self._packed is not None:
            try:
                data = self._packed.decompress(data, self._left + 1)
            except zlib.error:
                raise CallFailedError(
                    FailureKind.GARBLED, "the response claims to be compressed, and is not"
                ) from None
        self._left -= len(data)
        if self._left < 0:
            raise CallFailedError(
                FailureKind.TOO_LARGE, f"the response is larger than {self._most:,} bytes and was not read on"
            )
        return data

    def close(self) -> None:
        """Raises CallFailedError when the response ended before its compressed data did."""
        if self._packed is not None and not self._packed.eof:
            raise CallFailedError(FailureKind.CUT_OFF, "the response ended in the middle of its compressed data")


class EventReader:
    """The JSON objects of a response, as soon as each is complete."""

    def __init__(self) -> None:
        self.streamed = False
        """Whether the response is a stream."""
        self.done = False
        """Whether the stream said that it is at its end, or the document was whole."""
        self.head = b""
        """The first bytes, to tell what came where it was no chat response."""
        self._begun = False
        self._buffer = bytearray()
        self._data: list[str] = []
        self._event = ""

    def feed(self, data: bytes) -> Iterator[dict[str, object]]:
        """The objects that these bytes complete. Raises CallFailedError for what is garbled."""
        if len(self.head) < _HEAD:
            self.head += data[: _HEAD - len(self.head)]
        self._buffer += data
        if not self._begun:
            if self._buffer.startswith(_MARK):
                del self._buffer[: len(_MARK)]
            begins = bytes(self._buffer.lstrip())
            if not begins or _MARK.startswith(begins):
                return
            self._begun = True
            self.streamed = begins[:1] not in (b"{", b"[")
        if self.streamed:
            yield from self._lines()

    def close(self) -> Iterator[dict[str, object]]:
        """The objects that the end of the response completes."""
        if self.streamed:
            self._buffer += b"\n\n"
            yield from self._lines()
        elif self._begun:
            yield from _objects(_json(_decoded(bytes(self._buffer))))
            self.done = True

    def _lines(self) -> Iterator[dict[str, object]]:
        # a carriage return at the very end may be half of a line's end
        end = max(self._buffer.rfind(b"\n"), self._buffer.rfind(b"\r", 0, len(self._buffer) - 1)) + 1
        if not end:
            return
        complete = bytes(self._buffer[:end])
        del self._buffer[:end]
        for line in complete.splitlines():
            yield from self._line(_decoded(line))

    def _line(self, line: str) -> Iterator[dict[str, object]]:
        if not line:
            if self._data:
                yield from self._complete(_json("\n".join(self._data)))
            self._data, self._event = [], ""
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._event = value
        elif field == "data":
            yield from self._datum(value)
        elif field == "error" or line.startswith("{"):
            # errors that some servers write between the events
            found = _maybe_json(value if field == "error" else line)
            if isinstance(found, dict) and (field == "error" or "error" in found):
                yield found if "error" in found else {"error": found}

    def _datum(self, value: str) -> Iterator[dict[str, object]]:
        if value.strip() == DONE:
            self.done = True
            return
        if not self._data and not value.lstrip().startswith(("{", "[")):
            return
        # a line that is complete in itself need not wait for the blank one, which some servers leave out
        text = "\n".join([*self._data, value])
        found = _maybe_json(text)
        if found is None:
            self._data.append(value)
            return
        self._data = []
        yield from self._complete(found)

    def _complete(self, found: object) -> Iterator[dict[str, object]]:
        for each in _objects(found):
            yield {"error": each} if self._event == "error" and "error" not in each else each


def _objects(found: object) -> Iterator[dict[str, object]]:
    for each in found if isinstance(found, list) else [found]:
        if isinstance(each, dict):
            yield each


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise CallFailedError(FailureKind.GARBLED, "the response holds bytes that are not UTF-8") from None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise CallFailedError(FailureKind.GARBLED, "the response breaks off or is not the JSON it began") from None


def _maybe_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
