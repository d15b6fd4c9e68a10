"""Measurements: speed beside the peers, coverage of intervals, pages."""
