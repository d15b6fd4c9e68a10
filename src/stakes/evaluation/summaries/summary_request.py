"""What a summary was told: classes, kind of scores, applications, priors, rules, columns."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes._check import InputError, StakesError, read_names
from stakes._text import quoted
from stakes._typing import FloatArray, IntArray, Names, NamesLike, PriorsLike
from stakes.costs import CostMatrix, CostsByCase, SampleCosts
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.evaluation.applications import (
    DEPLOYMENT,
    Application,
    Applications,
    ApplicationSamples,
    adapted,
    by_name,
    classes_of,
    columns_of_costs,
    numbers_needed,
    read_applications,
    read_training,
    read_training_numbers,
    with_classes,
    with_columns,
)
from stakes.evaluation.systems import read_rules
from stakes.samples import Samples, read_samples
from stakes.scores import (
    SCORES,
    LogLikelihoodRatios,
    Posteriors,
    PosteriorScores,
    Scores,
    read_kind,
)
from stakes.scoring import RULES, BayesCost, ScoringRule
from stakes.summary.decision_sums import MOST_COLUMNS, DecisionPlan, DecisionSums
from stakes.summary.form import damaged
from stakes.summary.members import Members

_AT_THE_END = "those of the data are known only at the end"
_MOST_CLASSES = 10_000
_MOST_CELLS = 2**24  # of classes and decisions
Amounts = Mapping[str, FloatArray]


@dataclass(frozen=True, eq=False)
class Use(Application):
    """An application with one matrix of costs, and priors if they are not those of all."""

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
    members: Members  # what belongs to samples besides class and scores
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
        kind = read_kind(kind, "scores")
        if kind not in SCORES.classes.values():
            rule = "must be a kind of scores, such as stakes.Logits"
            raise InputError("scores", rule, repr(kind))
        names = _names(classes, costs)
        costs = with_classes(costs, names)
        probe = _probe(names, kind, priors, training)
        one = dict.fromkeys(columns_of_costs(costs), np.ones(len(probe)))
        applied, old = _applied(with_columns(costs, one), probe, training)
        uses = {each.name: _use(each, costs) for each in applied}
        used = None if probe.priors_from_data else probe.priors
        own = read_rules(rules, applied)
        for each in own:
            each.check(names)
        if isinstance(slices, str) or not all(isinstance(name, str) for name in slices):
            rule = "must be names of columns for a summary, such as ['site']"
            raise InputError("slices", rule, repr(slices))
        members = Members(bool(weighted), bool(grouped), columns_of_costs(costs))
        return cls(names, kind, uses, used, old, own, members, tuple(dict.fromkeys(slices)))

    @property
    def by_cells(self) -> bool:
        """Whether cells of the score tell decisions: of two classes, unless costs are by case."""
        return len(self.classes) == 2 and not self.members.columns

    @property
    def own_rules(self) -> tuple[ScoringRule, ...]:
        """The rules that are the user's own, which bytes only name."""
        return tuple(rule for rule in self.rules if type(rule) not in RULES.classes.values())

    @property
    def main(self) -> str:
        """The name of the first application."""
        return next(iter(self.uses))

    def applications(self, amounts: Amounts | None = None, *names: str) -> dict[str, Any]:
        """Return all applications, or some, as `evaluate` takes them: at the amounts of rows."""
        uses = {name: self.uses[name] for name in names or self.uses}
        return dict(with_columns(uses, amounts or {}))  # type: ignore[arg-type]

    def samples(
        self,
        y: IntArray,
        scores: Scores,
        weights: FloatArray | None = None,
        **more: Any,  # noqa: ANN401
    ) -> Samples:
        """Return coded samples at the priors of use; those of the data are the shares of y."""
        return Samples.from_codes(y, scores, weights, self.classes, self.priors, **more)

    def samples_in_use(
        self, name: str, samples: Samples, amounts: Amounts | None = None
    ) -> ApplicationSamples:
        """Return an application of samples of this request."""
        use = read_applications(self.applications(amounts, name), samples)[0]
        return replace(use, samples=self.adapted(use.samples))

    def plan(self, names: tuple[str, ...], rules: tuple[ScoringRule, ...]) -> DecisionPlan:
        """Return what is counted and summed of some applications and rules."""
        costs = [self.uses[name].costs for name in names]
        return DecisionPlan(
            len(self.classes),
            tuple(each.shape[1] for each in costs),
            tuple(each.columns if isinstance(each, CostsByCase) else () for each in costs),
            rules,
            replace(self.members, columns=()),
        )

    def decisions(self, name: str, i: int, sums: DecisionSums) -> ApplicationDecisions:
        """Return the decisions of an application on all samples; those alike are one row."""
        rows, k = sums.rows(i), len(self.classes)
        none = self.kind.trusted(np.broadcast_to(np.zeros(k), (rows.y.size, k)))  # says nothing
        cells = self.samples(rows.y, none, rows.weights, copies=rows.copies)
        if rows.part is not None:
            cells = replace(cells, groups=renumbered(rows.part))
        use = read_applications(self.applications(rows.amounts, name), cells)[0]
        return ApplicationDecisions(use, rows.value)

    def adapted(self, samples: Samples) -> Samples:
        """Return samples whose posteriors are those at the priors of use."""
        return adapted(samples, self.training)

    @cached_property
    def description(self) -> dict[str, Any]:
        """The request as plain values; rules of one's own only by name."""
        return {
            "classes": list(self.classes),
            "scores": self.kind.__name__,
            "applications": [  # in their order, which makes the first one the main one
                {"name": name, **_described(use.costs), "priors": _listed(use.priors)}
                for name, use in self.uses.items()
            ],
            "priors": _listed(self.priors),
            "training_priors": _listed(self.training),
            "rules": [_described_rule(rule) for rule in self.rules],
            "weighted": self.members.weighted,
            "grouped": self.members.grouped,
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
        raise InputError(
            "summaries", "must be created with the same arguments to be added", found=found
        )

    @classmethod
    def restored(
        cls, description: Mapping[str, Any], rules: Sequence[ScoringRule] = ()
    ) -> "Request":
        """Read a description, which may lack anything; bytes only name rules of one's own."""
        own = {type(rule).__name__: rule for rule in read_rules(rules)}
        try:
            classes = tuple(description["classes"])
            costs = {
                data["name"]: Application(_restored(data, classes), data["priors"])
                for data in description["applications"]
            }
            kind = SCORES.classes[description["scores"]]
            return cls.read(
                classes,
                kind,
                costs,
                "data" if description["priors"] is None else description["priors"],
                stated_training(kind, description["training_priors"]),
                [_restored_rule(rule, own) for rule in description["rules"]],
                **{name: description[name] for name in ("weighted", "grouped", "slices")},
            )
        except StakesError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise damaged("settings that no summary can have") from error


def stated_training(kind: type[Scores], training: PriorsLike | None) -> PriorsLike | None:
    """Return training priors as `evaluate` takes them: posteriors without any are not moved."""
    return DEPLOYMENT if training is None and issubclass(kind, PosteriorScores) else training


def _names(classes: NamesLike | None, costs: Applications | None) -> Names:
    given = classes if classes is not None else classes_of(costs)
    if given is None:
        rule = "must name the classes of a summary, such as classes=[0, 1]"
        raise InputError("classes", rule, found="a batch may not hold all of them")
    names = read_names(given, "classes")
    if len(names) < 2:
        raise InputError("classes", "must name at least two classes", quoted(names))
    if len(names) > _MOST_CLASSES:
        raise InputError("classes", f"must be at most {_MOST_CLASSES} for a summary", len(names))
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
    stays = training is None or (isinstance(training, str) and training == DEPLOYMENT)
    moved = kind.needs_priors or not stays
    if moved and probe.priors_from_data:
        what = "likelihoods" if kind.needs_priors else "posteriors with training_priors"
        rule = f"must be numbers for a summary of {what}"
        raise InputError("priors", rule, found=_AT_THE_END, hint="Pass priors=[...].")
    if moved and not probe.priors.all():
        name = quoted([names[int(probe.priors.argmin())]])
        rule = "must be above 0 for every class in a summary"
        raise InputError("priors", rule, found=f"class {name} has 0")
    if not kind.needs_priors:
        return probe
    flat = np.broadcast_to(0.0, (k,) if kind is LogLikelihoodRatios else (k, k))
    return probe.with_scores(kind.trusted(flat))


def _applied(
    costs: Applications | None, probe: Samples, training: PriorsLike | None
) -> tuple[tuple[ApplicationSamples, ...], FloatArray | None]:
    """Return applications, and the priors that posteriors are moved from."""
    uses = read_applications(costs, probe)
    with numbers_needed():
        old = read_training(probe, uses, training)
    if training is None or old is None:
        return uses, None
    if probe.priors_from_data:
        rule = "must be numbers for a summary whose applications have priors of their own"
        raise InputError("priors", rule, found=_AT_THE_END, hint="Pass priors=[...].")
    if read_training_numbers(training, probe.classes) is None:
        rule = f'must be numbers or "{DEPLOYMENT}" for a summary'
        raise InputError("training_priors", rule, found=_AT_THE_END)
    return uses, old


def _use(use: ApplicationSamples, costs: Applications | None) -> Use:
    """Return an application with its costs as a matrix, and its own priors if it has any."""
    entry = by_name(costs)[use.name]
    own = entry.priors if isinstance(entry, Application) else None
    told = entry.costs if isinstance(entry, Application) else entry
    used = told if isinstance(told, CostsByCase) else use.costs
    if isinstance(used, SampleCosts):
        rule = "must be a matrix, or name columns, for a summary"
        hint = "Pass stakes.CostsByCase([[0, 3], ['amount', 0]])."
        raise InputError("costs", rule, found=f"{use.name!r} has numbers by case", hint=hint)
    named = len(used.columns) if isinstance(used, CostsByCase) else 0
    if named > MOST_COLUMNS:
        rule = f"must name at most {MOST_COLUMNS} columns for a summary"
        raise InputError("costs", rule, named)
    k, m = used.shape
    if k * m > _MOST_CELLS:
        rule = f"must be at most {_MOST_CLASSES} for a summary, and classes times decisions"
        raise InputError("classes", f"{rule} at most {_MOST_CELLS}", f"{k} classes")
    if own is None:
        return Use(used)
    return Use(used, "data" if use.samples.priors_from_data else use.samples.priors)


def _described(costs: CostMatrix | CostsByCase) -> dict[str, Any]:
    table = costs.to_dict() if isinstance(costs, CostMatrix) else {"by_case": [*costs.entries]}
    return {"decisions": list(costs.decisions), "costs": table}


def _restored(data: Mapping[str, Any], classes: Names) -> CostMatrix | CostsByCase:
    decisions, table = tuple(data["decisions"]), data["costs"]
    if "by_case" in table:
        return CostsByCase(table["by_case"], classes=classes, decisions=decisions)
    return CostMatrix.from_dict(table, classes, decisions)


def _described_rule(rule: ScoringRule) -> dict[str, Any]:
    name = type(rule).__name__
    if type(rule) not in RULES.classes.values():
        return {"rule": name, "own": rule.name}
    if isinstance(rule, BayesCost):
        costs = {**_described(rule.costs), "priors": None}
        return {"rule": name, "classes": list(rule.costs.classes), **costs}
    return {"rule": name, **{each.name: getattr(rule, each.name) for each in fields(rule)}}


def _restored_rule(data: Mapping[str, Any], own: Mapping[str, ScoringRule]) -> ScoringRule:
    """Read a rule; one of the user's own has to be given again."""
    name, rest = str(data["rule"]), {key: data[key] for key in data if key != "rule"}
    if "own" in rest:
        if name not in own:
            rule = f"must hold the rule {name!r} that this summary was created with"
            raise InputError("rules", rule, found=f"pass rules=[{name}()] to from_bytes")
        return own[name]
    if name == BayesCost.__name__:
        return BayesCost(_restored(data, tuple(data["classes"])))  # type: ignore[arg-type]
    return RULES.classes[name](**rest)


def renumbered(part: IntArray) -> IntArray:
    """Return the parts of groups in use, numbered from 0."""
    return np.unique(part, return_inverse=True)[1]


def _listed(priors: FloatArray | str | None) -> list[float] | str | None:
    return priors.tolist() if isinstance(priors, np.ndarray) else priors


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
