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
    _unmasked(values, name)
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
            raise InputError(f"{name} holds {array[bad][0]}; give integers")
        bad = array != np.rint(array)
        if bad.any():
            raise InputError(f"{name} holds {array[bad][0]:.17g}; give integers")
    if array.size and (array.max() > LARGEST or array.min() < -LARGEST):
        raise InputError(f"{name} holds a value beyond +-2**42; give counts within it")
    return np.array(array, dtype=np.int64)


def together(values: Integers, name: str) -> None:
    """Counts that are added up: their sizes must not exceed LARGEST in all."""
    size = float(np.abs(values).sum(dtype=np.float64))
    if size > LARGEST:
        raise InputError(f"{name} add up to {size:.3g}, signs apart, beyond 2**42; give counts in larger units")


def _unmasked(values: Any, name: str) -> None:
    if np.ma.is_masked(values):
        raise InputError(f"{name} has masked values; give a number for every cell")


def variance(values: Any, name: str) -> Floats:
    """Variances of noise: above 0, and inf for a cell that was not measured."""
    _unmasked(values, name)
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
