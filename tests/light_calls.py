"""Calls of the library that need its base dependencies alone; prints what each returns, as JSON.

python tests/light_calls.py pandas                 as it is
python tests/light_calls.py polars pyarrow click   without these packages
"""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any


class _Without(PathFinder):
    """Finds every package but some."""

    left_out: frozenset[str] = frozenset()

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return where a module is; None for one that is left out."""
        if fullname.partition(".")[0] in cls.left_out:
            return None
        return super().find_spec(fullname, path, target)


def leave_out(names: list[str]) -> None:
    """Act from here on as if these packages were not installed."""
    _Without.left_out = frozenset(names)
    sys.meta_path[:] = [_Without if each is PathFinder else each for each in sys.meta_path]


def shown(value: object) -> str:
    """Return a value with all it holds, arrays too."""
    fields = getattr(value, "__dict__", None)
    return repr(value) if not fields else f"{type(value).__name__}{sorted(fields.items())!r}"


def frame(library: str, columns: dict[str, Any]) -> Any:
    """Return a data frame of these columns."""
    return import_module(library).DataFrame(columns)


def calls(library: str) -> dict[str, Callable[[], object]]:
    """Return calls by what they show."""
    import numpy as np

    import stakes
    from stakes.sklearn import CalibratedClassifier, evaluate_model

    rng = np.random.default_rng(3)
    n = 240
    y = rng.integers(2, size=n)
    p = 1 / (1 + np.exp(-2 * y - rng.normal(size=n) + 1))
    third = rng.integers(3, size=n)
    z = rng.normal(size=(n, 3)) + 2 * np.eye(3)[third]
    q = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    table = frame(
        library,
        {
            "y": y,
            "truth": y == 1,
            "name": np.array(["no", "yes"])[y],
            "third": third,
            "p": p,
            "other": np.sqrt(p),
            "amount": rng.uniform(1, 9, n),
            "w": rng.uniform(1, 2, n),
            "patient": rng.integers(60, size=n),
            "site": np.array(["a", "b"])[rng.integers(2, size=n)],
            **{f"q{i}": q[:, i] for i in range(3)},
        },
    )
    scores, labels = table["p"], table["y"]
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    named = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=["no", "yes"])
    by_case = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=[0, 1])
    three = stakes.CostMatrix(1 - np.eye(3))
    quick: dict[str, Any] = {}
    log, affine = stakes.LogLoss(), stakes.AffineCalibrator()
    systems = {"one": "p", "two": "other"}
    right = stakes.Responses(y, confidence=stakes.StatedProbability(p))
    human = [int(v) if i < 80 else None for i, v in enumerate(y)]

    def evaluated(**more: Any) -> Any:
        options: dict[str, Any] = {"label": "y", "costs": costs, **quick, **more}
        return stakes.evaluate(table, "p", **options)

    def page(result: Any) -> int:
        return len(result.to_html())

    def summary() -> Any:
        return stakes.Summary.of(table, label="y", scores="p", costs=costs)

    def halves() -> Any:
        parts = [table[: n // 2], table[n // 2 :]]
        one, two = (stakes.Summary.of(part, label="y", scores="p", costs=costs) for part in parts)
        return (one + two).to_bytes() == summary().to_bytes()

    def fitted(kind: Any) -> Any:
        return kind.fit(scores, labels).transform(scores).values[:3]

    def model() -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression().fit(table[["amount", "w"]], labels)

    return {
        "evaluate": lambda: evaluated().to_dict(),
        "evaluate columns": lambda: stakes.evaluate(labels, scores, costs=costs, **quick).to_dict(),
        "texts as labels": lambda: evaluated(label="name", costs=named).to_dict(),
        "truth values as labels": lambda: evaluated(label="truth", costs=None).to_dict(),
        "printed": lambda: str(evaluated()),
        "metrics": lambda: evaluated().metrics(),
        "priors": lambda: evaluated(priors=0.1, training_priors="data").to_dict(),
        "groups": lambda: evaluated(groups="patient").to_dict(),
        "slices": lambda: evaluated(slices=["site"]).to_dict(),
        "slices, a frame": lambda: evaluated(slices=table[["site", "truth"]]).to_dict(),
        "weights": lambda: evaluated(sample_weight="w").to_dict(),
        "costs by case": lambda: evaluated(costs=by_case).to_dict(),
        "three classes": lambda: stakes.evaluate(
            table, ["q0", "q1", "q2"], label="third", costs=three, **quick
        ).to_dict(),
        "three classes, a frame": lambda: stakes.bayes_cost(
            table["third"], table[["q0", "q1", "q2"]].to_numpy(), costs=three
        ),
        "compare": lambda: stakes.compare(
            table, systems, label="y", costs=costs, **quick
        ).to_dict(),
        "compare, printed": lambda: str(stakes.compare(table, systems, label="y", **quick)),
        "page": lambda: page(evaluated()),
        "page of a comparison": lambda: page(stakes.compare(table, systems, label="y", **quick)),
        "summary": lambda: summary().evaluate(**quick).to_dict(),
        "summary, bytes": lambda: stakes.Summary.from_bytes(summary().to_bytes()).n,
        "summary, halves": halves,
        "auc": lambda: stakes.auc(labels, scores),
        "average precision": lambda: stakes.average_precision(labels, scores),
        "cross-entropy": lambda: stakes.cross_entropy(labels, scores),
        "Brier score": lambda: stakes.brier_score(labels, scores),
        "bayes cost": lambda: stakes.bayes_cost(labels, scores, costs=costs),
        "calibration error": lambda: stakes.calibration_error(labels, scores),
        "smooth calibration error": lambda: stakes.smooth_calibration_error(labels, scores),
        "calibration loss": lambda: stakes.calibration_loss(log, labels, scores),
        "roc curve": lambda: stakes.roc_curve(labels, scores).auc,
        "precision-recall curve": lambda: stakes.precision_recall_curve(labels, scores),
        "risk curve": lambda: stakes.risk_curve(labels, scores),
        "reliability curve": lambda: stakes.reliability_curve(labels, scores),
        "abstention curve": lambda: stakes.abstention_curve(labels, scores, costs=costs),
        "threshold": lambda: stakes.choose_threshold(labels, scores, costs=costs),
        "threshold sweep": lambda: stakes.threshold_sweep(labels, scores, costs=costs),
        "estimate priors": lambda: stakes.estimate_priors(scores, [0.5, 0.5]),
        "decide": lambda: stakes.decide(scores, costs).decisions[:5],
        "confusion matrix": lambda: stakes.confusion_matrix(labels, labels).counts,
        "expected cost": lambda: stakes.expected_cost(labels, labels, costs=costs),
        "evaluate decisions": lambda: stakes.evaluate_decisions(
            stakes.confusion_matrix(labels, y ^ (p > 0.9)), costs
        ).to_dict(),
        "Cllr": lambda: stakes.cllr(labels, stakes.LogLikelihoodRatios(np.log(p / (1 - p)))),
        "decompose": lambda: stakes.decompose(log, labels, scores),
        "responses": lambda: stakes.evaluate_responses(right, 0.7).to_dict(),
        "responses compared": lambda: stakes.compare_responses({"a": right, "b": right}).to_dict(),
        "page of responses": lambda: page(stakes.evaluate_responses(right, 0.7)),
        "judge": lambda: str(stakes.judge_report(human, y, target=0.5)),
        "affine": lambda: fitted(affine),
        "beta": lambda: fitted(stakes.BetaCalibrator()),
        "bias": lambda: fitted(stakes.BiasCalibrator()),
        "histogram": lambda: fitted(stakes.HistogramCalibrator()),
        "isotonic": lambda: fitted(stakes.IsotonicCalibrator()),
        "matrix": lambda: stakes.MatrixCalibrator().fit(q, third).transform(q).values[:3],
        "temperature": lambda: fitted(stakes.TemperatureCalibrator()),
        "vector": lambda: stakes.VectorCalibrator().fit(q, third).transform(q).values[:3],
        "cross-calibrate": lambda: stakes.cross_calibrate(affine, labels, scores).values[:3],
        "choose a calibrator": lambda: stakes.choose_calibrator(
            log, labels, scores, [affine, stakes.BetaCalibrator()]
        ),
        "model": lambda: evaluate_model(
            model(), table[["amount", "w"]], labels, costs=costs, **quick
        ).to_dict(),
        "calibrated model": lambda: (
            CalibratedClassifier(model())
            .fit(table[["amount", "w"]], labels)
            .predict_proba(table[["amount", "w"]])[:3]
        ),
        "explain": lambda: str(stakes.explain("f1")),
    }


def main() -> None:
    """Print what each call returns, or its error."""
    library, *names = sys.argv[1:]
    leave_out(names)
    found = {}
    for name, call in calls(library).items():
        try:
            found[name] = shown(call())
        except Exception as error:  # noqa: BLE001  whatever it is, it is shown
            found[name] = f"{type(error).__name__}: {error}"
    found["left out"] = repr(sorted(set(names) & {each.partition(".")[0] for each in sys.modules}))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
