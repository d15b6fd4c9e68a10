"""An error about one of several systems names the system; one about all of them names none."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import stakes
from command import call

N = 40
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
GOOD = np.clip(RNG.normal(0.35 + 0.3 * Y, 0.2), 0.02, 0.98)
X = RNG.normal(size=(N, 2))


def changed(value: object) -> list[Any]:
    """Return good posteriors, one of which is something else."""
    return [*GOOD[:7].tolist(), value, *GOOD[8:].tolist()]


BAD = {
    "not a number": changed(np.nan),
    "above 1": changed(1.4),
    "below 0": changed(-0.1),
    "infinite": changed(np.inf),
    "too short": GOOD[:-1],
    "too long": [*GOOD, 0.5],
    "three columns": np.full((N, 3), 1 / 3),
    "sums": np.full((N, 2), 0.4),
    "mixed": changed("x"),
    "missing": changed(None),
    "nothing": None,
    "one number": 0.3,
    "an object": object(),
    "a name": "p_b",
    "a list of another length": [[0.1, 0.9], [0.2]] * (N // 2),
    "ratios without priors": stakes.LogLikelihoodRatios(GOOD),
}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("bad", BAD)
def test_compare_names_the_system(bad: str, place: int) -> None:
    systems: dict[str, Any] = dict.fromkeys(("first", "second", "third"), GOOD)
    name = list(systems)[place]
    systems[name] = BAD[bad]
    with pytest.raises(stakes.InputError, match=f"'{name}'") as caught:
        stakes.compare(Y, systems)
    others = [f"'{other}'" in str(caught.value) for other in systems if other != name]
    assert not all(others)


@pytest.mark.parametrize(
    "told",
    [
        {"sample_weight": -np.ones(N)},
        {"priors": [0.5, 0.6]},
        {"classes": ["a", "b"]},
        {"y_true": ["u", "v"] * (N // 2)},
    ],
)
def test_an_error_about_all_systems_names_none(told: dict[str, Any]) -> None:
    told = {"y_true": Y, **told}
    with pytest.raises(stakes.InputError) as caught:
        stakes.compare(told.pop("y_true"), {"one": GOOD, "two": GOOD}, **told)
    assert "'one'" not in str(caught.value)
    assert "'two'" not in str(caught.value)


@pytest.mark.parametrize("columns", ["p_b", ["q_b", "p_b"]])
def test_columns_of_a_table(columns: str | list[str]) -> None:
    table = pd.DataFrame({"y": Y, "p_a": GOOD, "p_b": changed(1.4), "q_b": 1 - GOOD})
    systems: dict[str, Any] = {"a": "p_a", "b": columns}
    with pytest.raises(stakes.InputError, match=r"^system 'b': scores"):
        stakes.compare(table, systems, label="y")


class Fitted:
    """A fitted classifier of stored answers."""

    def __init__(self, answers: object) -> None:
        self.answers, self.classes_ = answers, np.array([0, 1])

    def predict_proba(self, X: object) -> object:  # noqa: ARG002, N803
        return self.answers


class Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that answers nothing of use."""

    def __init__(self, columns: int = 2, value: float = np.nan) -> None:
        self.columns, self.value = columns, value

    def fit(self, X: object, y: object) -> "Odd":  # noqa: ARG002, N803
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict_proba(self, X: object) -> object:  # noqa: N803
        return np.full((len(np.asarray(X)), self.columns), self.value)


BOTH = np.column_stack([1 - GOOD, GOOD])


@pytest.mark.parametrize(
    "answers",
    [BOTH * np.nan, BOTH[:-1], BOTH * 1.1, np.full((N, 3), 1 / 3), [["x", 1.0]] * N],
)
def test_fitted_models_are_named(answers: object) -> None:
    models = {"a": Fitted(BOTH), "b": Fitted(answers)}
    with pytest.raises(stakes.InputError, match=r"(model|system) 'b'"):
        stakes.compare_models(models, X, Y)


@pytest.mark.parametrize("odd", [Odd(), Odd(3, 1 / 3), Odd(2, 0.7)])
def test_models_that_are_fitted_are_named(odd: Odd) -> None:
    with pytest.raises(stakes.InputError, match=r"^model 'b'"):
        stakes.compare_models({"a": GaussianNB(), "b": odd}, X, Y, cv=3)
    weights = np.ones(N)
    with pytest.raises(stakes.InputError, match=r"^model 'b': sample_weight"):
        stakes.compare_models({"a": GaussianNB(), "b": odd}, X, Y, cv=3, sample_weight=weights)


def test_one_model_has_no_name() -> None:
    with pytest.raises(stakes.InputError, match=r"^scores must hold numbers"):
        stakes.evaluate_model(Odd(), X, Y, cv=3)


@pytest.mark.parametrize("more", [(), ("--memory", "0")])
def test_the_command_names_the_system(tmp_path: Path, more: tuple[str, ...]) -> None:
    table = pd.DataFrame({"y": Y, "p_a": GOOD, "p_b": changed(1.4)})
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ("compare", "t.csv", "--label", "y", "--scores-are", "posteriors", "--positive", "1")
    done = call(*asked, "--system", "old=p_a", "--system", "new=p_b", *more, cwd=tmp_path)
    assert done.returncode == 3
    assert "columns p_b: system 'new': scores must be posteriors: got 1.4" in done.stderr
    assert "line 9" in done.stderr
