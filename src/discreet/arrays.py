"""Arrays: their types, and how counts, variances and fixed values that a user gives are checked."""

from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError, ParameterError
from discreet.exact import is_integer

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.intp]
Complex = npt.NDArray[np.complex128]

LARGEST_SUM = 2**42
"""Largest sum of counts: larger sums lose their units in a float."""


def rectangular(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return values as an array. `name` is for messages.

    Raises
    ------
    InputError
        Values are masked, or rows have different lengths.
    """
    if type(values) is not np.ndarray and isinstance(values, np.ma.MaskedArray):  # naming np.ma loads it
        raise InputError(f"{name}: this is a masked array; fill it, or leave the masked values out")
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(f"{name}: rows have different lengths; give a rectangular array of integers") from None


def integers(values: npt.ArrayLike, name: str, largest: int = LARGEST_SUM) -> Integers:
    """Return whole numbers within +-largest as an array of integers. Floats are taken if they are whole.

    Raises
    ------
    InputError
        A value is not a whole number, or is beyond the limit.
    """
    array = rectangular(values, name)
    if array.dtype.kind not in "iuf" and array.size:
        array = _from_objects(array, name)
    wrong = ~((array >= -largest) & (array <= largest))  # NaN is neither
    if array.dtype.kind == "f":
        wrong |= array != np.rint(array)
    if wrong.any():
        value = array[wrong].flat[0]
        raise InputError(f"{name}: {value:.17g} is given; give integers within +-2**{largest.bit_length() - 1}")
    return array.astype(np.int64)


def _from_objects(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    kinds = (int, float, np.integer, np.floating)
    for item in array.ravel() if array.dtype == object else array.ravel()[:1]:
        if isinstance(item, (bool, np.bool_)) or not isinstance(item, kinds):
            raise InputError(f"{name}: {item!r:.60} is given; give integers")
    return array.astype(np.float64) if any(isinstance(item, float) for item in array.ravel()) else array


def require_summable(values: Integers, name: str) -> None:
    """Raise InputError if the absolute values add up to more than LARGEST_SUM. `name` is for messages."""
    size = float(np.abs(values).sum(dtype=np.float64))
    if size > LARGEST_SUM:
        raise InputError(f"absolute values of {name} add up to {size:.3g}, beyond 2**42; give counts in larger units")


def noise_variances(values: npt.ArrayLike, name: str) -> Floats:
    """Return variances of noise as an array of floats. `name` is for messages.

    An infinite variance stands for a cell that was not measured.

    Raises
    ------
    ParameterError
        A value is not a number above 0, or is outside 1e-100 to 1e100.
    """
    try:
        array = rectangular(values, name).astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is {values!r:.60}; give numbers above 0") from None
    if not (array > 0).all():
        wrong = array[~(array > 0)].flat[0]
        raise ParameterError(
            f"{name} holds {wrong:g}; variances are above 0. Give a value known without noise in fixed"
        )
    if (array[np.isfinite(array)] > 1e100).any() or (array < 1e-100).any():
        raise ParameterError(f"{name} holds a number outside 1e-100 to 1e100; give variances in counts squared")
    return array


def fixed_value(value: Any, name: str) -> int:
    """Return a fixed value as an integer. `name` is the cell, for messages.

    Raises
    ------
    ParameterError
        The value is not an integer from 0 to LARGEST_SUM.
    """
    if not (is_integer(value) or (isinstance(value, float) and value.is_integer())):
        raise ParameterError(f"{name} is fixed at {value!r:.60}; give an integer from 0")
    if not 0 <= value <= LARGEST_SUM:
        raise ParameterError(f"{name} is fixed at {value}; a count is an integer from 0 to 2**42")
    return int(value)
