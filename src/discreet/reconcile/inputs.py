"""Checks of user input: counts that a float holds exactly, variances above 0, fixed values from 0."""

from typing import Any

import numpy as np

from discreet import arrays
from discreet.arrays import Floats, Integers
from discreet.errors import InputError, ParameterError
from discreet.exact import is_integer

LARGEST = 2**42
"""Largest count: sums of larger counts lose their units in a float."""


def integers(values: Any, name: str) -> Integers:
    """Return an array of whole numbers within +-LARGEST. `name` is for messages.

    Raises
    ------
    InputError
        A value is not a whole number, or is beyond the limit.
    """
    return arrays.integers(values, name, LARGEST)


def require_summable(values: Integers, name: str) -> None:
    """Raise InputError if the absolute values add up to more than LARGEST. `name` is for messages."""
    size = float(np.abs(values).sum(dtype=np.float64))
    if size > LARGEST:
        raise InputError(f"absolute values of {name} add up to {size:.3g}, beyond 2**42; give counts in larger units")


def variance(values: Any, name: str) -> Floats:
    """Return variances of noise as an array of floats; inf stands for a cell that was not measured.

    Raises
    ------
    ParameterError
        A value is not a number above 0, or is outside 1e-100 to 1e100.
    """
    try:
        array = arrays.rectangular(values, name).astype(np.float64)
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
        The value is not an integer from 0 to LARGEST.
    """
    if not (is_integer(value) or (isinstance(value, float) and value.is_integer())):
        raise ParameterError(f"{name} is fixed at {value!r:.60}; give an integer from 0")
    if not 0 <= value <= LARGEST:
        raise ParameterError(f"{name} is fixed at {value}; a count is an integer from 0 to 2**42")
    return int(value)
