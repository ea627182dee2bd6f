"""Labels that Discreet uses itself, which no specification may declare."""

OTHER = "_other"
"""The leaf, or group, of everything that is not declared."""

TOTAL = "_total"
"""Stands for a dimension that a count is summed over."""
