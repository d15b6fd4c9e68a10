"""Verdicts: plain sentences drawn from the numbers by the rules in docs/verdicts.md."""
