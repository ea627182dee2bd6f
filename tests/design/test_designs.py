"""The first designs: formulas, golden values, and the one suite that all must pass."""

import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from discreet import Mechanism, design
from discreet.errors import ParameterError
from discreet.testing import check_mechanism

DESIGNS: dict[str, Callable[[str], Mechanism]] = {
    "geometric on 0..20": lambda epsilon: design.geometric(epsilon=epsilon, upper=20),
    "geometric on 0..1": lambda epsilon: design.geometric(epsilon=epsilon, upper=1),
    "geometric": lambda epsilon: design.geometric(epsilon=epsilon),
    "gaussian": lambda epsilon: design.gaussian(sigma2=4),
    "gaussian of that scale": lambda epsilon: design.gaussian(sigma2=max(1 / Fraction(epsilon) ** 2, Fraction(1, 4))),
    "gaussian, truncated": lambda epsilon: design.gaussian(sigma2=4, support=6),
    "power": lambda epsilon: design.power(scale=3, shape="1.5"),
    "power, truncated": lambda epsilon: design.power(scale=3, shape="1.25", support=8),
    "maxent": lambda epsilon: design.maxent(support=8, variance=6),
    "staircase": lambda epsilon: design.staircase(epsilon=epsilon, sensitivity=3),
    "uniform": lambda epsilon: design.uniform(n=20),
    "randomized response": lambda epsilon: design.randomized_response(epsilon=epsilon, categories=10),
    "exponential": lambda epsilon: design.exponential(epsilon=epsilon, n=20),
}


@pytest.mark.parametrize("bits", [16, 32, 62])
@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "5"])
@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_passes_the_suite(name: str, epsilon: str, bits: int) -> None:
    mechanism = DESIGNS[name](epsilon)
    table = check_mechanism(mechanism, epsilon=epsilon, bits=bits, draws=20_000)
    assert table.bits == bits
    if mechanism.rows or name == "randomized response":
        assert table.guarantee.delta == 0


def test_many_categories_pass_the_suite() -> None:
    check_mechanism(design.randomized_response(epsilon=1, categories=600), draws=20_000)


def test_gm_is_that_of_example_1() -> None:
    """Cormode 2019, Example 1: n = 2, alpha = 9/10."""
    expected = [["10/19", "9/19", "81/190"], ["9/190", "1/19", "9/190"], ["81/190", "9/19", "10/19"]]
    mechanism = design.geometric(alpha="9/10", upper=2)
    for j, row in enumerate(mechanism.rows):
        assert row.numerators is not None
        assert [Fraction(w, row.denominator) for w in row.numerators] == [Fraction(line[j]) for line in expected]
    assert np.array_equal(mechanism.matrix(), [[float(Fraction(x)) for x in line] for line in expected])
    assert (1 - mechanism.matrix()[1, 1]) / mechanism.matrix()[1, 1] == pytest.approx(18)


@pytest.mark.parametrize(("alpha", "truth"), [("9/10", 0.24210526315789474), ("10/11", 0.23809523809523808)])
def test_the_printed_chance_of_truth_of_gm_is_that_of_another_alpha(alpha: str, truth: float) -> None:
    """Chance of the truth at n = 4: the .238 the paper prints is that of alpha = 10/11, not of .9."""
    assert np.diagonal(design.geometric(alpha=alpha, upper=4).matrix()).mean() == pytest.approx(truth, abs=1e-15)


def test_gm_is_geometric_chancestaken_to_the_ends() -> None:
    noise = design.geometric(epsilon="0.7", tail="1e-30")
    outputs, chances = noise.pmf(3)
    clamped = np.bincount(np.clip(outputs, 0, 9), weights=chances, minlength=10)
    assert np.allclose(design.geometric(epsilon="0.7", upper=9).matrix()[:, 3], clamped, atol=1e-15)


