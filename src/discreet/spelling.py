"""Names that are spelled like another one, for messages about names that do not exist."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_MOST_COMPARED = 5000
"""Known names that a name is compared with, if none has the same letters."""


def nearest_spelling(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that is spelled most like a name, or None if none is alike.

    Case, spaces, punctuation and zeros in front count least.

    Examples
    --------
    >>> nearest_spelling("Male", ["female", "male"])
    'male'
    >>> nearest_spelling("07", ["6", "7"])
    '7'
    >>> nearest_spelling("Zuerich", ["Bern", "Zürich"])
    'Zürich'
    >>> nearest_spelling("unknown", ["female", "male"]) is None
    True
    """
    plain = _plain(name)
    if not plain:
        return None
    same = [text for text in known if _plain(text) == plain]
    if same:
        return same[0]
    by_plain = {_plain(text): text for text in reversed(known[:_MOST_COMPARED])}
    close = get_close_matches(plain, by_plain, n=1, cutoff=0.7)
    return by_plain[close[0]] if close else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question with the known name that is nearest, for the end of a message; nothing if none is near.

    Examples
    --------
    >>> did_you_mean("budgett", ["version", "budget"])
    "; did you mean 'budget'?"
    >>> did_you_mean("x", ["version", "budget"])
    ''
    """
    near = nearest_spelling(name, list(known)) if isinstance(name, str) else None
    return "" if near is None else f"; did you mean {near!r:.80}?"


def _plain(text: str) -> str:
    """Return a text in small letters, without spaces, punctuation and zeros in front."""
    plain = "".join(_letters(text.casefold()))
    return plain.lstrip("0") or plain[:1]


def _letters(text: str) -> Iterable[str]:
    return (character for character in text if character.isalnum())
