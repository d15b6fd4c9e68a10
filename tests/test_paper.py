"""The paper's tables and identities, named by their labels."""

import math

import numpy as np
import pytest
from hypothesis import given

import stakes
from registry import BINARY_OBJECTS
from stakes import metrics
from stakes.paper import Cell, Reproduction, metric_scatter, metric_tables
from stakes.paper.hard_decisions import system
from strategies import Decided, decided

METRICS_OF_THE_TABLES = 5


@pytest.mark.parametrize("table", metric_tables(), ids=lambda t: t.label)
def test_every_cell_of_the_table_agrees_with_print(table: Reproduction) -> None:
    wrong = [(names, cell) for names, cells in table.rows for cell in cells if not cell.agrees]
    assert not wrong


def test_the_two_tables_have_105_metric_cells() -> None:
    rows = sum(len(table.rows) for table in metric_tables())
    assert rows * METRICS_OF_THE_TABLES == 105


def test_a_cell_that_is_off_by_a_digit_does_not_agree() -> None:
    assert Cell(0.275, "0.28").agrees
    assert Cell(0.275, "0.27").agrees
    assert not Cell(0.2751, "0.27").agrees
    assert not Cell(0.2649, "0.27").agrees


def test_the_scatter_figure_has_400_systems_per_data_set() -> None:
    points = metric_scatter()
    assert {len(column) for data in points.values() for column in data.values()} == {400}
    assert points["P_1 = 0.9"]["R_12"][-1] == 0.95
    assert points["P_1 = 0.5"]["MCC"][0] == 1


def test_slips_of_the_text() -> None:
    cm = system((900, 100), misses=10, alarms=90)
    assert cm.f_score().value == pytest.approx(0.642857, abs=1e-6)  # the text says 0.62
    assert cm.f_score().naive == pytest.approx(0.1818, abs=1e-4)
    assert cm.expected_cost().normalized == pytest.approx(1)
    assert cm.expected_cost().naive_answer == "H1"  # the text says H2
    two = stakes.CostMatrix.binary(miss=2, false_alarm=1, classes=["H1", "H2"])
    assert cm.expected_cost(two).normalized == pytest.approx(0.55)


@given(decided(square=True, weights=False))
def test_the_error_rate_is_the_cost_of_zero_one_costs(data: Decided) -> None:
    cm = data.confusion()
    zero_one = stakes.CostMatrix(1 - np.eye(data.n_classes))
    assert cm.expected_cost(zero_one).value == pytest.approx(cm.error_rate().value, rel=1e-14)
    assert cm.accuracy().value == pytest.approx(1 - cm.error_rate().value, abs=1e-15)


@given(decided(square=True, weights=False))
def test_the_balanced_error_rate_is_the_cost_of_balanced_costs(data: Decided) -> None:
    cm = data.confusion()
    values = (1 - np.eye(data.n_classes)) / (data.n_classes * cm.priors[:, None])
    assert cm.expected_cost(stakes.CostMatrix(values)).value == pytest.approx(
        cm.balanced_error_rate().value, rel=1e-14
    )


@given(decided(square=True, weights=False, classes=2))
def test_net_benefit_by_normalized_cost(data: Decided) -> None:
    cm = data.confusion()
    p1, p2 = cm.priors
    for p in (0.05, 0.3, 0.5, 0.9):
        weight = p / (1 - p)
        nec = cm.expected_cost([[0, weight], [1, 0]]).normalized
        assert cm.net_benefit(p).value == pytest.approx(
            p2 - min(p2, weight * p1) * nec, abs=1e-14 * max(1, weight)
        )


@given(decided(square=True, weights=False, classes=2))
def test_f_score_by_normalized_cost(data: Decided) -> None:
    cm = data.confusion()
    p1, p2 = cm.priors
    for beta in (0.5, 1, 2):
        nec = cm.expected_cost([[0, 1], [beta**2, 0]]).normalized
        share = beta**2 * p2 + cm.decision_rates[1]
        assert 1 - cm.f_score(beta).value == pytest.approx(
            min(beta**2 * p2, p1) * nec / share, abs=1e-14
        )


@given(decided(square=True, weights=False, classes=2))
def test_matthews_by_normalized_cost(data: Decided) -> None:
    cm = data.confusion()
    p1, r1 = cm.priors[0], cm.decision_rates[0]
    if 0 < r1 < 1:
        nec = cm.expected_cost([[0, 1 / p1], [1 / (1 - p1), 0]]).normalized
        factor = math.sqrt(p1 * (1 - p1) / (r1 * (1 - r1)))
        assert cm.matthews().value == pytest.approx(factor * (1 - nec), abs=1e-14 * factor)


@given(decided(square=True, weights=False, classes=2))
def test_likelihood_ratio_by_normalized_cost(data: Decided) -> None:
    cm = data.confusion()
    r12 = cm.rates[0, 1]
    if r12 > 0:
        nec = cm.expected_cost([[0, 1 / cm.priors[0]], [1 / cm.priors[1], 0]]).normalized
        expected = (1 - nec) / r12 + 1
        assert cm.positive_likelihood_ratio().value == pytest.approx(expected, abs=1e-13)


@given(decided(square=True, weights=False, classes=2))
def test_a_metric_can_be_had_from_its_cost_by_its_identity(data: Decided) -> None:
    cm = data.confusion()
    general = metrics.ErrorRate, metrics.Accuracy, metrics.Matthews
    balanced = metrics.BalancedErrorRate, metrics.BalancedAccuracy
    tied = {**BINARY_OBJECTS, **{kind.__name__: kind() for kind in (*general, *balanced)}}
    for name in ("precision", "recall", "sensitivity", "specificity"):
        del tied[name]  # a constant answer costs nothing there, so there is no normalised cost
    for name, metric in tied.items():
        value = metric.of(cm).value
        if math.isfinite(value):
            nec = cm.expected_cost(metric.costs(cm)).normalized
            assert metric.from_normalized_cost(nec, cm) == pytest.approx(value, abs=1e-12), name


@given(decided(square=True, weights=False, classes=2))
def test_the_exchange_rate_is_the_ratio_of_two_slopes(data: Decided) -> None:
    counts = 1000.0 * data.confusion().counts + 1000
    cm = stakes.ConfusionMatrix.from_counts(counts)
    every = {**BINARY_OBJECTS, "mcc": metrics.Matthews(), "balanced": metrics.BalancedAccuracy()}
    for name, metric in every.items():
        miss = stakes.ConfusionMatrix.from_counts(np.add(counts, [[0, 0], [0.01, -0.01]]))
        alarm = stakes.ConfusionMatrix.from_counts(np.add(counts, [[-0.01, 0.01], [0, 0]]))
        by_miss, by_alarm = (metric.of(c).value - metric.of(cm).value for c in (miss, alarm))
        rate = metric.exchange_rate(cm)
        if math.isfinite(rate) and abs(by_alarm) > 1e-9:
            assert by_miss / by_alarm == pytest.approx(rate, rel=1e-3, abs=1e-3), name


def test_the_binary_special_case_has_one_free_number() -> None:
    cm = system((900, 100), misses=20, alarms=90)
    for priors, miss in (([0.9, 0.1], 3.0), ([0.75, 0.25], 1.0)):
        costs = stakes.CostMatrix.binary(miss=miss, false_alarm=1, classes=["H1", "H2"])
        alpha = costs.odds(priors)
        assert alpha == pytest.approx(3)
        r12, r21 = 0.1, 0.2
        assert cm.expected_cost(costs, priors).normalized == pytest.approx(alpha * r12 + r21)
