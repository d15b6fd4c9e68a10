"""Every code of a verdict, an undefined value or an error, and what it means.

The entries are TOML files in this package, a table for each code. `stakes explain`, the pages of
docs/codes and `explain_code` show them; a law holds them against the codes in the source.
"""

__all__ = ["CodeExplanation", "explain_code"]

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from textwrap import wrap
from types import MappingProxyType

from stakes._errors import InputError
from stakes._foreign_calls import answered
from stakes._foreign_words import near
from stakes._records import Record
from stakes._text import quoted

FILES = {  # the kind of the codes in each file
    "verdicts_on_costs": "verdict",
    "verdicts_on_scores": "verdict",
    "verdicts_on_systems": "verdict",
    "verdicts_on_responses": "verdict",
    "undefined_values": "undefined value",
    "error_kinds": "kind of error",
    "score_errors": "error",
    "file_errors": "error",
}


@dataclass(frozen=True)
class CodeExplanation(Record):
    """What a code means, when it is used, and what to do.

    Attributes
    ----------
    code : str
        Such as "few_errors".
    kind : str
        "verdict", "undefined value", "kind of error" or "error".
    meaning : str
    rule : str
        When the code is used.
    advice : str
        What to do.
    python : str
        A call that helps, or the empty string.
    command : str
        A command that helps, or the empty string.
    example : str
        A message with this code.

    See Also
    --------
    explain_code : returns it.

    Examples
    --------
    >>> import stakes
    >>> entry = stakes.explain_code("few_errors")
    >>> entry.advice  # so quote the interval
    'Use more labelled samples, or quote the interval with the number.'
    """

    code: str
    kind: str
    meaning: str
    rule: str
    advice: str
    python: str
    command: str
    example: str

    def __str__(self) -> str:
        lines = [f"{self.code} ({self.kind})"]
        for name, text in self.parts().items():
            end = " \\" if name == "command" else ""  # it can be copied as it is
            lines.append(_hanging(f"  {name:<9}", text, f"{end}\n"))
        return "\n".join(lines)

    def parts(self) -> dict[str, str]:
        """Return what is said, by its heading."""
        said = {
            "means": self.meaning,
            "when": self.rule,
            "do": self.advice,
            "Python": self.python,
            "command": self.command,
            "example": self.example,
        }
        return {name: text for name, text in said.items() if text}

    def to_dict(self) -> dict[str, str]:
        """Return the explanation as plain values."""
        return dict(vars(self))


def _hanging(start: str, text: str, between: str) -> str:
    """Return a paragraph whose lines stand under each other; no name in it is broken."""
    lines = [
        line
        for part in text.splitlines()
        for line in wrap(part, 78 - len(start), break_on_hyphens=False, break_long_words=False)
    ]
    return start + f"{between}{' ' * len(start)}".join(lines)


@cache
def codes() -> Mapping[str, CodeExplanation]:
    """Return every code with its explanation, in the order of the files."""
    folder = files("stakes._codes")
    found = {
        code: CodeExplanation(code, kind, **entry)
        for name, kind in FILES.items()
        for code, entry in tomllib.loads((folder / f"{name}.toml").read_text("utf-8")).items()
    }
    return MappingProxyType(found)


@answered
def explain_code(code: str) -> CodeExplanation:
    """Return what the code of a verdict, an undefined value or an error means, and what to do.

    Parameters
    ----------
    code : str
        Such as "few_errors". Verdicts, undefined values and errors carry theirs as `code`.

    Returns
    -------
    CodeExplanation
        Printed, it states the meaning, the rule, what to do, and an example.

    See Also
    --------
    Verdict, Undefined, StakesError : carry a code, and its `explanation`.
    explain : also explains metrics, and words of other libraries.

    Examples
    --------
    >>> import stakes
    >>> print(stakes.explain_code("few_errors"))
    few_errors (verdict)
      means    The result rests on few errors, so its error rates are uncertain.
      when     Fewer than 30 misses or false alarms (two classes) or errors (more
               classes): then a rate is uncertain by 30 % or more either way
               (Doddington's rule of 30). Samples are counted, not weights; an
               abstention is not an error. For responses: fewer than 10 wrong
               answers.
      do       Use more labelled samples, or quote the interval with the number.
      Python   result.main.errors
      command  stakes evaluate scores.csv --app screening.toml --details
      example  The decisions rest on 4 misses. With fewer than 30, an error rate
               is uncertain by 30 % or more either way.
    """
    found = codes().get(code) if isinstance(code, str) else None
    if found is not None:
        return found
    raise no_such("code", f"must be one of {quoted(codes())}", code, codes())


def no_such(argument: str, rule: str, word: object, known: Iterable[str]) -> InputError:
    """Return the error for a word that is not known, with known ones that are much like it."""
    meant = near(str(word), known, most=3, cutoff=0.7)
    hint = f"Did you mean {quoted(meant)}?" if meant else ""
    return InputError(argument, rule, repr(word), hint=hint)
