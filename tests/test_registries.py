"""Registries: what stands in a folder is found, named, exported, described and under the laws."""

from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import click
import pytest

import stakes
from registry import METRIC_OBJECTS
from registry_tables import PAGE, written
from stakes._registry import Registry
from stakes._typing import FloatArray, IntArray
from stakes.calibration.registry import calibrator_names
from stakes.cli import options, parsing
from stakes.displays import DISPLAYS
from stakes.metrics import DecisionMetric
from stakes.metrics.traditional import METRICS, metrics_for_report
from stakes.scores import SCORES, Answers
from stakes.scoring import RULES, ScoringRule
from strategies import rules

ROOT = Path(__file__).parents[1]


def public_classes(base: type) -> set[type]:
    """Return the public classes of a kind in all modules of the library."""
    found: set[type] = set()
    for module in walk_packages(stakes.__path__, "stakes."):
        if module.name.endswith(("__main__", "._kernels")):
            continue
        with suppress(stakes.MissingExtraError):  # libraries that are not installed
            for name, thing in vars(import_module(module.name)).items():
                if isinstance(thing, type) and issubclass(thing, base) and name[0] != "_":
                    found.add(thing)
    return {c for c in found if not getattr(c, "__abstractmethods__", None)}


@pytest.mark.parametrize("registry", [SCORES, DISPLAYS], ids=lambda r: r.argument)
def test_every_public_class_of_a_kind_is_registered_and_exported(registry: Registry[Any]) -> None:
    assert public_classes(registry.base) == set(registry.classes.values())
    assert set(registry.classes) <= set(dir(stakes))


def test_the_command_line_reads_every_kind_of_score() -> None:
    names = [name for kind in SCORES.classes.values() for name in kind.readers()]
    (option,) = (o for o in options.options_of("evaluate") if o.name == "scores_are")
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == list(parsing.KINDS) == names
    assert all(f" {name}" in str(option.help) for name in names)


def test_the_command_line_reads_every_calibrator() -> None:
    for command, flag in (("calibrate", "learner"), ("evaluate", "method")):
        (option,) = (o for o in options.options_of(command) if o.name == flag)
        assert isinstance(option.type, click.Choice)
        assert set(calibrator_names()) - {"threshold"} <= set(option.type.choices)
        assert all(f" {name}" in str(option.help) for name in option.type.choices)


def test_every_public_rule_is_registered_and_under_the_laws() -> None:
    assert public_classes(ScoringRule) == set(RULES.classes.values())
    judged = {type(rule) for k in (2, 3) for rule in rules(k)}
    assert judged >= set(RULES.classes.values())


@pytest.mark.parametrize("name", RULES.choices)
def test_a_rule_is_read_from_its_names(name: str) -> None:
    rule = RULES.choices[name]
    assert RULES.read(name) == RULES.read(name.upper().replace("_", "-")) == rule
    assert type(rule).__doc__


def test_options_are_numbers_in_brackets() -> None:
    assert RULES.read("threshold_range(0.1, 0.4)") == stakes.ThresholdRange(0.1, 0.4)
    with pytest.raises(stakes.InputError, match=r"low must be a number in \[0, 1\): got 2"):
        RULES.read("threshold_range(2)")
    for text in ("log(1)", "threshold_range(a)", "threshold_range(0, 1, 2)", "bayes_cost", ""):
        with pytest.raises(stakes.InputError, match="rule must be one of 'log', 'brier'"):
            RULES.read(text)


def test_a_rule_of_version_0_1_still_counts() -> None:
    class Doubled(stakes.LogLoss):
        def of(self, y: IntArray, answers: Answers) -> FloatArray:
            return 2 * super().of(y, answers)

    found = stakes.expected_loss(Doubled(), [0, 1], [0.5, 0.5])
    assert found.value == 2 * stakes.cross_entropy([0, 1], [0.5, 0.5]).value
    assert Doubled().name == "cross-entropy"


def test_every_public_metric_is_registered_and_under_the_laws() -> None:
    assert public_classes(DecisionMetric) == set(METRICS.classes.values())
    assert {type(metric) for metric in METRIC_OBJECTS.values()} == set(METRICS.classes.values())


@pytest.mark.parametrize("name", METRICS.choices)
def test_a_metric_tells_what_is_needed_of_it(name: str) -> None:
    metric = METRICS.choices[name]
    assert METRICS.read(name) == METRICS.read(f" {name.upper()} ") == metric
    assert getattr(stakes.metrics, type(metric).__name__) is type(metric)
    assert all((metric.formula, metric.relation, metric.rewards, type(metric).__doc__))
    low, high = metric.limits
    cm = stakes.ConfusionMatrix.from_counts([[3, 2], [1, 4]])
    assert low <= metric.evaluate(cm).value <= high
    assert f"{metric.name} ({metric.better} is better)" in str(stakes.explain(name, cm))


def test_metrics_are_in_reports_unless_another_says_the_same() -> None:
    cm = stakes.ConfusionMatrix.from_counts([[3, 2], [1, 4]])
    told = metrics_for_report(cm, stakes.CostMatrix.binary(miss=3, false_alarm=1))
    left = {type(metric) for metric in METRIC_OBJECTS.values() if metric.in_reports}
    assert [m.name for m in told][:4] == [
        "accuracy",
        "balanced accuracy",
        "Matthews correlation",
        "F1 score",
    ]
    assert {type(metric) for metric in told} == left | {stakes.metrics.Accuracy}
    assert stakes.metrics.NetBenefit(0.25) in told


def test_the_documentation_has_the_tables_of_the_registries() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "run make exports"
    for name in (*METRICS.classes, *RULES.classes):
        assert f"| `{name}` |" in page


def test_every_key_of_an_application_file_is_documented() -> None:
    text = (ROOT / "docs/how-to/application-file.md").read_text(encoding="utf-8")
    assert [key for key in options.application_keys() if f"`{key}`" not in text] == []
