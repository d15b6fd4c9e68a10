"""The traditional metrics of hard decisions, each with the costs it implies.

A metric is a small object: from counts it gives its value, the value of the best constant answer,
the expected cost it is tied to, and the identity between the two.
"""

from stakes.metrics.traditional.base import (
    AtLevels,
    Binary,
    BinaryMetric,
    DecisionMetric,
    SweepMetric,
    require_square,
)
from stakes.metrics.traditional.detection import (
    FScore,
    NetBenefit,
    PositiveLikelihoodRatio,
    Precision,
    Recall,
    Sensitivity,
    Specificity,
)
from stakes.metrics.traditional.general import (
    Accuracy,
    BalancedAccuracy,
    BalancedErrorRate,
    ErrorRate,
    Matthews,
)
