"""Bounded noise with a fixed chance of the truth: Sadeghi 2020's values, and the least exact delta.

Values "as computed" were found once by other means (closed forms in high precision, other programs over the
counts up to N) and are copied here as facts.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from discreet import Mechanism
from discreet.design import bounded
from discreet.design.additive.bounded import case_delta, theorem_3, threshold
from discreet.errors import ParameterError
from tests.design.additive.bounded_noise import noise, per_output, summed


def half(mechanism: Mechanism, support: int) -> list[float]:
    """p(0), p(1), ..., p(support)."""
    row = mechanism.interior[0]
    chances = dict(zip(row.outputs.tolist(), row.values.tolist(), strict=True))
    return [chances.get(z, 0.0) for z in range(support + 1)]


def least_delta(epsilon: float, eta: float, support: int) -> float:
    """The least exact delta over symmetric noise, by a linear program written for this test.

    Variables p(1)..p(D) and, for every output y of -D..D, s(y) >= p(y) - E p(y+1), s >= 0; minimise sum s.
    """
    exp_epsilon, outputs = math.exp(epsilon), range(-support, support + 1)
    rows, bounds = [], []
    for index, y in enumerate(outputs):
        row, known = np.zeros(support + len(outputs)), 0.0
        for z, factor in ((y, 1.0), (y + 1, -exp_epsilon)):
            if z == 0:
                known += factor * eta
            elif abs(z) <= support:
                row[abs(z) - 1] += factor
        row[support + index] = -1.0
        rows.append(row)
        bounds.append(-known)
    cost = np.concatenate([np.zeros(support), np.ones(len(outputs))])
    mass = np.concatenate([np.full(support, 2.0), np.zeros(len(outputs))])
    optimum = linprog(
        cost,
        A_ub=np.array(rows),
        b_ub=bounds,
        A_eq=mass[None, :],
        b_eq=[1 - eta],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert optimum.status == 0
    return float(optimum.fun)


# The paper's theorems


def test_noise_is_that_of_section_iii_b() -> None:
    """Sadeghi 2020, section III-B and Figure 1: epsilon 2.18, eta .8, D 6."""
    case, delta, a = theorem_3(2.18, 0.8, 6)
    assert case == 3
    assert threshold(2.18, 2) == pytest.approx(8.122898116671406, abs=1e-10)
    assert threshold(2.18, 3) == pytest.approx(7.886730818900953, abs=1e-10)
    assert delta == pytest.approx(0.00494782163812297, abs=1e-10)
    mechanism = noise(2.18, 0.8, 6, "paper")
    p = half(mechanism, 6)
    assert p[0] == pytest.approx(0.8, abs=1e-15)
    assert p[1] == pytest.approx(0.08987391518105052, abs=1e-10)
    assert p[2] == pytest.approx(0.009600175605406554, abs=1e-10)
    assert p[1] / p[2] == pytest.approx(9.361694918417534, abs=1e-10)
    assert p[4:] == [0, 0, 0]
    assert [0.1 * x for x in a] == pytest.approx(p[1:], abs=1e-15)
    assert mechanism.variance(6) == pytest.approx(0.26601560104912575, abs=1e-10)
    assert mechanism.delta(2.18) == pytest.approx(0.015369374127911868, abs=1e-10)
    assert 13 * delta == pytest.approx(0.0643216812955986, abs=1e-10)


THEOREM_3: list[dict[str, Any]] = [
    {
        "at": (1.5, 0.5, 6),
        "deltas": [
            -0.6204222675845161,
            -0.22889221541411087,
            -0.13843166282457453,
            -0.10008405596185148,
            -0.07865550108931431,
            -0.06485134625442128,
            8.350864614104573e-05,
        ],
        "thresholds": [
            5.4816890703380645,
            3.944531389283723,
            3.6064982874996816,
            3.5155567745496077,
            3.490689343633909,
            3.4840273124300136,
        ],
        "case": 7,
        "a": [
            0.7773170389936636,
            0.1733683422064105,
            0.03860917277083525,
            0.008540337713205944,
            0.0018310737313203974,
            0.0003340345845641829,
        ],
        "exact": 0.0005010518768462693,
        "within_3": 0.9946472769854546,
        "variance": 1.0063602272477192,
        "optimum": 0.00010743189966497888,
    },
    {
        "at": (0.5, 0.3, 4),
        "deltas": [
            -0.2770524447450448,
            -0.036482688771341254,
            0.00333350425561686,
            0.012128031826361546,
            0.018553449520678278,
        ],
        "thresholds": [2.648721270700128, 1.4709271278837193, 1.092390557371369, 0.9137705495669608],
        "case": 5,
        "a": [0.5220777514613327, 0.2845040602216389, 0.14040833254366186, 0.05300985577336651],
        "exact": 0.07421379808271311,
        "within_3": 0.9628931009586434,
        "variance": 2.6403486743302964,
        "optimum": 0.07294755525495514,
    },
    {
        "at": (3.0, 0.5, 6),
        "deltas": [
            -4.521384230796917,
            -2.1936379470835963,
            -1.449121430711881,
            -1.082020037006126,
            -0.8633237639642225,
            -0.7181688659615348,
            6.905016131107963e-08,
        ],
        "thresholds": [
            21.085536923187668,
            19.221372425418554,
            19.09449348652888,
            19.086094076030758,
            19.08557020907238,
            19.085538856592187,
        ],
        "case": 7,
        "a": [
            0.9502130141394587,
            0.04730830654777489,
            0.0023553281412415257,
            0.00011725113197633771,
            5.8238389035073366e-06,
            2.762006452443185e-07,
        ],
        "exact": 4.1430096786628745e-07,
        "within_3": 0.9999383244142375,
        "variance": 0.5813378754545849,
        "optimum": 7.266808629601178e-08,
    },
    {
        "at": (1.1, 0.5, 4),
        "deltas": [
            -0.25104150598660835,
            -0.03626688363912962,
            -0.007733095312588663,
            -0.0020472876026705715,
            0.0042973664850709465,
        ],
        "thresholds": [4.004166023946434, 2.603666517264221, 2.2259773339722044, 2.0901133536478524],
        "case": 5,
        "a": [0.6900164209248544, 0.22396463764699298, 0.06882947548786876, 0.017189465940283786],
        "exact": 0.01718946594028379,
        "within_3": 0.9914052670298581,
        "variance": 1.2401858529740928,
        "optimum": 0.006227919154896383,
    },
]


@pytest.mark.parametrize("fact", THEOREM_3, ids=lambda fact: str(fact["at"]))
def test_theorem_3_has_the_golden_case_delta_and_noise(fact: dict[str, Any]) -> None:
    """Sadeghi 2020, Theorems 1-3 and Definition 2: delta_k, C_k, k, a, and the noise they make."""
    epsilon, eta, support = fact["at"]
    case, delta, a = theorem_3(epsilon, eta, support)
    assert case == fact["case"]
    assert delta == pytest.approx(fact["deltas"][case - 1], abs=1e-10)
    assert a == pytest.approx(fact["a"], abs=1e-10)
    deltas = [case_delta(epsilon, eta, support, k) for k in range(1, support + 2)]
    assert deltas == pytest.approx(fact["deltas"], abs=1e-10)
    assert [threshold(epsilon, k) for k in range(1, support + 1)] == pytest.approx(fact["thresholds"], abs=1e-10)
    mechanism = noise(epsilon, eta, support, "paper")
    p = half(mechanism, support)
    assert p[0] + 2 * sum(p[1:4]) == pytest.approx(fact["within_3"], abs=1e-10)
    assert mechanism.variance(support) == pytest.approx(fact["variance"], abs=1e-10)
    assert mechanism.delta(epsilon) == pytest.approx(fact["exact"], abs=1e-10)
    assert per_output(mechanism, epsilon) == pytest.approx(delta, abs=1e-10)
    assert noise(epsilon, eta, support).delta(epsilon) == pytest.approx(fact["optimum"], abs=1e-10)


@pytest.mark.parametrize(
    ("epsilon", "variance", "exact", "optimum"),
    [
        (0.3, 0.6418454773993454, 0.4125352981059992, 0.4125352981059992),
        (0.5, 0.7264327903574782, 0.33781968232496795, 0.33781968232496795),
        (0.8, 0.8372378990022168, 0.19361476787688303, 0.19361476787688303),
        (0.9, 0.946450789154777, 0.1350992222107626, 0.13509922221076254),
        (1.1, 1.4270631862782686, 0.0027469887622686403, 0.0006825293413296766),
        (1.2, 1.2927212394927756, 0.0018227383946296102, 0.0004333651363330514),
        (1.3, 1.1800783930449879, 0.0011960817323243764, 0.00027353813164006407),
        (1.5, 1.0063602272477192, 0.0005010518768462693, 0.00010743189966497888),
        (2.0, 0.7589034669548543, 5.0916486523203965e-05, 9.813989651525613e-06),
    ],
)
def test_delta_is_that_of_figure_4(epsilon: float, variance: float, exact: float, optimum: float) -> None:
    """Sadeghi 2020, Figure 4: eta .5, D 6, as computed."""
    mechanism = noise(epsilon, 0.5, 6, "paper")
    assert mechanism.variance(6) == pytest.approx(variance, abs=1e-9)
    assert mechanism.delta(epsilon) == pytest.approx(exact, abs=1e-9)
    assert noise(epsilon, 0.5, 6).delta(epsilon) == pytest.approx(optimum, abs=1e-9)


@pytest.mark.parametrize("support", [1, 2, 6, 12])
@pytest.mark.parametrize("eta", [0.15, 0.5, 0.8, 0.97])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0])
def test_the_exact_delta_is_k_to_k_plus_one_times_that_of_an_output(epsilon: float, eta: float, support: int) -> None:
    """So Remark 2's factor 2D+1 is too large by (2D+1)/(D+1) at least and by 2D+1 at most."""
    case, delta, _ = theorem_3(epsilon, eta, support)
    exact, times = noise(epsilon, eta, support, "paper").delta(epsilon), min(case, support)
    assert times * delta - 1e-14 <= exact <= (times + 1) * delta + 1e-14


