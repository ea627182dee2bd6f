from itertools import product

import numpy as np
import pytest

import discreet as dc
from discreet.certify.ptable import PTable
from discreet.errors import ParameterError, UndeterminedError
from discreet.plan.planner import Workload
from discreet.plan.planner.error_law import coefficients, error_law
from tests.plan.planner import GOLDEN, all_levels, dense_estimator, golden_precisions, golden_workload


def geometric(epsilon: str) -> PTable:
    return dc.design.geometric(epsilon=epsilon).certify(bits=48)


@pytest.mark.parametrize("axes", [((1, 3), (1, 2), (1, 2)), ((1, 2, 6), (1, 3)), ((1, 2, 4, 8),)])
def test_coefficients_are_those_of_dense_least_squares(axes: tuple[tuple[int, ...], ...]) -> None:
    workload = all_levels(axes)
    generator = np.random.default_rng(9)
    tau = generator.uniform(0.1, 2, len(workload.groupings)) * (generator.random(len(workload.groupings)) < 0.7)
    tau[-1] = 0.5
    for grouping in range(len(workload.groupings)):
        estimator, owners = dense_estimator(workload, tau, grouping)
        for part in coefficients(workload, tau, grouping):
            expected = np.sort(estimator[0][[owner == part.grouping for owner in owners]])
            found = np.sort(np.repeat(part.values, part.multiplicities.astype(int)))
            assert np.abs(found - expected).max() < 1e-12


@pytest.mark.parametrize("name", ["town", "adult"])
def test_coefficients_of_cells_that_hold_a_person_add_up_to_whether_the_cell_holds_the_person(name: str) -> None:
    workload = golden_workload(name)
    for plan in ("RP grp G", "L grp"):
        tau = golden_precisions(GOLDEN[name]["plans"][plan]["design"])
        for grouping, levels in enumerate(workload.groupings):
            parts = coefficients(workload, tau, grouping)
            for agreed in product(*(range(level + 1) for level in levels)):
                total = 0.0
                for part in parts:
                    shared = [min(pair) for pair in zip(levels, workload.groupings[part.grouping], strict=True)]
                    depth = tuple(min(pair) for pair in zip(agreed, shared, strict=True))
                    total += part.values.reshape([level + 1 for level in shared])[depth]
                assert total == pytest.approx(float(agreed == levels), abs=1e-12)


@pytest.mark.parametrize("name", ["town", "adult"])
def test_coefficients_have_the_variance_of_the_plan(name: str) -> None:
    workload = golden_workload(name)
    for plan in GOLDEN[name]["plans"].values():
        tau = golden_precisions(plan["design"])
        for grouping, variance in enumerate(workload.variances(tau)):
            parts = coefficients(workload, tau, grouping)
            total = sum((part.multiplicities * part.values**2).sum() / tau[part.grouping] for part in parts)
            assert total / variance == pytest.approx(1, abs=1e-12)


def test_the_law_of_one_noise_has_the_quantiles_of_its_table() -> None:
    workload = Workload(axes=((1, 4),), groupings=((1,),))
    for epsilon in ("0.1", "0.5", "2"):
        table = geometric(epsilon)
        row = table.interior[0]
        chances = np.array(row.weights) / 2.0**table.bits
        law = error_law(workload, (table,), (0,), 0)
        for level in (0.5, 0.9, 0.95, 0.999):
            quantile = law.quantile(level)
            inside = chances[np.abs(np.arange(len(chances)) + row.first) <= quantile].sum()
            below = chances[np.abs(np.arange(len(chances)) + row.first) <= np.floor(quantile) - 1].sum()
            assert below < level <= inside


