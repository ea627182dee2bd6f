"""Bounded noise where only so many people exist: one row for each count up to `upper` (Sadeghi 2020, Proposition 2)."""

import math
from itertools import pairwise
from typing import Any

import pytest

from discreet import Counts
from discreet.design import bounded
from discreet.errors import ParameterError
from discreet.testing import check_mechanism
from tests.design.additive.bounded_noise import certified, least_delta, per_output, summed


def test_delta_is_that_of_example_1_with_three_people() -> None:
    """Example 1: N = 3, eta = 1/2, D = 2. At epsilon .5 delta is .3156, against .3378 for counts without end."""
    three = bounded(epsilon=0.5, eta=0.5, support=2, lowest=1, upper=3)
    assert three.delta(0.5) == pytest.approx(0.315585, abs=1e-6)
    without_end = bounded(epsilon=0.5, eta=0.5, support=2, lowest=1)
    assert without_end.delta(0.5) == pytest.approx(0.5 - math.expm1(0.5) / 4, abs=1e-9)
    assert without_end.delta(0.5) == pytest.approx(0.3378, abs=5e-5)
    assert three.domain == Counts(1, 3)
    assert three.design["upper"] == 3


@pytest.mark.parametrize("variant", [None, "paper"])
@pytest.mark.parametrize("upper", [2, 3, 7, 12])
@pytest.mark.parametrize("lowest", [0, 1])
@pytest.mark.parametrize(("epsilon", "eta", "support"), [(0.5, 0.5, 2), (1.1, 0.5, 4), (0.1, 0.1, 3), (2.2, 0.8, 3)])
def test_delta_is_the_optimum_of_an_independent_program(
    epsilon: float, eta: float, support: int, lowest: int, upper: int, variant: str | None
) -> None:
    mechanism = bounded(epsilon=epsilon, eta=eta, support=support, lowest=lowest, upper=upper, variant=variant)
    least = least_delta(epsilon, eta, support, range(lowest, upper + 1), variant == "paper")
    measured = per_output if variant == "paper" else summed
    assert measured(mechanism, epsilon) == pytest.approx(least, abs=2e-8)
    if variant is None:
        assert mechanism.delta(epsilon) == pytest.approx(least, abs=2e-8)
    for count in range(lowest, upper + 1):
        outputs, chances = mechanism.pmf(count)
        assert outputs[0] >= max(0, count - support)
        assert outputs[-1] <= count + support
        assert chances[outputs == count] == pytest.approx(eta, abs=1e-12)
        assert count == 0 or abs(mechanism.bias(count)) <= 1e-12


def test_delta_grows_with_the_number_of_people() -> None:
    deltas = [bounded(epsilon=0.5, eta=0.5, support=2, lowest=1, upper=n).delta(0.5) for n in (2, 3, 6, 20)]
    assert all(fewer <= more + 1e-9 for fewer, more in pairwise(deltas))
    assert deltas[-1] <= bounded(epsilon=0.5, eta=0.5, support=2, lowest=1).delta(0.5) + 1e-9


def test_few_people_and_wide_noise_need_no_delta() -> None:
    """Epsilon 2, D 6: every output is possible for every count of 0..3."""
    assert bounded(epsilon=2, eta=0.5, support=6, upper=3).delta(2) <= 2e-12


def test_an_upper_end_lowers_delta_of_counts_above_the_support_too() -> None:
    closed_form = bounded(epsilon=0.5, eta=0.5, support=2, lowest=2)
    assert bounded(epsilon=0.5, eta=0.5, support=2, lowest=2, upper=4).delta(0.5) < closed_form.delta(0.5) - 0.01


def test_few_people_allow_a_larger_eta() -> None:
    few, all_counts = (bounded(epsilon=0.5, delta=0.3, support=2, lowest=1, upper=upper) for upper in (3, None))
    assert few.delta(0.5) <= 0.3
    assert float(few.design["eta"]) > float(all_counts.design["eta"])


def test_a_table_for_few_people_is_certified() -> None:
    mechanism = bounded(epsilon=1, eta=0.5, support=2, upper=4)
    assert abs(float(certified(mechanism, 32).guarantee.delta) - mechanism.delta(1)) <= 16 / 2**32
    check_mechanism(mechanism, draws=20_000)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"upper": -1}, "upper is -1;"),
        ({"upper": 0}, "upper is 0"),
        ({"upper": 3, "lowest": 3}, "upper is 3"),
        ({"upper": 2.5}, "upper is 2.5;"),
        ({"upper": True}, "upper is True;"),
        ({"upper": 10**6}, "upper is 1000000"),
    ],
)
def test_an_upper_end_outside_its_range_is_refused_by_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        bounded(**({"epsilon": 1, "eta": 0.5, "support": 2} | change))
