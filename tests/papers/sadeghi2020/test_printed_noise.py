"""Sadeghi 2020's noise: its delta by enumeration, its formulas in fractions, and the discrete Gaussian beside it."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.design import bounded, gaussian
from discreet.design.additive.bounded import case_delta, theorem_3, threshold
from discreet.papers.sadeghi2020.closed_form import Case
from discreet.papers.sadeghi2020.equal_variance import (
    better_from,
    equation_45,
    of_figure_4,
    of_parameter,
    of_variance,
    variance,
)
from discreet.papers.sadeghi2020.printed_noise import (
    FIGURE_1,
    Setting,
    bound,
    exact,
    knee,
    least_valid_eta,
    per_output,
    printed,
)
from discreet.papers.sadeghi2020.two_point_noise import choices, combined, decomposed, two_point

BROKEN = [  # small eta: claimed and true delta per output, claimed and true delta, smallest valid eta
    (Setting(1.0, 0.1, 8), 0.00016429876746, 0.013109605737, 0.00279307904688, 0.0144239958767, 0.104265766154),
    (Setting(2.2, 0.02, 8), 7.94432424932e-08, 0.255206252834, 1.35053512238e-06, 0.25520688838, 0.0469500139803),
    (Setting(2.18, 0.02, 6), 7.11538700101e-06, 0.257688350817, 9.25000310132e-05, 0.257731043139, 0.0477381324265),
]


@pytest.mark.parametrize("setting", [Setting(2.18, 0.8, 3), Setting(1.1, 0.5, 3), Setting(0.5, 0.3, 4)])
def test_the_exact_delta_is_the_largest_over_all_events(setting: Setting) -> None:
    """Definition 1 by enumeration: every event of every two neighbouring columns of (16)."""
    support, big = setting.support, math.exp(setting.epsilon)
    half = [(1 - setting.eta) / 2 * a for a in theorem_3(*setting)[2]]
    noise = [*reversed(half), setting.eta, *half]
    one, other = np.array([*noise, 0.0]), np.array([0.0, *noise])
    events = [list(s) for size in range(2 * support + 3) for s in combinations(range(2 * support + 2), size)]
    largest = max(
        max(p[event].sum() - big * q[event].sum() for event in events) for p, q in ((one, other), (other, one))
    )
    single = max((one - big * other).max(), (other - big * one).max())
    assert exact(setting) == pytest.approx(largest, abs=1e-12)
    assert per_output(printed(setting), setting.epsilon) == pytest.approx(single, abs=1e-12)
    assert single < largest <= (2 * support + 1) * single


@pytest.mark.parametrize(("setting", "claimed", "true", "promised", "delta", "limit"), BROKEN)
def test_promises_that_are_false(
    setting: Setting, claimed: float, true: float, promised: float, delta: float, limit: float
) -> None:
    noise = printed(setting)
    assert math.fsum(noise.interior[0].values) == pytest.approx(1, abs=1e-15)
    assert theorem_3(*setting)[1] == pytest.approx(claimed, rel=1e-9)
    assert per_output(noise, setting.epsilon) == pytest.approx(true, abs=1e-9)
    assert bound(setting) == pytest.approx(promised, rel=1e-9)
    assert exact(setting) == pytest.approx(delta, abs=1e-9)
    assert least_valid_eta(setting.epsilon, setting.support) == pytest.approx(limit, abs=1e-9)


@given(
    big=st.fractions(min_value="11/10", max_value=20, max_denominator=50),
    eta=st.fractions(min_value="1/50", max_value="19/20", max_denominator=60),
    support=st.integers(1, 8),
)
def test_formulas_in_fractions_are_those_of_the_design(big: Fraction, eta: Fraction, support: int) -> None:
    case, epsilon = Case(big, eta, support), math.log(big)
    for k in range(1, support + 2):
        assert case_delta(epsilon, float(eta), support, k) == pytest.approx(float(case.lower_bound(k)), rel=1e-6)
    for k in range(1, support + 1):
        assert threshold(epsilon, k) == pytest.approx(float(case.crossover(k)), rel=1e-9)
    assert theorem_3(epsilon, float(eta), support)[2] == pytest.approx(
        [float(alpha) for alpha in case.coefficients()], abs=1e-7
    )
    assert sum(case.coefficients()) == 1


@given(st.integers(1, 6), st.integers(1, 5), st.fractions(min_value="1/20", max_value="9/10", max_denominator=40))
def test_two_point_noise_has_the_three_properties(count: int, support: int, eta: Fraction) -> None:
    for points in choices(count, support):
        noise = two_point(eta, points)
        assert sum(noise.values()) == 1
        assert sum(z * p for z, p in noise.items()) == 0
        assert noise[0] == eta
        assert min(noise) >= -min(count, support)
        assert max(noise) <= support


@given(
    down=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    up=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    eta=st.fractions(min_value="1/20", max_value="9/10", max_denominator=40),
)
def test_every_unbiased_noise_is_a_combination_of_two_point_noises(
    down: list[int], up: list[int], eta: Fraction
) -> None:
    pull, push = (sum(z * w for z, w in enumerate(side, 1)) for side in (down, up))
    masses = {-z: w * push for z, w in enumerate(down, 1)} | {z: w * pull for z, w in enumerate(up, 1)}
    noise = {0: eta} | {z: (1 - eta) * w / sum(masses.values()) for z, w in masses.items()}
    weights = decomposed(noise)
    assert min(weights.values()) >= 0
    assert sum(weights.values()) == 1
    assert combined(weights, eta) == noise


@pytest.mark.parametrize(
    ("epsilon", "named", "matched"),
    [
        (0.3, 0.4101352529378863, 0.4100887126039895),
        (0.5, 0.2955343099686894, 0.2955237848786493),
        (0.8, 0.1884195662091891, 0.18841920731535883),
        (0.9, 0.1641633183640655, 0.16416324195420665),
        (1.1, 0.0510772184686851, 0.051077218467686716),
        (1.2, 0.047910561547401684, 0.04791056154193655),
        (1.3, 0.04465959409917597, 0.04465959411076061),
        (1.5, 0.03818530184827141, 0.038185304568957995),
        (2.0, 0.024972177896511565, 0.02497268402666826),
    ],
)
def test_discrete_gaussians_of_figure_4(epsilon: float, named: float, matched: float) -> None:
    """eta .5, D 6: the variance of Z is the parameter, by (45) and exactly, or it is the variance."""
    setting = Setting(epsilon, 0.5, 6)
    assert of_figure_4(setting) == pytest.approx(named, abs=1e-9)
    assert of_parameter(setting).delta(epsilon) == pytest.approx(named, abs=1e-9)
    assert of_variance(setting).variance(0) == pytest.approx(variance(setting), rel=1e-9)
    assert of_variance(setting).delta(epsilon) == pytest.approx(matched, abs=1e-9)


def test_the_variance_is_the_sum_of_the_paper() -> None:
    """Section IV, step 1: (1-eta) times the sum of alpha_i i^2."""
    for setting in (FIGURE_1, Setting(1.1, 0.5, 6)):
        alphas = theorem_3(*setting)[2]
        expected = (1 - setting.eta) * sum(alpha * i * i for i, alpha in enumerate(alphas, 1))
        assert variance(setting) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("sigma2", "epsilon"), [(0.266, 2.0), (0.266, 2.18), (1.427, 1.1), (0.7, 0.5)])
def test_equation_45_is_the_sum_of_positive_parts(sigma2: float, epsilon: float) -> None:
    z = np.arange(-40, 41)
    weights = np.exp(-(z**2) / (2 * sigma2))
    noise = weights / weights.sum()
    expected = np.clip(noise[1:] - math.exp(epsilon) * noise[:-1], 0, None).sum()
    up = np.clip(noise[:-1] - math.exp(epsilon) * noise[1:], 0, None).sum()
    assert equation_45(gaussian(sigma2=sigma2), sigma2, epsilon) == pytest.approx(max(expected, up), abs=1e-10)


def test_the_knee_is_where_the_curve_has_its_least_value() -> None:
    for epsilon, support in ((1.1, 8), (2.2, 8), (1.1, 4)):
        turn = knee(epsilon, support)
        here, before, after = (bound(Setting(epsilon, turn + step, support)) for step in (0.0, -0.001, 0.001))
        assert before > here
        assert after > 1.1 * here


def test_the_bound_beats_the_discrete_gaussian_from_an_epsilon_on() -> None:
    start = better_from(0.5, 6)
    assert start == pytest.approx(1.0571628525580314, abs=1e-5)
    for epsilon in (start + 0.001, 1.5, 3.0):
        setting = Setting(epsilon, 0.5, 6)
        assert bound(setting) < of_figure_4(setting)
    below = Setting(start - 0.001, 0.5, 6)
    assert bound(below) > of_figure_4(below)


def test_draws_are_within_three_as_often_as_section_iv_says() -> None:
    """.9945 at epsilon 1.5, eta .5, D 8; five standard deviations of 200,000 draws are .0008."""
    table = bounded(epsilon=1.5, eta=0.5, support=8, lowest=8, variant="paper").certify()
    drawn = table.perturb(np.full(200_000, 50))
    assert np.mean(np.abs(drawn - 50) <= 3) == pytest.approx(0.99446, abs=0.00084)
    assert np.mean(drawn == 50) == pytest.approx(0.5, abs=0.0056)
