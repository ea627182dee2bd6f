import math
from itertools import combinations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.plan.planner import Workload
from tests.plan.planner import GOLDEN, all_levels, dense_estimator, golden_precisions, golden_workload


@pytest.mark.parametrize("name", ["town", "adult"])
def test_standard_deviations_are_the_golden_ones(name: str) -> None:
    workload = golden_workload(name)
    for plan in GOLDEN[name]["plans"].values():
        deviations = np.sqrt(workload.variances(golden_precisions(plan["design"])))
        assert np.abs(deviations - plan["sd"]).max() < 1e-9


@pytest.mark.parametrize("axes", [((1, 3), (1, 2), (1, 2)), ((1, 2, 6), (1, 3)), ((1, 2, 4, 8),)])
def test_variances_agree_with_dense_least_squares(axes: tuple[tuple[int, ...], ...]) -> None:
    workload = all_levels(axes)
    generator = np.random.default_rng(5)
    tau = generator.uniform(0.1, 2, len(workload.groupings)) * (generator.random(len(workload.groupings)) < 0.7)
    tau[-1] = 0.5  # the finest grouping determines all others
    noise = 1 / np.where(tau > 0, tau, 1)
    for grouping, variance in enumerate(workload.variances(tau)):
        estimator, owners = dense_estimator(workload, tau, grouping)
        dense = (estimator**2 * noise[owners]).sum(axis=1)
        assert np.abs(dense / variance - 1).max() < 1e-12


def test_a_grouping_is_determined_by_a_finer_one_and_by_no_coarser_one() -> None:
    workload = Workload(axes=((1, 4), (1, 3)), groupings=((1, 1), (1, 0), (0, 1), (0, 0)))
    assert workload.undetermined([0]) == []
    assert workload.undetermined([1, 2]) == [0]
    assert workload.undetermined([1]) == [0, 2]
    assert math.isinf(workload.variances([0, 1, 0, 0])[2])


def test_an_axis_with_one_category_changes_nothing() -> None:
    plain = Workload(axes=((1, 4),), groupings=((1,), (0,)))
    single = Workload(axes=((1, 4), (1, 1)), groupings=((1, 1), (0, 0)))
    assert single.variances([0.3, 0.2]).tolist() == plain.variances([0.3, 0.2]).tolist()


def test_spaces_are_those_of_published_groupings_and_not_of_the_cube() -> None:
    margins = [axes for size in range(4) for axes in combinations(range(25), size)]
    workload = Workload(((1, 10),) * 25, tuple(tuple(int(axis in kept) for axis in range(25)) for kept in margins))
    assert len(margins) == len(workload.spaces.dimensions) == 2626
    assert workload.spaces.dimensions.sum() == sum(9 ** len(kept) for kept in margins)


def test_several_plans_are_evaluated_at_a_time() -> None:
    workload = golden_workload("town")
    plans = np.array([golden_precisions(plan["design"]) for plan in GOLDEN["town"]["plans"].values()])
    assert np.allclose(workload.variances(plans), [workload.variances(plan) for plan in plans], rtol=1e-14)


@pytest.mark.parametrize(
    ("axes", "groupings", "touches", "named"),
    [
        (((2, 3),), ((1,),), None, "(2, 3)"),
        (((1, 5, 3),), ((1,),), None, "(1, 5, 3)"),
        (((1, 3),), (), None, "groupings"),
        (((1, 3),), ((2,),), None, "(2,)"),
        (((1, 3),), ((1, 0),), None, "(1, 0)"),
        (((1, 3),), ((1,), (1,)), None, "(1,)"),
        (((1, 3),), ((1,),), (0,), "0"),
        (((1, 3),), ((1,),), (1, 1), "(1, 1)"),
        (((1, 3.5),), ((1,),), None, "3.5"),
        (3, ((1,),), None, "3"),
        (((1, 2),) * 40, ((1,) * 40,), None, str(2**40)),
    ],
)
def test_axes_groupings_and_touches_that_do_not_fit_are_refused(
    axes: object, groupings: object, touches: object, named: str
) -> None:
    with pytest.raises(ParameterError) as error:
        Workload(axes, groupings, touches)  # type: ignore[arg-type]
    assert named in str(error.value)