# The least exact delta


@pytest.mark.parametrize(
    ("at", "delta", "chances", "variance"),
    [
        (
            (2.2, 0.8, 8),
            1.8233200177612088e-08,
            [
                0.08891968618406275,
                0.009852582069781736,
                0.001091697211355917,
                0.00012096349899358793,
                1.3403137735048536e-05,
                1.485109993008756e-06,
                1.6455487774083374e-07,
                1.8233200177612088e-08,
            ],
            0.2809769557324711,
        ),
        (
            (1.0, 0.5, 6),
            0.07042954288523873,
            [0.18393972058572117, 0.06606027941427883, 0, 0, 0, 0],
            0.896361676485673,
        ),
    ],
)
def test_the_truncated_geometric_has_its_delta_on_both_branches(
    at: tuple[float, float, int], delta: float, chances: list[float], variance: float
) -> None:
    mechanism = noise(*at)
    assert mechanism.delta(at[0]) == pytest.approx(delta, abs=1e-12)
    assert half(mechanism, at[2])[1:] == pytest.approx(chances, abs=1e-12)
    assert mechanism.variance(at[2]) == pytest.approx(variance, abs=1e-12)


@pytest.mark.parametrize("support", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("eta", [0.001, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("epsilon", [0.1, 0.7, 1.0, 2.2, 3.0])
def test_no_symmetric_noise_has_less_delta(epsilon: float, eta: float, support: int) -> None:
    mechanism = noise(epsilon, eta, support)
    exp_epsilon, odds = math.exp(epsilon), 2 * eta / (1 - eta)
    least = exp_epsilon ** (support - 2) * (exp_epsilon - 1) / (exp_epsilon**support - 1)
    if odds >= least:
        side = (1 - eta) / 2
        formula = max(side * (exp_epsilon - 1) / (exp_epsilon**support - 1), eta - (exp_epsilon - 1) * side)
        assert mechanism.delta(epsilon) == pytest.approx(formula, rel=1e-9, abs=1e-14)
    assert mechanism.delta(epsilon) == pytest.approx(least_delta(epsilon, eta, support), abs=1e-9)


def test_the_grid_above_meets_all_three_kinds_of_noise() -> None:
    """Both branches, and below the threshold, where a linear program takes over: no row is exact there."""
    assert noise(1.0, 0.3, 8).interior[0].numerators is not None
    assert len(noise(1.0, 0.3, 8).interior[0].values) == 17
    assert len(noise(1.0, 0.9, 8).interior[0].values) < 17
    assert noise(1.0, 0.02, 8).interior[0].numerators is None


@settings(max_examples=80, deadline=None)
@given(
    epsilon=st.floats(0.05, 4).map(lambda x: round(x, 3)),
    eta=st.floats(0.01, 0.99).map(lambda x: round(x, 3)),
    support=st.integers(1, 10),
)
def test_the_default_is_never_worse_than_the_paper(epsilon: float, eta: float, support: int) -> None:
    try:
        paper = noise(epsilon, eta, support, "paper")
    except ParameterError:
        return
    assert noise(epsilon, eta, support).delta(epsilon) <= paper.delta(epsilon) * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("variant", [None, "paper"])
@pytest.mark.parametrize("support", [1, 3, 8])
@pytest.mark.parametrize("eta", ["0.15", "1/3", "0.9"])
def test_noise_is_symmetric_and_has_the_truth_with_eta(eta: str, support: int, variant: str | None) -> None:
    mechanism = bounded(epsilon=1, eta=eta, support=support, lowest=support, variant=variant)
    row = mechanism.interior[0]
    assert mechanism.bias(support) == 0
    assert np.array_equal(row.values, row.values[::-1])
    if row.numerators is not None:
        assert Fraction(row.numerators[-row.first], row.denominator) == Fraction(eta)
        assert row.numerators == row.numerators[::-1]
    assert row.values[-row.first] == pytest.approx(float(Fraction(eta)), abs=2e-16)
    assert max(abs(row.outputs)) <= support


@pytest.mark.parametrize(("epsilon", "eta", "support"), [(1.0, 0.02, 8), (0.3, 0.05, 4), (2.2, 0.02, 5)])
def test_noise_below_the_threshold_keeps_eta_and_mean(epsilon: float, eta: float, support: int) -> None:
    mechanism = noise(epsilon, eta, support)
    assert half(mechanism, support)[0] == pytest.approx(eta, abs=1e-10)
    assert abs(mechanism.bias(support)) <= 1e-15
    assert summed(mechanism, epsilon) == pytest.approx(mechanism.delta(epsilon), abs=1e-12)


# Where the paper's promise is false


@pytest.mark.parametrize(
    ("at", "claimed", "least", "optimum"),
    [
        ((1.0, 0.1, 8), 0.00016429876746329228, 0.10426576615378248, 0.0002794269171248348),
        ((2.2, 0.02, 8), 7.94432424932223e-08, 0.046950013980334, 5.092969951894755e-07),
        ((2.18, 0.02, 6), 7.1153870010143575e-06, 0.04773813242645837, 4.534299968347701e-05),
    ],
)
def test_small_eta_is_refused_and_the_smallest_is_named(
    at: tuple[float, float, int], claimed: float, least: float, optimum: float
) -> None:
    """Sadeghi 2020, Proposition 4 omits (1-eta)/2 a_1 <= E eta + delta."""
    epsilon, eta, support = at
    assert theorem_3(*at)[1] == pytest.approx(claimed, abs=1e-10)
    with pytest.raises(ParameterError, match=f"eta is {eta:g},.* eta >= {least:.6g};"):
        noise(*at, variant="paper")
    assert noise(*at).delta(epsilon) == pytest.approx(optimum, abs=1e-7)
    above = noise(epsilon, least + 1e-9, support, "paper")
    assert per_output(above, epsilon) == pytest.approx(theorem_3(epsilon, least + 1e-9, support)[1], abs=1e-12)


def test_theorem_3_would_understate_delta_at_small_eta() -> None:
    """D 8, epsilon 2.2, eta .02: (2.2, 1.35e-6) is promised and delta is .2552."""
    _, delta, a = theorem_3(2.2, 0.02, 8)
    assert 17 * delta == pytest.approx(1.3505351223847793e-06, abs=1e-12)
    assert 0.49 * a[0] - math.exp(2.2) * 0.02 == pytest.approx(0.25520625283427145, abs=1e-7)
