"""Bounded noise for all counts at large and at small epsilon: what a solver cannot resolve, and what sharing costs."""

import math

import pytest

from discreet.design import bounded
from tests.design.additive.bounded_noise import least_delta, noise, summed

LADDER = (1, 2, 3.5, 5, 6.18, 8, 10, 12, 15, 18, 20, 22, 25, 30, 60)


@pytest.mark.parametrize(
    ("eta", "support", "lowest"),
    [(0.5, 3, 0), (0.5, 2, 1), (0.1, 3, 1), (0.8, 8, 0), (0.9, 4, 1), (0.02, 5, 0), (0.5083, 5, 4), (0.999, 3, 0)],
)
def test_no_design_for_a_smaller_epsilon_is_better(eta: float, support: int, lowest: int) -> None:
    designs = {}
    for epsilon in LADDER:
        designs[epsilon] = bounded(epsilon=epsilon, eta=eta, support=support, lowest=lowest)
        best = min(mechanism.delta(epsilon) for mechanism in designs.values())
        assert designs[epsilon].delta(epsilon) <= best * (1 + 2e-6) + 1e-12, epsilon


def test_epsilon_30_hides_as_much_as_epsilon_12() -> None:
    assert bounded(epsilon=30, eta=0.5, support=3).delta(30) <= bounded(epsilon=12, eta=0.5, support=3).delta(30)
    assert bounded(epsilon=30, eta=0.5, support=3).delta(30) <= 1e-12


@pytest.mark.parametrize(("epsilon", "support"), [(6, 3), (8, 3), (10, 3), (12, 3), (4, 6), (3, 8)])
def test_a_large_epsilon_is_near_the_bound_of_symmetric_noise(epsilon: float, support: int) -> None:
    """The best noise that is the same for all counts bounds delta from below, because the mean of the rows of many
    counts is such noise. Counts below the support add a share of about E^-1 / 2.
    """
    least = noise(epsilon, 0.5, support).delta(epsilon)
    assert least == pytest.approx(math.expm1(epsilon) / math.expm1(epsilon * support) / 4, rel=1e-9)
    mechanism = bounded(epsilon=epsilon, eta=0.5, support=support, lowest=1)
    assert least * (1 - 1e-9) <= mechanism.delta(epsilon) <= least * (1 + math.exp(-epsilon)) + 1e-12
    assert summed(mechanism, epsilon) == pytest.approx(mechanism.delta(epsilon), rel=1e-4, abs=1e-15)


@pytest.mark.parametrize("epsilon", [8, 10])
@pytest.mark.parametrize("lowest", [0, 1])
def test_a_large_epsilon_agrees_with_an_independent_program(epsilon: float, lowest: int) -> None:
    mechanism = bounded(epsilon=epsilon, eta=0.5, support=2, lowest=lowest)
    assert mechanism.delta(epsilon) == pytest.approx(least_delta(epsilon, 0.5, 2, range(lowest, 12)), rel=1e-4)


@pytest.mark.parametrize("epsilon", [12, 30])
def test_noise_for_a_large_epsilon_is_unbiased_with_the_truth_exactly_eta(epsilon: float) -> None:
    mechanism = bounded(epsilon=epsilon, eta=0.8, support=4, lowest=1)
    for count in range(1, 30):
        outputs, chances = mechanism.pmf(count)
        assert outputs[0] >= 0
        assert abs(mechanism.bias(count)) <= 1e-15
        assert chances[outputs == count] == pytest.approx(0.8, abs=1e-15)


SHARED = [
    # epsilon, eta, support, lowest, most that sharing may cost
    (0.01, 0.1, 3, 1, 1e-8),
    (0.03, 0.1, 3, 1, 1e-8),
    (0.05, 0.05, 4, 1, 1e-8),
    (0.05, 0.02, 6, 1, 1e-8),
    (0.1, 0.02, 6, 1, 1e-8),
    (0.01, 0.05, 3, 1, 3.5e-5),
    (0.05, 0.05, 3, 1, 1.1e-4),
    (0.05, 0.01, 9, 1, 1.4e-4),
    (0.05, 0.02, 9, 2, 8e-5),
    (0.2, 0.01, 9, 2, 5e-5),
    (0.15, 0.005, 9, 1, 2.7e-4),
    (1.1, 0.5, 4, 1, 1e-8),
]


@pytest.mark.parametrize(("epsilon", "eta", "support", "lowest", "cost"), SHARED)
def test_sharing_noise_costs_at_most_what_the_docstring_says(
    epsilon: float, eta: float, support: int, lowest: int, cost: float
) -> None:
    """The least delta lies above the program over the counts up to 27, and above the best noise for all counts."""
    bound = max(
        least_delta(epsilon, eta, support, range(lowest, 28), tolerance=1e-9),
        noise(epsilon, eta, support).delta(epsilon),
    )
    delta = bounded(epsilon=epsilon, eta=eta, support=support, lowest=lowest).delta(epsilon)
    assert bound - 1e-8 <= delta <= bound + cost


def test_one_row_from_24_on_would_cost_a_thousandth() -> None:
    """Epsilon .01, support 3, eta .1, lowest 1: .19912 with one row from 24 on, .19817 here."""
    mechanism = bounded(epsilon=0.01, eta=0.1, support=3, lowest=1)
    assert mechanism.delta(0.01) == pytest.approx(0.1981656, abs=1e-7)
    assert len(mechanism.rows) == 141
    assert len(mechanism.interior) == 3


def test_sharing_starts_later_at_a_smaller_epsilon() -> None:
    starts = [len(bounded(epsilon=epsilon, eta=0.3, support=2).rows) for epsilon in (1, 0.05, 0.02, 0.01)]
    assert starts == [24, 40, 100, 200]


def test_noise_is_one_row_unless_epsilon_is_small() -> None:
    assert [len(bounded(epsilon=epsilon, eta=0.3, support=3).interior) for epsilon in (0.4, 0.5, 1)] == [3, 1, 1]
