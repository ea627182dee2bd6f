"""Profiles and their dominating pairs: never below the definition, and close to the definition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Counts, Cycle, Mechanism, Row, design
from discreet.account import profile
from discreet.errors import ParameterError
from tests.account.examples import above, hockey, maximum_entropy, pairs, tiny
from tests.assess.test_privacy import by_hand, cycles, mechanisms

EPSILONS = np.array([0, 1e-6, 0.01, 0.1, 0.3, 1, math.log(2), math.log(3), 2, 3, 5, 20, 800])


@settings(max_examples=200)
@given(mechanisms() | cycles())
def test_a_profile_is_just_above_the_definition(mechanism: Mechanism) -> None:
    bounds = profile(mechanism).delta(EPSILONS[:-1])
    for epsilon, bound in zip(EPSILONS.tolist(), bounds.tolist(), strict=False):
        truth = by_hand(mechanism, above(epsilon) if epsilon else Fraction(1))
        assert truth <= Fraction(bound) <= truth + Fraction(1, 10**12)


@settings(max_examples=100)
@given(mechanisms(), st.integers(1, 6), st.floats(0.01, 3))
def test_counts_may_be_farther_apart_than_the_design_knew(mechanism: Mechanism, distance: int, epsilon: float) -> None:
    """Counts are clamped into the domain, so a distance beyond the size of the domain still has pairs."""
    truth = max(hockey(p, q, above(epsilon)) for p, q in pairs(mechanism, distance))
    assert truth <= Fraction(float(profile(mechanism, distance).delta(epsilon))) <= truth + Fraction(1, 10**12)


@settings(max_examples=100)
@given(mechanisms() | cycles(), st.sampled_from([0.013, 0.1, math.log(2)]), st.floats(0.01, 4))
def test_a_pair_dominates_its_profile_and_joins_it_by_lines(mechanism: Mechanism, step: float, epsilon: float) -> None:
    curve = profile(mechanism)
    pair = curve.pair(step)
    low = math.floor(epsilon / step) * step
    high = low + step
    share = (math.exp(epsilon) - math.exp(low)) / (math.exp(high) - math.exp(low))
    chord = (1 - share) * float(curve.delta(low)) + share * float(curve.delta(high))
    assert float(curve.delta(epsilon)) - 1e-14 <= float(pair.delta(epsilon)) <= chord + 1e-11


@settings(max_examples=100)
@given(mechanisms() | cycles(), st.sampled_from([0.013, 0.1, math.log(2)]))
def test_the_masses_of_a_pair_are_its_profile(mechanism: Mechanism, step: float) -> None:
    """P sums to one, Q to one, and the hockey-stick sum of the masses is the profile, above 1 and below."""
    pair = profile(mechanism).pair(step)
    losses = step * np.arange(-pair.reach, pair.reach + 1)
    q = pair.masses * np.exp(-losses)
    assert pair.masses.sum() + pair.infinite > 1 - 1e-15
    assert pair.masses.sum() + pair.infinite == pytest.approx(1, abs=1e-10)
    assert q.sum() + pair.infinite == pytest.approx(1, abs=1e-10)
    for a in (0.2, 0.5, 0.9, 1.0, 1.1, 2.0, 9.0):
        sums = np.maximum(pair.masses - a * q, 0).sum() + pair.infinite
        delta = float(pair.delta(abs(math.log(a))))
        assert sums == pytest.approx(delta if a >= 1 else 1 - a + a * delta, abs=1e-10)


@given(tiny(most_rows=3))
def test_another_lattice_only_adds(mechanism: Mechanism) -> None:
    pair = profile(mechanism).pair(0.05)
    epsilons = np.linspace(0, 4, 23)
    assert (pair.pair(0.03).delta(epsilons) >= pair.delta(epsilons) - 1e-15).all()
    assert pair.pair(0.05) is pair


def test_the_profile_of_a_certified_table_is_that_of_its_integers() -> None:
    for bits in (16, 62):
        table = design.geometric(epsilon=1, upper=20).certify(bits=bits)
        for epsilon in ("0.5", "0.9", "1"):
            truth, bound = table.delta(epsilon), Fraction(float(profile(table).delta(float(epsilon))))
            assert truth <= bound <= truth + Fraction(1, 10**13)
    assert np.array_equal(profile(table).delta(EPSILONS), profile(table.table).delta(EPSILONS))


def test_a_tiny_floor_keeps_its_digits() -> None:
    curve = profile(maximum_entropy(60))
    assert curve.floor == pytest.approx(float(maximum_entropy(60).pmf(0)[1][0]), rel=1e-12)
    assert curve.largest == pytest.approx(119 * 127 / 12495)


def test_probabilities_that_underflow_count() -> None:
    curve = profile(design.geometric(epsilon=5, upper=400))
    assert curve.floor == 0
    assert curve.largest == pytest.approx(5)


def test_text_and_a_distance_on_a_cycle_have_no_profile() -> None:
    with pytest.raises(ParameterError, match="noise"):
        profile("noise")  # type: ignore[arg-type]
    cycle = Mechanism(Cycle(4), interior=(Row.of(0, [0.4, 0.2, 0.2, 0.2]),))
    with pytest.raises(ParameterError, match="distance is 2"):
        profile(cycle, distance=2)


@pytest.mark.parametrize("distance", [0, -1, 1.5, "1", True])
def test_a_distance_is_a_number_of_rows(distance: object) -> None:
    """At distance 0 nothing differs, and a profile of nothing would promise everything."""
    with pytest.raises(ParameterError, match="distance is"):
        profile(design.geometric(epsilon=1, upper=3), distance)  # type: ignore[arg-type]


def test_equal_rows_have_a_profile_of_0() -> None:
    curve = profile(Mechanism(Counts(0, 3), tuple(Row.of(0, [0.5, 0.5]) for _ in range(4))))
    assert curve.delta(0) == curve.floor == curve.largest == 0