def test_the_smoothed_law_of_two_noises_is_their_convolution() -> None:
    workload = Workload(axes=((1, 1),), groupings=((1,), (0,)))
    tables = geometric("0.5"), geometric("0.25")
    law = error_law(workload, tables, (0, 1), 0)
    shares = np.array([1 / float(table.utility["variance"][0]) for table in tables])
    shares /= shares.sum()
    first, second = ((np.arange(len(t.interior[0].weights)) + t.interior[0].first) for t in tables)
    chances = [np.array(t.interior[0].weights) / 2.0**t.bits for t in tables]
    values = (shares[0] * first[:, None] + shares[1] * second[None, :]).ravel()
    together = np.outer(*chances).ravel()
    for x in (-7.03, -1.07, 0.111, 2.513, 9.07):
        assert law.smoothed_cdf(x) == pytest.approx(together[values <= x].sum(), abs=0.01)
        smeared = sum(together[np.abs(values - x) < 0.06])
        assert abs(law.smoothed_cdf(x) - together[values <= x].sum()) <= smeared + 1e-7


def test_intervals_cover_counts_of_a_measured_and_of_an_unmeasured_grouping() -> None:
    """A wrong law, such as the normal one, covers 93.8% somewhere; 95% by chance fall below 94.6% once in 10,000."""
    workload = golden_workload("town")
    tables = tuple(geometric(epsilon) for epsilon in ("0.148", "0.1318", "0.1986", "0.5214"))
    noise_of = (0, 1, None, None, None, 2, None, None, None, 3)
    tau = [0.0 if index is None else 1 / float(tables[index].utility["variance"][0]) for index in noise_of]
    generator = np.random.default_rng(3)
    for grouping in (0, 3, 4):
        law = error_law(workload, tables, noise_of, grouping)
        errors = np.zeros(40_000)
        estimator, owners = dense_estimator(workload, tau, grouping)
        for owner, coefficient in zip(owners, estimator[0], strict=True):
            index = noise_of[owner]
            assert index is not None
            row = tables[index].interior[0]
            chances = np.array(row.weights) / 2.0**48
            errors += coefficient * (generator.choice(len(chances), len(errors), p=chances) + row.first)
        low, high = law.interval(1000 + errors, 0.95)
        assert 0.946 < np.mean((low <= 1000) & (high >= 1000)) < 0.97
        low, high = law.interval(7 + errors, 0.95)  # intervals that begin at 0 are longer
        assert np.mean((low <= 7) & (high >= 7)) > 0.946
        assert law.deviation == pytest.approx(errors.std(), rel=0.02)


def test_an_interval_below_0_goes_from_0_to_the_half_width() -> None:
    law = error_law(Workload(axes=(), groupings=((),)), (geometric("0.5"),), (0,), 0)
    low, high = law.interval([-30.0, 0.0, 100.0], 0.95)
    assert low.tolist() == [0, 0, 94]
    assert high.tolist() == [6, 6, 106]


def test_noise_that_depends_on_the_count_has_no_law() -> None:
    workload = Workload(axes=(), groupings=((),))
    restricted = dc.design.geometric(epsilon=1, upper=20).certify()
    with pytest.raises(ParameterError):
        error_law(workload, (restricted,), (0,), 0)


def test_a_law_is_refused_for_what_was_not_determined() -> None:
    workload = Workload(axes=((1, 4),), groupings=((1,), (0,)))
    table = geometric("0.5")
    with pytest.raises(UndeterminedError) as error:
        error_law(workload, (table,), (None, 0), 0)
    assert error.value.grouping == 0
    for noise_of, grouping in (((0,), 0), ((1, 0), 0), ((0, 0), 2)):
        with pytest.raises(ParameterError):
            error_law(workload, (table,), noise_of, grouping)
    with pytest.raises(ParameterError) as level:
        error_law(workload, (table,), (0, 0), 0).quantile(1.5)
    assert "1.5" in str(level.value)


def test_a_law_of_unequal_groups_says_that_it_is_not_exact() -> None:
    table = geometric("0.5")
    unequal = Workload(axes=((1, 3, 8),), groupings=((2,), (1,)))
    equal = Workload(axes=((1, 4, 8),), groupings=((2,), (1,)))
    assert not error_law(unequal, (table,), (0, 0), 0).is_exact
    assert error_law(equal, (table,), (0, 0), 0).is_exact
