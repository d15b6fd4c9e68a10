"""A fitted map with what it was fitted on: classes, kind of scores, priors; and its JSON form."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError, read_names, read_priors
from stakes._text import plain, quoted
from stakes._typing import FloatArray, Names, PriorsLike
from stakes.calibration.maps import CalibrationMap, map_class
from stakes.scores import LogPosteriors, ScoreMeaning, Scores

FORMAT, VERSION = "stakes-calibrator", 2
_EARLIER = 1  # kept priors for likelihoods only, and never the kind of scores


@dataclass(frozen=True, eq=False)
class FittedMap:
    """A map of log posteriors, and the scores and priors that it was fitted on.

    It gives calibrated posteriors at its own priors. Posteriors at other priors follow from these
    by Bayes' rule, never by feeding the map with scores at other priors: the calibrated likelihood
    ratios are the same at all priors.
    """

    map: CalibrationMap
    classes: Names
    meaning: ScoreMeaning | None  # None: an earlier file that did not keep it
    priors: FloatArray | None  # None: an earlier file of posteriors or logits

    def posteriors(self, scores: Scores, priors: PriorsLike | None = None) -> LogPosteriors:
        """Return calibrated posteriors at the priors of the fit, or moved to others."""
        typed = scores.ordered(self.classes)
        if typed.n_classes != len(self.classes):
            rule = f"must have one column per class {quoted(self.classes)}"
            raise InputError("scores", rule, f"{typed.n_classes} columns")
        same = not typed.needs_priors if self.meaning is None else typed.meaning == self.meaning
        if not same:
            fitted = self.meaning or "posteriors or logits"
            rule = f"must be of the kind the calibrator was fitted on, {fitted}"
            hint = f"Pass {fitted} of the same system, or fit a calibrator on {typed.meaning}."
            raise InputError(
                "scores", rule, f"{type(typed).__name__}, which are {typed.meaning}", hint=hint
            )
        output = LogPosteriors.trusted(self.map(typed.answers(self.priors).log_p), typed.names)
        if priors is None:
            return output
        target = read_priors(priors, self.classes)
        if target is None:
            rule = "must be numbers, there are no labels to count"
            hint = "Give the priors of use, one per class."
            raise InputError("priors", rule, repr(priors), hint=hint)
        if self.priors is not None and (target == self.priors).all():
            return output
        return output.at_priors(self.known_priors(), target)

    def known_priors(self) -> FloatArray:
        """Return the priors of the fit, all above 0, or refuse."""
        if self.priors is None:
            msg = "the calibrator was written by an earlier version, which did not keep the priors"
            msg = f"{msg} it was fitted at: its posteriors cannot be moved to other priors."
            raise InputError(f"{msg} Fit it again, or use it without priors.")
        if not self.priors.all():
            name = plain(self.classes[int(self.priors.argmin())])
            msg = f"the calibrator was fitted at prior 0 for class {name}: its posteriors cannot"
            raise InputError(f"{msg} be moved to other priors. Fit it with priors above 0.")
        return self.priors

    def to_dict(self, name: str) -> dict[str, Any]:
        """Return the fit as plain values with a checksum, fit for JSON."""
        body = {
            "format": FORMAT,
            "version": VERSION,
            "name": name,
            "kind": self.map.kind,
            "classes": list(self.classes),
            "scores": self.meaning,
            "priors": None if self.priors is None else self.priors.tolist(),
            "map": self.map.to_dict(),
        }
        return {**body, "sha256": checksum(body)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "FittedMap":
        """Read a fit; a changed or cut file is refused by its checksum."""
        version = _version(data)
        kind = map_class(data.get("kind"))
        names = read_names(data.get("classes", []), "classes")
        try:
            fitted = kind.from_dict(data["map"])
            priors = None if data["priors"] is None else read_priors(data["priors"], names)
            if version > _EARLIER:
                meaning = None if data["scores"] is None else ScoreMeaning(str(data["scores"]))
            else:  # which kept priors for likelihoods alone
                meaning = None if priors is None else ScoreMeaning.LIKELIHOODS
            with np.errstate(all="ignore"):
                probe = np.exp(fitted(np.log(np.full((1, len(names)), 1 / len(names)))))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            rule = f"must hold a whole {data.get('kind')} map"
            raise InputError("data", rule, found=repr(error)) from error
        if probe.shape != (1, len(names)) or not abs(probe.sum() - 1) < 1e-9:
            rule = f"must hold a {data.get('kind')} map that gives posteriors"
            raise InputError("data", rule, found=f"it gives {probe}")
        return cls(fitted, names, meaning, priors)


def _version(data: dict[str, Any]) -> int:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError("data", f"must be a calibrator's dictionary, with format {FORMAT!r}")
    version = data.get("version")
    if type(version) is not int or not _EARLIER <= version <= VERSION:
        raise InputError("data", f"must be of version {_EARLIER} to {VERSION}", repr(version))
    body = {key: value for key, value in data.items() if key != "sha256"}
    try:
        whole = data.get("sha256") == checksum(body)
    except (TypeError, ValueError):
        whole = False
    if not whole:
        raise InputError("data", "must be as it was written", found="its checksum does not fit")
    return version


def checksum(body: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of a calibrator."""
    import hashlib  # noqa: PLC0415  only for files

    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
