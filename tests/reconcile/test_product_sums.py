"""Coefficients of sums over products of groups, against the coefficients of all cells."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from discreet.reconcile.joint_estimates import ComponentEstimates, joint_estimates
from discreet.reconcile.product_sums import coefficients_of_product, kind_of_axis
from tests.reconcile.test_joint_estimates import SPECIFICATIONS, planned

DIGITS = 9


def rounded(values: np.ndarray, numbers: np.ndarray) -> Counter[float]:
    """Return how many cells have each coefficient, without 0."""
    count: Counter[float] = Counter()
    for value, number in zip((np.round(values, DIGITS) + 0.0).tolist(), numbers.tolist(), strict=True):
        if value:
            count[value] += round(number)
    return +count


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_a_sum_over_a_product_has_the_coefficients_of_its_cells(name: str) -> None:
    plan, table_plan = planned(name)
    rng = np.random.default_rng(5)
    compared = 0
    for _, part in table_plan.parts:
        estimates = joint_estimates(part, plan.measured, table_plan.noise_variances)
        if not isinstance(estimates, ComponentEstimates):
            continue
        for index in estimates.groupings:
            shape = plan.layout.groupings[index].shape
            by_kind: dict[object, dict[int, Counter[float]]] = {}
            for _ in range(12):
                groups = [np.flatnonzero(rng.random(side) < rng.choice([0.2, 0.6, 1.0])) for side in shape]
                groups = [own if len(own) else np.array([0]) for own in groups]
                mask = np.zeros(shape)
                mask[np.ix_(*groups)] = 1
                direct = {table: Counter[float]() for table, *_ in estimates.coefficients({index: mask})}
                for table, values in estimates.coefficients({index: mask}):
                    direct[table] += rounded(values, np.ones(len(values)))
                short = {table: Counter[float]() for table in direct}
                for table, values, numbers in coefficients_of_product(estimates, index, groups):
                    short[table] += rounded(values, numbers)
                assert short == direct
                kind = tuple(kind_of_axis(estimates, index, axis, own) for axis, own in enumerate(groups))
                assert by_kind.setdefault(kind, direct) == direct
                compared += 1
    assert compared or name in ("two hierarchies", "levels that cross")


def test_sets_of_groups_that_look_alike_in_the_tree_are_of_one_kind() -> None:
    plan, table_plan = planned("unequal groups, one of them with one member")
    [(_, part)] = table_plan.parts
    estimates = joint_estimates(part, plan.measured, table_plan.noise_variances)
    assert isinstance(estimates, ComponentEstimates)
    kinds = {
        pair: kind_of_axis(estimates, 0, 0, np.array(pair))
        for pair in product(range(3, 6), range(3, 6))
        if len({*pair}) > 1
    }
    assert len(set(map(repr, kinds.values()))) == 1  # two of the three members of z
    across = kind_of_axis(estimates, 0, 0, np.array([1, 3]))
    assert across != next(iter(kinds.values()))
