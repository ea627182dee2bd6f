"""Hide what may be a secret in a message.

People paste a secret where its file belongs: as a path, a field of a specification, an argument of a command. A message
that repeats what was given would then print the secret. So the message of every error goes through `hidden`, which
leaves out each part that looks like most of 32 random bytes:

hexadecimal   24 digits or more, with or without a separator between groups (aa:bb:cc, "aa bb cc"). Some must be
              letters, so that long numbers and lists of years stay readable.
base64        30 characters or more that change between small letters, capitals and digits as often as random ones do.
              Paths and names of several words change less often, and stay readable.

A digest that Discreet writes itself stays: it is preceded by "sha256:".
"""

import itertools
import os
import re

HIDDEN = "(not shown, as it may be a secret)"

LEAST_HEX = 24
LEAST_DIFFERENT = 6
WINDOW = 30
LEAST_CHANGES = 11
"""Among 30 random letters and digits 18 changes are expected; fewer than 11 have a chance below 0.4 %."""

WHOLE = 43
"""Characters of 32 bytes in base64, without padding."""

_HEX = re.compile(rf"(?<!sha256:)(?<![0-9A-Fa-f])[0-9A-Fa-f]{{{LEAST_HEX},}}")
_GROUPS = re.compile(r"(?<![0-9A-Za-z])(?:(?:0[xX])?(?:[0-9A-Fa-f]{2}){1,8}[\s:,._|-]{1,2}){2,}[0-9A-Fa-fxX]+")
_BASE64 = re.compile(r"(?<!sha256:)[0-9A-Za-z+/_-]{30,}=*")


def hidden(message: str) -> str:
    """Return the message without the parts that may be a secret."""
    message = _HEX.sub(lambda found: HIDDEN if _hexadecimal(found.group(), 1) else found.group(), message)
    message = _GROUPS.sub(lambda found: HIDDEN if _hexadecimal(found.group(), 3) else found.group(), message)
    return _BASE64.sub(lambda found: HIDDEN if _random(found.group()) else found.group(), message)


def shown(place: str | bytes | os.PathLike[str]) -> str:
    """Return a path or a name, in quotes, for a message. Hide all of it if a part of it may be a secret."""
    text = os.fsdecode(place)
    return f"that was given {HIDDEN}" if hidden(text) != text else repr(text[:200])


def _hexadecimal(text: str, letters: int) -> bool:
    """Return True if a text has enough hexadecimal digits, enough of them letters, and not the same few ones."""
    digits = re.sub(r"0[xX]|[^0-9A-Fa-f]", "", text).lower()
    enough = len(digits) >= LEAST_HEX and len(set(digits)) >= LEAST_DIFFERENT
    return enough and letters <= len(re.findall("[a-f]", digits)) < len(digits)


def _random(text: str) -> bool:
    """Return True if letters and digits change as often as in random text, or if this is 32 bytes in base64."""
    kinds = "".join("d" if each.isdigit() else "u" if each.isupper() else "l" for each in re.sub("[+/_=-]", "", text))
    if len(text.rstrip("=")) == WHOLE and set(kinds) == set("dul") and _changes(kinds) >= LEAST_CHANGES:
        return True
    windows = (kinds[at : at + WINDOW] for at in range(len(kinds) - WINDOW + 1))
    return any(
        _changes(window) >= LEAST_CHANGES and "d" in window and min(window.count("u"), window.count("l")) >= 3
        for window in windows
    )


def _changes(kinds: str) -> int:
    """Return how often a character is of another kind than the one before."""
    return sum(one != other for one, other in itertools.pairwise(kinds))
