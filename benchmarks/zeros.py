"""What posteriors of 0 cost after calibration, by what they are taken for.

    python benchmarks/zeros.py [--replications 20] [--jobs 2] [--write]

Models that give posteriors of 0 and 1 are trained on 500 samples of Gaussian classes in ten
dimensions. Calibrators are fitted on others, and judged on 2,000 more. Posteriors of 0 are taken
for the odds of the library, or for those of a fixed floor below which posteriors are cut.
`--write` enters the tables in docs/calibration.md. The seeds are not those of any test.
"""

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import stakes
from stakes._math import log, log_softmax

PAGE = Path(__file__).parents[1] / "docs" / "calibration.md"
BEGIN, END = "<!-- zeros -->\n", "<!-- end of zeros -->\n"
FLOORS = (1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-15)
SETTINGS = ((2, 0.5), (2, 0.05), (3, 1 / 3), (3, 0.05))  # classes, share of the last
SIZES = (100, 500, 5000)
SHOWN = 500  # samples, for all calibrators but the affine one
TRAINED, JUDGED = 500, 2000
COPIES = 60  # of each column, which naive Bayes takes for independent
_SEED = 720_331

Losses = dict[tuple[str, str, int, str], list[float]]  # by model, calibrator, size and loss


class SaturatedBayes:
    """Naive Bayes on repeated columns, in single precision."""

    def fit(self, x: Any, y: Any) -> "SaturatedBayes":  # noqa: ANN401
        """Learn from samples."""
        self.model = GaussianNB().fit(np.repeat(x, COPIES, axis=1), y)
        return self

    def predict_proba(self, x: Any) -> Any:  # noqa: ANN401
        """Return posteriors."""
        return self.model.predict_proba(np.repeat(x, COPIES, axis=1)).astype(np.float32)


class RoundedRegression:
    """Logistic regression, its posteriors rounded to two digits."""

    def fit(self, x: Any, y: Any) -> "RoundedRegression":  # noqa: ANN401
        """Learn from samples."""
        self.model = LogisticRegression().fit(x, y)
        return self

    def predict_proba(self, x: Any) -> Any:  # noqa: ANN401
        """Return posteriors whose rows sum to 1."""
        p = self.model.predict_proba(x).round(2)
        return p / p.sum(axis=1, keepdims=True)


MODELS: dict[str, Callable[[int], Any]] = {
    "forest, 10 trees": lambda seed: RandomForestClassifier(10, random_state=seed),
    "forest, 50 trees": lambda seed: RandomForestClassifier(50, random_state=seed),
    "forest, 500 trees": lambda seed: RandomForestClassifier(500, random_state=seed),
    "forest, leaves of 5": lambda seed: RandomForestClassifier(
        50, min_samples_leaf=5, random_state=seed
    ),
    "tree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "tree, leaves of 10": lambda seed: DecisionTreeClassifier(
        min_samples_leaf=10, random_state=seed
    ),
    "5 neighbours": lambda _: KNeighborsClassifier(5),
    "boosted stumps": lambda seed: AdaBoostClassifier(n_estimators=50, random_state=seed),
    "naive Bayes, float32": lambda _: SaturatedBayes(),
    "regression, 2 digits": lambda _: RoundedRegression(),
}


