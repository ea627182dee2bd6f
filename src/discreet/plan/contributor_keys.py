"""The modulus of contributor keys, and how close to uniform contributor keys are.

The guarantee of one count rests on this bound, which is known before any key is made.
"""

from fractions import Fraction
from functools import cache

from discreet.errors import ParameterError

BITS = range(8, 33)
"""Numbers of bits that contributor keys may have: record keys have components of 32 bits."""

WITNESSES = (2, 7, 61)
"""Bases that tell every prime below 4,759,123,141 from every other number (Jaeschke 1993)."""


@cache
def largest_prime(bits: int) -> int:
    """Return the largest prime below 2**bits: bigN, by which the sums of record keys are reduced.

    Parameters
    ----------
    bits
        From 8 to 32.

    Raises
    ------
    ParameterError
        Contributor keys do not have so many bits.

    Examples
    --------
    >>> [largest_prime(bits) for bits in (8, 12, 16, 32)]
    [251, 4093, 65521, 4294967291]
    """
    if bits not in BITS:
        raise ParameterError(f"bits is {bits!r}; contributor keys have {BITS[0]} to {BITS[-1]} bits")
    return next(number for number in range((1 << bits) - 1, 0, -2) if _is_prime(number))


def unevenness(bits: int) -> Fraction:
    """Return an upper bound of the distance (total variation) of a cell key from uniform, for random record keys.

    A sum of numbers of 32 bits, reduced by the prime p = 2**bits - c, is within r / 2**32 of uniform on 0..p - 1, where
    r is 2**32 mod p. So all its Walsh coefficients except the first are at most c / p + 2 r / 2**32. Four such sums,
    joined by XOR, have the fourth powers as coefficients. Half the root of the sum of their squares bounds the
    distance: 2**(bits / 2 - 1) times the largest coefficient, with bits / 2 rounded up to an integer.
    """
    p = largest_prime(bits)
    coefficient = Fraction(2**bits - p, p) + Fraction(2 * (2**32 % p), 2**32)
    square = coefficient * coefficient
    return square * square * (1 << ((bits + 1) // 2 - 1))


def _is_prime(number: int) -> bool:
    """Return True if an odd number from 2**7 to 2**32 is prime (Miller and Rabin)."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(pow(base, odd, number), twos, number) for base in WITNESSES)


def _passes(power: int, twos: int, number: int) -> bool:
    """Return True if power is 1, or becomes number - 1 by squaring less than `twos` times."""
    if power == 1:
        return True
    for _ in range(twos):
        if power == number - 1:
            return True
        power = power * power % number
    return False
