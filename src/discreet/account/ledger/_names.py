"""Names and notes that a ledger takes."""

from collections.abc import Mapping
from typing import Any

from discreet.account.ledger import chain
from discreet.errors import ParameterError

MOST_NOTE = 1 << 16
LONGEST_NAME = 200


def checked_note(note: Mapping[str, Any]) -> dict[str, Any]:
    """Return a note. Raise ParameterError if it cannot be written as JSON, or is too long."""
    try:
        written = chain.canonical(dict(note))
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(f"the note cannot be written as JSON ({error}); give names, texts and numbers") from None
    if len(written) > MOST_NOTE:
        raise ParameterError(f"the note takes {len(written)} bytes; keep it below {MOST_NOTE}")
    return dict(note)


def check_name(value: object, field: str) -> None:
    """Raise ParameterError unless a value is a printable text that is not too long."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not value.isprintable():
        raise ParameterError(f"{field} is {value!r:.60}; give a text of 1 to {LONGEST_NAME} printable characters")
