"""Arrays: their types, and how arrays of integers that a user gives are checked."""

from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.intp]
Complex = npt.NDArray[np.complex128]


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


def integers(values: npt.ArrayLike, name: str, largest: int) -> Integers:
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
