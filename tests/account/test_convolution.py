"""The transform against exact products of masses, which lie between delta - error and delta everywhere."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Mechanism
from discreet.account import Pair, compose, profile
from discreet.account.convolution import Ladder, Moments
from tests.account.examples import maximum_entropy, rows, tiny

ROUNDING = 1e-13
"""Relative error of the sums made here."""


def multiplied_out(parts: list[tuple[Pair, int]]) -> list[Fraction]:
    """Return the finite masses of all parts, convolved exactly."""
    power = [Fraction(1)]
    for pair, times in parts:
        masses = [Fraction(mass) for mass in pair.masses.tolist()]
        for _ in range(times):
            longer = [Fraction(0)] * (len(power) + len(masses) - 1)
            for i, left in enumerate(power):
                for j, right in enumerate(masses):
                    longer[i + j] += left * right
            power = longer
    return power


def finite(power: list[Fraction], step: float, epsilon: float) -> float:
    """Return the finite part of delta."""
    losses = [step * (index - len(power) // 2) for index in range(len(power))]
    return math.fsum(
        float(mass) * -math.expm1(epsilon - loss) for mass, loss in zip(power, losses, strict=True) if loss > epsilon
    )


@pytest.mark.parametrize(
    "parts",
    [
        [(profile(rows([2, 1], [1, 2])).pair(math.log(2)), 40)],
        [(profile(rows([9, 5, 1], [2, 5, 8])).pair(0.25), 12)],
        [
            (profile(rows([9, 5, 1], [2, 5, 8])).pair(0.25), 5),
            (profile(rows([500, 499, 1], [499, 500, 0])).pair(0.25), 8),
        ],
        [(profile(maximum_entropy(6)).pair(127 / 12495), 10)],
    ],
)
def test_the_truth_lies_within_the_error_at_every_point_of_every_window(parts: list[tuple[Pair, int]]) -> None:
    """Far from a tilt's peak the transform is all error, and the error that is added must cover it."""
    ladder = Ladder(tuple(parts))
    power = multiplied_out(parts)
    ladder.rungs(np.array([0.9 * ladder.reach * ladder.step]))
    assert len(ladder.moments) > 2
    for rung in range(len(ladder.moments)):
        window = ladder.window(rung)
        for index in range(0, len(window.delta), 1 + len(window.delta) // 60):
            truth = finite(power, ladder.step, (window.first + index) * ladder.step)
            assert truth * (1 - ROUNDING) <= window.delta[index]
            assert window.delta[index] - window.error[index] <= truth * (1 + ROUNDING)


def test_a_mean_that_rounding_lowers_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tilts that are added for a larger epsilon are not taken for a smaller one."""
    exact = Ladder._moments

    def lowered(self: Ladder, theta: float) -> Moments:
        moments = exact(self, theta)
        return moments._replace(mean=moments.mean - 5 if 1 < theta < 3 else moments.mean)

    monkeypatch.setattr(Ladder, "_moments", lowered)
    parts = ((profile(rows([9, 5, 1], [2, 5, 8])).pair(0.25), 12),)
    epsilons = np.linspace(0, 0.9 * Ladder(parts).reach * 0.25, 60)
    at_once, one_by_one = Ladder(parts), Ladder(parts)
    at_once.rungs(epsilons)
    means = [moments.mean for moments in at_once.moments]
    assert means != sorted(means)
    assert [one_by_one.rungs(epsilons[[i]])[0] for i in range(len(epsilons))] == at_once.rungs(epsilons).tolist()


@settings(max_examples=30)
@given(tiny(), st.integers(2, 12), st.floats(0, 4))
def test_the_bound_exceeds_the_truth_by_its_error_at_most(mechanism: Mechanism, cells: int, epsilon: float) -> None:
    composition = compose(mechanism, cells, step=0.5)
    pair = composition.parts[0].pair
    inside = sum(Fraction(mass) for mass in pair.masses.tolist())
    lost = float((inside + Fraction(pair.infinite)) ** cells - inside**cells)
    truth = finite(multiplied_out([(pair, cells)]), 0.5, epsilon) + lost
    assert composition.delta(epsilon) - composition.error(epsilon) <= truth * (1 + ROUNDING)
    bound = composition._ladder.finite(np.array([epsilon]))[0][0] + composition.floor
    assert truth * (1 - ROUNDING) <= bound
