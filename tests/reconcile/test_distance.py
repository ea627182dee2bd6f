"""Published counts are compared with the measurements: what noise does passes, what it does not is named."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.errors import ReleaseError
from discreet.measure import lookup
from discreet.plan.layout import Layout
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
                    "categories": [str(at) for at in range(side)],
                    "levels": {"half": {"low": ["0", "1"], "high": [str(at) for at in range(2, side)]}},
                }
                for name, side in {"a": 9, "b": 6, "c": 5}.items()
            },
            "tables": [{"name": f"t{at}", "dimensions": axes, "margins": "all"} for at, axes in enumerate(tables)],
            "budget": {"epsilon": 1},
            "key": "fresh",
            **changes,
        }
    )
    plan = plan_with(resolve(spec), DESIGNS[design], None)
    return plan.layout, make_table_plan(plan), plan.ptable


def counted(layout: Layout, people: int, seed: int) -> Any:
    """True counts of a skewed population, for every distinct cell."""
    draw = np.random.default_rng(seed)
    codes = {}
    for book in layout.books:
        shares = 1 / np.arange(1, len(book.leaves)) ** 1.5  # nobody is _other
        codes[book.name] = draw.choice(len(shares), people, p=shares / shares.sum())
    truth = np.zeros(len(layout.cells[0]), dtype=np.int64)
    for grouping, here in zip(layout.groupings, layout.cells[1], strict=True):
        place = np.zeros(people, dtype=np.int64)
        for side in grouping.axes:
            group = {leaf: at for at, members in enumerate(side.members) for leaf in members}
            at = np.array([group[leaf] for leaf in range(len(side.book.leaves))])
            place = place * len(side.members) + at[codes[side.book.name]]
        truth[here] = np.bincount(place, minlength=grouping.size)
    return truth


@pytest.mark.parametrize("design", DESIGNS)
@given(st.sampled_from(TABLES), st.sampled_from([0, 30, 20_000]), st.integers(0, 2**32))
@settings(max_examples=15)
def test_what_noise_does_is_published(design: str, tables: list[Any], people: int, seed: int) -> None:
    layout, plan, ptable = planned(tables, design)
    keys = np.random.default_rng(seed).integers(0, 1 << ptable.bits, len(layout.cells[0]), dtype=np.uint64)
    drawn = np.asarray(ptable.perturb(counted(layout, people, seed), keys), dtype=np.int64)
    values = lookup.by_grouping(layout, drawn)
    assert list(too_far(plan, plan.fitted(values), values, ptable.table)) == []


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
def test_what_it_does_not_is_refused_and_named(change: Any, grouping: str) -> None:
    layout, plan, ptable = planned(TABLES[0], "geometric")
    truth = counted(layout, 20_000, 1)
    values = lookup.by_grouping(layout, np.asarray(ptable.perturb(truth), dtype=np.int64))
    (fitted,) = plan.fitted(values)
    place = next(at for at, each in enumerate(layout.groupings) if each.name == grouping)
    fitted.counts[place] = np.asarray(change(fitted.counts[place]))
    assert any(wrong.startswith(f"{grouping}: ") for wrong in too_far(plan, [fitted], values, ptable.table))
    with pytest.raises(ReleaseError, match="noise explains"):
        require_near(plan, [fitted], values, ptable.table)


def test_a_total_is_the_one_of_least_squares() -> None:
    """Wide noise explains a total that is a few standard deviations off; that it was settled does not."""
    layout, plan, ptable = planned(TABLES[0], "nothing but noise")
    values = lookup.by_grouping(layout, np.asarray(ptable.perturb(counted(layout, 20_000, 1)), dtype=np.int64))
    (fitted,) = plan.fitted(values)
    place = next(at for at, each in enumerate(layout.groupings) if each.name == "total")
    fitted.counts[place] = fitted.counts[place] + 2
    (wrong,) = too_far(plan, [fitted], values, ptable.table)
    assert wrong.startswith("total: published is ")


def test_counts_from_elsewhere_may_be_far_and_zeros_may_not() -> None:
    """A given count of a million is met; a given zero leaves everything else where it was measured."""
    for fixed, alarm in (({"where": {}, "count": 10**6}, False), ({"where": {"a": "_other"}, "count": 0}, True)):
        layout, plan, ptable = planned(TABLES[0], "geometric", fixed=[fixed])
        values = lookup.by_grouping(layout, np.asarray(ptable.perturb(counted(layout, 20_000, 2)), dtype=np.int64))
        (fitted,) = plan.fitted(values)
        assert list(too_far(plan, [fitted], values, ptable.table)) == []
        fitted.counts[0] = fitted.counts[0] * 0
        assert bool(list(too_far(plan, [fitted], values, ptable.table))) == alarm


def test_a_given_count_that_fits_does_not_excuse_nonsense() -> None:
    """The total is known and true: tables that are flat are as wrong as without it."""
    layout, plan, ptable = planned(TABLES[0], "geometric", fixed=[{"where": {}, "count": 20_000}])
    values = lookup.by_grouping(layout, np.asarray(ptable.perturb(counted(layout, 20_000, 2)), dtype=np.int64))
    (fitted,) = plan.fitted(values)
    assert list(too_far(plan, [fitted], values, ptable.table)) == []
    for place, counts in fitted.counts.items():
        fitted.counts[place] = np.full_like(counts, counts.mean())
    assert len(list(too_far(plan, [fitted], values, ptable.table))) >= 3


def test_the_total_of_a_hierarchy_is_the_one_of_least_squares() -> None:
    """Groups of one, two and six leaves: a plain mean of the sums of levels is another number."""
    layout, plan, ptable = planned(TABLES[3], "geometric")
    values = lookup.by_grouping(layout, np.asarray(ptable.perturb(counted(layout, 20_000, 2)), dtype=np.int64))
    (fitted,) = plan.fitted(values)
    place = next(at for at, each in enumerate(layout.groupings) if each.name == "total")
    assert plan.methods[0][1] == "tree"
    assert fitted.free is not None
    assert fitted.counts[place].item() == round(float(fitted.free[place].item()))
    fitted.counts[place] = fitted.counts[place] + 2
    assert any("which settles it" in wrong for wrong in too_far(plan, [fitted], values, ptable.table))


def test_a_zero_that_is_none_is_seen_in_the_measurements() -> None:
    layout, plan, ptable = planned(TABLES[0], "geometric", fixed=[{"where": {"a": "0"}, "count": 0}])
    values = lookup.by_grouping(layout, np.asarray(ptable.perturb(counted(layout, 20_000, 3)), dtype=np.int64))
    with pytest.raises(ReleaseError, match="fixed gives 0 for a: 0"):
        require_near(plan, plan.fitted(values), values, ptable.table)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("cells", [1, 30, 10_000])
def test_the_limits_are_those_of_the_certified_noise(design: str, cells: int) -> None:
    """By the weights themselves: one cell exactly, and in root mean square no less than the standard deviation."""
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
