"""Parameters of bounded noise: the best that can be reached, and what is refused."""

import math
from fractions import Fraction
from typing import Any

import pytest

from discreet.design import bounded
from discreet.errors import DiscreetError, ParameterError, SolverError
from tests.design.additive.bounded_noise import noise

# Three of four


@pytest.mark.parametrize("variant", [None, "paper"])
def test_the_smallest_epsilon(variant: str | None) -> None:
    found = bounded(eta=0.4, delta="1e-3", support=8, lowest=8, variant=variant)
    epsilon = float(found.design["epsilon"])
    assert found.delta(epsilon) <= 1e-3
    assert noise(epsilon - 2e-7, 0.4, 8, variant).delta(epsilon - 2e-7) > 1e-3


@pytest.mark.parametrize("variant", [None, "paper"])
def test_the_largest_eta(variant: str | None) -> None:
    found = bounded(epsilon=1.5, delta="0.01", support=5, lowest=5, variant=variant)
    eta = float(Fraction(found.design["eta"]))
    assert found.delta(1.5) <= 0.01
    assert noise(1.5, eta + 2e-7, 5, variant).delta(1.5) > 0.01


@pytest.mark.parametrize("variant", [None, "paper"])
@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-5])
def test_the_smallest_support(delta: float, variant: str | None) -> None:
    found = bounded(epsilon=1, eta=0.4, delta=delta, lowest=1000, variant=variant)
    support = found.design["support"]
    assert found.delta(1) <= delta
    assert support == 1 or noise(1, 0.4, support - 1, variant).delta(1) > delta


def test_the_smallest_support_for_all_counts() -> None:
    found = bounded(epsilon=1.5, eta=0.5, delta="0.01")
    support = found.design["support"]
    assert found.delta(1.5) <= 0.01 < bounded(epsilon=1.5, eta=0.5, support=support - 1).delta(1.5)


def test_alpha_takes_the_place_of_epsilon() -> None:
    found = bounded(alpha="3/10", eta=0.5, delta=0.01, lowest=100)
    assert found.design["alpha"] == "0.3"
    assert found.delta(-math.log(0.3)) <= 0.01


@pytest.mark.parametrize(
    ("given", "reachable"),
    [
        # eta - (E-1)(1-eta)/2 at epsilon 1, eta .5, whatever the support
        ({"epsilon": 1, "eta": 0.5, "delta": 1e-3, "lowest": 1000}, "the least is 0.0704"),
        ({"epsilon": 1, "eta": 0.5, "delta": 1e-3, "lowest": 1000, "variant": "paper"}, "the least is 0.0704"),
        ({"epsilon": 1.5, "delta": 1e-9, "support": 5, "lowest": 5}, "the least is 0.000351"),
        # (1-eta)/2 at the ends of a support of 1
        ({"eta": 0.4, "delta": 1e-3, "support": 1, "lowest": 1}, "the least is 0.3"),
    ],
)
def test_what_cannot_be_reached_says_what_can(given: dict[str, Any], reachable: str) -> None:
    with pytest.raises(ParameterError, match=reachable) as refused:
        bounded(**given)
    assert f"delta is {given['delta']:g}" in str(refused.value)


# What is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"eta": 0}, "eta is 0; give a number between 0 and 1"),
        ({"eta": 1}, "eta is 1; give a number between 0 and 1"),
        ({"eta": -0.5}, "eta is -0.5"),
        ({"eta": 1.5}, "eta is 1.5"),
        ({"eta": math.nan}, "eta is nan; give a finite number"),
        ({"eta": "half"}, "eta is 'half'"),
        ({"support": 0}, "support is 0; give an integer from 1"),
        ({"support": -3}, "support is -3"),
        ({"support": 2.5}, "support is 2.5; give an integer"),
        ({"support": True}, "support is True; give an integer"),
        ({"support": "8"}, "support is '8'; give an integer"),
        ({"support": 10**6}, "support is 1000000"),
        ({"epsilon": 0}, "epsilon is 0; it must be above 0"),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"epsilon": "nan"}, "epsilon is 'nan'"),
        ({"alpha": "1/3"}, "epsilon is 1, alpha is '1/3'; give one of them"),
        ({"epsilon": None, "alpha": 1}, "alpha is 1"),
        ({"delta": 0.1}, "nothing is left open; give three of epsilon, delta, eta and support"),
        ({"eta": None}, "delta, eta is left open; give three"),
        ({"epsilon": None, "eta": None, "support": None}, "epsilon, delta, eta, support is left open"),
        ({"support": None, "delta": 0}, "delta is 0; give a number between 0 and 1"),
        ({"support": None, "delta": 1}, "delta is 1; give a number between 0 and 1"),
        ({"support": None, "delta": -1}, "delta is -1"),
        ({"variant": "best"}, "variant is 'best'; give None"),
        ({"variant": 3}, "variant is 3; give None"),
        ({"lowest": -1}, "lowest is -1; give an integer from 0"),
        ({"lowest": 0.5}, "lowest is 0.5; give an integer"),
        ({"lowest": None}, "lowest is None; give an integer"),
    ],
)
def test_parameters_that_cannot_be_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        bounded(**({"epsilon": 1, "eta": 0.5, "support": 8, "lowest": 8} | change))
    assert isinstance(refused.value, DiscreetError)
    assert message in str(refused.value)


@pytest.mark.parametrize("given", [{"eta": 0.5}, {"eta": 0.02, "lowest": 8}], ids=["all counts", "symmetric"])
def test_a_program_that_may_not_run_says_so(given: dict[str, Any]) -> None:
    with pytest.raises(SolverError, match="not solved in 1e-09 s; give a larger time_limit"):
        bounded(epsilon=1, support=8, time_limit=1e-9, **given)
