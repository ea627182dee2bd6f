"""Exact numbers: epsilon as it was written, and a rational that is proved to be at most e**epsilon.

A guarantee compares integers with multiples of E = e**epsilon, which is irrational. Discreet takes for E a rational
that is at most e**epsilon. A mechanism that keeps the promise for the smaller E keeps the promise for the larger E. The
rational is a partial sum of the Taylor series with every term rounded down, so it needs no trust in a floating-point
library. If alpha = e**-epsilon is given as a fraction, E is exact.

This module uses only the standard library, because `certify.verify` imports it.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, InvalidOperation, localcontext
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Real
from operator import index
from typing import Any, TypeGuard

from discreet.errors import ParameterError

Number = int | float | Fraction | str

PRECISION = 256
"""Significant bits of the rational lower bound of e**epsilon."""

SMALLEST_EPSILON = Fraction(1, 10**9)
"""Below this no table of 62 bits tells e**epsilon from 1."""

LARGEST_EPSILON = 100
"""Above this a promise is of no use, and e**epsilon does not fit into a table."""

EXACT_BITS = 16384
"""Powers of a rational are exact if they have at most this many bits."""

LONGEST_NUMBER = 400
"""Most characters of a number written as text. A longer text is refused before it is parsed."""


def is_integer(value: object) -> TypeGuard[int]:
    """Return True if a value is an integer of any type, but not a boolean."""
    try:
        index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return not isinstance(value, bool)


def exact(value: Number | Decimal, name: str) -> Fraction:
    """Return the number that a person meant. A float is read as its shortest decimal, text as decimal or as p/q.

    Parameters
    ----------
    value : int, float, Fraction, Decimal or str
        The number.
    name : str
        The name of the parameter, for the error.

    Returns
    -------
    Fraction
        The exact number.

    Raises
    ------
    ParameterError
        The value is not a finite number.

    Examples
    --------
    >>> from discreet.exact import exact
    >>> exact(0.1, "delta"), exact("1/3", "delta")
    (Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(value, bool):
        raise ParameterError(f"{name} is {value!r}; give a number")
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, Integral) and abs(int(value)) < 10**LONGEST_NUMBER:
            return Fraction(int(value))
        if isinstance(value, Real) and not isinstance(value, Integral):
            return Fraction(Decimal(repr(float(value))))
        if isinstance(value, Decimal) and abs(value.adjusted()) < LONGEST_NUMBER:
            return Fraction(value)
        if isinstance(value, str) and len(value) <= LONGEST_NUMBER and _modest_exponent(value):
            return Fraction(value.strip())
    except (ValueError, OverflowError, InvalidOperation, ZeroDivisionError):
        pass
    raise ParameterError(
        f"{name} is {_short(value)}; give a finite number: an int, a float, a Fraction or text such as '0.5' or '1/3'"
    )


def text(value: Fraction) -> str:
    """Return a fraction as the shortest exact text: an integer, a finite decimal, or p/q.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from discreet.exact import text
    >>> text(Fraction(1, 8)), text(Fraction(1, 3))
    ('0.125', '1/3')
    """
    rest, tens = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        tens = max(tens, power)
    if rest != 1 or tens > 30:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**tens // value.denominator).rjust(tens + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (digits if tens == 0 else f"{digits[:-tens]}.{digits[-tens:]}")


def exp_lower(x: Fraction, precision: int = PRECISION) -> Fraction:
    """Return a rational that is at most e**x, and at least 1 - 2**(2 - precision) times e**x, for x >= 0.

    The rational is a partial sum of sum x**k / k!, each term floored to a binary fraction, cut to `precision`
    significant bits. Both steps only make it smaller.
    """
    working = 2 * precision + math.ceil(3 * x)
    term = total = 1 << working
    k = 0
    while term:
        k += 1
        term = term * x.numerator // (x.denominator * k)
        total += term
    drop = max(0, total.bit_length() - precision)
    return Fraction(total >> drop << drop, 1 << working)


