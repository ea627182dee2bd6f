"""What a mechanism is: one representation for matrices, noise, small counts apart, periods and cycles."""

import copy
import dataclasses
import pickle
from fractions import Fraction

import numpy as np
import pytest

from discreet import Counts, Cycle, Mechanism, Row
from discreet.errors import MechanismError
from discreet.testing import check_mechanism

NOISE = Row.of(-1, [0.25, 0.5, 0.25])


def rr3() -> Mechanism:
    """Random rounding to base 3: multiples stay, others go to a neighbouring multiple (period 3)."""
    third = Fraction(1, 3)
    return Mechanism(
        Counts(),
        interior=(
            Row.of(0, [Fraction(1)]),
            Row.of(-1, [2 * third, Fraction(0), Fraction(0), third]),
            Row.of(-2, [third, Fraction(0), Fraction(0), 2 * third]),
        ),
    )


def ons_like() -> Mechanism:
    """750 rows of their own and a period of 250, as the ONS perturbation table has."""
    rng = np.random.default_rng(5)

    def row(first: int) -> Row:
        weights = rng.integers(1, 20, 5)
        return Row(first, weights / weights.sum())

    return Mechanism(Counts(1), tuple(row(count - 2) for count in range(1, 751)), tuple(row(-2) for _ in range(250)))


def test_additive_noise_serves_every_count() -> None:
    noise = Mechanism(Counts(), interior=(NOISE,))
    outputs, probabilities = noise.pmf(1000)
    assert outputs.tolist() == [999, 1000, 1001]
    assert probabilities.tolist() == [0.25, 0.5, 0.25]


def test_small_counts_may_differ() -> None:
    mechanism = Mechanism(Counts(), rows=(Row.of(0, [1.0]), Row.of(0, [0.5, 0.0, 0.5])), interior=(NOISE,))
    assert mechanism.pmf(0)[0].tolist() == [0]
    assert mechanism.pmf(1)[0].tolist() == [0, 1, 2]
    assert mechanism.pmf(2)[0].tolist() == [1, 2, 3]


def test_the_interior_repeats_with_its_period() -> None:
    mechanism = rr3()
    assert mechanism.pmf(9)[0].tolist() == [9]
    outputs, probabilities = mechanism.pmf(10)
    assert dict(zip(outputs.tolist(), probabilities.tolist(), strict=True)) == {9: 2 / 3, 10: 0, 11: 0, 12: 1 / 3}
    assert mechanism.pmf(11)[0].tolist() == [9, 10, 11, 12]
    assert mechanism.epsilon() == np.inf
    assert mechanism.delta(1) == pytest.approx(1 / 3)  # 9 never becomes 12, 10 does with 1/3


def test_other_tools_tables_are_mechanisms() -> None:
    table = ons_like()
    assert table.pmf(751)[0].tolist() == [749, 750, 751, 752, 753]
    assert np.array_equal(table.pmf(751)[1], table.pmf(1001)[1])
    check_mechanism(table, epsilon=1, draws=10_000)


@pytest.mark.parametrize(
    "mechanism",
    [rr3(), Mechanism(Counts(), (Row.of(0, [0.6, 0.4]),), (NOISE,)), Mechanism(Counts(2, 9), interior=(NOISE,))],
)
def test_every_shape_passes_the_suite(mechanism: Mechanism) -> None:
    check_mechanism(mechanism, epsilon=1)


def test_the_matrix_has_outputs_down_and_true_counts_across() -> None:
    matrix = np.array([[0.9, 0.2], [0.1, 0.8]])
    mechanism = Mechanism.from_matrix(matrix)
    assert np.array_equal(mechanism.matrix(), matrix)
    assert mechanism.pmf(0)[1].tolist() == [0.9, 0.1]


def test_noise_that_leaves_the_domain_makes_a_taller_matrix() -> None:
    matrix = Mechanism(Counts(0, 3), interior=(NOISE,)).matrix()
    assert matrix.shape == (6, 4)
    assert np.allclose(matrix.sum(axis=0), 1)
    assert matrix[1, 0] == 0.5  # output 0, count 0: the row of output -1 comes first


def test_noise_on_a_cycle_wraps() -> None:
    clock = Mechanism(Cycle(4), interior=(Row.of(0, [0.7, 0.1, 0.1, 0.1]),))
    assert clock.pmf(3)[1].tolist() == [0.1, 0.1, 0.1, 0.7]
    assert np.array_equal(np.diagonal(clock.matrix()), [0.7] * 4)
    assert clock.neighbours == (1, 2, 3)


def test_a_cycle_is_a_size_or_a_shape() -> None:
    assert Cycle(24) == Cycle(size=24) == Cycle((24,)) == Cycle(shape=(24,))
    with pytest.raises(MechanismError, match=r"size is 24 and shape is \(24,\);"):
        Cycle(24, shape=(24,))


def test_neighbours_of_a_cycle_are_closed_under_negation() -> None:
    assert Cycle(24).neighbours([1]) == (1, 23)
    assert Cycle((7, 24)).neighbours([(1, 0), (0, 5)]) == ((0, 5), (0, 19), (1, 0), (6, 0))


def test_a_cycle_of_two_dimensions_has_vectors() -> None:
    noise = np.arange(1, 13) / 78
    week = Mechanism(Cycle((3, 4)), interior=(Row(0, noise),), neighbours=[(1, 0), (0, 1)])
    outputs, probabilities = week.pmf((2, 3))
    where = {tuple(output): p for output, p in zip(outputs.tolist(), probabilities.tolist(), strict=True)}
    assert where[(2, 3)] == noise[0]
    assert where[(0, 0)] == noise[5]
    check_mechanism(week, epsilon=1)


