"""Make the data that ship with stakes: out-of-fold predictions on data sets of scikit-learn.

Run it from the top of the project: python examples/make_demo_data.py
Run twice it writes the same bytes. docs/demo-data.md tells what the files are.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

TARGET = Path(__file__).parents[1] / "src" / "stakes" / "data"

FloatArray = NDArray[np.float64]
Rows = Iterable[Iterable[object]]


def main() -> None:
    """Write the three files."""
    for name, make in {"breast": breast, "digits": digits, "diabetes": diabetes}.items():
        text = make()
        path = TARGET / f"{name}.csv"
        path.write_bytes(text.encode("ascii"))
        print(f"{path.name}: {text.count(chr(10)) - 1} rows, {len(text)} bytes")


def breast() -> str:
    """Return breast.csv: is the tumour malignant, by a model that is overconfident."""
    data = load_breast_cancer()
    features = data.data[:, :10]  # the ten means; a naive Bayes model is overconfident on them
    malignant = data.target == 0
    log_p = _unseen(GaussianNB(), features, malignant, method="predict_log_proba")
    p = np.exp(log_p[:, 1])
    names = np.array(["benign", "malignant"])
    radius = features[:, 0]
    size = np.where(radius > np.median(radius), "large", "small")
    columns = (names[malignant.astype(int)], names[(p > 0.5).astype(int)])
    odds = log_p[:, 1] - log_p[:, 0]  # written too, because p is rounded to 1 for many patients
    rows = zip(range(len(p)), *columns, _digits(p), _digits(odds), size, strict=True)
    return _csv("patient,diagnosis,decision,p_malignant,log_odds,size", rows)


def digits() -> str:
    """Return digits.csv: which digit it is, by an overconfident model and an underconfident one."""
    features, digit = load_digits(return_X_y=True)
    naive = GaussianNB(var_smoothing=0.01)
    strict = make_pipeline(MinMaxScaler(), _logistic(C=0.01))
    # The naive model says 0 where it means "hardly": one part in 10 000 of each answer is uniform.
    p = _in_parts(_mixed(_unseen(naive, features, digit), 1e-4), 100_000)
    q = _in_parts(_unseen(strict, features, digit), 10_000)
    header = ",".join(["image", "digit", *(f"{model}_{k}" for model in "pq" for k in range(10))])
    posteriors = (_digits(row) for row in np.hstack([p, q]))
    rows = ((image, digit[image], *row) for image, row in enumerate(posteriors))
    return _csv(header, rows)


def diabetes() -> str:
    """Return diabetes.csv: who will be in the worst tenth, with slices and an amount."""
    data = load_diabetes(scaled=False)
    age, sex, progression = data.data[:, 0], data.data[:, 1], data.target
    severe = progression > np.quantile(progression, 0.9)
    models = (_logistic(class_weight="balanced"), _logistic())
    a, b = (_unseen(make_pipeline(StandardScaler(), m), data.data, severe)[:, 1] for m in models)
    outcome = np.where(severe, "severe", "usual")
    band = np.array(["under_40", "40_to_59", "60_up"])[np.digitize(age, [40, 60])]
    numbers = (_digits(80 - age), _digits(progression))
    columns = (outcome, _digits(a), _digits(b), _digits(sex), band, *numbers)
    header = "patient,outcome,p_severe_a,p_severe_b,sex,age_band,years_to_80,progression"
    return _csv(header, zip(range(len(age)), *columns, strict=True))


def _logistic(**options: Any) -> LogisticRegression:  # noqa: ANN401  as scikit-learn has them
    """Return a logistic regression that is fitted to convergence."""
    return LogisticRegression(tol=1e-8, max_iter=10_000, **options)


def _unseen(
    model: Any,  # noqa: ANN401  any classifier
    features: FloatArray,
    y: NDArray[Any],
    method: str = "predict_proba",
) -> FloatArray:
    """Return out-of-fold predictions, each from a model fitted on the other nine tenths."""
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
    return cross_val_predict(model, features, y, cv=folds, method=method)


def _mixed(p: FloatArray, share: float) -> FloatArray:
    """Mix posteriors with a share of the uniform answer, so that none is 0."""
    return (1 - share) * p + share / p.shape[1]


def _in_parts(p: FloatArray, parts: int) -> FloatArray:
    """Round posteriors so that rows still sum to 1: largest remainders are rounded up."""
    exact = p * parts
    whole = np.floor(exact + 1e-9)  # an integer stays, though stored slightly below
    missing = parts - whole.sum(axis=1, keepdims=True)
    rank = np.argsort(whole - exact, axis=1, kind="stable").argsort(axis=1)
    return (whole + (rank < missing)) / parts


def _digits(values: FloatArray) -> list[str]:
    """Write numbers with six significant digits."""
    return [f"{value:.6g}" for value in values]


def _csv(header: str, rows: Rows) -> str:
    """Return the text of a file."""
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


if __name__ == "__main__":
    main()
