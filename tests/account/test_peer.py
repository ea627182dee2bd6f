"""Composition against the privacy loss distributions of dp_accounting, which also gives lower bounds."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer

from discreet import Mechanism, design
from discreet.account import compose
from tests.account.examples import distribution, maximum_entropy, rows


def peer_of(mechanism: Mechanism, count: int, interval: float, pessimistic: bool) -> peer.PrivacyLossDistribution:
    """Return the peer's pair (count, count + 1) in both directions, which needs symmetric=False."""
    p, q = (
        {y: math.log(mass) for y, mass in zip(*(part.tolist() for part in mechanism.pmf(c)), strict=True) if mass > 0}
        for c in (count, count + 1)
    )
    return peer.from_two_probability_mass_functions(
        p,
        q,
        pessimistic_estimate=pessimistic,
        value_discretization_interval=interval,
        symmetric=False,
    )


@pytest.mark.parametrize(
    ("mechanism", "count"),
    [
        (maximum_entropy(25), 0),
        (design.geometric(epsilon="0.4"), 0),
        (design.gaussian(sigma2=9, support=30), 0),
        (design.geometric(epsilon="0.4", upper=6), 0),
        (design.geometric(epsilon="0.4", upper=6), 3),
        (rows([8, 1, 3], [2, 7, 1]), 0),
        (rows([5, 0, 1], [4, 4, 1]), 0),
    ],
)
@pytest.mark.parametrize("cells", [1, 7, 60])
def test_never_below_the_optimistic_bound(mechanism: Mechanism, count: int, cells: int) -> None:
    optimistic = peer_of(mechanism, count, 1e-3, pessimistic=False).self_compose(cells)
    composition = compose(mechanism, cells)
    epsilons = np.linspace(0, 0.6 * cells * mechanism.epsilon(0.5) + 1, 12)
    theirs = np.array(optimistic.get_delta_for_epsilon(epsilons))
    assert (composition.delta(epsilons) >= theirs - 1e-12).all()


@pytest.mark.parametrize("cells", [1, 7, 60])
def test_no_looser_than_the_pessimistic_bound_where_one_pair_is_all_there_is(cells: int) -> None:
    for mechanism in (maximum_entropy(25), design.geometric(epsilon="0.4"), design.gaussian(sigma2=9, support=30)):
        pessimistic = peer_of(mechanism, 0, 1e-3, pessimistic=True).self_compose(cells)
        epsilons = np.linspace(0, cells * 0.3, 12)
        theirs = np.array(pessimistic.get_delta_for_epsilon(epsilons))
        assert (compose(mechanism, cells).delta(epsilons) <= theirs * (1 + 1e-6) + 1e-12).all()


def test_both_directions_of_a_pair_count() -> None:
    """The peer's default takes one direction of a pair, with 0. The other direction has .2, as composition says."""
    mechanism = rows([4, 1], [1, 0])
    p, q = ({y: math.log(mass) for y, mass in distribution(mechanism, count).items()} for count in (0, 1))
    default = peer.from_two_probability_mass_functions(p, q)
    assert default.get_delta_for_epsilon(1.0) == pytest.approx(0, abs=1e-12)
    two_sided = peer.from_two_probability_mass_functions(p, q, symmetric=False)
    assert two_sided.get_delta_for_epsilon(1.0) == pytest.approx(0.2)
    assert compose(mechanism).delta(1) == pytest.approx(0.2)
    assert compose(mechanism, 3).delta(1) >= two_sided.self_compose(3).get_delta_for_epsilon(1.0) - 1e-12
