"""The cell keys of Sadeghi 2023, section 3, beside enumeration."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from discreet.papers.sadeghi2023.cell_keys import (
    additive_share,
    empty_cells,
    nearest_prime,
    outside,
    same_contributors,
    xor_distance,
)
from discreet.papers.sadeghi2023.truncated_gaussian import example_1
from discreet.plan.contributor_keys import BITS, largest_prime, unevenness


def four(modulus: int) -> Counter[int]:
    """The law of the XOR of four uniform residues, times modulus^4, by counting all pairs of pairs."""
    two = Counter(a ^ b for a, b in product(range(modulus), repeat=2))
    joined: Counter[int] = Counter()
    for (a, m), (b, n) in product(two.items(), repeat=2):
        joined[a ^ b] += m * n
    return joined


@pytest.mark.parametrize("bits", [8, 9])
def test_the_distance_from_uniform_by_counting(bits: int) -> None:
    modulus = largest_prime(bits)
    law = four(modulus)
    distance = sum(abs(Fraction(law[x], modulus**4) - Fraction(1, 1 << bits)) for x in range(1 << bits)) / 2
    assert distance == xor_distance(bits)


def test_the_distance_from_uniform_at_known_sizes() -> None:
    assert float(xor_distance(8)) == pytest.approx(1.5254460297996472e-07, rel=1e-12)
    assert float(xor_distance(32)) == pytest.approx(1.8367099282915325e-36, rel=1e-12)


@pytest.mark.parametrize("bits", BITS)
def test_the_bound_of_a_release_covers_the_exact_distance(bits: int) -> None:
    assert 0 < xor_distance(bits) <= unevenness(bits)


@pytest.mark.parametrize(("bits", "prime"), [(8, 257), (16, 65_537), (32, 4_294_967_291), (12, 4093), (9, 509)])
def test_the_nearest_prime_may_be_above(bits: int, prime: int) -> None:
    assert nearest_prime(bits) == prime


def test_a_prime_above_the_number_of_keys_gives_keys_without_noise() -> None:
    law = four(257)
    assert outside(8, 257) == pytest.approx(sum(n for key, n in law.items() if key >= 256) / 257**4, rel=1e-12)
    assert outside(8, 251) == 0


def test_what_a_key_from_contributors_gives_away() -> None:
    """An empty cell is always published as -D; and one person more in a cell is seen with chance .96."""
    noise = example_1()
    assert all(empty_cells(noise).delta(epsilon) == 1 for epsilon in (0.1, 1, 10))
    law = dict(zip(*(part.tolist() for part in noise.pmf(0)), strict=True))
    same = sum(p * q for (a, p), (b, q) in product(law.items(), repeat=2) if a == b + 1)
    assert same_contributors(noise) == pytest.approx(1 - same, rel=1e-12)
    assert same_contributors(noise) == pytest.approx(0.96, abs=5e-3)


def test_keys_of_one_component_add_up_and_keys_of_four_do_not() -> None:
    assert additive_share(1) == 1
    assert additive_share(4) < 0.01
