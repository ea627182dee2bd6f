"""Claims about section 3 of Sadeghi 2023: the cell key."""

from discreet.papers.claim import Claim
from discreet.papers.sadeghi2023.cell_keys import (
    additive_share,
    empty_cells,
    nearest_prime,
    outside,
    same_contributors,
    xor_distance,
)
from discreet.papers.sadeghi2023.claim_values import ours, statement
from discreet.papers.sadeghi2023.truncated_gaussian import example_1
from discreet.papers.wording import LITTLE, little
from discreet.plan.contributor_keys import BITS, largest_prime, unevenness

KEYS = (8, 16, 32)
"""Bits of the cell keys that the paper studies."""


def modulus() -> list[Claim]:
    """(3.1) and footnote 3: a prime near KEYSIZE."""
    claims = []
    for bits in KEYS:
        prime = nearest_prime(bits)
        chance = outside(bits, prime)
        claims.append(
            statement(
                "Footnote 3",
                f"with the prime nearest to KEYSIZE 2^{bits}, {prime}, keys are below KEYSIZE: chance that one is not",
                chance,
                chance == 0,
                f"no noise belongs to such a key; the prime must be below KEYSIZE: {largest_prime(bits)}"
                if chance
                else "",
            )
        )
    for bits in KEYS:
        distance = float(xor_distance(bits))
        claims.append(
            statement(
                "Footnote 3",
                f"with the largest prime below 2^{bits} the cell key is essentially uniform: distance from uniform"
                f" {LITTLE}",
                f"{distance:.3g}",
                little(distance),
            )
        )
    worst = max(BITS, key=unevenness)
    claims.append(
        ours(
            "Equation (3.1)",
            "other powers of two: bits that contributor keys may have, and the largest bound of their unevenness",
            f"{BITS[0]} to {BITS[-1]}; {float(unevenness(worst)):.3g} at {worst} bits",
            "the bound includes record keys of 32 bits that are not a multiple of bigN; a release adds it to delta",
        )
    )
    return claims


def components() -> list[Claim]:
    """(3.2): four components joined by XOR."""
    return [
        Claim(
            "Equation (3.2)",
            "largest KEYSIZE, if the four components are the parts of a binary number of up to 32 bits",
            "2^32",
            f"2^{32 // 4}",
            False,
            "four parts of one number of 32 bits have 8 bits each, and so has their XOR; a cell key of 32 bits needs"
            " four record keys of 32 bits",
            "stated",
        ),
        statement(
            "Equation (3.2)",
            "XOR removes additive relationships: share of pairs of cells whose keys add up, one component and four,"
            " 8 bits",
            f"{additive_share(1):.3f} and {additive_share(4):.3f}",
            additive_share(4) < 0.01,
        ),
    ]


def contributors() -> list[Claim]:
    """Section 3: what the key made from contributors gives away, whatever the noise."""
    noise = example_1()
    alone, pair = empty_cells(noise).delta(0.5), same_contributors(noise)
    return [
        ours(
            "Section 3",
            "delta, at every epsilon, between counts 0 and 1, Example 1",
            alone,
            "PRIVACY: an empty cell always has key 0, so always the noise -D, and a cell of one person is never"
            " published as -D. The paper assumes counts of D or more, and tables have empty cells",
        ),
        ours(
            "Section 3",
            "delta, at every epsilon, of a cell and of the same cell with one person more, Example 1",
            pair,
            "PRIVACY: the same contributors have the same noise, so the difference of two cells tells that the person"
            " exists",
        ),
    ]
