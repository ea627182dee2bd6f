"""Noise between geometric and Gaussian noise: its formula, its ends, its smallest scale, and its certified delta."""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Mechanism
from discreet.certify.ptable import PTable
from discreet.design import gaussian, geometric, power
from discreet.errors import ParameterError
from discreet.testing import check_mechanism

SHAPES = st.fractions(min_value=1, max_value=2, max_denominator=64)
SCALES = st.fractions(min_value=Fraction(1, 2), max_value=40, max_denominator=100)


def exact_delta(ptable: PTable, exp_epsilon: Fraction) -> Fraction:
    """Return delta of a table at E, from its weights, over both directions."""
    weights = [0, *ptable.interior[0].weights, 0]
    pairs = list(pairwise(weights))
    up = sum((max(Fraction(0), p - exp_epsilon * q) for p, q in pairs), Fraction(0))
    down = sum((max(Fraction(0), q - exp_epsilon * p) for p, q in pairs), Fraction(0))
    return Fraction(max(up, down), 1 << ptable.bits)


def formula_delta(scale: str, shape: str, epsilon: str) -> float:
    """Return delta of the noise without an end, in 40 digits."""
    with mpmath.workdps(40):
        s, p, bound = mpmath.mpf(scale), mpmath.mpf(shape), mpmath.exp(mpmath.mpf(epsilon))
        far = int(s * 100 ** (1 / p)) + 2
        weights = [mpmath.exp(-((z / s) ** p)) for z in range(far + 1)]
        excess = sum(max(0, here - bound * beyond) for here, beyond in pairwise(weights))
        return float(excess / (2 * sum(weights) - 1))


@settings(max_examples=20)
@given(SCALES, SHAPES)
def test_probabilities_have_their_formula(scale: Fraction, shape: Fraction) -> None:
    outputs, chances = power(scale=scale, shape=shape, support=12).pmf(0)
    with mpmath.workdps(40):
        s, p = mpmath.mpf(scale.numerator) / scale.denominator, mpmath.mpf(shape.numerator) / shape.denominator
        weights = [mpmath.exp(-((abs(int(z)) / s) ** p)) for z in outputs]
        expected = [float(weight / sum(weights)) for weight in weights]
    assert chances == pytest.approx(expected, rel=1e-14, abs=0)


@settings(max_examples=20)
@given(SCALES)
def test_shape_1_is_geometric_and_shape_2_is_gaussian_noise(scale: Fraction) -> None:
    pairs: list[tuple[int, Mechanism]] = [(1, geometric(epsilon=1 / scale)), (2, gaussian(sigma2=scale**2 / 2))]
    for shape, expected in pairs:
        noise = power(scale=scale, shape=shape)
        assert noise.design["support"] == expected.design["support"]
        assert noise.pmf(5)[1] == pytest.approx(expected.pmf(5)[1], rel=1e-14, abs=0)


def test_the_ends_have_the_tables_of_geometric_and_gaussian_noise() -> None:
    assert power(scale=4, shape=1).certify("0.25").table == geometric(epsilon="0.25").certify().table
    assert power(scale=4, shape=2).certify("0.5").table == gaussian(sigma2=8).certify("0.5").table


@settings(max_examples=15)
@given(st.sampled_from(["0.1", "0.5", "1", "3"]), st.sampled_from(["1e-3", "1e-5", "1e-6"]), SHAPES)
def test_the_certified_delta_of_the_smallest_scale_is_within_the_target(
    epsilon: str, delta: str, shape: Fraction
) -> None:
    ptable = power(epsilon=epsilon, delta=delta, shape=shape).certify()
    assert exact_delta(ptable, ptable.guarantee.exp_epsilon) == ptable.guarantee.delta <= Fraction(delta)
    with mpmath.workdps(60):
        above = Fraction(str(mpmath.exp(mpmath.mpf(epsilon)))) * (1 + Fraction(1, 10**50))
    assert ptable.guarantee.exp_epsilon < above
    assert exact_delta(ptable, above) <= ptable.guarantee.delta


@pytest.mark.parametrize("shape", ["1.1", "1.5", "1.9", "2"])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("0.2", "1e-4"), ("5", "1e-3")])
def test_a_scale_below_the_smallest_misses_delta(epsilon: str, delta: str, shape: str) -> None:
    scale = power(epsilon=epsilon, delta=delta, shape=shape).design["scale"]
    assert formula_delta(scale, shape, epsilon) <= float(delta)
    assert formula_delta(str(float(scale) * 0.999), shape, epsilon) > float(delta)


