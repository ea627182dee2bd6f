"""Hide what may be a secret in a message.

People paste a secret where its file belongs: as a path, a field of a specification, an argument of a command. A message
that repeats the argument would then print the secret. So the message of every error goes through `hide_secrets`, which
leaves out each part that looks like most of 32 random bytes:

hexadecimal   24 digits or more, with or without a separator between groups (aa:bb:cc, "aa bb cc"). At least one digit
              must be a letter, so that long numbers and lists of years stay readable.
base64        30 characters or more that change between small letters, capitals and digits as often as random characters
              do. Paths and names of several words change less often, and stay readable.

Digests that Discreet writes itself stay readable, because "sha256:" precedes them.
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


def hide_secrets(message: str) -> str:
    """Return the message without the parts that may be a secret."""
    message = _HEX.sub(lambda match: HIDDEN if _is_hexadecimal(match.group(), 1) else match.group(), message)
    message = _GROUPS.sub(lambda match: HIDDEN if _is_hexadecimal(match.group(), 3) else match.group(), message)
    return _BASE64.sub(lambda match: HIDDEN if _is_random(match.group()) else match.group(), message)


def quoted(name: str | bytes | os.PathLike[str]) -> str:
    """Return a path or a name in quotes, for a message. Hide all of the name if a part of the name may be a secret."""
    text = os.fsdecode(name)
    return f"that was given {HIDDEN}" if hide_secrets(text) != text else repr(text[:200])


def _is_hexadecimal(text: str, letters: int) -> bool:
    """Return True if a text has enough hexadecimal digits, enough different ones, and at least so many letters."""
    digits = re.sub(r"0[xX]|[^0-9A-Fa-f]", "", text).lower()
    enough = len(digits) >= LEAST_HEX and len(set(digits)) >= LEAST_DIFFERENT
    return enough and letters <= len(re.findall("[a-f]", digits)) < len(digits)


def _is_random(text: str) -> bool:
    """Return True if letters and digits change as often as in random text, or if the text is 32 bytes in base64."""
    characters = re.sub("[+/_=-]", "", text)
    kinds = "".join("d" if letter.isdigit() else "u" if letter.isupper() else "l" for letter in characters)
    if len(text.rstrip("=")) == WHOLE and set(kinds) == set("dul") and _changes(kinds) >= LEAST_CHANGES:
        return True
    windows = (kinds[start : start + WINDOW] for start in range(len(kinds) - WINDOW + 1))
    return any(
        _changes(window) >= LEAST_CHANGES and "d" in window and min(window.count("u"), window.count("l")) >= 3
        for window in windows
    )


def _changes(kinds: str) -> int:
    """Return how many characters differ in kind from the character before."""
    return sum(kind != following for kind, following in itertools.pairwise(kinds))
