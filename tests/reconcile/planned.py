"""Table plans for tests, and measurements for them."""

from itertools import product
from typing import Any

import numpy as np

import discreet
from discreet import PTable
from discreet.plan.layout import Layout
from discreet.plan.noise_table import ReleaseNoise
from discreet.plan.release_plan import plan_with, resolve
from discreet.reconcile import table_plan
from discreet.release import ReleaseSpec

DIMENSIONS: dict[str, Any] = {
    "county": {
        "column": "county",
        "categories": ["a1", "a2", "b1", "b2", "b3"],
        "levels": {
            "state": {"A": ["a1", "a2"], "B": ["b1", "b2", "b3"]},
            "coast": {"sea": ["a1", "b1"], "land": ["a2", "b2", "b3"]},
            "lists": {"a": ["a1", "a2"], "ones": ["a1", "b1"]},
        },
    },
    "sex": {"column": "sex", "categories": ["f", "m"]},
    "age": {"column": "age", "ranges": {"young": [0, 30], "old": [30, None]}},
}
NOISE = discreet.design.geometric(epsilon="0.1").certify()


def planned(
    tables: list[dict[str, Any]], ptable: PTable | None = None, **changes: Any
) -> tuple[Layout, table_plan.TablePlan]:
    spec = ReleaseSpec.model_validate(
        {
            "version": "1",
            "source": {"csv": "x"},
            "dimensions": DIMENSIONS,
            "tables": tables,
            "budget": {"epsilon": 1},
            "key": "fresh",
            **changes,
        }
    )
    resolved = resolve(spec)
    plan = plan_with(resolved, ReleaseNoise.of_one_table(resolved.layout, ptable or NOISE), None)
    return plan.layout, table_plan.make_table_plan(plan)


def noisy(layout: Layout, seed: int, mean: float = 3) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Return any measurements; a cell that is in several groupings has one measurement."""
    draw = np.random.default_rng(seed)
    size = len(layout.cells.definitions)
    values = draw.poisson(mean, size) * draw.integers(1, 20) - draw.integers(0, 12, size)
    groupings = zip(layout.groupings, layout.cells.indices, strict=True)
    return [values[cells].reshape(grouping.shape) for grouping, cells in groupings]


def populations(layout: Layout, table: int, number: int) -> list[frozenset[tuple[int, ...]]]:
    """Return the leaf combinations of every cell of one of a table's groupings, by plain Python."""
    grouping = layout.groupings[layout.tables[table][1][number]]
    combinations = []
    for cell in product(*(axis.members for axis in grouping.axes)):
        allowed = {book.name: set(range(len(book.leaves))) for book in layout.books}
        for book, members in grouping.within:
            allowed[book.name] &= members
        for axis, members in zip(grouping.axes, cell, strict=True):
            allowed[axis.book.name] &= members
        combinations.append(frozenset(product(*(sorted(allowed[book.name]) for book in layout.books))))
    return combinations


def assert_additive(layout: Layout, tables: table_plan.Tables, numbers: list[int]) -> None:
    """Assert that every cell is the sum of the cells of each grouping of its table that make it up."""
    checked = 0
    for number in numbers:
        for fine, coarse in product(range(len(tables[number])), repeat=2):
            parts, wholes = populations(layout, number, fine), populations(layout, number, coarse)
            counts, sums = tables[number][fine].ravel(), tables[number][coarse].ravel()
            assert (counts >= 0).all()
            assert counts.dtype == np.int64
            for people, total in zip(wholes, sums.tolist(), strict=True):
                inside = [cell for cell, some_people in enumerate(parts) if some_people <= people]
                if sum(len(parts[cell]) for cell in inside) == len(people):
                    assert sum(counts[inside].tolist()) == total
                    checked += 1
    assert checked


def state(name: str = "state") -> dict[str, str]:
    return {"dimension": "county", "level": name}


TABLES: list[list[dict[str, Any]]] = [
    [{"name": "t", "dimensions": ["county", "sex", "age"], "margins": "all"}],
    [{"name": "t", "dimensions": ["sex", "county"], "margins": [["sex"], ["county"]]}],
    [
        {"name": "t", "dimensions": ["county", "sex"], "margins": "all"},
        {"name": "u", "dimensions": [state(), "age"], "margins": "all"},
        {"name": "v", "dimensions": [state("coast")], "margins": "none"},
    ],
    [
        {"name": "t", "dimensions": ["county", "sex"], "margins": "all", "filter": {"sex": ["f", "m"]}},
        {"name": "u", "dimensions": ["age", state()], "margins": "all", "filter": {"sex": ["f", "m"]}},
        {"name": "v", "dimensions": ["age"], "margins": "all", "filter": {"sex": ["f"], "county": ["A"]}},
        {"name": "w", "dimensions": [], "margins": "none"},
    ],
]
