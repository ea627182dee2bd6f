"""Composition: never below exact sums, never above basic composition, and the numbers that papers print."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from discreet import Counts, Cycle, Mechanism, Row, design
from discreet.account import Composition, Pair, compose, profile
from tests.account.examples import EXAMPLE, above, composed, hockey, maximum_entropy, pairs, product, rows, tiny

# Against exact sums


@settings(max_examples=120)
@given(tiny(most_rows=3), st.floats(0, 3))
def test_two_cells_are_bounded(mechanism: Mechanism, epsilon: float) -> None:
    """Every choice of a pair and a direction in each cell, every pair of outputs, exactly."""
    truth = composed([list(pairs(mechanism))] * 2, above(epsilon))
    assert Fraction(compose(mechanism, 2).delta(epsilon)) >= truth


@settings(max_examples=60)
@given(tiny(), st.floats(0, 3))
def test_three_cells_are_bounded(mechanism: Mechanism, epsilon: float) -> None:
    ordered = [(p, q) for index, (p, q) in enumerate(pairs(mechanism)) if index < 2]
    assert Fraction(compose(mechanism, 3).delta(epsilon)) >= composed([ordered] * 3, above(epsilon))


@settings(max_examples=60)
@given(tiny(), tiny(), st.floats(0, 3), st.sampled_from([None, 0.01, 0.3]))
def test_different_parts_are_bounded_on_any_lattice(
    first: Mechanism, second: Mechanism, epsilon: float, step: float | None
) -> None:
    truth = composed([list(pairs(first))[:2], list(pairs(first))[:2], list(pairs(second))[:2]], above(epsilon))
    assert Fraction(compose([(first, 2), second], step=step).delta(epsilon)) >= truth


@settings(max_examples=40)
@given(tiny(outputs=2, most_rows=3), st.floats(0, 3))
def test_the_next_question_may_depend_on_the_last_answer(mechanism: Mechanism, epsilon: float) -> None:
    """An adversary takes, after each output, the pair that is worst at the a that is left."""
    a = above(epsilon)
    all_pairs = list(pairs(mechanism))

    def worst(left: Fraction | None) -> Fraction:
        return Fraction(1) if left is None else max(hockey(p, q, left) for p, q in all_pairs)

    truth = max(
        sum(
            p[y] * worst(None if y not in q else Fraction(0)) if y not in q else p[y] * worst(a * q[y] / p[y])
            for y in p
        )
        for p, q in all_pairs
    )
    assert Fraction(compose(mechanism, 2).delta(epsilon)) >= truth


@settings(max_examples=60)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(2, 3), st.floats(0, 3))
def test_a_pair_that_is_its_own_mirror_image_is_met_exactly(a: int, b: int, cells: int, epsilon: float) -> None:
    mechanism = rows([a, b], [b, a])
    p, q = next(pairs(mechanism))
    truth = hockey(product((p,) * cells), product((q,) * cells), above(epsilon))
    assert truth <= Fraction(compose(mechanism, cells).delta(epsilon)) <= truth + Fraction(1, 10**11)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 60), min_size=3, max_size=5), st.floats(0.05, 2))
def test_a_free_lattice_costs_little(half: list[int], epsilon: float) -> None:
    """Symmetric noise with any losses: one pair is all there is, met to the square of the step and the error stated."""
    weights = [*reversed(half), *half[1:]]
    mechanism = Mechanism(Counts(), interior=(Row.of(1 - len(half), [Fraction(w, sum(weights)) for w in weights]),))
    p, q = next(pairs(mechanism))
    truth = float(hockey(product((p, p)), product((q, q)), above(epsilon)))
    together = compose(mechanism, 2)
    assert truth <= together.delta(epsilon) <= truth + together.step**2 + together.error(epsilon)
    assert compose(mechanism, 2, step=0.1).delta(epsilon) >= compose(mechanism, 2).delta(epsilon) - 1e-6


@pytest.mark.parametrize(("bits", "cells"), [(16, 100), (32, 100), (12, 800)])
def test_many_cells_of_randomized_response_are_met_to_seven_digits(bits: int, cells: int) -> None:
    """Randomized response: the binomial sum in fractions, down to 1e-20 and beyond; 800 cells need a cut window."""
    table = design.randomized_response(epsilon="0.25", categories=2).certify(bits=bits).table
    high, low = sorted(table.interior[0].weights, reverse=True)
    composition = compose(table, cells)
    for share in (0.004, 0.04, 0.16, 0.32, 0.48, 0.8):
        a = above(0.25 * cells * share)
        truth = Fraction(0)
        for n in range(cells + 1):
            gap = a.denominator * high**n * low ** (cells - n) - a.numerator * low**n * high ** (cells - n)
            truth += math.comb(cells, n) * max(0, gap)
        truth /= a.denominator * table.total**cells
        assert truth <= Fraction(composition.delta(0.25 * cells * share)) <= truth * (1 + Fraction(1, 10**7)) + 1e-300


# Numbers that are known


@pytest.mark.parametrize(
    ("cells", "delta", "epsilon"),
    [  # golden ids 003.pld.eps_at_...
        (1, 1e-2, 0.16130283749500585),
        (2, 1e-3, 0.46987925715020423),
        (10, 1e-3, 1.7737646338983775),
        (10, 1e-2, 0.818020108934672),
        (100, 1e-2, 5.692178020949234),
        (100, 0.009912980815987047, 6.071001685754282),
        (1000, 0.09912980815987048, 20.835634617153687),
        (100, 1e-3, math.inf),
    ],
)
def test_example_1_of_sadeghi_2023(cells: int, delta: float, epsilon: float) -> None:
    assert compose(EXAMPLE, cells).epsilon(delta) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(
    ("cells", "floor"),
    [  # golden ids 003.pld.floor.k...
        (2, 0.00019824978960087514),
        (10, 0.0009908559961239577),
        (100, 0.009864495694996322),
        (1000, 0.09437930708506242),
    ],
)
def test_truncated_noise_has_a_floor(cells: int, floor: float) -> None:
    composition = compose(EXAMPLE, cells)
    assert composition.floor == pytest.approx(floor, rel=1e-10)
    assert composition.delta(cells / 2) == pytest.approx(floor, rel=1e-10)
    assert composition.epsilon(floor * (1 - 1e-6)) == math.inf


def test_a_wider_support_lowers_the_floor() -> None:
    assert compose(maximum_entropy(42), 1000).floor == pytest.approx(9.3e-7, rel=1e-3)


def test_the_integers_of_example_1_lose_nothing() -> None:
    """Certified at 32 bits, k = 100, at 1.1 times the floor: 4.88047; 50 by basic composition."""
    table = EXAMPLE.certify(epsilon="0.5")
    composition = compose(table, 100)
    assert composition.epsilon(1.1 * composition.floor) == pytest.approx(4.88047, abs=5e-6)


@pytest.mark.parametrize(
    ("cells", "delta", "entropy", "geometric"),
    [  # golden ids 003.pld_equalvar...; None where there is none
        (1, 1e-6, 0.5791243530307221, None),
        (1, 1e-3, None, 0.19947463825024064),
        (10, 1e-3, 1.1948434449329337, None),
        (10, 1e-4, None, 1.9727746425372976),
        (100, 1e-4, 5.830352324204506, 8.769249922994772),
        (100, 1e-3, None, 7.536019181681832),
        (100, 1e-6, 7.355689975600185, None),
        (1000, 1e-6, 30.915015815794494, None),
        (1000, 1e-4, None, 42.864884938595964),
        (1000, 1e-3, 23.3, 38.9),
    ],
)
def test_noise_of_equal_variance_has_the_known_epsilons(
    cells: int, delta: float, entropy: float | None, geometric: float | None
) -> None:
    """Once, geometric noise is better; many times, maximum entropy is better."""
    if entropy:
        tolerance = 1e-8 if entropy != 23.3 else 2e-3
        assert compose(maximum_entropy(60), cells).epsilon(delta) == pytest.approx(entropy, rel=tolerance)
    if geometric:
        tolerance = 1e-7 if geometric != 38.9 else 2e-3
        noise = design.geometric(epsilon=0.2012939642504745)
        assert compose(noise, cells).epsilon(delta) == pytest.approx(geometric, rel=tolerance)


def test_a_delta_far_below_the_error_of_a_transform_is_met() -> None:
    """Support 60, 100 cells: 1.73854809709462491e-15 at epsilon 12, by a 60-digit sum."""
    composition = compose(maximum_entropy(60), 100)
    assert composition.delta(12) == pytest.approx(1.73854809709462491e-15, rel=1e-8)
    assert composition.delta(12) >= 1.73854809709462491e-15
    assert 0 < composition.error(12) < 1e-8 * composition.delta(12)


def test_composition_is_not_decided_by_the_worst_pair_at_one_epsilon() -> None:
    """A pair that leaks 1e-3 beats randomized response of epsilon .3 once; twenty times it loses, .0198 to .261."""
    coin, total = 574_443, 10**6
    leak = rows([999, 1, 0], [999, 0, 1])
    mixed = rows(
        [999 * coin, 999 * (total - coin), total, 0],
        [999 * coin, 999 * (total - coin), 0, total],
        [999 * (total - coin), 999 * coin, 0, total],
    )
    assert profile(leak).delta(0.3) == pytest.approx(1e-3)
    assert profile(mixed).delta(0.3) == pytest.approx(1e-3)
    assert compose(leak, 20).delta(1) == pytest.approx(0.0198, abs=5e-5)
    assert compose(design.randomized_response(epsilon="0.3"), 20).delta(1) == pytest.approx(0.261, abs=5e-4)
    assert compose(mixed, 20).delta(1) >= 0.26


# Several rows of one person


def test_five_rows_in_one_cell_are_not_five_touches() -> None:
    assert compose(EXAMPLE, contributions=5).delta(1) == pytest.approx(0.0413, abs=5e-5)
    assert compose(EXAMPLE, 5).delta(1) == pytest.approx(0.00061, abs=5e-6)


@settings(max_examples=30)
@given(tiny(most_rows=4), st.floats(0, 3))
def test_three_rows_are_bounded_however_they_fall_into_cells(mechanism: Mechanism, epsilon: float) -> None:
    """3, 2 + 1 and 1 + 1 + 1 rows in different cells of a grouping, by hand, clamped into the domain."""
    bound = Fraction(compose(mechanism, contributions=3).delta(epsilon))
    by_distance = {distance: _distinct(mechanism, distance) for distance in (1, 2, 3)}
    for partition in ((3,), (2, 1), (1, 1, 1)):
        if math.prod(len(by_distance[d]) for d in partition) <= 300:
            assert bound >= composed([by_distance[d] for d in partition], above(epsilon))


def test_one_row_is_the_plain_case_and_more_rows_cost_more() -> None:
    epsilons = np.linspace(0, 3, 13)
    one_row, two_rows, three_rows = (compose(EXAMPLE, 4, contributions=rows).delta(epsilons) for rows in (1, 2, 3))
    assert np.allclose(one_row, compose(EXAMPLE, 4).delta(epsilons), rtol=1e-9)
    assert (one_row < two_rows).all()
    assert (two_rows < three_rows).all()


# Promises


@settings(max_examples=40)
@given(tiny(most_rows=3), st.integers(1, 400), st.floats(0, 2))
def test_never_above_basic_composition(mechanism: Mechanism, cells: int, epsilon: float) -> None:
    basic = cells * mechanism.delta(epsilon) if epsilon > 1e-9 else 1.0
    assert compose(mechanism, cells).delta(cells * epsilon * (1 + 1e-9) + 1e-9) <= basic * (1 + 1e-9) + 1e-9


def test_a_pure_design_stays_pure() -> None:
    composition = compose(design.geometric(epsilon="0.1", upper=30), 50)
    assert composition.floor == 0
    assert composition.epsilon(0) == pytest.approx(5)
    assert composition.delta(composition.epsilon(0)) == 0


def test_the_largest_loss_is_found_where_its_decimals_round_down() -> None:
    mechanism = rows(
        [1871900869254527, 1], [1924163396789539, 1], [6014888509529914, 2605140393387871], [26989615556404, 1]
    )
    composition = compose(mechanism, 3)
    assert composition.epsilon(0) == pytest.approx(101.99, abs=0.01)
    assert composition.delta(composition.epsilon(0)) == 0


@settings(max_examples=40)
@given(tiny(most_rows=3), st.integers(1, 300), st.floats(1e-15, 0.9))
def test_epsilon_is_the_smallest_whose_bound_is_delta(mechanism: Mechanism, cells: int, delta: float) -> None:
    composition = compose(mechanism, cells)
    epsilon = composition.epsilon(delta)
    if epsilon == math.inf:
        assert delta < composition.floor
        return
    assert composition.delta(epsilon) <= delta
    if epsilon > 1e-6:
        assert composition.delta(epsilon * (1 - 1e-6)) > delta * (1 - 1e-9)


@settings(max_examples=30)
@given(tiny(most_rows=3), st.integers(1, 100))
def test_a_curve_falls_and_is_its_points_in_any_order(mechanism: Mechanism, cells: int) -> None:
    epsilons = np.linspace(0, 1.1 * cells * min(profile(mechanism).largest, 3), 40)
    curve = compose(mechanism, cells).delta(epsilons)
    assert (np.diff(curve) <= 1e-7 * curve[:-1] + 1e-300).all()
    other = compose(mechanism, cells)
    assert [other.delta(e) for e in epsilons[::-1].tolist()] == curve[::-1].tolist()
    assert other.delta(epsilons.reshape(8, 5)).tolist() == curve.reshape(8, 5).tolist()
    assert [other.error(e) for e in epsilons.tolist()] == compose(mechanism, cells).error(epsilons).tolist()


def test_a_point_of_an_array_is_the_point_alone() -> None:
    """Tilts of 30,000 show the last bit of epsilon: 1e-10 of delta between a float and its decimals."""
    mechanism = rows([8, 5, 1], [9, 7, 1])
    epsilons = np.linspace(0, 1.1 * 100 * profile(mechanism).largest, 40)
    curve = compose(mechanism, 100).delta(epsilons).tolist()
    assert [compose(mechanism, 100).delta(e) for e in epsilons.tolist()] == curve
    for order in (epsilons, epsilons[::-1], np.random.default_rng(1).permutation(epsilons)):
        other = compose(mechanism, 100)
        assert dict(zip(order.tolist(), [other.delta(e) for e in order.tolist()], strict=True)) == dict(
            zip(epsilons.tolist(), curve, strict=True)
        )


def test_a_list_of_numbers_is_read_as_each_of_them_is() -> None:
    numbers = ["1/3", "0.7", Fraction(2, 7), 0.1, 3, np.float32(0.3)]
    together = compose(EXAMPLE, 10)
    assert together.delta(numbers).tolist() == [together.delta(number) for number in numbers]


def test_the_bound_does_not_depend_on_the_number_of_threads() -> None:
    """A matrix library shares out sums over 40,000 losses to its threads."""
    pair = Pair.of(1e-4, np.linspace(0.7, 0, 20_001) ** 3)
    bounds = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            bounds.append(compose(pair, 100, step=pair.step).delta(np.linspace(0, 100, 8)).tolist())
    assert bounds[0] == bounds[1]


@settings(max_examples=30)
@given(tiny(), st.integers(1, 500), st.floats(0, 30))
def test_the_error_is_small_beside_the_bound(mechanism: Mechanism, cells: int, epsilon: float) -> None:
    composition = compose(mechanism, cells)
    if epsilon < cells * profile(mechanism).largest - 1:
        assert 0 <= composition.error(epsilon) <= 1e-4 * composition.delta(epsilon)


def test_compositions_compose() -> None:
    three, seven = compose(EXAMPLE, 3), compose(EXAMPLE, 7)
    ten = compose([three, seven])
    assert ten.step == three.step
    assert ten.epsilon(1e-2) == pytest.approx(compose(EXAMPLE, 10).epsilon(1e-2), rel=1e-10)
    assert compose(three, 4).epsilon(1e-2) == pytest.approx(compose(EXAMPLE, 12).epsilon(1e-2), rel=1e-10)
    coarse = compose([three, compose(EXAMPLE, 7, step=0.02)], step=0.03)
    assert coarse.epsilon(1e-2) >= ten.epsilon(1e-2)
    assert coarse.epsilon(1e-2) == pytest.approx(ten.epsilon(1e-2), rel=0.02)


def test_parts_may_be_anything_that_has_a_profile() -> None:
    table = EXAMPLE.certify(epsilon="0.5")
    epsilons = np.array([0.5, 1.0, 2.0])
    expected = compose(table, 6).delta(epsilons)
    pair = profile(table).pair(compose(table, 6).step)
    assert isinstance(pair, Pair)
    for parts in (
        table.table,
        [table] * 6,
        [(table, 4), (table.table, 2)],
        profile(table),
        [(pair, 6)],
        Mechanism.from_table(table.table),
    ):
        cells = 1 if isinstance(parts, list) else 6
        assert np.allclose(compose(parts, cells).delta(epsilons), expected, rtol=1e-9)


def test_noise_on_a_cycle_composes() -> None:
    """Wrap pairs: from the last residue to the first."""
    cycle = Mechanism(Cycle(3), interior=(Row.of(0, [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]),))
    assert compose(cycle, 5).epsilon(0) == pytest.approx(5 * math.log(2))
    distributions: list[dict[object, Fraction]] = [
        {(z + shift) % 3: Fraction(1, 4 - 2 * (z == 0)) for z in range(3)} for shift in range(3)
    ]
    all_pairs = [(p, q) for p in distributions for q in distributions if p is not q]
    assert Fraction(compose(cycle, 2).delta(0.4)) >= composed([all_pairs] * 2, above(0.4))


def test_noise_that_reveals_nothing_costs_nothing() -> None:
    composition = compose(design.uniform(n=4), 1000)
    assert composition.epsilon(0) == composition.delta(0) == 0


def test_outputs_that_reveal_the_truth_cost_everything() -> None:
    composition = compose(rows([1, 0], [0, 1]), 3)
    assert composition.delta(50) == composition.floor == 1
    assert composition.epsilon(0.99) == math.inf


@pytest.mark.parametrize("epsilon", ["1e301", "1e400", 1e308, Fraction(10**400)])
def test_an_epsilon_beyond_every_loss_leaves_the_floor(epsilon: object) -> None:
    composition = compose(EXAMPLE, 10)
    assert composition.delta(epsilon) == pytest.approx(composition.floor, rel=1e-12)


def test_exact_numbers_are_understood() -> None:
    composition = compose(EXAMPLE, 10)
    assert isinstance(composition, Composition)
    assert composition.delta("1/2") == composition.delta(0.5) == composition.delta(Fraction(1, 2))
    assert composition.epsilon("0.01") == composition.epsilon(Fraction(1, 100)) == composition.epsilon(0.01)


def _distinct(mechanism: Mechanism, distance: int) -> list[tuple[dict[object, Fraction], dict[object, Fraction]]]:
    distinct: list[tuple[dict[object, Fraction], dict[object, Fraction]]] = []
    for pair in pairs(mechanism, distance):
        if pair not in distinct:
            distinct.append(pair)
    return distinct


def test_losses_too_large_for_a_float_count_as_infinite() -> None:
    """Two steps of 272 each: e**816 is no float."""
    weights = [Fraction(1, 10**354), Fraction(1, 10**118), Fraction(1), Fraction(1, 10**118), Fraction(1, 10**354)]
    total = sum(weights)
    narrow = Mechanism(Counts(), interior=(Row.of(-2, [w / total for w in weights]),))
    together = compose(narrow, 3)
    assert together.delta(100) >= narrow.delta(100) > 0.99
    assert 1e-118 < together.delta(1000) < 1e-117  # the outermost outputs are lost in each of three cells
