"""The one-sided reading: its delta by definition, and its programs beside an enumeration of all choices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.papers.kadam2024.one_sided import definition_2, one_sided_delta, program_13, pure, two_sided
from tests.papers.kadam2024.brute_force import largest_first

NOISES = st.lists(st.integers(0, 50), min_size=4, max_size=7).filter(lambda weights: weights[0] > 0)


@given(NOISES, st.sampled_from([0.3, 1.0, 2.0]))
def test_the_probabilistic_delta_is_the_mass_above_the_bound(weights: list[int], epsilon: float) -> None:
    noise = np.array(weights) / sum(weights)
    size = len(noise)
    for mu in (1, 2):
        mass = sum(noise[x] for x in range(size) if noise[x] > math.exp(epsilon) * noise[(x + mu) % size])
        assert one_sided_delta(noise, (mu,), epsilon) == pytest.approx(mass, abs=1e-15)
    both = max(one_sided_delta(noise, (mu,), epsilon) for mu in (1, 2, size - 1, size - 2))
    assert two_sided(noise, (1, 2)).delta(epsilon, kind="pdp") == pytest.approx(both, abs=1e-14)


@given(NOISES, st.sampled_from([0.3, 1.0, 2.0]))
def test_two_sided_delta_is_that_of_the_whole_matrix(weights: list[int], epsilon: float) -> None:
    noise = np.array(weights) / sum(weights)
    size = len(noise)
    columns = [np.roll(noise, q) for q in range(size)]
    pairs = [(q, (q + mu) % size) for q in range(size) for mu in (1, -1)]
    hockey = max(np.maximum(columns[a] - math.exp(epsilon) * columns[b], 0).sum() for a, b in pairs)
    assert two_sided(noise, (1,)).delta(epsilon) == pytest.approx(hockey, abs=1e-14)


@given(NOISES, st.sampled_from([0.3, 1.0, 2.0]))
def test_pdp_implies_dp(weights: list[int], epsilon: float) -> None:
    """Theorem 1."""
    mechanism = two_sided(np.array(weights) / sum(weights), (1,))
    assert mechanism.delta(epsilon) <= mechanism.delta(epsilon, kind="pdp") + 1e-14


@pytest.mark.parametrize("differences", [(1,), (2,), (1, 2), (1, 3), (1, 2, 3)])
@pytest.mark.parametrize("n", [4, 5])
def test_noise_by_number_of_steps_is_the_pure_optimum(n: int, differences: tuple[int, ...]) -> None:
    expected = largest_first(n, differences, 0.8, 0.0, shared=False)
    assert pure((n + 1,), differences, 0.8)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("delta", [0.05, 0.15, 0.3])
@pytest.mark.parametrize(("n", "differences"), [(4, (1,)), (5, (2,)), (3, (1, 2)), (6, (3,))])
def test_definition_2_is_the_best_of_all_choices(n: int, differences: tuple[int, ...], delta: float) -> None:
    expected = largest_first(n, differences, 0.8, delta, shared=False)
    assert definition_2(n, differences, 0.8, delta)[0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("delta", [0.05, 0.15, 0.3])
@pytest.mark.parametrize(("n", "differences"), [(4, (1,)), (5, (1, 2)), (6, (1, 2)), (6, (1, 2, 3)), (5, (1, 3))])
def test_13_is_the_best_of_all_shared_choices(n: int, differences: tuple[int, ...], delta: float) -> None:
    expected = largest_first(n, differences, 0.8, delta, shared=True)
    assert program_13(n, differences, 0.8, delta)[0] == pytest.approx(expected, abs=1e-8)


def test_definition_2_allows_at_least_what_13_does() -> None:
    for delta in (0.03, 0.15):
        printed = program_13(8, (1, 2, 3), 1.0, delta)
        assert one_sided_delta(printed, (1, 2, 3), 1.0) <= delta + 1e-9
        assert definition_2(8, (1, 2, 3), 1.0, delta)[0] >= printed[0] - 1e-9


def test_the_constraints_of_footnote_4_are_met_at_the_optimum() -> None:
    signed, same = [0, 1, 2, -2, -1], [0, 0, 1, -1, 0]
    for delta in (0.0, 0.2):
        centred = definition_2(4, (1,), 0.8, delta, zero_mean=True)
        expected = largest_first(4, (1,), 0.8, delta, shared=False, equalities=[signed])
        assert np.dot(signed, centred) == pytest.approx(0, abs=1e-9)
        assert centred[0] == pytest.approx(expected, abs=1e-8)
        alike = definition_2(4, (1,), 0.8, delta, classes=(0, 1, 2, 2, 3))
        expected = largest_first(4, (1,), 0.8, delta, shared=False, equalities=[same])
        assert alike[2] == pytest.approx(alike[3], rel=1e-12)
        assert alike[0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("limit", [0.1, 0.2, 0.3])
def test_15_is_13_read_the_other_way_round(limit: float) -> None:
    noise = definition_2(5, (1,), 1.0, None, limit=limit)
    delta = one_sided_delta(noise, (1,), 1.0)
    assert 1 - noise[0] == pytest.approx(limit, abs=1e-9)
    assert 1 - largest_first(5, (1,), 1.0, delta + 1e-9, shared=False) <= limit + 1e-8
    assert 1 - largest_first(5, (1,), 1.0, delta - 1e-4, shared=False) > limit