def powers(base: Fraction, length: int) -> list[int]:
    """Return integers in proportion to 1, base, base**2, ..., for 0 < base < 1.

    The integers are exact if the largest has at most EXACT_BITS bits. Otherwise each is rounded down, and the smallest
    has PRECISION bits.
    """
    a, b = base.numerator, base.denominator
    last = length - 1
    if last * b.bit_length() <= EXACT_BITS:
        return [a**k * b ** (last - k) for k in range(length)]
    shift = PRECISION + math.ceil(last * (math.log2(b) - math.log2(a)))
    series = [1 << shift]
    while len(series) < length:
        series.append(series[-1] * a // b)
    return series


@dataclass(frozen=True)
class Epsilon:
    """A privacy parameter: epsilon as it was written, and a rational E <= e**epsilon.

    Attributes
    ----------
    exponent
        epsilon itself, exactly; None if alpha was given.
    exp
        E: the rational lower bound, or 1/alpha exactly.
    """

    exponent: Fraction | None
    exp: Fraction

    @classmethod
    def of(cls, epsilon: "Number | Epsilon | None" = None, alpha: Number | None = None) -> "Epsilon":
        """Read epsilon, or alpha = exp(-epsilon).

        Parameters
        ----------
        epsilon : Number or Epsilon, optional
            Above 0. Give epsilon or alpha, and not both.
        alpha : Number, optional
            Between 0 and 1, both excluded.

        Returns
        -------
        Epsilon
            The parameter.

        Raises
        ------
        ParameterError
            Both or neither are given, or the number is outside its range.

        Examples
        --------
        >>> from discreet.exact import Epsilon
        >>> Epsilon.of(alpha="1/2").exp, str(Epsilon.of("0.50"))
        (Fraction(2, 1), '0.5')
        """
        if isinstance(epsilon, Epsilon) and alpha is None:
            return epsilon
        if (epsilon is None) == (alpha is None) or isinstance(epsilon, Epsilon):
            raise ParameterError(
                f"epsilon is {epsilon}, alpha is {_short(alpha)}; give one of them, alpha being exp(-epsilon)"
            )
        if alpha is not None:
            ratio = exact(alpha, "alpha")
            if not 0 < ratio < 1:
                raise ParameterError(
                    f"alpha is {_short(alpha)}; alpha is exp(-epsilon): give a number between 0 and 1, both excluded"
                )
            if ratio.denominator.bit_length() > 2 * PRECISION:
                raise ParameterError(
                    f"alpha has a denominator of {ratio.denominator.bit_length()} bits; round it to {2 * PRECISION}"
                )
            if 1 / ratio < exp_lower(SMALLEST_EPSILON):
                raise ParameterError(f"alpha is {_short(alpha)}, too close to 1 for any table: choose a smaller one")
            if ratio < exp_lower(Fraction(LARGEST_EPSILON)) ** -1:
                raise ParameterError(f"alpha is {_short(alpha)}; below exp(-{LARGEST_EPSILON}) nothing is promised")
            return cls(None, 1 / ratio)
        value = exact(epsilon, "epsilon")  # type: ignore[arg-type]
        if value <= 0:
            raise ParameterError(
                f"epsilon is {_short(epsilon)}; give a number above 0 (0.1 is strict, 1 is usual, 5 is weak)"
            )
        if value > LARGEST_EPSILON:
            raise ParameterError(
                f"epsilon is {_short(epsilon)}; above {LARGEST_EPSILON} nothing is promised: choose a smaller one"
            )
        if value < SMALLEST_EPSILON:
            raise ParameterError(f"epsilon is {_short(epsilon)}; below 1e-9 no table can keep it: choose a larger one")
        return cls(value, exp_lower(value))

    @property
    def alpha(self) -> Fraction:
        """1/E: exp(-epsilon) exactly if alpha was given, else a rational just above exp(-epsilon)."""
        return 1 / self.exp

    @cached_property
    def number(self) -> int | float | Fraction:
        """epsilon as a number. If alpha was given, a float at or just above -log(alpha), never below."""
        if self.exponent is None:
            guess = math.log1p(float(self.exp - 1)) if self.exp < 2 else math.log(float(self.exp))
            while exp_lower(Fraction(guess)) < self.exp:
                guess = math.nextafter(guess, math.inf)
            return guess
        if self.exponent.denominator == 1:
            return self.exponent.numerator
        nearest = float(self.exponent)
        return nearest if exact(nearest, "epsilon") == self.exponent else self.exponent

    @property
    def given(self) -> dict[str, Any]:
        """The keyword argument of a design that has the same privacy: epsilon or alpha, exactly."""
        return {"alpha": self.alpha} if self.exponent is None else {"epsilon": self.exponent}

    @property
    def parameters(self) -> dict[str, str]:
        """The entry of a design's parameters: epsilon or alpha, as exact text."""
        return {name: text(value) for name, value in self.given.items()}

    def __float__(self) -> float:
        return float(self.number)

    def __str__(self) -> str:
        return f"{float(self):.6g}" if self.exponent is None else text(self.exponent)


def _modest_exponent(value: str) -> bool:
    """Return True if the exponent has at most three digits: '1e999999999' would be an integer of a gigabyte."""
    _, _, exponent = value.lower().partition("e")
    return len(exponent.strip().lstrip("+-")) <= 3


def _short(value: object) -> str:
    """Return a value for a message, in at most 60 characters."""
    try:
        shown = repr(value)
    except ValueError:  # an integer too long to print
        shown = "a number of thousands of digits"
    return shown if len(shown) <= 60 else shown[:57] + "..."


def rounded_up(value: float, digits: int = 3) -> str:
    """Return a float with `digits` digits, rounded up, as `format(value, ".3g")` writes it; inf for infinity."""
    return f"{float(upper(Fraction(value), digits)) if math.isfinite(value) else value:.{digits}g}"


def upper(value: Fraction, digits: int = 6) -> str:
    """Return a number with `digits` digits, rounded up, so that no printed number is below the certified one."""
    if value == 0:
        return "0"
    with localcontext(prec=digits, rounding=ROUND_CEILING):
        shown = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{shown.normalize():g}" if shown >= Decimal("0.0001") else f"{shown:.{digits - 1}e}"
