"""Mutants that change no behaviour: file, what stands there, what the mutant writes, why."""

EQUIVALENT: list[tuple[str, str, str, str]] = []
