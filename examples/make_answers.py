"""Make answers.csv, which ships with stakes: simulated answers of two models to 500 questions.

Run it from the top of the project: python examples/make_answers.py
Run twice it writes the same bytes. docs/demo-data.md tells what the file is.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TARGET = Path(__file__).parents[1] / "src" / "stakes" / "data" / "answers.csv"
SEED = 19
TOPICS = {"geography": 0.9, "history": 0.3, "medicine": 0.0, "law": -0.4, "football": -0.8}
EACH = 100  # questions on a topic
HEADER = "question,topic,model,right,confidence,abstained"

FloatArray = NDArray[np.float64]


def main() -> None:
    """Write the file."""
    text = answers()
    TARGET.write_bytes(text.encode("ascii"))
    print(f"{TARGET.name}: {text.count(chr(10)) - 1} rows, {len(text)} bytes")


def answers() -> str:
    """Return a row for each question and model; both know easy questions better than hard ones."""
    rng = np.random.default_rng(SEED)
    ease = np.repeat(list(TOPICS.values()), EACH) + 1.6 * rng.normal(size=EACH * len(TOPICS))
    bold = 1.5 + ease + 0.7 * rng.normal(size=ease.size)
    careful = 0.9 + 1.1 * ease + 0.7 * rng.normal(size=ease.size)
    right = {
        "bold": rng.random(ease.size) < _chance(bold),
        "careful": rng.random(ease.size) < _chance(careful),
    }
    confidence = {
        "bold": np.round(0.8 + 0.2 * _chance(bold + 0.8 * rng.normal(size=ease.size)), 2),
        "careful": np.round(_chance(careful + 0.3 * rng.normal(size=ease.size)), 2),
    }
    abstained = {"bold": np.zeros(ease.size, bool), "careful": confidence["careful"] < 0.75}
    topics = np.repeat(list(TOPICS), EACH)
    lines = [HEADER]
    for k, topic in enumerate(topics, 1):
        for model in ("bold", "careful"):
            told = "true" if right[model][k - 1] else "false"
            silent = "true" if abstained[model][k - 1] else "false"
            lines.append(f"{k},{topic},{model},{told},{confidence[model][k - 1]:.2f},{silent}")
    return "\n".join([*lines, ""])


def _chance(log_odds: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-log_odds)), dtype=np.float64)


if __name__ == "__main__":
    main()
