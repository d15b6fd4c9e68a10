"""Warnings of numbers that rest on little data, for evaluate, evaluate_decisions and compare."""

from collections.abc import Iterator, Mapping, Sequence

from stakes._typing import Label
from stakes.evaluation.records import Verdict
from stakes.evaluation.verdicts.wording import counted, listed, name_of

FEWEST_ERRORS = 30  # Doddington's rule: with fewer, an error rate is uncertain by 30 % or more
FEWEST_SAMPLES = 50  # of a class: 1.96 sqrt(1/4 / 50) = 0.14 is the most a rate is uncertain by
FEWEST_GROUPS = 50  # below which some intervals from groups cover less often than stated
UNTESTED_GROUPS = 15  # below which none was tested


def few_errors(errors: Mapping[str, int], where: str = "") -> Iterator[Verdict]:
    """Warn where decisions rest on few errors of a kind, such as {"misses": 4}."""
    few = [counted(n, kind) for kind, n in errors.items() if n < FEWEST_ERRORS]
    if few:
        yield Verdict(
            "few_errors",
            f"{where}The decisions rest on {' and '.join(few)}. With fewer than {FEWEST_ERRORS}, an"
            " error rate is uncertain by 30 % or more either way.",
            "Use more labelled samples, or quote the interval.",
        )


def small_classes(
    classes: Sequence[Label], counts: Sequence[int], *, scored: bool = True
) -> Iterator[Verdict]:
    """Warn of classes with few samples; `scored` where losses of scores have intervals too."""
    pairs = zip(classes, counts, strict=True)
    small = [f"{name_of(name)}: {n}" for name, n in pairs if n < FEWEST_SAMPLES]
    if small:
        losses = (
            " A rare large loss may not have been seen, so that intervals of the AUC, the"
            " cross-entropy and calibration loss may cover less often than stated."
        )
        yield Verdict(
            "small_class",
            f"Some classes have few samples ({listed(small)}). With fewer than {FEWEST_SAMPLES},"
            " the error rate of a class can be uncertain by 14 points or more either way."
            f"{losses if scored else ''}",
            "Add samples of these classes.",
        )


def few_groups(groups: int | None, *, loss: bool, slope: bool) -> Iterator[Verdict]:
    """Warn where intervals rest on few groups.

    `loss` and `slope`: whether intervals of the calibration loss and of the slope are shown, which
    need more groups than others.
    """
    named = ["of calibration loss"] * loss + ["of the calibration slope"] * slope
    if groups is None or groups >= (FEWEST_GROUPS if named else UNTESTED_GROUPS):
        return
    few = []
    if named:
        those = f"those {' and '.join(named)}"
        few += [f"with fewer than {FEWEST_GROUPS}, {those} may cover less often than stated"]
    if groups < UNTESTED_GROUPS:
        all_ = "so may all" if named else "all may cover less often than stated"
        few += [f"with fewer than {UNTESTED_GROUPS}, {all_}"]
    yield Verdict(
        "few_groups",
        f"The intervals rest on {groups} groups. {'; '.join(few).capitalize()}.",
        "Add groups, not samples of the same groups.",
    )
