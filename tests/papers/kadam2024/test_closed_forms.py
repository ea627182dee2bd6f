"""Closed forms: Theorem 2 and Corollary 1, Theorem 3 and Corollary 2 as printed, and what is right instead."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.papers.kadam2024.bounded_difference import (
    Section,
    corollary_2,
    kinks,
    least_delta,
    lemma_4,
    optimum,
    section_epsilon,
    sections,
    theorem_3_first,
)
from discreet.papers.kadam2024.one_sided import definition_2, one_sided_delta, program_13, pure
from discreet.papers.kadam2024.single_difference import corollary_1, epsilons, flat_first, regions, theorem_2
from tests.papers.kadam2024.brute_force import largest_first

# One difference


@pytest.mark.parametrize("delta", [0.0, 0.001, 0.02, 0.1, 0.2, 0.3, 0.45, 0.7])
@pytest.mark.parametrize("mu", [3, 2])
def test_theorem_2_is_the_optimum_of_definition_2(delta: float, mu: int) -> None:
    noise = theorem_2(8, mu, 0.75, delta)
    assert math.fsum(noise) == pytest.approx(1, abs=1e-15)
    assert one_sided_delta(noise, (mu,), 0.75) <= delta + 1e-15
    assert noise[0] == pytest.approx(definition_2(7, (mu,), 0.75, delta)[0], abs=1e-9)


@given(st.floats(0, 1), st.sampled_from([0.3, 1.0, 2.0]))
def test_theorem_2_has_one_noise_for_every_delta(delta: float, epsilon: float) -> None:
    noise = theorem_2(6, 1, epsilon, delta)
    assert (noise >= 0).all()
    assert noise.sum() == pytest.approx(1, abs=1e-12)
    assert one_sided_delta(noise, (1,), epsilon) <= delta + 1e-12


@pytest.mark.parametrize("rho", [0.2, 0.3, 0.6])
def test_corollary_1_is_theorem_2_read_the_other_way_round(rho: float) -> None:
    for epsilon in (0.3, 0.9, 1.15, 1.3):
        delta = corollary_1(8, epsilon, rho)
        assert 1 - theorem_2(8, 1, epsilon, delta)[0] <= rho + 1e-12
        if delta > 1e-6:
            assert 1 - theorem_2(8, 1, epsilon, delta * (1 - 1e-6))[0] > rho


def test_an_epsilon_of_25_has_the_error_rate_that_was_asked_for() -> None:
    for k, epsilon in enumerate(epsilons(8, 0.3)[:-1]):
        assert 1 - flat_first(8, epsilon, k) == pytest.approx(0.3, abs=1e-12)
    assert regions(8, 0.75)[-1][1] == 1


# Differences 1..mu


@pytest.mark.parametrize(("n", "mu"), [(9, 4), (15, 5), (8, 3), (12, 4)])
def test_lemma_4_is_the_noise_by_number_of_steps(n: int, mu: int) -> None:
    noise = pure((n + 1,), tuple(range(1, mu + 1)), 1.0)
    np.testing.assert_allclose(program_13(n, tuple(range(1, mu + 1)), 1.0, 0.0), noise, atol=1e-9)
    np.testing.assert_allclose(lemma_4(n, mu, 1.0), noise, atol=1e-15)


@pytest.mark.parametrize("section", sections(20, 5, math.log(2)), ids=lambda section: f"{section.h}-{section.j}")
def test_flat_and_linear_noise_in_exact_fractions(section: Section) -> None:
    """alpha = 1/2: (34) as a sum, (37), and the mass that (35) and (36) leave out for j = h."""
    half = Fraction(1, 2)
    total = sum(length * half**level for level, length in enumerate(section.flat_lengths()))
    assert section.first() == pytest.approx(float(1 / total), rel=1e-14)
    left_out = (section.mu - 1) * half ** (section.b + 1) if section.j == section.h else 0
    assert section.first_as_printed() == pytest.approx(float(1 / (total - left_out)), rel=1e-14)
    claimed = sum(half**level for level in range(section.b - section.h, section.b - section.h + section.j)) / total
    assert section.low() == pytest.approx(float(claimed), rel=1e-14)
    assert sum(section.linear_lengths()) == section.n + 1
    missing = section.mu - 1 if section.j < section.h else 0
    assert sum(section.linear_lengths(as_printed=True)) == section.n + 1 - missing


@pytest.mark.parametrize("section", sections(20, 5, 1.0), ids=lambda section: f"{section.h}-{section.j}")
def test_which_noise_of_theorem_3_exceeds_its_own_delta(section: Section) -> None:
    differences = range(1, 6)
    flat = one_sided_delta(section.flat(), differences, 1.0)
    assert (flat > section.low() + 1e-9) == (section.j < section.h - 1)
    delta = (section.before.high() + section.low()) / 2
    noise = section.linear(delta)
    assert noise.sum() == pytest.approx(1, abs=1e-12)
    assert (one_sided_delta(noise, differences, 1.0) > delta + 1e-9) == (section.j < section.h)
    assert noise[0] == pytest.approx(optimum(20, 5, 1.0, delta)[0], abs=1e-12)


def test_linear_noise_meets_the_flat_noise_at_both_ends() -> None:
    for section in sections(15, 5, 1.0):
        np.testing.assert_allclose(np.sort(section.linear(section.low())), np.sort(section.flat()), atol=1e-12)
        before = section.before
        np.testing.assert_allclose(section.linear(before.high()), before.flat(), atol=1e-12)


@pytest.mark.parametrize("delta", [0.0, 0.04, 0.1, 0.3])
@pytest.mark.parametrize("epsilon", [0.3, 1.2])
@pytest.mark.parametrize(("n", "mu"), [(2, 2), (4, 3), (5, 2), (6, 2), (6, 3)])
def test_the_optimum_of_13_is_the_best_of_all_choices(n: int, mu: int, epsilon: float, delta: float) -> None:
    differences = tuple(range(1, mu + 1))
    noise = optimum(n, mu, epsilon, delta)
    assert noise.sum() == pytest.approx(1, abs=1e-12)
    assert (noise >= 0).all()
    assert one_sided_delta(noise, differences, epsilon) <= delta + 1e-12
    assert noise[0] == pytest.approx(largest_first(n, differences, epsilon, delta, shared=True), abs=1e-8)


@pytest.mark.parametrize(("n", "mu", "epsilon"), [(8, 3, 0.5), (13, 4, 0.5), (20, 5, 1.0), (9, 3, 2.0), (10, 1, 0.7)])
def test_the_optimum_of_13_is_the_programs(n: int, mu: int, epsilon: float) -> None:
    for delta in (0.01, 0.08, 0.14, 0.3):
        program = program_13(n, tuple(range(1, mu + 1)), epsilon, delta)
        assert optimum(n, mu, epsilon, delta)[0] == pytest.approx(program[0], abs=1e-8)


def test_for_one_difference_the_optimum_is_theorem_2() -> None:
    for delta in (0.0, 0.05, 0.2, 0.45, 0.9):
        assert optimum(7, 1, 0.75, delta)[0] == pytest.approx(theorem_2(8, 1, 0.75, delta)[0], abs=1e-12)


def test_between_two_kinks_the_optimum_is_linear() -> None:
    ends = kinks(9, 3, 1.0)
    firsts = [optimum(9, 3, 1.0, float(end))[0] for end in ends]
    for low, high, first, second in zip(ends[:-1], ends[1:], firsts[:-1], firsts[1:], strict=True):
        middle = optimum(9, 3, 1.0, float(low + high) / 2)[0]
        assert middle == pytest.approx((first + second) / 2, abs=1e-12)


@pytest.mark.parametrize("rho", [0.3, 0.6, 0.7])
def test_the_least_delta_is_the_optimum_read_the_other_way_round(rho: float) -> None:
    for epsilon in (0.4, 1.0, 1.105, 1.4):
        delta = least_delta(20, 5, epsilon, rho)
        assert 1 - optimum(20, 5, epsilon, delta)[0] <= rho + 1e-12
        if delta > 0:
            assert 1 - optimum(20, 5, epsilon, delta * (1 - 1e-9))[0] > rho


def test_corollary_2_is_theorem_3_read_the_other_way_round() -> None:
    for epsilon in (1.0, 1.096, 1.105, 1.12, 1.2):
        delta = corollary_2(20, 5, epsilon, 0.7)
        assert theorem_3_first(20, 5, epsilon, delta) >= 0.3 - 1e-12
    assert corollary_2(20, 5, 1.105, 0.7) < least_delta(20, 5, 1.105, 0.7) - 0.01
    found = section_epsilon(20, 5, 3, 1, 0.7)
    assert 1 - Section(20, 5, found, 3, 1).first() == pytest.approx(0.7, abs=1e-12)