@pytest.mark.parametrize(
    ("epsilon", "support", "delta"),
    [
        ("1", 50, 8.913083968067618e-23),
        ("0.2", 50, 4.525104919248663e-06),
        ("0.1", 50, 0.00033878556084026207),
        ("2", 7, 6.332875385224089e-07),
    ],
)
def test_the_cut_costs_the_mass_at_the_end_point(epsilon: str, support: int, delta: float) -> None:
    """Wang 2020 truncates at +-50, whatever epsilon: one cell costs the mass at the end point."""
    mechanism = design.geometric(epsilon=epsilon, support=support)
    assert mechanism.delta(epsilon) == pytest.approx(delta, rel=1e-12)
    alpha = math.exp(-float(epsilon))
    tail = 2 * alpha ** (support + 1) / (1 + alpha) * 1.0001
    assert design.geometric(epsilon=epsilon, tail=tail).design["support"] == support


@pytest.mark.parametrize("tail", ["1e-3", "1e-6", "1e-15"])
def test_the_mass_beyond_the_cut_is_at_most_the_tail(tail: str) -> None:
    for epsilon in ("0.2", "1"):
        whole = design.geometric(epsilon=epsilon, tail="1e-40")
        cut = design.geometric(epsilon=epsilon, tail=tail)
        reach = cut.design["support"]
        outputs, chances = whole.pmf(0)
        assert chances[np.abs(outputs) > reach].sum() <= float(tail) < chances[np.abs(outputs) > reach - 1].sum()
    wide, narrow = design.gaussian(sigma2=9, tail="1e-40"), design.gaussian(sigma2=9, tail=tail)
    outputs, chances = wide.pmf(0)
    reach = narrow.design["support"]
    assert chances[np.abs(outputs) > reach].sum() <= float(tail) < chances[np.abs(outputs) > reach - 2].sum()


def test_gaussian_chanceshas_its_formula() -> None:
    outputs, chances = design.gaussian(sigma2="2.5", support=9).pmf(0)
    expected = np.exp(-(outputs**2) / 5)
    assert np.allclose(chances, expected / expected.sum(), rtol=1e-14)


def test_gaussian_chancesis_that_of_figure_1() -> None:
    """Sadeghi 2020, Figure 1: the discrete Gaussian beside the bounded noise, p(1) and p(2), and their ratio."""
    _, chances = design.gaussian(sigma2=0.26601560104912575, support=6).pmf(0)
    assert chances[7] == pytest.approx(0.11685072691602334, abs=1e-10)
    assert chances[8] == pytest.approx(0.00041566744660572304, abs=1e-10)
    assert math.log(chances[7] / chances[8]) == pytest.approx(5.6390, abs=1e-3)