def draw(n: int, classes: int, share: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return features and labels; each class has two of the first hundred samples."""
    priors = np.append(np.full(classes - 1, (1 - share) / (classes - 1)), share)
    y = rng.choice(classes, n, p=priors)
    y[: 2 * classes] = np.repeat(np.arange(classes), 2)
    x = rng.normal(size=(n, 10))
    for k in range(classes):
        x[y == k, k::classes] += 0.5
    x[:, 0] += 0.7 * x[:, 1]
    return x, y


def cut(p: Any, floor: float) -> stakes.Scores:  # noqa: ANN401
    """Return scores whose odds are at most those of a floor."""
    log_p = log(np.asarray(p, dtype=np.float64))
    least = log_p.max(axis=1, keepdims=True) + math.log(floor)
    return stakes.LogPosteriors.trusted(log_softmax(np.maximum(log_p, least)))


def losses(stage: stakes.Calibrator, known: Any, judged: Any, labels: tuple[Any, Any]) -> Any:  # noqa: ANN401
    """Return the cross-entropy and the Brier score after calibration."""
    better = stage.fit(known, labels[0]).transform(judged)
    return [float(f(labels[1], better)) for f in (stakes.cross_entropy, stakes.brier_score)]


def replication(number: int, classes: int, share: float) -> dict[str, Losses]:
    """Return losses by floor; "" is that of the library."""
    rng = np.random.default_rng([_SEED, number, classes, round(100 * share)])
    trained, fitted, judged = (draw(n, classes, share, rng) for n in (TRAINED, max(SIZES), JUDGED))
    out: dict[str, Losses] = defaultdict(lambda: defaultdict(list))
    for name, make in MODELS.items():
        model = make(number).fit(*trained)
        p, q = model.predict_proba(fitted[0]), model.predict_proba(judged[0])
        for n in SIZES:
            if p[:n].min() > 0 and q.min() > 0:
                continue
            stages = [stakes.AffineCalibrator()]
            if n == SHOWN:
                stages += [stakes.VectorCalibrator(), stakes.MatrixCalibrator()]
                stages += [stakes.BetaCalibrator()] * (classes == 2)
            y = fitted[1][:n], judged[1]
            for stage in stages:
                for floor in ("", *FLOORS):
                    pair = (p[:n], q) if floor == "" else (cut(p[:n], floor), cut(q, floor))
                    found = losses(stage, *pair, y)
                    for kind, value in zip(("cross-entropy", "Brier"), found, strict=True):
                        out[str(floor)][name, stage.name, n, kind].append(value)
    return {floor: dict(each) for floor, each in out.items()}


def table(replications: int, jobs: int) -> str:
    """Return the Markdown table."""
    every: dict[str, Losses] = defaultdict(lambda: defaultdict(list))
    with ProcessPoolExecutor(jobs) as pool:
        wanted = [
            pool.submit(replication, number, *setting)
            for number in range(replications)
            for setting in SETTINGS
        ]
        for done, found in enumerate(wanted, start=1):
            for floor, by_key in found.result().items():
                for key, values in by_key.items():
                    every[floor][key] += values
            print(f"{done} of {len(wanted)}", file=sys.stderr, flush=True)
    names = ("model", "calibrator", "n", "ours", *(f"{floor:g}" for floor in FLOORS))
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for kind in ("cross-entropy", "Brier"):
        keys = [k for k in every[""] if k[3] == kind and k[1] == "affine"]
        shown = keys if kind == "cross-entropy" else []
        lines += [
            row(f"{name}", stage, n, every, [(name, stage, n, kind)]) for name, stage, n, _ in shown
        ]
        for stage in dict.fromkeys(k[1] for k in every[""]):
            chosen = [k for k in every[""] if k[3] == kind and k[1] == stage]
            lines.append(row(f"all, {kind}", stage, "", every, chosen))
    return "\n".join(lines)


def row(name: str, stage: str, n: object, every: Mapping[str, Losses], keys: list[Any]) -> str:
    """Return a row: our loss, and by how much that of each fixed floor is above, in thousandths."""
    ours = np.concatenate([every[""][key] for key in keys])
    cells = [f"{ours.mean():.4f}"]
    for floor in FLOORS:
        gap = 1000 * (np.concatenate([every[str(floor)][key] for key in keys]) - ours)
        error = gap.std(ddof=1) / math.sqrt(gap.size)
        cells.append(f"{gap.mean():+.1f} ± {error:.1f}".replace("-", "−"))
    return f"| {' | '.join([name, stage, str(n), *cells])} |"


def main() -> None:
    """Run the grid; print it, or enter it in the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=4, help="of each setting")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--write", action="store_true", help=f"enter the table in {PAGE.name}")
    asked = parser.parse_args()
    text = table(asked.replications, asked.jobs)
    if not asked.write:
        print(text)
        return
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    PAGE.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
