"""Evaluations on engines of others: each partition summed where it lies, the sums added."""