def test_staircase_of_sensitivity_one_is_geometric() -> None:
    one, other = design.staircase(epsilon="0.8", tail="1e-20"), design.geometric(epsilon="0.8", tail="1e-20")
    _, chances = one.pmf(0)
    _, expected = other.pmf(0)
    middle, reach = len(chances) // 2, 20
    assert np.allclose(
        chances[middle - reach : middle + reach],
        expected[len(expected) // 2 - reach : len(expected) // 2 + reach],
        rtol=1e-12,
    )


def test_staircase_is_private_for_every_distance_up_to_its_sensitivity() -> None:
    mechanism = design.staircase(epsilon=1, sensitivity=4)
    assert mechanism.neighbours == (1, 2, 3, 4)
    assert mechanism.delta(1) < 1e-11
    assert mechanism.delta("0.99") > 1e-3


def test_staircase_takes_the_step_of_least_variance() -> None:
    best = design.staircase(epsilon=2, sensitivity=5)
    others = [design.staircase(epsilon=2, sensitivity=5, step=step).variance(0) for step in range(1, 6)]
    assert best.variance(0) == min(others)
    wide = design.geometric(epsilon="0.4")  # geometric noise for sensitivity 5 needs epsilon / 5
    assert best.variance(0) < wide.variance(0)


def test_randomized_response_on_two_categories_is_warner_s() -> None:
    assert design.randomized_response(alpha="1/3").matrix()[0, 0] == 0.75
    assert np.allclose(design.randomized_response(epsilon=1).matrix(), design.geometric(epsilon=1, upper=1).matrix())
    k = design.randomized_response(epsilon=2, categories=6)
    assert k.matrix()[0, 0] == pytest.approx(math.e**2 / (math.e**2 + 5))
    assert k.epsilon() == pytest.approx(2)


def test_exponential_uses_half_its_budget_on_two_counts() -> None:
    """Cormode 2019, Theorem 4's example: n = 1, epsilon = 1 gives p = .6225, which is epsilon 1/2."""
    mechanism = design.exponential(n=1, epsilon=1)
    assert mechanism.matrix()[0, 0] == pytest.approx(0.6224593312018546, abs=1e-12)
    assert mechanism.epsilon() == pytest.approx(0.5)
    assert design.exponential(n=1, alpha=Fraction(1, 4)).matrix()[0, 0] == pytest.approx(2 / 3)
    assert 0.5 < design.exponential(n=30, epsilon=1).epsilon() <= 1


def test_alpha_and_epsilon_name_the_same_mechanism() -> None:
    for n in (5, 80):
        one, other = design.geometric(alpha=math.exp(-0.5), upper=n), design.geometric(epsilon="0.5", upper=n)
        assert np.allclose(one.matrix(), other.matrix(), rtol=1e-12)


def test_columns_sum_to_one_exactly_even_if_powers_are_rounded() -> None:
    for n in (40, 120):
        for row in design.geometric(epsilon="0.37", upper=n).rows:
            assert row.numerators is not None
            assert sum(row.numerators) == row.denominator


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: design.geometric(), "epsilon is None, alpha is None;"),
        (lambda: design.geometric(epsilon=1, alpha="1/2"), "epsilon is 1, alpha is '1/2';"),
        (lambda: design.geometric(epsilon=0), "epsilon is 0;"),
        (lambda: design.geometric(epsilon=1, upper=0), "upper is 0;"),
        (lambda: design.geometric(epsilon=1, upper=2.5), "upper is 2.5;"),  # type: ignore[arg-type]
        (lambda: design.geometric(epsilon=1, upper=True), "upper is True;"),
        (lambda: design.geometric(epsilon=1, upper=10**6), "upper is 1000000;"),
        (lambda: design.geometric(epsilon=1, upper=4, support=3), "support is 3 and upper is 4;"),
        (lambda: design.geometric(epsilon=1, support=0), "support is 0;"),
        (lambda: design.geometric(epsilon=1, tail=0), "tail is 0;"),
        (lambda: design.geometric(epsilon=1, tail=1), "tail is 1;"),
        (lambda: design.geometric(epsilon=1, support=3, tail=2), "tail is 2;"),
        (lambda: design.geometric(epsilon="1e-9"), "beyond 1000000"),
        (lambda: design.gaussian(sigma2=0), "sigma2 is 0;"),
        (lambda: design.gaussian(sigma2=-1), "sigma2 is -1;"),
        (lambda: design.gaussian(sigma2="inf"), "sigma2 is 'inf';"),
        (lambda: design.gaussian(sigma2="1e13"), "sigma2 is '1e13';"),
        (lambda: design.gaussian(sigma2=1, support=0), "support is 0;"),
        (lambda: design.gaussian(sigma2=1, tail=2), "tail is 2;"),
        (lambda: design.staircase(epsilon=1, sensitivity=0), "sensitivity is 0;"),
        (lambda: design.staircase(epsilon=1, sensitivity=3, step=4), "step is 4;"),
        (lambda: design.staircase(epsilon=1, sensitivity="x"), "sensitivity is 'x';"),  # type: ignore[arg-type]
        (lambda: design.staircase(epsilon="1e-6", sensitivity=1000), "beyond 1000000"),
        (lambda: design.staircase(epsilon="0.1", sensitivity=1000), "sensitivity is 1000;"),
        (lambda: design.uniform(n=0), "n is 0;"),
        (lambda: design.randomized_response(epsilon=1, categories=1), "categories is 1;"),
        (lambda: design.randomized_response(epsilon=-1), "epsilon is -1;"),
        (lambda: design.exponential(n=-3, epsilon=1), "n is -3;"),
        (lambda: design.exponential(n=3), "epsilon is None, alpha is None;"),
    ],
)
def test_parameters_that_are_no_design_are_refused_by_name(make: Callable[[], Mechanism], named: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(named)):
        make()
