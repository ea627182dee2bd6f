"""Bounded noise as integers: certified within a few units, and like all mechanisms."""

from collections.abc import Callable

import numpy as np
import pytest

from discreet import Mechanism
from discreet.design import bounded
from discreet.testing import check_mechanism
from tests.design.additive.bounded_noise import certified, noise

# In integers


CERTIFIED: dict[str, Callable[[], Mechanism]] = {
    "first branch": lambda: noise(1.1, 0.5, 8),
    "first branch, tiny delta": lambda: noise(3.0, 0.5, 9),
    "second branch": lambda: noise(1.0, 0.5, 6),
    "second branch, nearly all truth": lambda: noise(1.0, 0.95, 4),
    "below the threshold": lambda: noise(1.0, 0.05, 8),
    "support 1": lambda: noise(0.7, 0.4, 1),
    "exact alpha": lambda: bounded(alpha="2/5", eta="1/2", support=6, lowest=6),
    "paper, k = 3": lambda: noise(2.18, 0.8, 6, "paper"),
    "paper, k = D + 1": lambda: noise(1.1, 0.5, 4, "paper"),
}


@pytest.mark.parametrize("bits", [32, 62])
@pytest.mark.parametrize("name", CERTIFIED)
def test_noise_is_certified_within_a_few_units(name: str, bits: int) -> None:
    mechanism = CERTIFIED[name]()
    table = certified(mechanism, bits)
    excess = float(table.guarantee.delta) - mechanism.delta(table.guarantee.epsilon)
    assert abs(excess) <= 8 / 2**bits + 1e-14  # what floats resolve of the design
    weights = table.interior[0].weights
    assert weights == weights[::-1]
    assert sum(weights) == 2**bits


@pytest.mark.parametrize("lowest", [0, 1])
@pytest.mark.parametrize("at", [(1.1, 0.5, 6), (2.18, 0.8, 4), (0.5, 0.3, 3)])
def test_tables_for_all_counts_are_certified(at: tuple[float, float, int], lowest: int) -> None:
    epsilon, eta, support = at
    mechanism = bounded(epsilon=epsilon, eta=eta, support=support, lowest=lowest)
    table = certified(mechanism, 32)
    assert abs(float(table.guarantee.delta) - mechanism.delta(epsilon)) <= 16 / 2**32
    truth = [row.weights[lowest + index - row.first] for index, row in enumerate(table.table.rows)]
    assert np.ptp(truth) <= 1
    assert truth[0] == pytest.approx(eta * 2**32, abs=2)


@pytest.mark.parametrize("name", ["first branch", "second branch", "below the threshold", "paper, k = 3"])
def test_noise_passes_the_suite_of_all_mechanisms(name: str) -> None:
    check_mechanism(CERTIFIED[name](), draws=20_000)


def test_a_table_for_all_counts_passes_the_suite_of_all_mechanisms() -> None:
    check_mechanism(bounded(epsilon=1.1, eta=0.5, support=4), draws=20_000)
