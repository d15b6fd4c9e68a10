"""Samples of any number in bounded memory: what is kept of them, how it adds, and its bytes."""
