"""Least squares as a linear function of the measurements, against the equations of all combinations of leaves."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.plan.release_plan import ReleasePlan
from discreet.reconcile.cliques import Part
from discreet.reconcile.joint_estimates import ComponentEstimates, joint_estimates
from discreet.reconcile.table_plan import TablePlan, make_table_plan

LEVELS = {
    "states": {"x": ["0"], "y": ["1", "2"], "z": ["3", "4", "5"]},
    "countries": {"p": ["0"], "q": ["1", "2", "3", "4", "5"]},
    "crossing": {"r": ["0", "1"], "s": ["2", "3"]},
    "everybody": {"all": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "_other"]},
}


def dimension(name: str, size: int, levels: Any = None) -> dict[str, Any]:
    return {"column": name, "categories": [str(number) for number in range(size)], "levels": levels or {}}


DIMENSIONS = {"a": dimension("a", 9, LEVELS), "b": dimension("b", 3), "c": dimension("c", 2), "d": dimension("d", 4)}


def table(name: str, *dimensions: Any, margins: Any = "all", **more: Any) -> dict[str, Any]:
    axes = [{"dimension": "a", "level": axis} if str(axis) in LEVELS else axis for axis in dimensions]
    return {"name": name, "dimensions": axes, "margins": margins, **more}


GEOMETRIC = {"name": "geometric", "epsilon": "0.5"}

SPECIFICATIONS: dict[str, dict[str, Any]] = {
    "one list": {"tables": [table("t", "a")]},
    "two dimensions": {"tables": [table("t", "a", "b")]},
    "tables that share a dimension": {"tables": [table("t", "d", "b", margins=[["b"]]), table("u", "c", "b")]},
    "a circle": {"tables": [table("t", "b", "c"), table("u", "c", "d"), table("v", "d", "b", margins="none")]},
    "unequal groups, one of them with one member": {
        "tables": [table("t", "a", "b"), table("s", "states", "b"), table("p", "countries", "b", margins=[[]])]
    },
    "a level that holds everybody": {"tables": [table("t", "a", "b"), table("e", "everybody", "b")]},
    "two hierarchies": {
        "dimensions": {"a": DIMENSIONS["a"], "e": dimension("e", 3, {"pairs": {"one": ["0"], "two": ["1", "2"]}})},
        "tables": [
            table("t", "a", "e"),
            table("s", "states", {"dimension": "e", "level": "pairs"}),
        ],
    },
    "levels that cross": {"tables": [table("t", "a"), table("s", "states"), table("x", "crossing")]},
    "filters": {"tables": [table("t", "a", "b"), table("f", "a", "b", filter={"b": ["1", "2"], "a": ["x", "y"]})]},
    "several noises": {
        "tables": [table("t", "a", "b"), table("s", "states", "b")],
        "measure": [
            {"table": "t", "design": GEOMETRIC},
            {"table": "s", "margin": ["b"], "design": {"name": "geometric", "epsilon": "0.25"}},
            {"table": "s", "margin": ["a"], "design": {"name": "geometric", "epsilon": "0.125"}},
        ],
    },
    "margins that are sums": {"tables": [table("t", "b", "c", "d")], "measure": [{"table": "t", "design": GEOMETRIC}]},
}


def planned(name: str, **changes: Any) -> tuple[ReleasePlan, TablePlan]:
    """Return the plans of a specification."""
    spec = {
        "version": "1",
        "source": {"csv": "people.csv"},
        "dimensions": DIMENSIONS,
        "design": GEOMETRIC,
        "budget": {"epsilon": 20, "delta": "1e-6"},
        "key": "fresh",
        **SPECIFICATIONS[name],
        **changes,
    }
    plan = dc.release.plan({key: value for key, value in spec.items() if key != "design" or "measure" not in spec})
    return plan, make_table_plan(plan)


class Equations:
    """The equations of a part: which combinations of leaves every measured cell and every published cell holds.

    Every measured cell has one equation. This is made from the groupings of the layout alone.
    """

    def __init__(self, plan: ReleasePlan, table_plan: TablePlan, part: Part) -> None:
        layout, measured = plan.layout, plan.measured
        self.combinations = list(product(*(range(len(book.leaves)) for book in layout.books)))
        self.rows = {index: self._rows(plan, index) for index in part.grouping_indices}
        by_cell: dict[int, Any] = {}
        for index in part.grouping_indices:
            numbers = measured.indices[index]
            if numbers is not None:
                by_cell |= dict(zip(numbers.tolist(), self.rows[index], strict=True))
        self.cells = np.array(list(by_cell))
        self.tables = measured.tables[self.cells]
        self.variances = np.array(table_plan.noise_variances)[self.tables]
        design = np.array(list(by_cell.values())) / np.sqrt(self.variances)[:, None]
        self.inverse = np.linalg.pinv(design, rcond=1e-12) / np.sqrt(self.variances)

    def _rows(self, plan: ReleasePlan, index: int) -> Any:
        grouping, names = plan.layout.groupings[index], [book.name for book in plan.layout.books]
        within = {book.name: leaves for book, leaves in grouping.within}
        rows = np.zeros((grouping.size, len(self.combinations)))
        for column, leaves in enumerate(self.combinations):
            person = dict(zip(names, leaves, strict=True))
            if any(person[name] not in kept for name, kept in within.items()):
                continue
            groups = [
                [number for number, members in enumerate(axis.members) if person[axis.book.name] in members]
                for axis in grouping.axes
            ]
            for cell in product(*groups):
                rows[np.ravel_multi_index(cell, grouping.shape) if cell else 0, column] = 1
        return rows

    def coefficients(self, index: int) -> Any:
        """Return the coefficients of the cells of a grouping: a column for every measured cell of `cells`."""
        return self.rows[index] @ self.inverse


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_estimates_are_dense_least_squares(name: str) -> None:
    plan, table_plan = planned(name)
    measurements = np.random.default_rng(1).integers(-100, 100, plan.measured.size)
    for _, part in table_plan.parts:
        equations = Equations(plan, table_plan, part)
        estimates = joint_estimates(part, plan.measured, table_plan.noise_variances)
        assert estimates is not None
        found = estimates.estimates(plan.measured.by_grouping(measurements))
        assert set(found) == set(part.grouping_indices)
        for index, values in found.items():
            expected = equations.coefficients(index) @ measurements[equations.cells]
            assert np.abs(values.ravel() - expected).max() < 1e-10  # measurements up to 100 times 1e-12


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_coefficients_are_those_of_dense_least_squares(name: str) -> None:
    """A random sum of cells, and every cell of one kind: the coefficients of each table, in increasing order."""
    plan, table_plan = planned(name)
    rng = np.random.default_rng(2)
    for _, part in table_plan.parts:
        equations = Equations(plan, table_plan, part)
        estimates = joint_estimates(part, plan.measured, table_plan.noise_variances)
        assert estimates is not None
        for index in estimates.groupings:
            dense, kinds = equations.coefficients(index), estimates.kinds(index)
            cells = [(kinds == kind).ravel().nonzero()[0] for kind in range(int(kinds.max()) + 1)]
            weights = [np.eye(kinds.size)[own[0]] for own in cells] + [rng.integers(-2, 3, kinds.size).astype(float)]
            for times in weights:
                expected = times @ dense
                found = dict[int, list[Any]]()
                for number, values in estimates.coefficients({index: times.reshape(kinds.shape)}):
                    found.setdefault(number, []).append(values)
                for number, parts in found.items():
                    values = np.sort(expected[equations.tables == number])
                    assert np.abs(np.sort(np.concatenate(parts)) - values).max() < 1e-12
            for own in cells:  # cells of one kind have the same coefficients
                for number in found:
                    by_cell = np.sort(dense[own][:, equations.tables == number], axis=1)
                    assert np.abs(by_cell - by_cell[0]).max() < 1e-12


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_the_variance_of_an_estimate_is_that_of_the_formula_and_below_that_of_its_measurement(name: str) -> None:
    plan, table_plan = planned(name)
    exact = table_plan.exact_deviations()
    for _, part in table_plan.parts:
        estimates = joint_estimates(part, plan.measured, table_plan.noise_variances)
        assert estimates is not None
        for index in estimates.groupings:
            largest = 0.0
            kinds = estimates.kinds(index)
            for cell in np.unique(kinds, return_index=True)[1].tolist():
                times = np.zeros(kinds.shape)
                times.flat[cell] = 1
                terms = estimates.coefficients({index: times})
                largest = max(largest, sum((v**2).sum() * table_plan.noise_variances[table] for table, v in terms))
            own = plan.measured.noise_of[index]
            assert own is None or largest <= table_plan.noise_variances[own] * (1 + 1e-12)
            if index in exact:
                assert largest == pytest.approx(exact[index].largest ** 2, rel=1e-9)


def test_a_dimension_with_levels_is_solved_by_trees_and_two_by_equations() -> None:
    for name, by_tree in (("unequal groups, one of them with one member", True), ("two hierarchies", False)):
        plan, table_plan = planned(name)
        [(_, part)] = table_plan.parts
        found = joint_estimates(part, plan.measured, table_plan.noise_variances)
        assert isinstance(found, ComponentEstimates) == by_tree


def test_nodes_of_a_tree_are_of_one_kind_if_their_trees_and_their_parents_are_alike() -> None:
    plan, table_plan = planned("unequal groups, one of them with one member")
    [(_, part)] = table_plan.parts
    estimates = joint_estimates(part, plan.measured, table_plan.noise_variances)
    assert estimates is not None
    lists = [index for index, grouping in enumerate(plan.layout.groupings) if len(grouping.axes) == 1]
    sizes = {estimates.kinds(index).size: estimates.kinds(index).tolist() for index in lists}
    # the states are 0 | 1 2 | 3 4 5 | 6 7 8 _other; the first is a country, the next two are one, and so is the last
    a, states = sizes[10], sizes[4]
    assert len({a[0], a[1], a[3], a[6]}) == 4
    assert [a.index(kind) for kind in a] == [0, 1, 1, 3, 3, 3, 6, 6, 6, 6]
    assert len(set(states)) == 4


def test_large_tables_with_two_hierarchies_have_no_joint_estimates() -> None:
    many = {"e": dimension("e", 150, {"pairs": {"one": ["0"], "two": ["1", "2"]}}), "a": DIMENSIONS["a"]}
    tables = [table("t", "a", "e"), table("s", "states", {"dimension": "e", "level": "pairs"})]
    plan, table_plan = planned("one list", dimensions=many, tables=tables)
    [(_, part)] = table_plan.parts
    assert joint_estimates(part, plan.measured, table_plan.noise_variances) is None
