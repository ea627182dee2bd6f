"""Parameters of bounded noise: the best that can be reached, and what is refused."""

import math
import re
from fractions import Fraction
from typing import Any

import pytest

from discreet.design import bounded
from discreet.errors import ParameterError, SolverError
from tests.design.additive.bounded_noise import noise

# Three of four


@pytest.mark.parametrize("variant", [None, "paper"])
def test_no_smaller_epsilon_meets_delta(variant: str | None) -> None:
    mechanism = bounded(eta=0.4, delta="1e-3", support=8, lowest=8, variant=variant)
    epsilon = float(mechanism.design["epsilon"])
    assert mechanism.delta(epsilon) <= 1e-3
    assert noise(epsilon - 2e-7, 0.4, 8, variant).delta(epsilon - 2e-7) > 1e-3


@pytest.mark.parametrize("variant", [None, "paper"])
def test_no_larger_eta_meets_delta(variant: str | None) -> None:
    mechanism = bounded(epsilon=1.5, delta="0.01", support=5, lowest=5, variant=variant)
    eta = float(Fraction(mechanism.design["eta"]))
    assert mechanism.delta(1.5) <= 0.01
    assert noise(1.5, eta + 2e-7, 5, variant).delta(1.5) > 0.01


@pytest.mark.parametrize("variant", [None, "paper"])
@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-5])
def test_no_smaller_support_meets_delta(delta: float, variant: str | None) -> None:
    mechanism = bounded(epsilon=1, eta=0.4, delta=delta, lowest=1000, variant=variant)
    support = mechanism.design["support"]
    assert mechanism.delta(1) <= delta
    assert support == 1 or noise(1, 0.4, support - 1, variant).delta(1) > delta


def test_no_smaller_support_meets_delta_for_all_counts() -> None:
    mechanism = bounded(epsilon=1.5, eta=0.5, delta="0.01")
    support = mechanism.design["support"]
    assert mechanism.delta(1.5) <= 0.01 < bounded(epsilon=1.5, eta=0.5, support=support - 1).delta(1.5)


def test_alpha_takes_the_place_of_epsilon() -> None:
    mechanism = bounded(alpha="3/10", eta=0.5, delta=0.01, lowest=100)
    assert mechanism.design["alpha"] == "0.3"
    assert mechanism.delta(-math.log(0.3)) <= 0.01


@pytest.mark.parametrize(
    ("parameters", "least"),
    [
        # eta - (E-1)(1-eta)/2 at epsilon 1, eta .5, whatever the support
        ({"epsilon": 1, "eta": 0.5, "delta": 1e-3, "lowest": 1000}, "0.0704"),
        ({"epsilon": 1, "eta": 0.5, "delta": 1e-3, "lowest": 1000, "variant": "paper"}, "0.0704"),
        ({"epsilon": 1.5, "delta": 1e-9, "support": 5, "lowest": 5}, "0.000351"),
        # (1-eta)/2 at the ends of a support of 1
        ({"eta": 0.4, "delta": 1e-3, "support": 1, "lowest": 1}, "0.3;"),
    ],
)
def test_a_delta_out_of_reach_is_refused_with_the_least_delta(parameters: dict[str, Any], least: str) -> None:
    with pytest.raises(ParameterError, match=f"delta is {parameters['delta']:g};.* {least}"):
        bounded(**parameters)


# What is refused


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"eta": 0}, "eta is 0;"),
        ({"eta": 1}, "eta is 1;"),
        ({"eta": -0.5}, "eta is -0.5"),
        ({"eta": 1.5}, "eta is 1.5"),
        ({"eta": math.nan}, "eta is nan;"),
        ({"eta": "half"}, "eta is 'half'"),
        ({"support": 0}, "support is 0;"),
        ({"support": -3}, "support is -3"),
        ({"support": 2.5}, "support is 2.5;"),
        ({"support": True}, "support is True;"),
        ({"support": "8"}, "support is '8';"),
        ({"support": 10**6}, "support is 1000000"),
        ({"epsilon": 0}, "epsilon is 0;"),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"epsilon": "nan"}, "epsilon is 'nan'"),
        ({"alpha": "1/3"}, "epsilon is 1, alpha is '1/3';"),
        ({"epsilon": None, "alpha": 1}, "alpha is 1"),
        ({"delta": 0.1}, "nothing is left open;"),
        ({"eta": None}, "delta, eta is left open;"),
        ({"epsilon": None, "eta": None, "support": None}, "epsilon, delta, eta, support is left open;"),
        ({"support": None, "delta": 0}, "delta is 0;"),
        ({"support": None, "delta": 1}, "delta is 1;"),
        ({"support": None, "delta": -1}, "delta is -1"),
        ({"variant": "best"}, "variant is 'best';"),
        ({"variant": 3}, "variant is 3;"),
        ({"lowest": -1}, "lowest is -1;"),
        ({"lowest": 0.5}, "lowest is 0.5;"),
        ({"lowest": None}, "lowest is None;"),
    ],
)
def test_parameters_that_are_no_design_are_refused_by_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(named)):
        bounded(**({"epsilon": 1, "eta": 0.5, "support": 8, "lowest": 8} | change))


@pytest.mark.parametrize("parameters", [{"eta": 0.5}, {"eta": 0.02, "lowest": 8}], ids=["all counts", "symmetric"])
def test_a_program_that_exceeds_its_time_limit_is_given_up(parameters: dict[str, Any]) -> None:
    with pytest.raises(SolverError, match=r"1e-09 s.*time_limit"):
        bounded(epsilon=1, support=8, time_limit=1e-9, **parameters)
