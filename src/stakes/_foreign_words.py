"""Words of other libraries and fields: what does the same here, and how it is called.

The table is `_foreign_words.toml`. It is read when somebody asks for a name that is not
there, and only once the message is shown: `hasattr` costs nothing.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from stakes._text import key_of, quoted

_LONG, _MUCH_ALIKE = 5, 0.85  # characters of a word, and how alike a slip is
_PARTS = re.compile(  # around a word: BinaryAccuracy, MulticlassF1Score, roc_auc_vec
    "(?:plot|binary|multiclass|multilabel|calculate|calc|compute|get)?(.+?)"
    "(?:score|vec|test|metric|coefficient|index|stat|statistic|value|classifier|at)?"
)
_MOST_NAMED = 30  # names that an error lists
_MAIN_CALLS = (
    "Scores go into stakes.evaluate(y, p), a fitted model into stakes.evaluate_model(model, X, y),"
    " several systems into stakes.compare(y, {'old': p, 'new': q}). stakes.explain(word) explains"
    " words of other libraries."
)
_TABLE = Path(__file__).with_suffix(".toml")


class ForeignWord(NamedTuple):
    """A word of another library or field, and what does the same here."""

    word: str
    origin: str
    ours: str  # names below `stakes`, separated by commas
    call: str
    command: str = ""
    note: str = ""

    @property
    def of_one(self) -> bool:
        """Whether it is a word of one class or function alone."""
        return "." in self.word or "(" in self.word

    def said(self, *, typed: bool = False) -> str:
        """Return the answer in a sentence or two: the call or, where it was `typed`, the command.

        >>> print(answer_to("log-loss").said())
        For 'log_loss' (scikit-learn, torch) use cross_entropy: stakes.cross_entropy(y, p)
        """
        note = f". {self.note}" if self.note else ""
        word = f"'{self.word}' ({self.origin})"
        if typed and self.command:
            return f"For {word} give: {self.command}"
        where = " in Python" if typed else ""
        return f"For {word} use {self.ours}{where}: {self.call}{note}"


@cache
def foreign_words() -> dict[str, ForeignWord]:
    """Return the entry of every word and of each of its spellings."""
    import tomllib  # noqa: PLC0415  only where a word is not known

    found: dict[str, ForeignWord] = {}
    for word, fields in tomllib.loads(_TABLE.read_text("utf-8")).items():
        also, origin = fields.pop("also", ()), fields.pop("from")
        for each in (word, *also):
            found[key_of(each)] = ForeignWord(each, origin, **fields)
    return found


@cache
def _joined() -> dict[str, ForeignWord]:
    """Return the entries by their words without anything between letters."""
    return {_flat(key): entry for key, entry in reversed(foreign_words().items())}


def entry_of(word: str) -> ForeignWord | None:
    """Return the entry of a word, however it is written; None for other words.

    >>> entry_of("MulticlassF1Score").ours, entry_of("roc_auc_vec").ours
    ('ConfusionMatrix.f_score', 'auc')
    """
    known, flat = _joined(), _flat(word)
    inside = _PARTS.fullmatch(flat)
    return foreign_words().get(key_of(word)) or known.get(flat) or (inside and known.get(inside[1]))


def answer_to(word: str, of: str = "") -> ForeignWord | None:
    """Return the entry of a word, however it is written, or of one much like it; else None.

    What a word means `of` a class or of a function, "RocCurve.fpr" or "confusion_matrix(tn)", comes
    first.
    """
    found = foreign_words().get(key_of(f"{of} {word}")) if of else None
    if found is not None and found.of_one:
        return found
    if (found := entry_of(word)) is not None:
        return found
    known = {
        key: each
        for key, each in foreign_words().items()
        if len(each.word) >= _LONG and not each.of_one
    }
    meant = near(word, known, cutoff=_MUCH_ALIKE) if len(key_of(word)) >= _LONG else []
    return known[meant[0]] if meant else None


def own_name(word: str, names: Iterable[str]) -> str | None:
    """Return which of some names of ours a word means: "platt" is "affine".

    >>> own_name("Platt", ["beta", "affine"]), own_name("log_posteriors", ["log-posteriors"])
    ('affine', 'log-posteriors')
    """
    keys, found = {_flat(name): name for name in names}, foreign_words().get(key_of(word))
    meant = [word, *(found.ours.split(", ") if found is not None else ())]
    plain = (_flat(each).removesuffix("calibrator") for each in meant)
    return next((keys[key] for key in plain if key in keys), None)


def _flat(name: str) -> str:
    return key_of(name).replace("_", "")


def near(word: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.75) -> list[str]:
    """Return the known words that were probably meant: the same letters in another case first."""
    from difflib import get_close_matches  # noqa: PLC0415  only where a word is not known

    listed = list(known)
    keys = {_flat(each): each for each in reversed(listed)}
    found = get_close_matches(_flat(word), keys, n=most, cutoff=cutoff)
    return [keys[match] for match in found]


class LateText:
    """A text that is made when it is shown; errors that nobody reads cost nothing.

    What a module or a record has not is looked up among the words of others, then among its names.
    """

    def __init__(self, text: str, name: str, owner: object) -> None:
        self.text, self.name, self.owner = text, name, owner

    def __str__(self) -> str:
        known, of = _public(self.owner), getattr(self.owner, "__name__", "")
        found, meant = answer_to(self.name, of), near(self.name, known)
        if found is not None and found.of_one:
            return f"{self.text}. {found.said()}"
        if meant and key_of(meant[0]) == key_of(self.name):
            found = None  # our own name, in other letters
        elif place := _elsewhere(self.name):
            return f"{self.text}: it is {place}"
        if found is not None:
            return f"{self.text}. {found.said()}"
        if meant:
            return f"{self.text}. Did you mean {meant[0]!r}?"
        return f"{self.text}{_main_names(self.owner, known)}"

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def missing(text: str, name: str, owner: object) -> AttributeError:
    """Return the error for a name that `owner`, a module or a class, has not."""
    known_to_python = name.startswith("_")  # which probes for such names
    return AttributeError(text if known_to_python else LateText(text, name, owner))


def missing_name(module: str, name: str, asked_by: object) -> Exception:
    """Return the error for a name that a module has not, as an attribute or in an import.

    `from stakes import name` drops the text of an AttributeError, so an import that asks gets the
    ImportError that Python would raise, with the answer. `asked_by` is the frame that asks.
    """
    owner = sys.modules[module]
    if not name.startswith("_") and _imports(asked_by):
        text = LateText(f"cannot import name {name!r} from {module!r}", name, owner)
        return ImportError(text, name=module, path=owner.__file__)
    return missing(f"module {module!r} has no attribute {name!r}", name, owner)


def _imports(frame: object) -> bool:
    """Whether a frame stands at the `import name` of a `from` statement."""
    from opcode import opmap  # noqa: PLC0415  only where a name is not there

    code, at = frame.f_code.co_code, frame.f_lasti  # type: ignore[attr-defined]
    return bool(code[at] == opmap["IMPORT_FROM"])


def _main_names(owner: object, known: Sequence[str]) -> str:
    """Return where to begin: our main calls, or the names that a class or a package has."""
    if getattr(owner, "__name__", "") == "stakes":
        return f". {_MAIN_CALLS}"
    own = [name for name in known if name not in dir(float)]
    return f". Its names are {quoted(own, most=_MOST_NAMED)}." if own else ""


def _public(owner: object) -> Sequence[str]:
    fields = getattr(owner, "__dataclass_fields__", ())  # those without defaults are not in dir
    return sorted(name for name in {*dir(owner), *fields} if not name.startswith("_"))


def _elsewhere(name: str) -> str:
    """Return where stakes has a public name, as its packages' stubs say; empty if nowhere."""
    root = Path(__file__).parent
    for stub in (root / "__init__.pyi", *sorted(root.glob("[a-z]*/__init__.pyi"))):
        if f" as {name}\n" in stub.read_text("utf-8"):
            package = stub.parent.name
            return f"stakes.{name}" if stub.parent == root else f"stakes.{package}.{name}"
    return ""
