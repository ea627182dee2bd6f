"""Labels that Discreet uses itself, which no specification may declare; and lists of labels in messages."""

from collections.abc import Sequence

OTHER = "_other"
"""The leaf, or group, of everything that is not declared."""

TOTAL = "_total"
"""Stands for a dimension that a count is summed over."""

LISTED = 20
"""Labels that a message shows at most."""


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """Return names for a message: the first ones, and how many there are if there are more."""
    more = f", ... ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(names[:most]) + more
