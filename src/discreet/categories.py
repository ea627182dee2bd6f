"""Named categories: a cycle whose residues have names, so that names go in and names come out.

A name that was not declared becomes `_other` where that is a category. Otherwise it is refused, without being
repeated in the message: it is somebody's answer.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.labels import OTHER


def names(design: Mapping[str, Any], size: int | None) -> list[str]:
    """The names that a design gives its residues; empty where it gives none, or not one for each."""
    given = design.get("categories")
    fits = isinstance(given, (list, tuple)) and len(given) == size and all(isinstance(name, str) for name in given)
    return list(given) if fits and len(set(given)) == size else []  # type: ignore[arg-type]


def is_text(values: Any) -> bool:
    """Whether these are names rather than numbers."""
    try:
        array = np.asarray(values)
    except ValueError:  # ragged
        return False
    return array.dtype.kind == "U" or (
        array.dtype == object and array.size > 0 and all(isinstance(value, str) for value in array.ravel())
    )


def codes(values: Any, known: list[str]) -> npt.NDArray[np.int64]:
    """The residue of every name, in the values' shape."""
    if not known:
        raise InputError("names were given, and this design has numbers; design it with cyclic(categories=[...])")
    given = np.asarray(values).astype(str)
    order = np.argsort(known)
    ordered = np.array(known)[order]
    place = np.minimum(np.searchsorted(ordered, given), len(known) - 1)
    undeclared = ordered[place] != given
    if undeclared.any() and OTHER not in known:
        raise InputError(
            f"a value is not one of the {len(known)} categories; correct it, or declare a category {OTHER!r}"
        )
    found = order[place]
    return np.where(undeclared, known.index(OTHER) if OTHER in known else 0, found).astype(np.int64)
