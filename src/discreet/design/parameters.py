"""Read parameters that several designs share.

Every function returns the parameter as an exact number, or raises ParameterError if the parameter is outside its range.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import ParameterError
from discreet.exact import Number, exact, is_integer
from discreet.mechanism import Row

LARGEST_MATRIX = 2000
"""Largest n of a mechanism on 0..n. Its certificate holds (n+1)**2 weights."""

LARGEST_SUPPORT = 1_000_000
"""Farthest noise. A certificate holds twice as many weights."""

SMALLEST_TAIL = Fraction(1, 10**300)

TAIL = "1e-12"
"""The default mass beyond the cut of noise without end."""


def integer(value: object, name: str, least: int, most: int, remedy: str) -> int:
    """Return an integer from `least` to `most`. `remedy` ends the message of the error."""
    if not is_integer(value):
        raise ParameterError(f"{name} is {value!r}; give an integer from {least} to {most}")
    number = int(value.__index__())
    if not least <= number <= most:
        raise ParameterError(f"{name} is {number}; give an integer from {least} to {most}: {remedy}")
    return number


def largest_count(value: object, name: str) -> int:
    """Return n of a mechanism on 0..n."""
    return integer(
        value, name, 1, LARGEST_MATRIX, "for more use noise on unbounded counts, such as geometric(epsilon=...)"
    )


def probability(value: Number, name: str) -> Fraction:
    """Return a number between 0 and 1, both excluded."""
    number = exact(value, name)
    if not 0 < number < 1:
        raise ParameterError(f"{name} is {value!r}; give a number between 0 and 1, both excluded")
    return number


def tail(value: Number) -> Fraction:
    """Return the largest mass beyond a cut."""
    mass = probability(value, "tail")
    if mass < SMALLEST_TAIL:
        raise ParameterError(f"tail is {value!r}; below 1e-300 no cut reaches it: give a larger tail, such as 1e-12")
    return mass


def positive(value: Number, name: str) -> Fraction:
    """Return a number above 0."""
    number = exact(value, name)
    if number <= 0:
        raise ParameterError(f"{name} is {value!r}; give a number above 0")
    return number


def support(value: object) -> int:
    """Return the farthest noise."""
    return integer(value, "support", 1, LARGEST_SUPPORT, "a table holds no wider noise")


def reach(value: float, remedy: str) -> int:
    """Return the support that noise needs to reach a value. `remedy` ends the message of the error."""
    if not value <= LARGEST_SUPPORT:
        raise ParameterError(f"the noise reaches {value:.3g}, beyond {LARGEST_SUPPORT}: {remedy}")
    return max(1, math.ceil(value))


def seconds(value: object) -> float:
    """Return a time limit in seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ParameterError(f"time_limit is {value!r}; give seconds, above 0")
    return float(value)


def symmetric_noise(half: Sequence[int]) -> Row:
    """Return the row of noise in proportion to half[|z|]."""
    return Row.exact(1 - len(half), [*reversed(half[1:]), *half])
