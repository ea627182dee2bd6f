"""From probabilities to integers: the integers keep the promise of the design exactly, or they are refused."""

import math
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Counts, Cycle, Mechanism, Row, design
from discreet.certify import _tails, levels
from discreet.certify.rounding import GUARD, largest_remainders
from discreet.errors import CertifyError, EpsilonError, PrecisionWarning
from discreet.exact import Epsilon

EPSILONS = st.sampled_from(["0.05", "0.3", "1", "2.5"])


def certify(mechanism: Mechanism, epsilon: str | None = None, bits: int = 32) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        return mechanism.certify(epsilon, bits)


@given(st.lists(st.integers(0, 2**90), min_size=1, max_size=12), st.integers(0, 12))
def test_largest_remainders_sum_and_stay_in_order(scaled: list[int], centre: int) -> None:
    total = sum(scaled) // 2**GUARD + 1
    units = largest_remainders(scaled, total, centre)
    assert sum(units) == total
    for a, b in zip(scaled, units, strict=True):
        assert -1 <= b - (a >> GUARD) <= 2
    ranked = sorted(zip(scaled, units, strict=True))
    assert all(lower[1] <= higher[1] or lower[0] == higher[0] for lower, higher in pairwise(ranked))


@st.composite
def pure_matrices(draw: st.DrawFn) -> tuple[Mechanism, str]:
    """Draw mechanisms on the boundary: geometric ones after post-processing of their outputs, which stay within E."""
    epsilon = draw(EPSILONS)
    n = draw(st.integers(1, 6))
    matrix = design.geometric(epsilon=epsilon, upper=n).matrix()
    kind = draw(st.sampled_from(["remap", "mix", "plain"]))
    if kind == "remap":
        targets = draw(st.lists(st.integers(0, n), min_size=n + 1, max_size=n + 1))
        remap = np.zeros((n + 1, n + 1))
        remap[targets, np.arange(n + 1)] = 1
        matrix = remap @ matrix
    if kind == "mix":
        matrix = 0.5 * matrix + 0.5 * design.exponential(epsilon=epsilon, n=n).matrix()
    return Mechanism.from_matrix(matrix, design={"name": kind, "epsilon": epsilon}), epsilon


@settings(max_examples=120, deadline=None)
@given(pure_matrices(), st.sampled_from([20, 32, 48, 62]))
def test_a_pure_matrix_comes_out_pure_with_its_properties(case: tuple[Mechanism, str], bits: int) -> None:
    mechanism, _ = case
    table = certify(mechanism, bits=bits)
    assert table.guarantee.delta == 0  # type: ignore[attr-defined]
    assert table.properties >= mechanism.properties()  # type: ignore[attr-defined]
    integers = Mechanism.from_table(table.table)  # type: ignore[attr-defined]
    assert np.abs(integers.matrix() - mechanism.matrix()).max() <= 2.0**-bits * 4000 + 1e-12


def test_a_solvers_tolerance_is_repaired() -> None:
    """Solvers call a matrix optimal that has a ratio a little above E."""
    matrix = design.geometric(epsilon=1, upper=4).matrix().copy()
    matrix[0, 4] -= 3e-10
    matrix[4, 4] += 3e-10
    broken = Mechanism.from_matrix(matrix, design={"name": "solver", "epsilon": 1})
    assert broken.epsilon() > 1
    assert broken.certify().guarantee.delta == 0


def test_a_matrix_that_is_not_pure_states_its_delta() -> None:
    table = design.geometric(epsilon=1, upper=5).certify(epsilon="0.5")
    assert float(table.guarantee.delta) == pytest.approx(design.geometric(epsilon=1, upper=5).delta("0.5"), abs=1e-8)
    assert table.properties >= design.geometric(epsilon=1, upper=5).properties()


@pytest.mark.parametrize("bits", [16, 32, 62])
@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "5"])
def test_geometric_noise_loses_no_more_than_the_end_of_its_chain(epsilon: str, bits: int) -> None:
    """The chain cannot fall below E/(E-1), so that many units and a few more are the price of cutting."""
    mechanism = design.geometric(epsilon=epsilon)
    table = certify(mechanism, bits=bits)
    stuck = 1 / (1 - math.exp(-float(epsilon)))
    excess = (table.guarantee.delta - Fraction(mechanism.delta(epsilon))) * 2**bits  # type: ignore[attr-defined]
    assert excess <= stuck + 4
    assert table.utility["bias"] == (0, 0)  # type: ignore[attr-defined]


