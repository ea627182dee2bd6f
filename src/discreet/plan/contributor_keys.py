"""How even contributor keys are: what the guarantee of one count rests on, known before any key is made."""

from fractions import Fraction

PRIMES = {8: 251, 16: 65_521, 32: 4_294_967_291}
"""The largest prime below 2**bits, for the sizes that contributor keys may have."""


def unevenness(bits: int) -> Fraction:
    """Bound the distance (total variation) from uniform of the cell key of people who have random components.

    A sum of numbers of 32 bits, reduced by the prime p = 2**bits - c, is within r / 2**32 of uniform on 0..p - 1, where
    r is 2**32 mod p. So its Walsh coefficients, but for the first, are at most c / p + 2 r / 2**32. The coefficients of
    four such sums joined by XOR are the fourth powers, and half the root of the sum of their squares bounds the
    distance.
    """
    p = PRIMES[bits]
    coefficient = Fraction(2**bits - p, p) + Fraction(2 * (2**32 % p), 2**32)
    square = coefficient * coefficient
    return square * square * (1 << (bits // 2 - 1))
