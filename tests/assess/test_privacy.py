"""delta, its inverse and PDP, against sums made by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from discreet import Counts, Cycle, Mechanism, Row, design
from discreet.arrays import Floats
from discreet.errors import ParameterError, PrivacyWarning

WEIGHTS = st.lists(st.integers(0, 40), min_size=1, max_size=7).filter(any)


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    """Rows, a period and distances of any kind, with zeros and with ties."""

    def row(first: int) -> Row:
        weights = draw(WEIGHTS)
        return Row.of(first, [Fraction(w, sum(weights)) for w in weights])

    small = draw(st.integers(0, 3))
    period = draw(st.integers(1, 3))
    rows = tuple(row(draw(st.integers(-2, 2))) for _ in range(small))
    interior = tuple(row(draw(st.integers(-3, 1))) for _ in range(period))
    upper = draw(st.none() | st.integers(small + 1, small + 6))
    return Mechanism(Counts(1, upper and upper + 1), rows, interior, neighbours=draw(st.integers(1, 3)))


@st.composite
def cycles(draw: st.DrawFn) -> Mechanism:
    shape = draw(st.sampled_from([(2,), (5,), (6,), (2, 3), (2, 2, 2)]))
    size = math.prod(shape)
    weights = draw(st.lists(st.integers(0, 30), min_size=size, max_size=size).filter(any))
    difference = st.tuples(*(st.integers(0, side - 1) for side in shape)).filter(any)
    neighbours = draw(st.lists(difference, min_size=1, max_size=3))
    return Mechanism(
        Cycle(shape), interior=(Row.of(0, [Fraction(w, sum(weights)) for w in weights]),), neighbours=neighbours
    )


def by_hand(mechanism: Mechanism, exp_epsilon: Fraction) -> Fraction:
    """The definition: every pair of neighbours among the first counts, every output, exact."""
    worst = Fraction(0)
    for one, other in pairs(mechanism):
        for p, q in ((one, other), (other, one)):
            worst = max(
                worst, sum((max(Fraction(0), p[y] - exp_epsilon * q.get(y, Fraction(0))) for y in p), Fraction(0))
            )
    return worst


def pairs(mechanism: Mechanism) -> list[tuple[dict[object, Fraction], dict[object, Fraction]]]:
    if isinstance(mechanism.domain, Cycle):
        shape = mechanism.domain.shape
        noise = mechanism.interior[0]
        assert noise.numerators is not None
        chances = {
            z: Fraction(noise.numerators[index], noise.denominator) for index, z in enumerate(np.ndindex(*shape))
        }

        def shifted(by: int | tuple[int, ...]) -> dict[object, Fraction]:
            step = (by,) if isinstance(by, int) else by
            return {
                tuple((a + b) % side for a, b, side in zip(z, step, shape, strict=True)): p for z, p in chances.items()
            }

        return [(shifted((0,) * len(shape)), shifted(d)) for d in mechanism.neighbours]
    last = mechanism.domain.lower + len(mechanism.rows) + 4 * len(mechanism.interior)
    upper = last if mechanism.domain.upper is None else mechanism.domain.upper
    counts = range(mechanism.domain.lower, upper + 1)
    return [
        (exact_row(mechanism, a), exact_row(mechanism, a + d))
        for a in counts
        for d in mechanism.neighbours
        if a + d <= upper
    ]


def exact_row(mechanism: Mechanism, count: int) -> dict[object, Fraction]:
    row = mechanism.row(count)
    assert row.numerators is not None
    return {y: Fraction(w, row.denominator) for y, w in zip(row.outputs.tolist(), row.numerators, strict=True)}


@settings(max_examples=300)
@given(mechanisms() | cycles(), st.floats(0.01, 4))
def test_delta_is_that_of_the_definition(mechanism: Mechanism, epsilon: float) -> None:
    assert mechanism.delta(epsilon) == pytest.approx(float(by_hand(mechanism, Fraction(math.exp(epsilon)))), abs=1e-13)


@settings(max_examples=300)
@given(mechanisms() | cycles(), st.floats(0, 0.9))
def test_epsilon_is_the_smallest_with_that_delta(mechanism: Mechanism, delta: float) -> None:
    epsilon = mechanism.epsilon(delta)
    if epsilon == math.inf:
        assert by_hand(mechanism, Fraction(10**30)) > Fraction(delta)
        return
    assert float(by_hand(mechanism, Fraction(math.exp(epsilon)))) <= delta + 1e-12
    if epsilon > 1e-6:
        assert float(by_hand(mechanism, Fraction(math.exp(epsilon * (1 - 1e-6))))) > delta - 1e-12


@settings(max_examples=100)
@given(mechanisms() | cycles(), st.floats(0.01, 3))
def test_probabilistic_delta_is_the_mass_beyond_e(mechanism: Mechanism, epsilon: float) -> None:
    bound = Fraction(math.exp(epsilon))
    masses = [
        sum((mass for y, mass in p.items() if mass > bound * q.get(y, Fraction(0))), Fraction(0))
        for one, other in pairs(mechanism)
        for p, q in ((one, other), (other, one))
    ]
    measured = mechanism.delta(epsilon, kind="pdp")
    assert measured == pytest.approx(float(max(masses, default=Fraction(0))), abs=1e-12)
    assert measured >= mechanism.delta(epsilon) - 1e-12


def least_cost_on_a_cycle(size: int, epsilon: float, delta: float, differences: set[int]) -> Floats:
    """The noise of least sum of x (size - x) f(x), by a linear program written for this test."""
    x, variables = np.arange(size), size * (1 + len(differences))
    below, most = [], []
    for block, difference in enumerate(sorted(differences), 1):
        slacks = np.arange(block * size, (block + 1) * size)
        excess = np.zeros((size, variables))
        excess[x, x], excess[x, (x + difference) % size], excess[x, slacks] = 1, -math.exp(epsilon), -1
        below += [excess, np.isin(np.arange(variables), slacks)[None].astype(float)]
        most += [0.0] * size + [delta]
    solution = linprog(
        np.concatenate([x * (size - x), np.zeros(variables - size)]),
        A_ub=np.concatenate(below),
        b_ub=most,
        A_eq=(np.arange(variables) < size)[None].astype(float),
        b_eq=[1.0],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return np.asarray(solution.x[:size])


def test_ties_that_a_solver_leaves_are_no_loss() -> None:
    """Size 12, epsilon 3, delta .3, neighbours 1, 3, 6, 8: only the truth is beyond E; floats alone say .8923."""
    with pytest.warns(PrivacyWarning):
        noise = design.cyclic(size=12, epsilon=3, delta=0.3, neighbours=(1, 3, 6, 8), objective="uniform_prior")
    optimum = least_cost_on_a_cycle(12, 3, 0.3, set(noise.neighbours))
    assert noise.interior[0].values == pytest.approx(optimum, abs=1e-8)
    beyond = [optimum[optimum > math.exp(3) * np.roll(optimum, d) * (1 + 1e-6)].sum() for d in noise.neighbours]
    assert noise.delta(3, kind="pdp") == pytest.approx(max(beyond), abs=1e-8)
    assert noise.delta(3, kind="pdp") == pytest.approx(0.8153, abs=5e-5)
    assert noise.delta(3) == pytest.approx(0.3, abs=1e-12)


def test_pdp_is_never_below_dp() -> None:
    """An excess too small for a loss in the one sense is still a sum in the other."""
    nearly = math.exp(1) * (1 + 5e-10)
    truth, lie = nearly / (1 + nearly), 1 / (1 + nearly)
    mechanism = Mechanism.from_matrix([[truth, lie], [lie, truth]])
    assert 0 < mechanism.delta(1) <= mechanism.delta(1, kind="pdp") < 1e-9


@given(mechanisms())
def test_a_curve_has_the_delta_of_every_epsilon(mechanism: Mechanism) -> None:
    epsilons = np.linspace(0.01, 3, 17)
    assert np.allclose(mechanism.deltas(epsilons), [mechanism.delta(e) for e in epsilons.tolist()], atol=1e-14)


def test_both_directions_count() -> None:
    """From the first row nothing is beyond E; from the second a mass of .4 is."""
    mechanism = Mechanism.from_matrix([[1.0, 0.6], [0.0, 0.4]])
    assert mechanism.delta(1) == pytest.approx(0.4)


def test_the_last_small_row_meets_the_interior() -> None:
    small = Row.of(0, [1.0])
    mechanism = Mechanism(Counts(), (small,), (Row.of(-1, [0.25, 0.5, 0.25]),))
    assert mechanism.delta(5) == pytest.approx(0.75)  # counts 0 and 1: outputs 1 and 2 are impossible at 0


def test_a_tiny_delta_keeps_its_digits() -> None:
    """Truncated geometric noise: delta is the mass at the end point, though every other step is exactly E."""
    alpha, support = Fraction(1, 3), 60
    weights = [alpha ** abs(z) for z in range(-support, support + 1)]
    mechanism = Mechanism(Counts(), interior=(Row.of(-support, [w / sum(weights) for w in weights]),))
    assert mechanism.delta(math.log(3)) == pytest.approx(float(weights[0] / sum(weights)), rel=1e-12)


def test_a_pure_design_has_delta_zero_at_its_own_epsilon() -> None:
    for epsilon in (0.01, 0.1, 1, 5):
        for mechanism in (
            design.geometric(epsilon=epsilon, upper=40),
            design.randomized_response(epsilon=epsilon, categories=7),
        ):
            assert mechanism.delta(epsilon) == 0
            assert mechanism.epsilon() == pytest.approx(epsilon, rel=1e-12)


def test_probabilities_that_underflow_still_have_ratios() -> None:
    mechanism = design.geometric(epsilon=5, upper=400)  # e**-2000 is 0 as a float
    assert mechanism.matrix().min() == 0
    assert mechanism.epsilon() == pytest.approx(5)
    assert mechanism.delta(5) == 0


def test_uniform_costs_nothing() -> None:
    assert design.uniform(n=5).epsilon() == 0


def test_discrete_gaussian_matches_its_closed_form() -> None:
    """delta(epsilon) = P(Z > x - 1) - e**epsilon P(Z > x) at x = floor(epsilon sigma2 - 1/2) (Canonne 2020)."""
    sigma2, epsilon = 4.0, 0.9
    z = np.arange(-200, 201)
    chances = np.exp(-(z**2) / (2 * sigma2))
    chances /= chances.sum()
    cut = math.floor(epsilon * sigma2 - 0.5)
    expected = chances[z > cut].sum() - math.exp(epsilon) * chances[z > cut + 1].sum()
    assert design.gaussian(sigma2=4).delta(epsilon) == pytest.approx(expected, rel=1e-9)


def test_epsilons_and_deltas_outside_their_range_are_refused_by_name() -> None:
    mechanism = design.geometric(epsilon=1, upper=3)
    for bad in (0, -1, float("nan"), float("inf"), "x"):
        with pytest.raises(ParameterError, match="epsilon"):
            mechanism.delta(bad)
    for bad in (-0.1, 1, 2, float("nan")):
        with pytest.raises(ParameterError, match="delta"):
            mechanism.epsilon(bad)
    with pytest.raises(ParameterError, match="pdp"):
        mechanism.delta(1, kind="both")
    with pytest.raises(ParameterError, match="epsilons"):
        mechanism.deltas([1.0, -1.0])
