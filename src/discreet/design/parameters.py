"""Read parameters that several designs share.

Every function returns the parameter as an exact number, or raises ParameterError if the parameter is outside its range.
"""

import math
from collections.abc import Iterable, Sequence
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


def support(value: object, most: int = LARGEST_SUPPORT) -> int:
    """Return the farthest noise."""
    return integer(value, "support", 1, most, "a table holds no wider noise")


def reach(value: float, remedy: str, most: int = LARGEST_SUPPORT) -> int:
    """Return the support, `most` at most, that noise needs to reach a value. `remedy` ends the message of the error."""
    if not value <= most:
        raise ParameterError(f"the noise reaches {value:.3g}, beyond {most}: {remedy}")
    return max(1, math.ceil(value))


def seconds(value: object) -> float:
    """Return a time limit in seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ParameterError(f"time_limit is {value!r}; give seconds, above 0")
    return float(value)


def cut(
    weights: Iterable[tuple[int, int]], shift: int, tail: Fraction, remedy: str, most: int = LARGEST_SUPPORT
) -> list[int]:
    """Return integers in proportion to p(0), p(1), ... until the mass beyond is at most the tail.

    Parameters
    ----------
    weights
        p(z) and p(z+1)/p(z) for z = 0, 1, ... without end, both times 2**shift. The ratio never rises.
    remedy
        The end of the message of the error.
    most
        Largest support.

    Raises
    ------
    ParameterError
        The noise is wider than the largest support.
    """
    half: list[int] = []
    total, one = 0, 1 << shift
    for z, (weight, ratio) in enumerate(weights):
        beyond = 2 * weight << shift  # over one - ratio: a geometric series above the tail
        if weight == 0 or (z > 1 and beyond * tail.denominator <= tail.numerator * total * (one - ratio)):
            break
        half.append(weight)
        total += 2 * weight if z else weight
        if z > most:
            reach(z, remedy, most)
    return half


def symmetric_noise(half: Sequence[int]) -> Row:
    """Return the row of noise in proportion to half[|z|]."""
    return Row.exact(1 - len(half), [*reversed(half[1:]), *half])
