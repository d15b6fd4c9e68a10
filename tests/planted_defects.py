"""Plant known defects in a copy of the source, one by one, and see that a test catches each.

Run by `make planted`; it fails if any defect survives. Each row: file, right code, wrong code,
and the tests that must fail.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).parents[1]

DEFECTS = [
    # sums
    ("_math.py", "limb = np.trunc(rest)", "limb = rest.copy()", "test_math"),
    ("_math.py", "rest -= limb", "rest *= 0", "test_math"),
    ("_math.py", "exponent if (np.abs(exponent) > _SAFE_EXPONENT).any() else", "0 * exponent if True else", "reference or odd_but_good"),
    ("_math.py", "(high_1 - high_2) + (low_1 - low_2)", "high_1 - high_2 + 1e-9", "net_benefit"),
    # counting
    ("statistics/confusion.py", "y * len(decisions) + d", "d * len(decisions) + y", "test_oracles or rates"),
    ("statistics/confusion.py", "for part, power in ((weight, 1), (square, 2))", "for part, power in ((weight, 1), (square, 1))", "parts_add_up"),
    ("statistics/confusion.py", "np.add.at(total, code, values)", "total[code] = values", "parts_add_up"),
    ("statistics/confusion.py", "weight=np.concatenate([s.weight for s in both])", "weight=np.concatenate([self.weight, other.weight * 0.5])", "parts_add_up"),
    # expected cost
    ("metrics/confusion.py", "math.fsum(priors[seen] * means[seen])", "math.fsum(priors * np.nan_to_num(means)) * 0.999", "reweighting"),
    ("metrics/confusion.py", "self.weight * cost", "cost", "reweighting"),
    ("metrics/confusion.py", "scale = p[row] / self.class_weight[row]", "scale = p[row]", "reweighting"),
    ("costs/tables.py", "np.argmin([math.fsum", "np.argmax([math.fsum", "best_constant"),
    ("costs/tables.py", "int(np.argmax(priors * self.error))", "int(np.argmax(priors))", "error_costs"),
    ("results.py", "return self.value / self.naive", "return self.value / (self.naive + 1)", "scale_of_costs"),
    ("results.py", "np.square(self.priors[seen]) / losses.size[seen]", "self.priors[seen] / losses.size[seen]", "standard_errors"),
    ("results.py", "losses = self.losses.padded(self._pseudo_samples(z)) if self._bounded else self.losses", "losses = self.losses", "claims_no_certainty"),
    # traditional metrics
    ("metrics/traditional/general.py", "above = right * total", "above = right * total + 1", "matthews or oracles"),
    ("metrics/traditional/general.py", "return normalized * (1 - 1 / len(counts.classes))", "return normalized", "identity"),
    ("metrics/traditional/detection.py", "often, seldom = (n.n21, n.n12) if self.beta <= 1", "often, seldom = (n.n12, n.n21) if self.beta <= 1", "f_score or oracles"),
    ("metrics/traditional/detection.py", "return ratio(benefit, (n.n1 + n.n2) * q)", "return ratio(benefit, n.n1 + n.n2)", "net_benefit"),
    ("metrics/traditional/detection.py", "return float(ratio(1 + self.beta**2 - f, f))", "return self.beta**2", "exchange"),
    ("metrics/traditional/base.py", "np.divide(above, below)", "np.nan_to_num(np.divide(above, below))", "undefined or odd_but_good"),
    # the border
    ("_check/labels.py", "order = np.argsort(listed)", "order = np.arange(listed.size)", "order or names or confusion"),
    ("_check/numbers.py", "return [priors[name] for name in names]", "return list(priors.values())", "odd_but_good"),
    ("costs/matrix.py", "array = np.array(array, dtype=np.float64)", "array = np.asarray(array, dtype=np.float64)", "own_copy"),
    ("paper/hard_decisions.py", "unit / 2 * (1 + 1e-9)", "unit * 2", "off_by_a_digit"),
]  # fmt: skip


def survives(file: str, right: str, wrong: str, tests: str) -> bool:
    """Tell whether no test fails with the defect planted."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(TOP / "src", source)
        target = source / "stakes" / file
        text = target.read_text(encoding="utf-8")
        if right not in text:
            sys.exit(f"{file} no longer holds {right!r}: mend the list of defects")
        target.write_text(text.replace(right, wrong, 1), encoding="utf-8")
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-x",
                "-p",
                "no:cacheprovider",
                "-k",
                tests,
                "tests",
            ],
            cwd=TOP,
            env={**os.environ, "PYTHONPATH": str(source)},
            capture_output=True,
            check=False,
        )
        return done.returncode == 0


def main() -> None:
    """Plant every defect and count the survivors."""
    alive = 0
    for file, right, wrong, tests in DEFECTS:
        lives = survives(file, right, wrong, tests)
        alive += lives
        sys.stdout.write(f"{'SURVIVES' if lives else 'caught':<9} {file}: {wrong}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(DEFECTS) - alive} of {len(DEFECTS)} planted defects were caught\n")
    sys.exit(alive > 0)


if __name__ == "__main__":
    main()
