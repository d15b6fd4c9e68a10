"""A JSON object too long to hold: its values one by one, and the items of one of its lists."""

import codecs
import json
from collections.abc import Iterator
from typing import Any, Protocol

from stakes._check import InputError, ResourceError
from stakes._text import plain

_WINDOW = 1024 * 1024
_LARGEST_VALUE = 1024**3
_DECODER = json.JSONDecoder()  # NaN too: inspect writes it for samples without a score
_GOES_ON = 3  # characters after a number that are cut off may go on with it: e-1
_BLANKS = " \t\r\n"


class Source(Protocol):
    """Where the bytes come from."""

    name: str

    def read(self, size: int) -> bytes:
        """Return some bytes, none at the end."""


def parse_json(data: bytes | str, place: str) -> Any:  # noqa: ANN401
    """Return a JSON text as values, or say what is wrong with it and where."""
    try:
        return json.loads(data)
    except (RecursionError, ValueError) as error:
        raise InputError(f"{place} must be JSON: {_reason(error)}.") from error


def object_items(source: Source, listed: str, window: int = _WINDOW) -> Iterator[tuple[str, Any]]:
    """Yield the values of one object with their names; of the list so named, each item alone."""
    text = _Window(source, window)
    text.expect("{")
    if text.peek() == "}":
        return
    while True:
        name = text.value()
        if not isinstance(name, str):
            raise text.wrong(f"a name must be a text: got {plain(repr(name))}")
        text.expect(":")
        if name == listed and text.peek() == "[":
            for item in text.items():
                yield name, item
        else:
            yield name, text.value()
        if text.next_of(",}") == "}":
            break
    if (more := text.peek()) != "":
        raise text.wrong(f"nothing may follow the object: got {plain(repr(more))}")


class _Window:
    """A part of the text: what was read and not yet used, and how to read more."""

    def __init__(self, source: Source, size: int) -> None:
        self._source, self._size = source, size
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at, self._line, self._ended = "", 0, 1, False
        if self._peek_past("\ufeff"):
            self._at += 1

    def wrong(self, why: str) -> InputError:
        """Return the error of what stands here."""
        line = self._line + self._text.count("\n", 0, self._at)
        return InputError(f"'{self._source.name}', line {line} must be JSON: {why}.")

    def peek(self) -> str:
        """Return the next character that is not blank, none at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANKS:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def next_of(self, allowed: str) -> str:
        """Take the next character, one of some."""
        found = self.peek()
        if found == "" or found not in allowed:
            got = plain(repr(found)) if found else "the end of the file"
            raise self.wrong(f"one of {' '.join(allowed)} must follow: got {got}")
        self._at += 1
        return found

    def expect(self, sign: str) -> None:
        """Take one character."""
        self.next_of(sign)

    def items(self) -> Iterator[Any]:
        """Yield the items of the list that begins here."""
        self.expect("[")
        if self.peek() == "]":
            self._at += 1
            return
        while True:
            yield self.value()
            if self.next_of(",]") == "]":
                return

    def value(self) -> Any:  # noqa: ANN401
        """Take the value that begins here, reading on until it is whole."""
        self.peek()
        while True:
            try:
                found, end = _DECODER.raw_decode(self._text, self._at)
            except (RecursionError, ValueError) as error:
                if isinstance(error, RecursionError) or not self._more():
                    raise self.wrong(_reason(error)) from error
                continue
            if end + _GOES_ON <= len(self._text) or self._ended:
                self._at = end
                return found
            self._more()

    def _peek_past(self, mark: str) -> bool:
        return (bool(self._text) or self._more()) and self._text.startswith(mark)

    def _more(self) -> bool:
        """Read on, the more the longer the value is; False at the end."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if len(rest) > _LARGEST_VALUE:
            rule = f"one value must have at most {_LARGEST_VALUE} characters"
            raise ResourceError(f"'{self._source.name}': {rule}.")
        data = self._source.read(max(self._size, len(rest)))
        self._ended = not data
        try:
            new = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            raise self.wrong(f"it must be UTF-8: {plain(error, 100)}") from error
        self._line += self._text.count("\n", 0, self._at)
        self._text, self._at = rest + new, 0
        return bool(new) or not self._ended


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else plain(error, 200)