def test_a_small_delta_is_met_in_tables_of_more_bits() -> None:
    noise = power(epsilon=1, delta="1e-12", shape="1.5")
    assert noise.certify(bits=62).guarantee.delta <= 1e-12
    assert noise.certify(bits=48).guarantee.delta <= 1e-12


@settings(max_examples=20)
@given(SCALES, st.integers(1, 50), SHAPES)
def test_the_variance_grows_with_the_scale(scale: Fraction, percent: int, shape: Fraction) -> None:
    narrow, wide = power(scale=scale, shape=shape), power(scale=scale * (1 + Fraction(percent, 100)), shape=shape)
    assert narrow.variance(0) < wide.variance(0)


@settings(max_examples=20)
@given(SCALES, SHAPES, st.integers(3, 30))
def test_at_most_the_tail_is_cut(scale: Fraction, shape: Fraction, zeros: int) -> None:
    tail = Fraction(1, 10**zeros)
    outputs, chances = power(scale=scale, shape=shape, tail=tail / 10**12).pmf(0)
    end = power(scale=scale, shape=shape, tail=tail).design["support"]
    assert math.fsum(chances[np.abs(outputs) > end]) <= float(tail)


@settings(max_examples=10)
@given(SCALES, SHAPES, st.sampled_from(["0.3", "1"]))
def test_every_noise_passes_the_suite(scale: Fraction, shape: Fraction, epsilon: str) -> None:
    check_mechanism(power(scale=scale, shape=shape), epsilon=epsilon, bits=48, draws=20_000)


def test_epsilon_beside_a_scale_is_where_the_noise_is_certified() -> None:
    noise = power(scale=3, shape="1.5", epsilon="0.7")
    assert str(noise.certify().guarantee.epsilon) == "0.7"
    assert noise.certify().table == power(scale=3, shape="1.5").certify("0.7").table


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: power(scale=2, shape="0.99"), "shape is '0.99';"),
        (lambda: power(scale=2, shape=2.01), "shape is 2.01;"),
        (lambda: power(scale=2, shape=math.nan), "shape is nan;"),
        (lambda: power(scale=2, shape=None), "shape is None;"),  # type: ignore[arg-type]
        (lambda: power(scale=0, shape=1), "scale is 0;"),
        (lambda: power(scale=-1, shape=1), "scale is -1;"),
        (lambda: power(scale=math.nan, shape=1), "scale is nan;"),
        (lambda: power(scale=math.inf, shape=1), "scale is inf;"),
        (lambda: power(scale="1e7", shape=1), "scale is '1e7';"),
        (lambda: power(scale="0.01", shape=2), "scale is '0.01';"),
        (lambda: power(scale=90_000, shape=1), "beyond 100000"),
        (lambda: power(scale=2, shape=1, support=0), "support is 0;"),
        (lambda: power(scale=2, shape=1, support=2.5), "support is 2.5;"),  # type: ignore[arg-type]
        (lambda: power(scale=2, shape=2, support=1000), "support is 1000;"),
        (lambda: power(scale=2, shape=1, tail=0), "tail is 0;"),
        (lambda: power(shape=1), "neither scale nor epsilon and delta is given;"),
        (lambda: power(shape=1, epsilon=1), "epsilon is 1;"),
        (lambda: power(shape=1, delta="1e-6"), "delta is '1e-6';"),
        (lambda: power(shape=1, scale=2, epsilon=1, delta="1e-6"), "scale is 2, epsilon is 1, delta is '1e-6';"),
        (lambda: power(shape=1, support=9, epsilon=1, delta="1e-6"), "support is 9, epsilon is 1, delta is '1e-6';"),
        (lambda: power(shape=1, epsilon=0, delta="1e-6"), "epsilon is 0;"),
        (lambda: power(shape=1, epsilon=1, delta=0), "delta is 0;"),
        (lambda: power(shape=1, epsilon=1, delta=1), "delta is 1;"),
        (lambda: power(shape=1, epsilon=1, delta="1e-16"), "delta is '1e-16';"),
        (lambda: power(shape=2, epsilon="1e-6", delta="1e-9"), "beyond 100000"),
    ],
)
def test_parameters_that_are_no_noise_are_refused_by_name(make: Callable[[], Mechanism], named: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(named)):
        make()
