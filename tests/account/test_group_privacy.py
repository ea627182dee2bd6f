"""Many rows of one person: the bound by group privacy, against every way in which few rows fall into cells."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Mechanism, design
from discreet.account import compose, profile
from discreet.account.composition import MOST_PARTITIONED
from discreet.account.group_privacy import group_profile
from discreet.account.ledger.currency import Budget, choose_unit, unit_holds
from discreet.certify.ptable import PTable
from tests.account.examples import EXAMPLE, Distribution, above, composed, pairs, tiny

EPSILONS = np.array([0, 0.05, 0.2, 0.5, 1, 2, 4, 8])

TABLES = {
    "geometric": design.geometric(epsilon="0.2", support=90).certify(),
    "geometric, 62 bits": design.geometric(epsilon="0.2", support=90).certify(bits=62),
    "gaussian": design.gaussian(sigma2=400, support=140).certify(epsilon="0.5", bits=62),
    "maximum entropy": design.maxent(epsilon="0.5", delta="1e-4").certify(),
    "counts to 20": design.geometric(epsilon="0.1", upper=20).certify(),
    "staircase": design.staircase(epsilon=1, sensitivity=5).certify(bits=48),
    "bounded": design.bounded(epsilon=1, eta="0.4", support=6).certify(),
}


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write the total as a sum of falling parts."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in partitions(total - part, part):
            yield (part, *rest)


def distinct(mechanism: Mechanism, distance: int) -> list[tuple[Distribution, Distribution]]:
    found = {(tuple(p.items()), tuple(q.items())): (p, q) for p, q in pairs(mechanism, distance) if p != q}
    return list(found.values())


@settings(max_examples=60, deadline=None)
@given(tiny(most_rows=4), st.integers(1, 4), st.floats(0, 4))
def test_the_bound_holds_for_every_partition_of_every_total(mechanism: Mechanism, rows: int, epsilon: float) -> None:
    """Each partition is composed by hand, over all outcomes, for all pairs of counts, in fractions."""
    bound = Fraction(float(group_profile(mechanism, rows).delta(epsilon)))
    by_distance = {distance: distinct(mechanism, distance) for distance in range(1, rows + 1)}
    for total in range(1, rows + 1):
        for partition in partitions(total, total):
            parts = [by_distance[distance] for distance in partition]
            if 0 < math.prod(len(part) for part in parts) <= 200:
                assert bound >= composed(parts, above(epsilon))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("rows", [2, 3, 7, MOST_PARTITIONED])
def test_the_bound_is_not_below_the_exact_composition_of_all_partitions(name: str, rows: int) -> None:
    """The exact composition is itself an upper bound, by a lattice: what it adds is taken off."""
    exact = compose(TABLES[name], contributions=rows)
    at_steps = np.isclose(exact.delta(EPSILONS * (1 + 1e-6)), exact.delta(EPSILONS), rtol=1e-4, atol=1e-12)
    bound = group_profile(TABLES[name], rows).delta(EPSILONS)
    profiles = {distance: profile(TABLES[name], distance) for distance in range(1, rows + 1)}
    for split in partitions(rows, rows):
        together = compose([(profiles[distance], 1) for distance in split])
        least = together.delta(EPSILONS) - together.error(EPSILONS)
        assert (bound[at_steps] >= least[at_steps] * (1 - 1e-5) - 1e-9).all()


@pytest.mark.parametrize("name", ["geometric", "geometric, 62 bits", "gaussian", "maximum entropy"])
@pytest.mark.parametrize("rows", [1, 2, 10, 50, 1000])
def test_log_concave_noise_costs_what_all_rows_in_one_cell_cost(name: str, rows: int) -> None:
    bound, one_cell = group_profile(TABLES[name], rows).delta(EPSILONS), profile(TABLES[name], rows).delta(EPSILONS)
    assert (bound >= one_cell * (1 - 1e-10) - 1e-13).all()
    shown = one_cell > 1e-6
    assert np.allclose(bound[shown], one_cell[shown], rtol=1e-3)


@settings(max_examples=30, deadline=None)
@given(tiny(most_rows=4), st.integers(1, 60), st.floats(0.01, 3))
def test_the_bound_is_not_above_the_rule_with_equal_shares(mechanism: Mechanism, rows: int, epsilon: float) -> None:
    """K rows: k epsilon, and delta (e**(k epsilon) - 1) / (e**epsilon - 1)."""
    rule = float(profile(mechanism, 1).delta(epsilon)) * math.expm1(rows * epsilon) / math.expm1(epsilon)
    assert group_profile(mechanism, rows).delta(rows * epsilon) <= min(rule, 1) * (1 + 1e-4) + 1e-9


@pytest.mark.parametrize("name", TABLES)
def test_more_rows_cost_more(name: str) -> None:
    costs = [group_profile(TABLES[name], rows).delta(EPSILONS) for rows in (1, 2, 11, 12, 100)]
    for fewer, more in itertools.pairwise(costs):
        assert (more >= fewer * (1 - 1e-9)).all()


def test_one_row_costs_its_profile() -> None:
    for table in TABLES.values():
        bound, exact = group_profile(table, 1).delta(EPSILONS), profile(table, 1).delta(EPSILONS)
        assert np.allclose(bound, exact, rtol=1e-6, atol=1e-9)


def test_pure_noise_stays_pure() -> None:
    """Rows of noise without an end cost epsilon each and nothing else."""
    many = group_profile(TABLES["counts to 20"], 100)
    assert many.delta(10 * (1 + 1e-9)) == 0
    assert many.floor == 0


def test_groupings_with_many_rows_compose() -> None:
    """Bells: k rows in each of T groupings lose what one row loses if the noise is k times as narrow."""
    wide = design.gaussian(sigma2=40_000, support=1600).certify(epsilon="0.1", bits=62)
    narrow = design.gaussian(sigma2=4, support=16).certify(epsilon="0.5", bits=62)
    many, one = compose(wide, 6, contributions=100), compose(narrow, 6)
    assert many.delta([1, 3, 6]) == pytest.approx(one.delta([1, 3, 6]), rel=0.1)
    assert (many.delta([1, 3, 6]) >= compose(profile(wide, 100), 6).delta([1, 3, 6]) * (1 - 1e-6)).all()


def test_eleven_rows_cost_more_than_ten_and_less_than_twelve() -> None:
    """The method changes after ten rows."""
    ten, eleven, twelve = (compose(EXAMPLE, 3, contributions=rows).delta(EPSILONS) for rows in (10, 11, 12))
    assert (ten <= eleven).all()
    assert (eleven <= twelve).all()


def bell() -> PTable:
    return design.gaussian(sigma2=10_000, support=700).certify(epsilon="0.1", bits=62)


def test_a_ledger_counts_groupings_of_many_rows() -> None:
    budget = Budget.of(5, "1e-6")
    unit, capacity = choose_unit(bell(), budget, contributions=50)
    assert compose(bell(), capacity, contributions=50).delta(5) <= 1e-6
    assert compose(bell(), capacity + 1, contributions=50).delta(5) > 1e-6
    assert unit_holds(unit, budget, capacity)
    assert not unit_holds(unit, budget, capacity + 1)
    assert unit.cost([(bell(), 2)], 50, capacity) == 2


def test_fewer_rows_cost_a_ledger_less_and_more_rows_cost_more() -> None:
    unit, capacity = choose_unit(bell(), Budget.of(20, "1e-6"), contributions=50)
    costs = [unit.cost([(bell(), 2)], rows, capacity) for rows in (5, 20, 50, 80)]
    assert None not in costs
    assert costs == sorted(costs, key=lambda cost: cost or 0)
    assert costs[0] == 1
    assert costs[2] == 2
    assert costs[3] is not None
    assert costs[3] > 2
