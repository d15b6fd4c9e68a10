# Written by `make exports` from the `__all__` of each module.
from stakes.sklearn.bayes_classifier import BayesClassifier as BayesClassifier
from stakes.sklearn.calibrated_classifier import CalibratedClassifier as CalibratedClassifier
from stakes.sklearn.scorers import auc_scorer as auc_scorer
from stakes.sklearn.scorers import calibrated_loss_scorer as calibrated_loss_scorer
from stakes.sklearn.model_evaluation import compare_models as compare_models
from stakes.sklearn.scorers import cost_scorer as cost_scorer
from stakes.sklearn.model_evaluation import evaluate_model as evaluate_model
from stakes.sklearn.scorers import loss_scorer as loss_scorer