def test_a_count_outside_the_domain_is_clamped() -> None:
    bounded = Mechanism(Counts(2, 5), interior=(NOISE,))
    assert bounded.pmf(0)[0].tolist() == bounded.pmf(2)[0].tolist()
    assert bounded.pmf(99)[0].tolist() == bounded.pmf(5)[0].tolist()


def test_a_mechanism_is_a_value() -> None:
    one, same = (Mechanism(Counts(), interior=(Row.of(-1, [0.25, 0.5, 0.25]),)) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != Mechanism(Counts(), interior=(Row.of(-1, [0.2, 0.6, 0.2]),))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.domain = Counts(1)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        one.interior[0].values[0] = 1
    with pytest.raises(TypeError):
        one.design["name"] = "other"  # type: ignore[index]


def test_a_mechanism_can_be_copied_and_its_rows_are_its_own() -> None:
    mechanism = Mechanism(Counts(), interior=(NOISE,))
    assert pickle.loads(pickle.dumps(mechanism)) == copy.deepcopy(mechanism) == mechanism
    given = np.array([0.25, 0.5, 0.25])
    row = Row(-1, given)
    given[0] = 9
    assert row.values.tolist() == [0.25, 0.5, 0.25]


def test_fractions_stay_exact() -> None:
    row = Row.of(0, [Fraction(1, 3), Fraction(2, 3)])
    assert (row.numerators, row.denominator) == ((1, 2), 3)
    assert row.values.tolist() == [1 / 3, 2 / 3]


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Mechanism(Counts(), interior=(Row.of(0, [0.5, 0.4]),)), "interior row 0 sums to 0.9;"),
        (lambda: Mechanism(Counts(), interior=(Row.of(0, [1.5, -0.5]),)), "interior row 0 holds -0.5;"),
        (lambda: Mechanism(Counts(), interior=(Row.of(0, [float("nan"), 1.0]),)), "interior row 0 holds nan;"),
        (lambda: Mechanism(Counts(), interior=(Row.of(0, []),)), "shape"),
        (lambda: Mechanism(Counts(), interior=(Row.of(0, ["x"]),)), "probabilities"),  # type: ignore[list-item]
        (lambda: Mechanism(Counts()), "interior"),
        (lambda: Mechanism(Counts(0, 3), rows=(NOISE,)), "4 counts, .* 1 rows"),
        (lambda: Mechanism(Counts(0, 0), rows=(NOISE,), interior=(NOISE,)), "1 counts and 1 rows"),
        (lambda: Mechanism(Cycle(3), interior=(Row.of(0, [0.5, 0.5]),)), "3 probabilities"),
        (lambda: Mechanism(Cycle(3), rows=(NOISE,), interior=(NOISE,)), "no other rows"),
        (lambda: Mechanism("counts", interior=(NOISE,)), "Counts"),  # type: ignore[arg-type]
        (lambda: Mechanism(Counts(), interior=([1.0],)), "Row.of"),  # type: ignore[arg-type]
        (lambda: Mechanism(Counts(), interior=(NOISE,), neighbours=0), "neighbours of Counts are 0;"),
        (lambda: Mechanism(Counts(), interior=(NOISE,), neighbours=(2,)), r"neighbours of Counts are \(2,\);"),
        (
            lambda: Mechanism(Cycle(3), interior=(Row.of(0, [1.0, 0.0, 0.0]),), neighbours=(3,)),
            r"neighbours of Cycle\(3\) are \(3,\);",
        ),
        (lambda: Mechanism(Cycle((2, 3)), interior=(Row.of(0, [1 / 6] * 6),), neighbours=(1,)), "difference is 1;"),
        (lambda: Mechanism.from_matrix([[1.0, 0.0]]), r"shape \(1, 2\);"),
        (lambda: Mechanism.from_matrix([[1.0], [1.0, 0.0]]), "square"),
        (lambda: Row.of(0.5, [1.0]), "starts at 0.5;"),  # type: ignore[arg-type]
        (lambda: Row.exact(0, [0, 0]), "denominator 0;"),
        (lambda: Mechanism(Counts(), interior=None), "interior is None;"),  # type: ignore[arg-type]
        (lambda: Mechanism(Counts(), interior=(NOISE,), neighbours=1.5), "neighbours of Counts are 1.5;"),
        (lambda: Counts(3, 2), "upper is 2, .* 3;"),
        (lambda: Counts(-1), "lower is -1;"),
        (lambda: Counts(0.5), "lower is 0.5;"),  # type: ignore[arg-type]
        (lambda: Cycle(1), "size is 1;"),
        (lambda: Cycle("ab"), "size is 'ab';"),  # type: ignore[arg-type]
        (lambda: Mechanism(Counts(), interior=(NOISE,)).matrix(), "no upper end"),
        (lambda: Mechanism(Counts(), interior=(NOISE,)).pmf(1.5), "count is 1.5;"),  # type: ignore[arg-type]
        (lambda: Mechanism(Cycle(2), interior=(Row.of(0, [0.5, 0.5]),)).bias(0), r"Cycle\(2\);"),
    ],
)
def test_what_is_no_mechanism_is_refused_by_name(make: object, named: str) -> None:
    with pytest.raises(MechanismError, match=named):
        make()  # type: ignore[operator]
