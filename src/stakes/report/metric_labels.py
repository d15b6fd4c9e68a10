"""Names of metrics as people write them, made of those that machines read."""

from stakes._text import plain

_WORDS = {
    "auc": "AUC",
    "brier": "Brier",
    "cllr": "Cllr",
    "eer": "EER",
    "f1": "F1",
    "matthews": "Matthews",
    "nec": "NEC",
}


def metric_label(metric: str, *, several: bool = False) -> str:
    """Return the name of a metric; with several applications it says which.

    >>> metric_label("cost.minimum_nec"), metric_label("cross_entropy.normalized")
    ('minimum NEC', 'cross-entropy')
    >>> metric_label("screening.matthews_correlation", several=True)
    'screening: Matthews correlation'
    """
    scope, _, last = metric.rpartition(".")
    if last == "normalized":
        return _words(scope)
    if last == "calibrated_normalized":
        return f"{_words(scope)}, calibrated"
    return f"{plain(scope)}: {_words(last)}" if scope and several else _words(last)


def ranking_label(metric: str) -> str:
    """Return the name of a metric of the ranking; an area may be of one class.

    >>> ranking_label("minimum_cllr"), ranking_label("auc.setosa")
    ('minimum Cllr', 'AUC of setosa')
    """
    name, _, of = metric.partition(".")
    return f"{_words(name)} of {plain(of)}" if of else _words(name)


def _words(key: str) -> str:
    words = " ".join(_WORDS.get(word, word) for word in plain(key).split("_"))
    return words.replace("cross entropy", "cross-entropy")
