"""Make the data that ship with stakes: out-of-fold predictions on a data set of scikit-learn.

Run it from the top of the project: python examples/make_demo_data.py
"""

from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

TARGET = Path(__file__).parents[1] / "src" / "stakes" / "data" / "breast.csv"


def main() -> None:
    """Write one row per patient: what it was, what the model decided, how sure it was."""
    data = load_breast_cancer()
    features = data.data[:, :10]  # the ten means; a naive Bayes model is over-confident on them
    malignant = data.target == 0
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
    posteriors = cross_val_predict(
        GaussianNB(), features, malignant, cv=folds, method="predict_proba"
    )
    names = ("benign", "malignant")
    lines = ["patient,diagnosis,decision,p_malignant"]
    for patient, (truth, p) in enumerate(zip(malignant, posteriors[:, 1], strict=True)):
        decision = names[int(p > 0.5)]
        lines.append(f"{patient},{names[int(truth)]},{decision},{p:.6g}")
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines) - 1} rows written")


if __name__ == "__main__":
    main()
