# Written by `make exports` from the `__all__` of each module.
from stakes.inspect_ai.target_metrics import answered as answered
from stakes.inspect_ai.target_metrics import answered_accuracy as answered_accuracy
from stakes.inspect_ai.target_metrics import confidence_target as confidence_target
from stakes.inspect_ai.target_metrics import confidence_target_stderr as confidence_target_stderr
from stakes.inspect_ai.target_metrics import hallucination_rate as hallucination_rate
from stakes.inspect_ai.target_metrics import normalized_cost as normalized_cost
from stakes.inspect_ai.target_metrics import omniscience_index as omniscience_index
from stakes.inspect_ai.stated_scorer import with_stated_confidence as with_stated_confidence
