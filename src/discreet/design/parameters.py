"""Checks that several designs share: what a parameter may be, and what to do where it is not."""

import math
from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import ParameterError
from discreet.exact import Number, exact, is_integer
from discreet.mechanism import Row

LARGEST_MATRIX = 2000
"""Largest n of a mechanism on 0..n: its certificate holds (n+1)**2 weights."""

LARGEST_SUPPORT = 1_000_000
"""Farthest that noise may reach: its certificate holds twice as many weights."""

SMALLEST_TAIL = Fraction(1, 10**300)

TAIL = "1e-12"
"""The tail mass at which noise without end is cut unless said otherwise."""


def integer(value: object, name: str, least: int, most: int, remedy: str) -> int:
    """An integer within limits."""
    if not is_integer(value):
        raise ParameterError(f"{name} is {value!r}; give an integer from {least} to {most}")
    number = int(value.__index__())
    if not least <= number <= most:
        raise ParameterError(f"{name} is {number}; give an integer from {least} to {most}: {remedy}")
    return number


def largest_count(value: object, name: str) -> int:
    """n of a mechanism on 0..n."""
    return integer(
        value, name, 1, LARGEST_MATRIX, "beyond it use noise on unbounded counts, such as geometric(epsilon=...)"
    )


def probability(value: Number, name: str) -> Fraction:
    """A number between 0 and 1, both excluded."""
    number = exact(value, name)
    if not 0 < number < 1:
        raise ParameterError(f"{name} is {value!r}; give a number between 0 and 1, both excluded")
    return number


def tail(value: Number) -> Fraction:
    """The mass beyond a cut."""
    mass = probability(value, "tail")
    if mass < SMALLEST_TAIL:
        raise ParameterError(f"tail is {value!r}; below 1e-300 it is never met: give a larger one, such as 1e-12")
    return mass


def positive(value: Number, name: str) -> Fraction:
    """A number above 0."""
    number = exact(value, name)
    if number <= 0:
        raise ParameterError(f"{name} is {value!r}; give a number above 0")
    return number


def support(value: object) -> int:
    """The farthest noise."""
    return integer(value, "support", 1, LARGEST_SUPPORT, "a table holds no wider noise")


def reach(value: float, remedy: str) -> int:
    """A support, refused where it is beyond what a table can hold."""
    if not value <= LARGEST_SUPPORT:
        raise ParameterError(f"the noise reaches {value:.3g}, beyond {LARGEST_SUPPORT}: {remedy}")
    return max(1, math.ceil(value))


def seconds(value: object) -> float:
    """A time limit."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ParameterError(f"time_limit is {value!r}; give seconds, above 0")
    return float(value)


def symmetric_noise(half: Sequence[int]) -> Row:
    """The row of noise in proportion to half[|z|]."""
    return Row.exact(1 - len(half), [*reversed(half[1:]), *half])
