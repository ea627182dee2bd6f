"""Read which properties a mechanism must have, with what they imply, and say which ones the geometric mechanism has."""

from collections.abc import Sequence

from discreet.certify.table import PROPERTIES
from discreet.errors import ParameterError
from discreet.exact import Epsilon

WITH_COLUMN_PRIVACY = (*PROPERTIES, "CP")
"""The seven properties, and column privacy. "all" means the seven."""


def requested(properties: Sequence[str] | str, known: Sequence[str] = PROPERTIES) -> frozenset[str]:
    """Return the properties as a set, from a sequence or from text separated by commas.

    Raises
    ------
    ParameterError
        A name is not known.
    """
    if isinstance(properties, str):
        names = PROPERTIES if properties == "all" else tuple(properties.replace(",", " ").split())
    else:
        names = tuple(properties)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ParameterError(f"properties hold {unknown[0]!r}; choose from {', '.join(known)}, or give 'all'")
    return frozenset(names)


def closure(properties: frozenset[str]) -> frozenset[str]:
    """Return the properties with all they imply: RM => RH, CM => CH => WH; with F, RH and CH imply each other."""
    implied = set(properties)
    implied |= {"RH"} if "RM" in implied else set()
    implied |= {"CH"} if "CM" in implied else set()
    implied |= {"RH", "CH"} if "F" in implied and implied & {"RH", "CH"} else set()
    implied |= {"WH"} if "CH" in implied else set()
    return frozenset(implied)


def geometric_properties(n: int, privacy: Epsilon) -> frozenset[str]:
    """Return the properties of the geometric mechanism on 0..n.

    RH, RM and S always; WH iff n >= 2 alpha/(1-alpha); CH and CM iff alpha <= 1/2; all seven at n = 1.
    """
    alpha = privacy.alpha
    if n == 1:
        return frozenset(PROPERTIES)
    names = {"RH", "RM", "S"}
    names |= {"WH"} if n * (1 - alpha) >= 2 * alpha else set()
    names |= {"CH", "CM", "WH"} if 2 * alpha <= 1 else set()
    return frozenset(names)
