"""How close to uniform contributor keys are.

The guarantee of one count rests on this bound, which is known before any key is made.
"""

from fractions import Fraction

PRIMES = {8: 251, 16: 65_521, 32: 4_294_967_291}
"""The largest prime below 2**bits, for each number of bits that contributor keys may have."""


def unevenness(bits: int) -> Fraction:
    """Return an upper bound of the distance (total variation) of a cell key from uniform, for random record keys.

    A sum of numbers of 32 bits, reduced by the prime p = 2**bits - c, is within r / 2**32 of uniform on 0..p - 1, where
    r is 2**32 mod p. So all its Walsh coefficients except the first are at most c / p + 2 r / 2**32. Four such sums,
    joined by XOR, have the fourth powers as coefficients. Half the root of the sum of their squares bounds the
    distance.
    """
    p = PRIMES[bits]
    coefficient = Fraction(2**bits - p, p) + Fraction(2 * (2**32 % p), 2**32)
    square = coefficient * coefficient
    return square * square * (1 << (bits // 2 - 1))
