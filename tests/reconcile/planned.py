"""Table plans, and measurements for them."""

from itertools import product
from typing import Any

import numpy as np

import discreet
from discreet import PTable
from discreet.plan.layout import Layout
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
    plan = plan_with(resolve(spec), ptable or NOISE, None)
    return plan.layout, table_plan.make_table_plan(plan)


def noisy(layout: Layout, seed: int, mean: float = 3) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Measurements of any kind: the same for the same cell, and nothing else is certain."""
    draw = np.random.default_rng(seed)
    each = draw.poisson(mean, len(layout.cells[0])) * draw.integers(1, 20) - draw.integers(0, 12, len(layout.cells[0]))
    return [each[here].reshape(g.shape) for g, here in zip(layout.groupings, layout.cells[1], strict=True)]


def populations(layout: Layout, table: int, at: int) -> list[frozenset[tuple[int, ...]]]:
    """The leaf combinations of every cell of a grouping, by plain Python."""
    grouping = layout.groupings[layout.tables[table][1][at]]
    found = []
    for cell in product(*(side.members for side in grouping.axes)):
        allowed = {book.name: set(range(len(book.leaves))) for book in layout.books}
        for book, members in grouping.within:
            allowed[book.name] &= members
        for side, members in zip(grouping.axes, cell, strict=True):
            allowed[side.book.name] &= members
        found.append(frozenset(product(*(sorted(allowed[book.name]) for book in layout.books))))
    return found


def assert_additive(layout: Layout, tables: table_plan.Tables, numbers: list[int]) -> None:
    """Every cell is the sum of the cells of the table that lie in it, wherever those make it up."""
    checked = 0
    for number in numbers:
        for fine, coarse in product(range(len(tables[number])), repeat=2):
            inside, outside = populations(layout, number, fine), populations(layout, number, coarse)
            counts, sums = tables[number][fine].ravel(), tables[number][coarse].ravel()
            assert (counts >= 0).all()
            assert counts.dtype == np.int64
            for people, total in zip(outside, sums.tolist(), strict=True):
                held = [at for at, here in enumerate(inside) if here <= people]
                if sum(len(inside[at]) for at in held) == len(people):
                    assert sum(counts[held].tolist()) == total
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
