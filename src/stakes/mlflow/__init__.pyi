# Written by `make exports` from the `__all__` of each module.
from stakes.mlflow.run_logging import LoggedEvaluation as LoggedEvaluation
from stakes.mlflow.evaluator import StakesEvaluator as StakesEvaluator
from stakes.mlflow.run_logging import log_evaluation as log_evaluation
