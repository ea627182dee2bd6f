"""Named categories: a cycle whose residues have names, so that names are perturbed into names.

A name that was not declared becomes `_other` if `_other` is a category. Otherwise the name is refused. The message does
not repeat the name, because it is somebody's answer.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.errors import InputError
from discreet.labels import OTHER


def names(design: Mapping[str, Any], size: int | None) -> list[str]:
    """Return the names that a design gives its residues; no names if the design has none, or not one for each."""
    known = design.get("categories")
    fits = isinstance(known, (list, tuple)) and len(known) == size and all(isinstance(name, str) for name in known)
    return list(known) if fits and len(set(known)) == size else []  # type: ignore[arg-type]


def is_text(values: Any) -> bool:
    """Return True if the values are names, not numbers."""
    try:
        array = np.asarray(values)
    except ValueError:  # ragged
        return False
    return array.dtype.kind == "U" or (
        array.dtype == object and array.size > 0 and all(isinstance(value, str) for value in array.ravel())
    )


def codes(values: Any, known: list[str]) -> Integers:
    """Return the residue of every name, in the shape of the values.

    Raises
    ------
    InputError
        The design has no names, or a name is not declared and `_other` is not a category.
    """
    if not known:
        raise InputError("names were given, and this design has no categories; design it with cyclic(categories=[...])")
    labels = np.asarray(values).astype(str)
    order = np.argsort(known)
    ordered = np.array(known)[order]
    index = np.minimum(np.searchsorted(ordered, labels), len(known) - 1)
    undeclared = ordered[index] != labels
    if undeclared.any() and OTHER not in known:
        raise InputError(
            f"a value is not one of the {len(known)} categories; correct it, or declare a category {OTHER!r}"
        )
    other = known.index(OTHER) if OTHER in known else 0
    return np.where(undeclared, other, order[index]).astype(np.int64)
