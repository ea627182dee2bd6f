"""What reconciliation accepts: integers that a float holds exactly, variances above 0."""

from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError, ParameterError

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LARGEST = 2**42
"""Counts beyond this lose their units in a float, and with them the sums."""


def integers(values: Any, name: str) -> Integers:
    """An array of whole numbers within +-LARGEST."""
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is no array of numbers; give integers, in rows of equal length") from None
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name} holds {array.dtype.name} values; give integers")
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array)
        if bad.any():
            raise InputError(f"{name} holds {array[bad][0]}; give an integer for every cell")
        bad = array != np.rint(array)
        if bad.any():
            raise InputError(f"{name} holds {array[bad][0]:.17g}; noisy counts are integers: give them unrounded noise")
    if array.size and (array.max() > LARGEST or array.min() < -LARGEST):
        raise InputError(f"{name} holds a value beyond +-2**42; give counts within it")
    return np.array(array, dtype=np.int64)


def variance(values: Any, name: str) -> Floats:
    """Variances of noise: above 0, and inf for a cell that was not measured."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is {values!r:.60}; give numbers above 0") from None
    if not (array > 0).all():
        wrong = array[~(array > 0)].flat[0]
        raise ParameterError(
            f"{name} holds {wrong:g}; a variance is above 0. A value known without noise goes into fixed"
        )
    if (array[np.isfinite(array)] > 1e100).any() or (array < 1e-100).any():
        raise ParameterError(f"{name} holds a number beyond 1e+-100; give variances in counts squared")
    return array


def known(value: Any, name: str) -> int:
    """A public value: an integer from 0."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer, float)) or value != value // 1:
        raise ParameterError(f"{name} is fixed at {value!r:.60}; give an integer from 0")
    if not 0 <= value <= LARGEST:
        raise ParameterError(f"{name} is fixed at {value}; a count is an integer from 0 to 2**42")
    return int(value)
