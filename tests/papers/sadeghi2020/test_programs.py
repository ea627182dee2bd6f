"""Sadeghi 2020's programs beside others: Proposition 2 for N people, and the least delta per output of (16).

Golden values are of a program over p(y|n), computed by other software: least per output and least exact delta.
"""

import math
from fractions import Fraction

import pytest

from discreet.papers.sadeghi2020 import fourier_motzkin
from discreet.papers.sadeghi2020.printed_noise import (
    Setting,
    least_per_output,
    least_valid_eta,
    optimum,
    per_output,
    program,
)
from discreet.papers.sadeghi2020.two_point_noise import proposition_2
from tests.design.additive.bounded_noise import least_delta
from tests.papers.sadeghi2020.scipy_programs import least_in_matrix_16, least_in_two_point_noises

GOLDEN = [
    (Setting(1.1, 0.5, 6), 20, 0.018586950162850113, 0.05907499426464968),
    (Setting(1.1, 0.5, 8), 20, 0.018586950162850113, 0.05801358823077139),
    (Setting(2.18, 0.8, 8), 20, 0.019111451706389875, 0.040504607674802136),
    (Setting(1.0, 0.5, 8), 20, 0.03824115216996856, 0.10826626758729911),
    (Setting(1.5, 0.5, 4), 12, 0.00244246488804732, 0.0024584494532425664),
    (Setting(2.18, 0.8, 4), 12, 0.019111451706389875, 0.04060332648840528),
    (Setting(2.2, 0.8, 4), 12, 0.011425394180139083, 0.028614897112926977),
]


@pytest.mark.parametrize(
    ("setting", "people"),
    [(Setting(0.5, 0.5, 2), 3), (Setting(0.5, 0.5, 2), 6), (Setting(1.1, 0.5, 4), 8), (Setting(2.2, 0.8, 3), 7)],
)
def test_proposition_2_by_a_program_of_scipy(setting: Setting, people: int) -> None:
    """In the weights of two-point noises, as (9)-(13) have it, and in the probabilities p(y|n)."""
    least = proposition_2(setting, people)
    assert least == pytest.approx(least_in_two_point_noises(*setting, people), abs=1e-8)
    assert least == pytest.approx(least_delta(*setting, range(1, people + 1), per_output=True), abs=1e-8)
    assert least == pytest.approx(per_output(program(setting, 1, people), setting.epsilon), abs=1e-8)


@pytest.mark.parametrize(
    ("big", "eta", "support", "people"),
    [(2, "1/2", 1, 2), (2, "1/2", 2, 2), (3, "2/3", 2, 2), (2, "1/2", 1, 3)],
)
def test_elimination_of_all_weights_by_a_program_of_scipy(big: int, eta: str, support: int, people: int) -> None:
    """Section II-A: Fourier-Motzkin elimination gives delta* in exact fractions."""
    found = fourier_motzkin.least_delta(Fraction(big), Fraction(eta), support, people)
    other = least_in_two_point_noises(math.log(big), float(Fraction(eta)), support, people)
    assert float(found) == pytest.approx(other, abs=1e-9)


def test_elimination_finds_five_forty_sixths() -> None:
    """Counts 1 and 2, E = 2, eta = 1/2, D = 2."""
    assert fourier_motzkin.least_delta(Fraction(2), Fraction(1, 2), 2, 2) == Fraction(5, 46)


@pytest.mark.parametrize(("setting", "people", "single", "exact"), GOLDEN)
def test_proposition_2_as_known(setting: Setting, people: int, single: float, exact: float) -> None:
    assert per_output(program(setting, 1, people), setting.epsilon) == pytest.approx(single, abs=2e-8)
    assert optimum(setting, 1, people).delta(setting.epsilon) == pytest.approx(exact, abs=2e-8)


@pytest.mark.parametrize("support", [1, 2, 3, 6])
@pytest.mark.parametrize("eta", [0.02, 0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("epsilon", [0.3, 1.1, 2.18])
def test_the_least_delta_per_output_of_16_by_a_program_of_scipy(epsilon: float, eta: float, support: int) -> None:
    assert least_per_output(Setting(epsilon, eta, support)) == pytest.approx(
        least_in_matrix_16(epsilon, eta, support), abs=1e-9
    )


@pytest.mark.parametrize(("epsilon", "support"), [(0.5, 4), (1.1, 8), (2.18, 6), (2.2, 8)])
def test_theorem_3_begins_to_be_true_at_the_smallest_valid_eta(epsilon: float, support: int) -> None:
    limit = least_valid_eta(epsilon, support)
    for factor, true in ((0.97, False), (1.0001, True)):
        setting = Setting(epsilon, limit * factor, support)
        claimed = _theorem_3(setting)
        assert (least_in_matrix_16(*setting) <= claimed + 1e-9 * (1 + claimed)) == true


def _theorem_3(setting: Setting) -> float:
    """The largest delta_k of (23) and (32), as they are printed."""
    epsilon, eta, support = setting
    big, b, c = math.exp(epsilon), 2 / (1 - eta), 2 * eta / (1 - eta)
    first = [
        (c * sum(big**j for j in range(k)) - big**k) / (b * sum(big**j * (j + 1) for j in range(k)))
        for k in range(1, support + 1)
    ]
    return max(*first, 1 / (b * sum(big**j * (support - j) for j in range(support))))


def test_of_few_counts_each_can_have_a_noise_of_its_own() -> None:
    """Counts 6..7 need no delta at all at epsilon 1.1, eta .5, D 6; counts 6..12 need Theorem 3's."""
    setting = Setting(1.1, 0.5, 6)
    assert least_delta(*setting, range(6, 8), per_output=True) == pytest.approx(0, abs=1e-9)
    assert least_delta(*setting, range(6, 13), per_output=True) == pytest.approx(0.0004578314603781053, abs=1e-8)
