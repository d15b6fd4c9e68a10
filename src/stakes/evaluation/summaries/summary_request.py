"""What a summary was told: classes, kind of scores, applications, priors, rules, columns."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes._check import InputError, StakesError, read_names, read_priors
from stakes._text import quoted
from stakes._typing import FloatArray, IntArray, Names, NamesLike, PriorsLike
from stakes.costs import CostMatrix, CostsByCase, SampleCosts
from stakes.evaluation.applications import (
    Application,
    Applications,
    ApplicationSamples,
    adapted,
    classes_of,
    columns_of_costs,
    read_applications,
    with_columns,
)
from stakes.evaluation.assembly import check_names, read_rules
from stakes.samples import Samples, read_samples
from stakes.scores import (
    Logits,
    LogLikelihoodRatios,
    LogLikelihoods,
    LogPosteriors,
    Posteriors,
    Scores,
)
from stakes.scoring import (
    BayesCost,
    BrierLoss,
    LogLoss,
    ScoringRule,
    SphericalLoss,
    ThresholdRange,
)
from stakes.summary.form import damaged
from stakes.summary.members import Members
from stakes.summary.rows import MOST_CLASSES

Amounts = Mapping[str, FloatArray]
_KINDS: dict[str, type[Scores]] = {
    kind.__name__: kind
    for kind in (Posteriors, LogPosteriors, Logits, LogLikelihoods, LogLikelihoodRatios)
}
_PLAIN_RULES: dict[str, type[ScoringRule]] = {
    rule.__name__: rule for rule in (LogLoss, BrierLoss, SphericalLoss)
}


@dataclass(frozen=True, eq=False)
class Use:
    """An application: one matrix of costs, and priors if they are not those of all."""

    costs: CostMatrix | CostsByCase
    priors: FloatArray | str | None = None  # "data" where all others have other priors


@dataclass(frozen=True, eq=False)
class Request:
    """What a summary was told; summaries can be added if they were told the same."""

    classes: Names
    kind: type[Scores]
    uses: Mapping[str, Use]
    priors: FloatArray | None  # None: those of the data
    training: FloatArray | None
    rules: tuple[ScoringRule, ...]
    weighted: bool = False
    grouped: bool = False
    slices: tuple[str, ...] = ()  # names of columns

    @classmethod
    def read(  # noqa: PLR0913  what a summary is told
        cls,
        classes: NamesLike | None,
        kind: type[Scores],
        costs: Applications | None,
        priors: PriorsLike | None,
        training: PriorsLike | None,
        rules: Sequence[ScoringRule],
        *,
        weighted: bool = False,
        grouped: bool = False,
        slices: Sequence[str] = (),
    ) -> "Request":
        """Read and check what a summary is told, with the errors of `evaluate`."""
        if kind not in _KINDS.values():
            rule = "must be a kind of scores, such as stakes.Logits"
            raise InputError("scores", rule, repr(kind))
        names = _names(classes, costs)
        probe = _probe(names, kind, priors, training)
        one = dict.fromkeys(columns_of_costs(costs), np.ones(len(probe)))
        uses = read_applications(with_columns(costs, one), probe, training)
        return cls(
            names,
            kind,
            {use.name: _use(use, costs) for use in uses},
            None if probe.priors_from_data else probe.priors,
            None if training is None else _numbers(training, probe, "training_priors"),
            _rules(rules, uses, names),
            bool(weighted),
            bool(grouped),
            _columns(slices),
        )

    @property
    def by_cells(self) -> bool:
        """Whether cells of the score tell decisions: of two classes, unless costs are by case."""
        return len(self.classes) == 2 and not self.columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that costs name, each once."""
        return columns_of_costs({name: use.costs for name, use in self.uses.items()})

    @property
    def members(self) -> Members:
        """What belongs to samples besides class and scores."""
        return Members(self.weighted, self.grouped, self.columns)

    @property
    def main(self) -> str:
        """The name of the first application."""
        return next(iter(self.uses))

    def applications(self, amounts: Amounts | None = None) -> dict[str, Application]:
        """Return the applications as `evaluate` takes them, with costs by case of some rows."""
        return {name: self.application(name, amounts) for name in self.uses}

    def application(self, name: str, amounts: Amounts | None = None) -> Application:
        """Return one application."""
        use = self.uses[name]
        if isinstance(use.costs, CostsByCase):
            return Application(use.costs.with_columns(amounts or {}), use.priors)
        return Application(use.costs, use.priors)

    def samples(
        self,
        y: IntArray,
        scores: Scores,
        weights: FloatArray | None = None,
        **more: Any,  # noqa: ANN401
    ) -> Samples:
        """Return coded samples at the priors of use; those of the data are the shares of y."""
        none = np.full(len(self.classes), np.nan)
        found = Samples(y, scores, weights, self.classes, None, none, True, y.size, **more)
        if self.priors is None:
            return replace(found, priors=found.data_priors())
        return replace(found, priors=self.priors, priors_from_data=False)

    def samples_in_use(
        self, name: str, samples: Samples, amounts: Amounts | None = None
    ) -> ApplicationSamples:
        """Return an application of samples of this request."""
        return read_applications({name: self.application(name, amounts)}, samples, self.training)[0]

    def decide(self, name: str, samples: Samples, amounts: Amounts | None = None) -> IntArray:
        """Return the decisions of an application on samples of this request."""
        return self.samples_in_use(name, samples, amounts).decide()

    def adapted(self, samples: Samples) -> Samples:
        """Return samples whose posteriors are those at the priors of use."""
        return adapted(samples, self.training)

    @cached_property
    def description(self) -> dict[str, Any]:
        """The request as plain values; rules of one's own only by name."""
        return {
            "classes": list(self.classes),
            "scores": self.kind.__name__,
            "applications": {n: _described(use) for n, use in self.uses.items()},
            "priors": _listed(self.priors),
            "training_priors": _listed(self.training),
            "rules": [_described_rule(rule) for rule in self.rules],
            "weighted": self.weighted,
            "grouped": self.grouped,
            "slices": list(self.slices),
        }

    @cached_property
    def fingerprint(self) -> str:
        """A short name of all that was told."""
        text = json.dumps(self.description, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def check_same(self, other: "Request") -> None:
        """Refuse a summary that was told something else, and say what differs."""
        if self.fingerprint == other.fingerprint:
            return
        differ = [k for k, v in self.description.items() if v != other.description[k]]
        here, there = (r.description[differ[0]] for r in (self, other))
        found = f"they differ in {quoted(differ)}, {_short(here)} against {_short(there)}"
        raise InputError("summaries", "must be told the same to be added", found=found)

    @classmethod
    def restored(
        cls, description: Mapping[str, Any], rules: Sequence[ScoringRule] = ()
    ) -> "Request":
        """Read a description; `rules` are those of one's own, which bytes only name."""
        try:
            return cls._restored(description, read_rules(rules))
        except StakesError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise damaged("what no summary can be told") from error

    @classmethod
    def _restored(cls, description: Mapping[str, Any], rules: Sequence[ScoringRule]) -> "Request":
        """Read a description that may lack anything."""
        own = {type(rule).__name__: rule for rule in rules}
        classes = tuple(description["classes"])
        return cls.read(
            classes,
            _KINDS[description["scores"]],
            {n: _restored(a, classes) for n, a in description["applications"].items()},
            "data" if description["priors"] is None else description["priors"],
            description["training_priors"],
            [_restored_rule(rule, own) for rule in description["rules"]],
            weighted=description["weighted"],
            grouped=description["grouped"],
            slices=description["slices"],
        )


def _names(classes: NamesLike | None, costs: Applications | None) -> Names:
    """Return the names of the classes, as told or as costs have them."""
    given = classes if classes is not None else classes_of(costs)
    if given is None:
        rule = "must name the classes of a summary, such as classes=[0, 1]"
        raise InputError("classes", rule, found="a batch may not hold all of them")
    names = read_names(given, "classes")
    if len(names) < 2:
        raise InputError("classes", "must name at least two classes", quoted(names))
    if len(names) > MOST_CLASSES:
        raise InputError("classes", f"must be at most {MOST_CLASSES} for a summary", len(names))
    return names


def _probe(
    names: Names, kind: type[Scores], priors: PriorsLike | None, training: PriorsLike | None
) -> Samples:
    """Return one sample of each class, on which everything else can be checked."""
    k = len(names)
    if kind is LogLikelihoodRatios and k != 2:
        msg = f"LogLikelihoodRatios are of two classes: got {k}. Use LogLikelihoods."
        raise InputError(msg)
    even = Posteriors.trusted(np.broadcast_to(1 / k, (k, k)), names)
    probe = read_samples(list(names), even, priors=priors, classes=names)
    moved = kind.needs_priors or training is not None
    if moved and probe.priors_from_data:
        what = "likelihoods" if kind.needs_priors else "posteriors with training_priors"
        rule = f"must be numbers for a summary of {what}"
        hint = "Pass priors=[...]."
        raise InputError(
            "priors", rule, found="those of the data are known only at the end", hint=hint
        )
    if moved and not probe.priors.all():
        name = quoted([names[int(probe.priors.argmin())]])
        rule = "must be above 0 for every class in a summary"
        raise InputError("priors", rule, found=f"class {name} has 0")
    if not kind.needs_priors:
        return probe
    flat = np.broadcast_to(0.0, (k,) if kind is LogLikelihoodRatios else (k, k))
    return probe.with_scores(kind.trusted(flat))


def _numbers(priors: PriorsLike, probe: Samples, argument: str) -> FloatArray:
    """Return priors as numbers."""
    found = read_priors(priors, probe.classes)
    if found is None:
        rule = "must be numbers for a summary"
        raise InputError(argument, rule, found="those of the data are known only at the end")
    return found


def _use(use: ApplicationSamples, costs: Applications | None) -> Use:
    """Return an application with its costs as a matrix, and its own priors if it has any."""
    entry = costs[use.name] if isinstance(costs, Mapping) else costs
    own = entry.priors if isinstance(entry, Application) else None
    told = entry.costs if isinstance(entry, Application) else entry
    used = told if isinstance(told, CostsByCase) else use.costs
    if isinstance(used, SampleCosts):
        rule = "must be a matrix, or name columns, for a summary"
        hint = "Pass stakes.CostsByCase([[0, 3], ['amount', 0]])."
        raise InputError("costs", rule, found=f"{use.name!r} has numbers by case", hint=hint)
    if own is None:
        return Use(used)
    return Use(used, "data" if use.samples.priors_from_data else use.samples.priors)


def _columns(names: Sequence[str]) -> tuple[str, ...]:
    """Read the names of the columns of slices."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        rule = "must be names of columns for a summary, such as ['site']"
        raise InputError("slices", rule, repr(names))
    return tuple(dict.fromkeys(names))


def _rules(
    rules: Sequence[ScoringRule], uses: Sequence[ApplicationSamples], names: Names
) -> tuple[ScoringRule, ...]:
    """Read the scoring rules, of which no two may have one name."""
    found = read_rules(rules)
    check_names(tuple(uses), found)
    for rule in found:
        rule.check(names)
    return found


def _described(use: Use) -> dict[str, Any]:
    """Return an application as plain values."""
    priors = use.priors
    return {
        "decisions": list(use.costs.decisions),
        "costs": _listed_costs(use.costs),
        "priors": priors if priors is None or isinstance(priors, str) else _listed(priors),
    }


def _restored(data: Mapping[str, Any], classes: Names) -> Application:
    """Read an application."""
    return Application(_costs(data, classes), data["priors"])


def _listed_costs(costs: CostMatrix | CostsByCase) -> dict[str, Any]:
    """Return costs as plain values."""
    if isinstance(costs, CostsByCase):
        return {"by_case": [list(row) for row in costs.entries]}
    return costs.to_dict()


def _costs(data: Mapping[str, Any], classes: Names) -> CostMatrix | CostsByCase:
    """Read costs."""
    if "by_case" in data["costs"]:
        entries = data["costs"]["by_case"]
        return CostsByCase(entries, classes=classes, decisions=tuple(data["decisions"]))
    return CostMatrix.from_dict(data["costs"], classes, tuple(data["decisions"]))


def _described_rule(rule: ScoringRule) -> dict[str, Any]:
    """Return a rule as plain values."""
    name = type(rule).__name__
    if isinstance(rule, ThresholdRange):
        return {"rule": name, "low": rule.low, "high": rule.high}
    if isinstance(rule, BayesCost):
        return {
            "rule": name,
            "classes": list(rule.costs.classes),
            **_described(Use(rule.costs)),
        }
    return {"rule": name} if name in _PLAIN_RULES else {"rule": name, "own": rule.name}


def _restored_rule(data: Mapping[str, Any], own: Mapping[str, ScoringRule]) -> ScoringRule:
    """Read a rule; one of the user's own has to be given again."""
    name = str(data["rule"])
    if "own" in data:
        if name not in own:
            rule = f"must hold the rule {name!r} that this summary was told"
            raise InputError("rules", rule, found=f"pass rules=[{name}()] to from_bytes")
        return own[name]
    if name == ThresholdRange.__name__:
        return ThresholdRange(data["low"], data["high"])
    if name == BayesCost.__name__:
        classes = tuple(data["classes"])
        return BayesCost(_costs(data, classes))  # type: ignore[arg-type]
    return _PLAIN_RULES[name]()


def _listed(values: Any) -> list[float] | None:  # noqa: ANN401
    return None if values is None else [float(v) for v in np.asarray(values)]


def _short(value: object) -> str:
    """Return a value in few characters."""
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
