"""Published counts are compared with the measurements: distances that noise explains pass, others are named."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.errors import ReleaseError
from discreet.plan.layout import Layout
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.noise_table import ReleaseNoise
from discreet.plan.release_plan import plan_with, resolve
from discreet.reconcile.distance import CHANCE, Noise, require_near, too_far
from discreet.reconcile.table_plan import TablePlan, make_table_plan
from discreet.release import ReleaseSpec

DESIGNS = {
    "geometric": discreet.design.geometric(epsilon="0.1").certify(),
    "nearly none": discreet.design.geometric(epsilon=5).certify(),
    "nothing but noise": discreet.design.geometric(epsilon="0.01").certify(),
    "gaussian": discreet.design.gaussian(sigma2=180, support=70).certify(epsilon=1),
}
TABLES: list[list[Any]] = [
    [["a", "b", "c"]],
    [["a", "b"], ["b", "c"], ["a", "c"]],
    [[{"dimension": "a", "level": "half"}, "c"], ["a", "b"]],
    [["a"]],
]


def planned(tables: list[Any], design: str, **changes: Any) -> tuple[Layout, TablePlan, discreet.PTable]:
    spec = ReleaseSpec.model_validate(
        {
            "version": "1",
            "source": {"csv": "x"},
            "dimensions": {
                name: {
                    "column": name,
                    "categories": [str(category) for category in range(side)],
                    "levels": {"half": {"low": ["0", "1"], "high": [str(category) for category in range(2, side)]}},
                }
                for name, side in {"a": 9, "b": 6, "c": 5}.items()
            },
            "tables": [
                {"name": f"t{number}", "dimensions": axes, "margins": "all"} for number, axes in enumerate(tables)
            ],
            "budget": {"epsilon": 1},
            "key": "fresh",
            **changes,
        }
    )
    resolved = resolve(spec)
    plan = plan_with(resolved, ReleaseNoise.of_one_table(resolved.layout, DESIGNS[design]), None)
    return plan.layout, make_table_plan(plan), plan.ptable


def counted(layout: Layout, people: int, seed: int) -> Any:
    """Return the true counts of a skewed population, for every distinct cell."""
    draw = np.random.default_rng(seed)
    codes = {}
    for book in layout.books:
        shares = 1 / np.arange(1, len(book.leaves)) ** 1.5  # nobody is _other
        codes[book.name] = draw.choice(len(shares), people, p=shares / shares.sum())
    truth = np.zeros(len(layout.cells.definitions), dtype=np.int64)
    for grouping, distinct_cells in zip(layout.groupings, layout.cells.indices, strict=True):
        cells = np.zeros(people, dtype=np.int64)
        for axis in grouping.axes:
            group_of = {leaf: group for group, members in enumerate(axis.members) for leaf in members}
            groups = np.array([group_of[leaf] for leaf in range(len(axis.book.leaves))])
            cells = cells * len(axis.members) + groups[codes[axis.book.name]]
        truth[distinct_cells] = np.bincount(cells, minlength=grouping.size)
    return truth


def grouping_index(layout: Layout, name: str) -> int:
    return next(index for index, grouping in enumerate(layout.groupings) if grouping.name == name)


def measured(layout: Layout, ptable: discreet.PTable, seed: int) -> list[Any]:
    """Return the measurements of every grouping of 20,000 people."""
    drawn = np.asarray(ptable.perturb(counted(layout, 20_000, seed)), dtype=np.int64)
    return list(MeasuredCells.all_alike(layout).by_grouping(drawn))


@pytest.mark.parametrize("design", DESIGNS)
@given(st.sampled_from(TABLES), st.sampled_from([0, 30, 20_000]), st.integers(0, 2**32))
@settings(max_examples=15)
def test_tables_that_noise_explains_are_published(design: str, tables: list[Any], people: int, seed: int) -> None:
    layout, plan, ptable = planned(tables, design)
    keys = np.random.default_rng(seed).integers(0, 1 << ptable.bits, len(layout.cells.definitions), dtype=np.uint64)
    drawn = np.asarray(ptable.perturb(counted(layout, people, seed), keys), dtype=np.int64)
    values = plan.measured.by_grouping(drawn)
    assert list(too_far(plan, plan.fitted(values), values, [ptable.table])) == []


@pytest.mark.parametrize(
    ("change", "grouping"),
    [
        (lambda counts: counts // 2, "total"),
        (lambda counts: counts * 0, "a by b by c"),
        (lambda counts: np.full_like(counts, counts.mean()), "a by b by c"),
        (lambda counts: counts + 40, "a by b by c"),  # three standard deviations, in every cell
        (lambda counts: counts[::-1], "a"),
        (lambda counts: np.where(counts == counts.max(), 0, counts), "a"),
    ],
)
def test_tables_that_noise_does_not_explain_are_refused_and_named(change: Any, grouping: str) -> None:
    layout, plan, ptable = planned(TABLES[0], "geometric")
    values = measured(layout, ptable, 1)
    (fitted,) = plan.fitted(values)
    index = grouping_index(layout, grouping)
    fitted.counts[index] = np.asarray(change(fitted.counts[index]))
    assert any(failure.startswith(f"{grouping}: ") for failure in too_far(plan, [fitted], values, [ptable.table]))
    with pytest.raises(ReleaseError, match="noise explains"):
        require_near(plan, [fitted], values, [ptable.table])


def test_a_total_is_that_of_least_squares() -> None:
    """Wide noise explains a total that is 2 off, but a settled total must be least squares, rounded."""
    layout, plan, ptable = planned(TABLES[0], "nothing but noise")
    values = measured(layout, ptable, 1)
    (fitted,) = plan.fitted(values)
    total = grouping_index(layout, "total")
    fitted.counts[total] = fitted.counts[total] + 2
    (failure,) = too_far(plan, [fitted], values, [ptable.table])
    assert failure.startswith("total: published is ")


def test_counts_from_elsewhere_may_be_far_and_zeros_may_not() -> None:
    """A given count of a million, with a reason, is met; a given zero leaves other counts near their measurements."""
    million = {"where": {}, "count": 10**6, "differs": "a register of all people"}
    for fixed, refused in ((million, False), ({"where": {"a": "_other"}, "count": 0}, True)):
        layout, plan, ptable = planned(TABLES[0], "geometric", fixed=[fixed])
        values = measured(layout, ptable, 2)
        (fitted,) = plan.fitted(values)
        assert list(too_far(plan, [fitted], values, [ptable.table])) == []
        fitted.counts[0] = fitted.counts[0] * 0
        assert bool(list(too_far(plan, [fitted], values, [ptable.table]))) == refused


def test_a_given_count_without_a_reason_does_not_excuse_tables_that_are_far() -> None:
    layout, plan, ptable = planned(TABLES[0], "geometric", fixed=[{"where": {}, "count": 10**6}])
    values = measured(layout, ptable, 2)
    failures = list(too_far(plan, plan.fitted(values), values, [ptable.table]))
    assert any(failure.startswith("total: ") for failure in failures)


def test_a_given_count_that_fits_does_not_excuse_nonsense() -> None:
    """The given total is true: flat tables are as wrong as without it."""
    layout, plan, ptable = planned(TABLES[0], "geometric", fixed=[{"where": {}, "count": 20_000}])
    values = measured(layout, ptable, 2)
    (fitted,) = plan.fitted(values)
    assert list(too_far(plan, [fitted], values, [ptable.table])) == []
    for index, counts in fitted.counts.items():
        fitted.counts[index] = np.full_like(counts, counts.mean())
    assert len(list(too_far(plan, [fitted], values, [ptable.table]))) >= 3


def test_the_total_of_a_hierarchy_is_that_of_least_squares() -> None:
    """With groups of one, two and six leaves, a plain mean of the sums of levels is another number."""
    layout, plan, ptable = planned(TABLES[3], "geometric")
    values = measured(layout, ptable, 2)
    (fitted,) = plan.fitted(values)
    total = grouping_index(layout, "total")
    assert plan.methods[0][1] == "tree"
    assert fitted.free is not None
    assert fitted.counts[total].item() == round(float(fitted.free[total].item()))
    fitted.counts[total] = fitted.counts[total] + 2
    failures = list(too_far(plan, [fitted], values, [ptable.table]))
    assert any(failure.startswith("total: published is ") for failure in failures)


def test_a_given_zero_that_is_wrong_is_seen_in_the_measurements() -> None:
    layout, plan, ptable = planned(TABLES[0], "geometric", fixed=[{"where": {"a": "0"}, "count": 0}])
    values = measured(layout, ptable, 3)
    with pytest.raises(ReleaseError, match="0 for a: 0"):
        require_near(plan, plan.fitted(values), values, [ptable.table])


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("cells", [1, 30, 10_000])
def test_the_limits_are_those_of_the_certified_noise(design: str, cells: int) -> None:
    """The limit of one cell is exact by the weights; the root mean square is no less than the standard deviation."""
    table = DESIGNS[design].table
    noise, row = Noise(table), table.row(10**6)
    sizes = np.abs(np.arange(len(row.weights)) + row.first - 10**6)
    shares = np.array([weight / table.total for weight in row.weights])
    assert shares[sizes > noise.largest(cells)].sum() <= CHANCE / cells * (1 + 1e-9)
    assert shares[sizes > noise.largest(cells) - 2].sum() > CHANCE / cells
    assert noise.mean_square(cells) >= noise.deviation**2
    if cells == 1:
        assert shares[sizes**2 > noise.mean_square(1)].sum() <= CHANCE * (1 + 1e-9)
    else:
        assert noise.mean_square(cells) <= noise.mean_square(1)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("cells", [1, 2, 9, 60])
def test_sums_of_noise_are_bounded_and_not_by_much_more_than_they_need(design: str, cells: int) -> None:
    """The exact distribution of the sum, by convolution, against the bound by moments."""
    table = DESIGNS[design].table
    row = table.row(10**6)
    one = np.array([weight / table.total for weight in row.weights])
    distribution = np.ones(1)
    for _ in range(cells):
        distribution = np.convolve(distribution, one)
    sizes = np.abs(np.arange(len(distribution)) + cells * (row.first - 10**6))
    limit = Noise(table).largest_sum(cells, 1e-6)
    assert distribution[sizes > limit].sum() <= 1e-6
    assert distribution[sizes > limit / 1.6 - 1].sum() > 1e-6
