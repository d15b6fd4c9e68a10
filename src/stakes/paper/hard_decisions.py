"""The two tables and the scatter figure of the paper's section on hard decisions."""

from collections.abc import Sequence

from stakes.costs import CostMatrix
from stakes.metrics import ConfusionMatrix
from stakes.paper import published
from stakes.paper.reproductions import Reproduction, row_of


def metric_tables() -> tuple[Reproduction, Reproduction]:
    """Return the tables "metric_comp_bal" and "metric_comp_imb"."""
    return (
        _table("bal", "balanced data", published.BALANCED_SIZES, published.BALANCED),
        _table("imb", "imbalanced data", published.IMBALANCED_SIZES, published.IMBALANCED),
    )


def _table(
    label: str, data: str, sizes: tuple[int, int], rows: Sequence[tuple[int, int, str]]
) -> Reproduction:
    title = f"Metrics of different systems on {data}, N_1* = {sizes[0]}, N_2* = {sizes[1]}"
    computed = tuple(
        row_of((str(misses), str(alarms)), _metrics(system(sizes, misses, alarms)), digits)
        for misses, alarms, digits in rows
    )
    heads = ("N_21", "N_12"), published.METRIC_COLUMNS
    return Reproduction(f"metric_comp_{label}", title, *heads, computed)


def system(sizes: tuple[int, int], misses: int, alarms: int) -> ConfusionMatrix:
    """Return the confusion matrix of a system with these errors."""
    counts = [[sizes[0] - alarms, alarms], [misses, sizes[1] - misses]]
    return ConfusionMatrix.from_counts(counts, classes=["H1", "H2"])


def _metrics(cm: ConfusionMatrix) -> list[float]:
    """Return the columns of the two tables; in NEC_beta^2 a miss costs beta^2 false alarms."""
    costs = (
        CostMatrix.balanced(cm.classes, cm.priors),
        *(CostMatrix.binary(miss=m, false_alarm=1, classes=cm.classes) for m in (1, 2)),
    )
    return [
        *(cm.expected_cost(each).normalized for each in costs),
        cm.f_score().value,
        cm.matthews().value,
        float(cm.rates[1, 0]),
        float(cm.rates[0, 1]),
        *cm.decision_rates[::-1].tolist(),
    ]


def metric_scatter() -> dict[str, dict[str, list[float]]]:
    """Return the points of the figure "ec_vs_other_scatter": 400 systems on each data set.

    Misses and false alarms go from 0 in 20 steps of a twentieth of their class; the largest
    possible number itself is not reached.
    """
    sets = {"P_1 = 0.5": published.BALANCED_SIZES, "P_1 = 0.9": published.IMBALANCED_SIZES}
    points = {}
    for name, sizes in sets.items():
        steps = [(sizes[1] * i // 20, sizes[0] * j // 20) for i in range(20) for j in range(20)]
        rows = [_metrics(system(sizes, misses, alarms)) for misses, alarms in steps]
        columns = map(list, zip(*rows, strict=True))
        points[name] = dict(zip(published.METRIC_COLUMNS, columns, strict=True))
    return points
