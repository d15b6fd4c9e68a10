# Written by `make exports` from the `__all__` of each module.
from stakes.responses.option_losses import OptionAccuracy as OptionAccuracy
from stakes.responses.option_scores import OptionScores as OptionScores
