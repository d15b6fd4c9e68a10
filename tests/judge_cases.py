"""Labels of a judge and of people, and what ppi-python 0.2.3 makes of them."""

import math
from typing import Any

import numpy as np


def case(name: str) -> tuple[Any, Any]:
    """Return human values, NaN where nobody looked, and the judge's, from whole-number formulas."""
    n, seen = {
        "labels": (60, 23),
        "probabilities": (80, 30),
        "losses": (50, 40),
        "opposed": (40, 20),
    }[name]
    i = np.arange(n)
    right = (i * 7 % 10 < 6).astype(float)
    judge = np.where(i * 11 % 9 == 0, 1 - right, right)
    if name == "probabilities":
        judge = 0.1 + 0.7 * right + (i * 13 % 17) / 100
    if name == "losses":
        right = (i * 37 % 53) / 8.0
        judge = right + (i * 29 % 31) / 16.0 - 0.5
    if name == "opposed":
        judge = 1 - judge
    human = right.copy()
    human[seen:] = math.nan
    return human, judge


NAMES = ("labels", "probabilities", "losses", "opposed")
LEVELS = (0.9, 0.95)
REFERENCES = {  # value, interval of 90 %, value with lambda = 1
    "labels": (0.6217191701205838, 0.48522469339411667, 0.7582136468470508, 0.6380728554641598),
    "probabilities": (
        0.6031636641582944,
        0.5127572285831792,
        0.6935700997334096,
        0.6036666666666667,
    ),
    "losses": (3.179247110578927, 2.7202128421621197, 3.6382813789957344, 2.9171875000000003),
    "opposed": (0.6, 0.4198153129448982, 0.7801846870551017, 0.55),
}
