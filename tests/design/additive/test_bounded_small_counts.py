"""Bounded noise where counts may be smaller than the support: the linear program."""

from itertools import pairwise

import numpy as np
import pytest

from discreet.design import bounded
from discreet.design.additive.bounded import theorem_3
from tests.design.additive.bounded_noise import certified, noise, per_output, summed

SMALL_COUNTS = [
    ((1.1, 0.5, 6), 0.018586950162850113, 0.05907499426464968, 0.05907499426464968, 0.0006825293413296766),
    ((1.1, 0.5, 8), 0.018586950162850113, 0.058013588230330274, 0.05801358823077139, 7.553491255747693e-05),
    ((2.18, 0.8, 8), 0.019111451706389875, 0.04050460767491387, 0.040504607674802136, 0.01536937412791195),
    ((1.0, 0.5, 8), 0.03824115216996856, 0.10826626758729911, 0.10826626758729911, 0.07042954288523873),
    ((1.1, 0.5, 4), 0.018586950162850113, 0.0619106870334916, 0.06191068703349159, 0.006227919154896383),
    ((1.5, 0.5, 4), 0.00244246488804732, 0.002458449453242567, 0.0024584494532425664, 0.0021629224390978617),
    ((2.18, 0.8, 4), 0.019111451706389875, 0.0406033264905283, 0.04060332648840528, 0.01536937412791195),
    ((2.2, 0.8, 4), 0.011425394180139083, 0.02861489711286513, 0.028614897112926977, 0.00012098173219376556),
]


@pytest.mark.parametrize(("at", "output", "from_0", "from_1", "from_support"), SMALL_COUNTS)
def test_counts_below_the_support_have_the_least_delta_as_computed(
    at: tuple[float, float, int], output: float, from_0: float, from_1: float, from_support: float
) -> None:
    """Sadeghi 2020, Proposition 2, as computed for counts up to N; here for all counts.

    More counts are more constraints: at epsilon 1.1 and support 4 all counts cost 2.04e-8 more than those up to 12.
    """
    epsilon, eta, support = at
    all_counts = 2.1e-8 if at == (1.1, 0.5, 4) else 2e-8
    paper = bounded(epsilon=epsilon, eta=eta, support=support, lowest=1, variant="paper")
    assert per_output(paper, epsilon) == pytest.approx(output, abs=2e-8)
    for lowest, least in ((0, from_0), (1, from_1)):
        mechanism = bounded(epsilon=epsilon, eta=eta, support=support, lowest=lowest)
        assert mechanism.delta(epsilon) == pytest.approx(least, abs=all_counts)
        assert summed(mechanism, epsilon) == pytest.approx(mechanism.delta(epsilon), abs=1e-12)
        assert mechanism.delta(epsilon) <= paper.delta(epsilon) + 1e-9
        for count in range(lowest, lowest + 60):
            outputs, chances = mechanism.pmf(count)
            assert outputs[0] >= 0
            assert abs(outputs - count).max() <= support
            assert chances[outputs == count] == pytest.approx(eta, abs=1e-9)
            assert count == 0 or abs(mechanism.bias(count)) <= 1e-8
    assert noise(epsilon, eta, support).delta(epsilon) == pytest.approx(from_support, abs=2e-8)


def test_small_counts_raise_delta_from_2e_8_to_3e_2() -> None:
    """D 8, epsilon 2.2, eta .8: 1.6e-8 per output for counts from D becomes .0114 from 1, and exactly .0283."""
    assert theorem_3(2.2, 0.8, 8)[1] == pytest.approx(1.62e-8, abs=1e-10)
    paper = bounded(epsilon=2.2, eta=0.8, support=8, lowest=1, variant="paper")
    assert per_output(paper, 2.2) == pytest.approx(0.0114, abs=5e-5)
    assert bounded(epsilon=2.2, eta=0.8, support=8, lowest=1).delta(2.2) == pytest.approx(0.0283, abs=5e-5)


def test_the_exact_program_beats_the_program_per_output() -> None:
    """D 6, epsilon 1.5, counts from 1: 1.23e-4 against 7.35e-4."""
    paper = bounded(epsilon=1.5, eta=0.5, support=6, lowest=1, variant="paper")
    assert paper.delta(1.5) == pytest.approx(7.35e-4, abs=1e-6)
    assert bounded(epsilon=1.5, eta=0.5, support=6, lowest=1).delta(1.5) == pytest.approx(1.23e-4, abs=1e-6)


def test_a_promise_about_counts_never_costs() -> None:
    deltas = [bounded(epsilon=1.5, eta=0.5, support=4, lowest=lowest).delta(1.5) for lowest in range(6)]
    assert all(b <= a + 3e-8 for a, b in pairwise(deltas))
    assert deltas[4] == deltas[5]


def test_a_count_below_the_promise_is_clamped_up_to_it() -> None:
    mechanism = noise(1.0, 0.4, 5)
    assert np.array_equal(mechanism.pmf(2)[0], mechanism.pmf(5)[0])
    table = certified(mechanism, 32)
    assert table.perturb(np.array([0, 5]), keys=np.array([7, 7]))[0] == table.perturb(5, keys=7)