def test_truncated_geometric_noise_keeps_its_delta_at_62_bits() -> None:
    """Epsilon 1, support 42: rounding each weight by itself would take delta from 2.7e-19 to 3.5e-18."""
    alpha = Epsilon.of(1).alpha
    weights = [alpha ** abs(z) for z in range(-42, 43)]
    row = Row.of(-42, [w / sum(weights) for w in weights])
    table = Mechanism(Counts(), interior=(row,), design={"name": "geometric", "epsilon": 1}).certify(bits=62)
    assert table.guarantee.delta <= Fraction(float(row.values[0])) + Fraction(6, 2**62)


@pytest.mark.parametrize(("epsilon", "eta"), [("1", "0.5"), ("2.2", "0.8"), ("0.5", "0.2")])
def test_a_fixed_centre_starts_the_chain_beside_it(epsilon: str, eta: str) -> None:
    """Bounded noise: the chance of the truth is a promise and is kept to two units; the other weights are a chain.

    At epsilon 2.2 the end point makes up delta. At the other epsilons the step beside the centre does: E units a level.
    """
    alpha, centre, support = Epsilon.of(epsilon).alpha, Fraction(eta), 8
    side = [alpha**z for z in range(1, support + 1)]
    half = [(1 - centre) / 2 * w / sum(side) for w in side]
    mechanism = Mechanism(
        Counts(support),
        interior=(Row.of(-support, [*reversed(half), centre, *half]),),
        design={"name": "bounded", "epsilon": epsilon},
    )
    table = mechanism.certify()
    assert abs(table.utility["truth"][0] - centre) <= Fraction(2, 2**32)
    assert table.guarantee.delta <= Fraction(mechanism.delta(epsilon)) + Fraction(60, 2**32) + Fraction(1, 2**48)


@settings(max_examples=60, deadline=None)
@given(
    st.fractions(min_value=Fraction(1, 5), max_value=200, max_denominator=50), st.sampled_from(["0.1", "0.5", "1", "3"])
)
def test_gaussian_noise_keeps_its_delta(sigma2: Fraction, epsilon: str) -> None:
    mechanism = design.gaussian(sigma2=sigma2)
    table = certify(mechanism, epsilon)
    exp = math.ceil(math.exp(float(epsilon)))
    stuck = math.ceil(1 / (1 - math.exp(-float(epsilon))))
    assert float(table.guarantee.delta) <= mechanism.delta(epsilon) + (8 + 2 * exp + stuck) * 2.0**-32 + 1e-14  # type: ignore[attr-defined]
    assert table.utility["bias"] == (0, 0)  # type: ignore[attr-defined]


def test_a_promised_support_is_kept_or_refused() -> None:
    kept = design.gaussian(sigma2=4, support=6).certify(epsilon=1)
    assert kept.interior[0].first == -6
    with pytest.raises(CertifyError, match=r"12 bits.*bits=\d+"):
        design.gaussian(sigma2=1, support=6).certify(epsilon=1, bits=12)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.sampled_from(["0.02", "0.3", "1", "4"]), st.sampled_from([16, 32, 62]))
def test_randomized_response_is_pure_and_symmetric(categories: int, epsilon: str, bits: int) -> None:
    table = design.randomized_response(epsilon=epsilon, categories=categories).certify(bits=bits)
    assert table.guarantee.delta == 0
    assert table.properties == {"RH", "RM", "CH", "CM", "F", "WH", "S"}


def test_a_cycle_of_words_is_pure() -> None:
    """alpha**distance on hours whose neighbours are one hour apart (Kadam 2024, symmetric)."""
    for bits in (12, 32, 62):
        alpha = Epsilon.of("0.5").alpha
        weights = [alpha ** min(h, 24 - h) for h in range(24)]
        clock = Mechanism(
            Cycle(24),
            interior=(Row.of(0, [w / sum(weights) for w in weights]),),
            neighbours=[1],
            design={"name": "clock", "epsilon": "0.5"},
        )
        table = clock.certify(bits=bits)
        assert table.guarantee.delta == 0
        assert {"S", "RM", "CM"} <= table.properties


