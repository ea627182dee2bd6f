"""Read the numbers that composition is asked about. No float that is read is above the number that was given."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ParameterError
from discreet.exact import Number, exact

NO_LOSS = 10**300
"""No loss is so large. A larger epsilon counts as this one."""


def integer(value: object, name: str, most: int, meaning: str) -> int:
    """Return an integer from 1 to `most`; raise ParameterError for anything else."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise ParameterError(f"{name} is {value!r:.60}; give an integer from 1 to {most}: {meaning}")
    number = int(value.__index__())
    if not 1 <= number <= most:
        raise ParameterError(f"{name} is {number}; give an integer from 1 to {most}: {meaning}")
    return number


def epsilon_array(values: Any) -> Floats:
    """Return floats, none above the number that was given. A member of an array is read as if it were given alone."""
    array = np.asarray(values, dtype=object)
    return np.array([epsilon_number(value) for value in array.ravel().tolist()], dtype=np.float64).reshape(array.shape)


def epsilon_number(value: Any) -> float:
    """Return the nearest float, or the next smaller float if the nearest is above the number."""
    number = exact(value, "epsilon")
    if number < 0:
        raise ParameterError(f"epsilon is {value!r:.60}; give finite numbers of 0 or more")
    nearest = float(number) if number < NO_LOSS else float(NO_LOSS)
    return math.nextafter(nearest, 0.0) if Fraction(nearest) > number else nearest


def delta_number(value: Number) -> float:
    """Return the nearest float, or the next smaller float if the nearest is above the number."""
    number = exact(value, "delta")
    if not 0 <= number < 1:
        raise ParameterError(f"delta is {value!r:.60}; it is a probability from 0 to below 1")
    nearest = float(number)
    return math.nextafter(nearest, 0.0) if Fraction(nearest) > number else nearest
