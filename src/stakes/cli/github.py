"""What GitHub Actions shows of a result: the summary of a step, and annotations."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stakes._check import FileError
from stakes._files import Target, write_text
from stakes._text import plain

if TYPE_CHECKING:
    from stakes.evaluation import Verdict

SUMMARY = "GITHUB_STEP_SUMMARY"  # the variable that names the file
MOST_BYTES = 2**20  # of a summary; a longer one is not shown at all
MOST_OF_A_KIND = 10  # annotations of a step; further ones are not shown
_KINDS: tuple["Kind", ...] = ("error", "warning", "notice")
_START, _END = "<details>", "</details>"
_CLEAR = {"useful", "better", "worse", "best", "equivalent", "non_inferior", "own_abstentions"}
Kind = Literal["error", "warning", "notice"]


@dataclass(frozen=True)
class Annotation:
    """A sentence that GitHub shows beside a run, and how to fix what it says."""

    kind: Kind
    title: str
    text: str
    fix: str = ""

    def line(self) -> str:
        """Return the command that makes the annotation."""
        text = "\n".join(part for part in (self.text, self.fix) if part)
        return f"::{self.kind} title={_property(self.title)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def annotation_lines(annotations: Sequence[Annotation]) -> list[str]:
    """Return the commands of annotations; of more than can be shown the last counts the rest."""
    lines = []
    for kind in _KINDS:
        some = [a for a in annotations if a.kind == kind]
        if len(some) > MOST_OF_A_KIND:
            rest = len(some) - MOST_OF_A_KIND + 1
            text = f"{rest} more, of which GitHub shows none: {some[MOST_OF_A_KIND - 1].text} ..."
            some = [*some[: MOST_OF_A_KIND - 1], Annotation(kind, f"{rest} more", text)]
        lines += [a.line() for a in some]
    return lines


def verdict_annotations(command: str, verdicts: Iterable["Verdict"]) -> list[Annotation]:
    """Return verdicts as notices where they say what is so, as warnings where they caution."""
    return [
        Annotation("notice" if v.code in _CLEAR else "warning", f"stakes {command}", str(v))
        for v in verdicts
    ]


def with_fixes(sentences: Iterable[str], annotations: Iterable[Annotation]) -> list[str]:
    """Return sentences, each with the fix of its annotation."""
    fixes = {a.text: a.fix for a in annotations if a.fix}
    return [f"{each}. {fixes[each]}" if each in fixes else each for each in sentences]


def within(lines: Sequence[str], most: int) -> str:
    """Return as many whole lines as a number of bytes allows; a last one says that it was cut."""
    text = "\n".join(lines) + "\n"
    if len(text.encode()) <= most:
        return text
    ending = f"\nCut: all {len(lines)} lines would be longer than the 1 MiB of a summary.\n"
    kept = "".join(_while_below(lines, most - len(ending) - len(_END) - 2))
    closed = f"\n{_END}\n" if _START in kept else ""
    return kept + closed + ending if kept else ""


def folded(lines: Sequence[str], name: str) -> list[str]:
    """Return lines that are shown on a click."""
    return [f"{_START}<summary>{name}</summary>", "", *lines, "", _END]


def _while_below(lines: Iterable[str], most: int) -> Iterator[str]:
    size = 0
    for line in lines:
        size += len(line.encode()) + 1
        if size > most:
            return
        yield f"{line}\n"


def append_summary(path: str, lines: Sequence[str]) -> bool:
    """Add lines to the summary of a step, as far as it may grow; whether any could be added."""
    file = Path(path)
    if file.exists() and not file.is_dir() and not Target.from_path(path).plain:
        write_text(path, within(lines, MOST_BYTES))
        return True
    try:
        with file.open("ab+") as stream:
            size = stream.seek(0, os.SEEK_END)
            gap = b""
            if size:
                stream.seek(-1, os.SEEK_END)
                gap = b"\n" if stream.read(1) == b"\n" else b"\n\n"
            text = within(lines, MOST_BYTES - size - len(gap))
            if text:
                stream.write(gap + text.encode())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        msg = f"cannot write '{plain(path, 1000)}', which {SUMMARY} names: {reason}."
        raise FileError(msg) from error
    return bool(text)