def test_a_refusal_names_bits_that_are_enough() -> None:
    mechanism = design.geometric(epsilon="0.01", upper=60)
    with pytest.raises(CertifyError, match=r"bits=\d+") as refusal:
        mechanism.certify(bits=8)
    enough = int(str(refusal.value).split("bits=")[1].split()[0])
    assert certify(mechanism, bits=enough).guarantee.delta == 0  # type: ignore[attr-defined]


def test_a_table_far_from_its_design_gives_a_warning_with_better_bits() -> None:
    with pytest.warns(PrecisionWarning, match=r"bits=\d+"):
        design.geometric(epsilon="0.01").certify(bits=16)


@pytest.mark.parametrize("bits", [7, 63, 0, -1, 8.5, "32", None, True])
def test_bits_out_of_range_are_refused(bits: object) -> None:
    with pytest.raises(CertifyError, match="8 to 62"):
        design.uniform(n=2).certify(epsilon=1, bits=bits)  # type: ignore[arg-type]


def test_a_design_without_epsilon_needs_one() -> None:
    for name, mechanism in (("uniform", design.uniform(n=3)), ("gaussian", design.gaussian(sigma2=1))):
        with pytest.raises(EpsilonError, match=f"'{name}'.*epsilon"):
            mechanism.certify()


def test_a_table_whose_rounding_costs_privacy_is_refused() -> None:
    """100 categories at epsilon .01 need 100 x 100 units; 12 bits have 4096, and odd units would break the promise."""
    with pytest.raises(CertifyError, match=r"12 bits.*bits=\d+"):
        design.randomized_response(epsilon="0.01", categories=100).certify(bits=12)


@pytest.mark.parametrize("zeros", [0, 1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_float_rows_keep_their_zeros_at_62_bits(zeros: int, seed: int) -> None:
    probabilities = np.append(np.random.default_rng(seed).dirichlet(np.ones(7)), np.zeros(zeros))
    table = Mechanism(Counts(), interior=(Row(-2, probabilities),)).certify(epsilon=1, bits=62)
    assert [weight == 0 for weight in table.interior[0].weights] == [False] * 7 + [True] * zeros


def test_a_gaussian_is_never_taken_for_levels() -> None:
    """For this noise z^2 / (2 sigma2 epsilon) is an integer, but neighbouring outputs differ by more than one level."""
    table = design.gaussian(sigma2=1, support=4).certify("0.5")
    assert table.certificate.document["quantised"]["method"] == "tails"
    assert table.interior[0].weights[0] == pytest.approx(
        design.gaussian(sigma2=1, support=4).pmf(0)[1][0] * 2**32, rel=1e-2
    )


@pytest.mark.parametrize(("sigma2", "epsilon"), [("1.5", "3"), ("2933/20", "0.5"), ("10000", "0.01"), ("50", "1")])
def test_a_cut_gaussian_is_certified(sigma2: str, epsilon: str) -> None:
    assert design.gaussian(sigma2=sigma2).certify(epsilon).guarantee.delta < 0.01


def test_levels_are_found_only_where_every_step_is_e() -> None:
    assert levels.find([0.0, -1.0, -2.0, -2.0], 1.0, 1) == [0, 1, 2, 2]
    for logs in ([0.0, -1.0, -2.1], [0.0, 0.0], [0.0, -math.inf], [0.0, -1.0, -4.0]):
        assert levels.find(logs, 1.0, 1) is None


def test_a_chain_never_steps_beyond_e() -> None:
    exp = Epsilon.of("0.3").exp
    weights = levels.chain(10**6, exp, 60)
    assert all(a <= exp * b for a, b in pairwise(weights))
    assert all(a >= b for a, b in pairwise(weights))


def test_tails_refuse_noise_that_loses_its_last_unit() -> None:
    scaled = [1 << (GUARD + 8), 1 << (GUARD + 4), 1 << (GUARD - 1)]
    assert _tails.symmetric(scaled, Fraction(3), 1 << 9) == []


@pytest.mark.parametrize("delta", [None, "x", [1], float("nan"), "2"])
def test_a_design_whose_delta_is_no_chance_requests_none(delta: object) -> None:
    rows = (Row.of(0, [Fraction(3, 5), Fraction(2, 5)]), Row.of(0, [Fraction(2, 5), Fraction(3, 5)]))
    mechanism = Mechanism(Counts(0, 1), rows, design={"name": "custom", "epsilon": "1", "delta": delta})
    assert mechanism.certify().guarantee.delta == 0
