"""The cell keys of section 3 of Sadeghi 2023, and what they give away.

A cell key is the XOR of four sums of record keys, each modulo a prime bigN. Neither `empty_cells` nor
`same_contributors` depends on how good the noise is.
"""

import math
from collections import Counter
from fractions import Fraction

import numpy as np

from discreet.mechanism import Mechanism, Row
from discreet.plan.contributor_keys import largest_prime

SEED = 2023


def empty_cells(noise: Mechanism) -> Mechanism:
    """Return the noise with keys made from contributors: an empty cell has key 0, and so always the lowest noise."""
    return Mechanism(noise.domain, (Row.of(noise.interior[0].first, [1]),), noise.interior)


def same_contributors(noise: Mechanism) -> float:
    """Return the delta, at every epsilon, of publishing a cell and the same cell with one person more.

    Without the person both have the same contributors, the same key and the same noise, so they differ by 0. With
    the person they differ by 0 with chance sum p(z) p(z+1) only.
    """
    masses = noise.interior[0].values
    return 1 - math.fsum(masses[:-1] * masses[1:])


def xor_distance(bits: int) -> Fraction:
    """Return the distance (total variation) of the XOR of four independent sums, each uniform below bigN, from uniform.

    Let M be the m values from bigN up to 2**bits, which a sum never takes. The law of a sum is (1 - 1_M)/bigN. The
    constant 1 convolved with anything is constant, so of all products only 1_M * 1_M * 1_M * 1_M is not: Pr[x] is (1 -
    (m/bigN)^4)/2**bits plus bigN^-4 for each of the m^4 quadruples of M whose XOR is x.
    """
    keys, modulus = 1 << bits, largest_prime(bits)
    missing = range(modulus, keys)
    pairs = Counter(a ^ b for a in missing for b in missing)
    quadruples: Counter[int] = Counter()
    for first, times in pairs.items():
        for second, more in pairs.items():
            quadruples[first ^ second] += times * more
    fourth = modulus**4
    base = Fraction(fourth - len(missing) ** 4, keys * fourth) - Fraction(1, keys)
    return sum((max(base + Fraction(times, fourth), Fraction(0)) for times in quadruples.values()), Fraction(0))


def nearest_prime(bits: int) -> int:
    """Return the prime nearest to 2**bits, which may be above it."""
    size = 1 << bits
    below = size - largest_prime(bits)
    return next((size + gap for gap in range(1, below, 2) if _is_prime(size + gap)), size - below)


def outside(bits: int, modulus: int) -> float:
    """Return the chance that the XOR of four uniform residues is not below 2**bits, for a modulus below 2**(bits+1).

    An XOR has the bit 2**bits if an odd number of residues have it.
    """
    above = max(0, modulus - (1 << bits)) / modulus
    return (1 - (1 - 2 * above) ** 4) / 2


def additive_share(components: int, bits: int = 8, cells: int = 100_000) -> float:
    """Return how often the key of two disjoint cells together is the sum of their keys modulo bigN, in a simulation."""
    modulus = largest_prime(bits)
    rng = np.random.default_rng(SEED)
    first, second = rng.integers(0, modulus, (2, components, cells))
    together = np.bitwise_xor.reduce((first + second) % modulus, axis=0)
    added = (np.bitwise_xor.reduce(first, axis=0) + np.bitwise_xor.reduce(second, axis=0)) % modulus
    return float((together == added).mean())


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
