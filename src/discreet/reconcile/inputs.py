"""What reconciliation accepts: integers that a float holds exactly, variances above 0."""

from typing import Any

import numpy as np

from discreet import arrays
from discreet.arrays import Floats, Integers
from discreet.errors import InputError, ParameterError
from discreet.exact import is_integer

LARGEST = 2**42
"""Counts beyond this lose their units in a float, and with them the sums."""


def integers(values: Any, name: str) -> Integers:
    """Return an array of whole numbers within +-LARGEST."""
    return arrays.integers(values, name, LARGEST)


def together(values: Integers, name: str) -> None:
    """Counts that are added up: their sizes must not exceed LARGEST in all."""
    size = float(np.abs(values).sum(dtype=np.float64))
    if size > LARGEST:
        raise InputError(f"{name} add up to {size:.3g}, signs apart, beyond 2**42; give counts in larger units")


def variance(values: Any, name: str) -> Floats:
    """Variances of noise: above 0, and inf for a cell that was not measured."""
    try:
        array = arrays.rectangular(values, name).astype(np.float64)
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
    if not (is_integer(value) or (isinstance(value, float) and value.is_integer())):
        raise ParameterError(f"{name} is fixed at {value!r:.60}; give an integer from 0")
    if not 0 <= value <= LARGEST:
        raise ParameterError(f"{name} is fixed at {value}; a count is an integer from 0 to 2**42")
    return int(value)
