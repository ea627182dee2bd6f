"""How many times one person's loss is composed, compared with every way in which rows can fall into cells."""

import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import SpecError
from discreet.plan.guarantee import composed_promise
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.noise_table import ReleaseNoise
from discreet.plan.release_plan import plan_with, resolve
from discreet.publish import table_files
from discreet.release import ReleaseSpec

GROUPS = {
    "three": {"ab": ["a", "b"], "ac": ["a", "c"], "bc": ["b", "c"]},
    "nested": {"ab": ["a", "b"], "b": ["b"]},
}


def spec(tables: list[dict[str, Any]], contributions: int = 1, **changes: Any) -> ReleaseSpec:
    return ReleaseSpec.model_validate(
        {
            "version": "1",
            "source": {"csv": "x"},
            "unit": {"id": "id", "contributions": contributions},
            "dimensions": {
                "g": {"column": "g", "categories": ["a", "b", "c"], "levels": GROUPS},
                "h": {"column": "h", "categories": ["x", "y"]},
            },
            "tables": tables,
            "budget": {"epsilon": 1, "delta": "1e-6"},
            "key": "fresh",
            **changes,
        }
    )


def among(*leaves: str) -> dict[str, Any]:
    """Return a table of one cell, the people with one of these leaves."""
    return {"name": "".join(leaves), "dimensions": [], "filter": {"g": list(leaves)}}


def level(name: str) -> dict[str, str]:
    return {"dimension": "g", "level": name}


PAIRS = [among("a", "b"), among("a", "c"), among("b", "c")]


@pytest.mark.parametrize(
    ("tables", "touches_of_one_row", "touches_of_several_rows"),
    [
        (PAIRS, 2, 3),  # one row is in two cells; the rows a, b, c change each cell by two
        ([among("a"), among("b"), among("c")], 1, 1),
        ([{"name": "t", "dimensions": ["g", "h"], "margins": "all"}], 4, 4),
        ([{"name": "t", "dimensions": [level("three")]}], 2, 3),
        ([{"name": "t", "dimensions": [level("nested"), "h"]}], 2, 2),
        ([{"name": "t", "dimensions": ["h"], "filter": {"g": ["a"]}}, among("b"), among("a", "b")], 2, 2),
    ],
)
def test_several_rows_touch_as_many_families_of_disjoint_cells(
    tables: list[dict[str, Any]], touches_of_one_row: int, touches_of_several_rows: int
) -> None:
    layout = resolve(spec(tables)).layout
    assert layout.touches() == touches_of_one_row
    assert layout.touches(3) == touches_of_several_rows


def test_the_promise_covers_several_rows_in_overlapping_cells() -> None:
    """One person has the rows a, b and c: each of the three counts changes by two."""
    design = {"name": "fair", "n": 3, "epsilon": 1}
    ptable = discreet.design.fair(n=3, epsilon=1).certify()
    columns = discreet.Mechanism.from_table(ptable.table).matrix().T
    worst = 0.0
    for i, j in itertools.permutations(range(4), 2):
        if abs(i - j) == 2:
            p, q = (np.einsum("a,b,c->abc", columns[k], columns[k], columns[k]) for k in (i, j))
            worst = max(worst, float(np.maximum(0, p - np.exp(4.58) * q).sum()))
    assert worst == pytest.approx(0.2963, abs=1e-4)
    release_spec = spec(PAIRS, 3, design=design, budget={"epsilon": "4.58", "delta": "0.9"})
    promise = composed_promise(release_spec, [ptable], MeasuredCells.all_alike(resolve(release_spec).layout).touches(3))
    assert promise is not None
    assert promise.delta >= worst


@pytest.mark.parametrize("names", [("three",), ("nested",), ("three", "nested")])
@pytest.mark.parametrize("contributions", [2, 3])
def test_every_way_to_move_cells_fits_into_the_families(names: tuple[str, ...], contributions: int) -> None:
    """The moves of one family add up to the contributions at most, so all moves fit into the families that are paid."""
    tables = [{"name": name, "dimensions": [level(name)]} for name in names]
    layout = resolve(spec(tables)).layout
    families = layout.touches(contributions)
    cells = {members for grouping in layout.groupings for axis in grouping.axes for members in axis.members}
    for rows in itertools.combinations_with_replacement(range(4), contributions):
        moves = [sum(row in cell for row in rows) for cell in cells]
        assert sum(moves) <= families * contributions
        assert sum(2 * move > contributions for move in moves) <= families


def test_cells_are_counted_before_they_are_made() -> None:
    many_dimensions = {f"d{i}": {"column": "c", "ranges": {"x": [i, i + 1]}} for i in range(18)}
    with pytest.raises(SpecError, match="18 dimensions"):
        resolve(
            spec([{"name": "t", "dimensions": list(many_dimensions), "margins": "all"}], dimensions=many_dimensions)
        )
    wide = {f"d{i}": {"column": f"c{i}", "categories": [str(k) for k in range(99)]} for i in range(5)}
    with pytest.raises(SpecError, match=r"10,000,000,000 cells"):
        resolve(spec([{"name": "t", "dimensions": list(wide)}], dimensions=wide))


def test_the_manifest_tells_groupings_apart() -> None:
    resolved = resolve(spec([{"name": "t", "dimensions": [level("three")]}, among("a", "b")]))
    ptable = discreet.design.geometric(epsilon=1).certify()
    noise = ReleaseNoise.of_one_table(resolved.layout, ptable)
    entries = table_files.grouping_entries(plan_with(resolved, noise, None))
    assert [entry.multiplicity for entry in entries] == [2, 1]
    assert [entry.within for entry in entries] == [{}, {"g": ["a", "b"]}]


def test_many_categories_take_memory_in_proportion() -> None:
    """With 20,000 categories, a table of categories by leaves would have 400 million entries."""
    names = [str(number) for number in range(20_000)]
    release_spec = ReleaseSpec.model_validate(
        {
            "version": "1",
            "source": {"csv": "x"},
            "dimensions": {
                "a": {"column": "a", "categories": names, "levels": {"half": {"low": names[:9], "all": names}}}
            },
            "tables": [
                {"name": "t", "dimensions": ["a"], "margins": "all"},
                {"name": "o", "dimensions": [{"dimension": "a", "level": "half"}]},
            ],
            "budget": {"epsilon": 1},
            "key": "fresh",
        }
    )
    tracemalloc.start()
    layout = resolve(release_spec).layout
    assert layout.touches(1) == 4  # the cell, both groups, and the total, which also has _other
    assert layout.touches(2) == 4
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000_000


def test_a_list_of_categories_is_kept_once() -> None:
    """A list for each category, or a second copy of the groups, would take more bytes for each category."""
    names = [f"category {number}" for number in range(20_000)]
    release_spec = spec(
        [{"name": "t", "dimensions": ["a"], "margins": "all"}], dimensions={"a": {"column": "a", "categories": names}}
    )
    resolve(release_spec)
    tracemalloc.start()
    layout = resolve(release_spec).layout
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert layout.groupings[0].size == len(names) + 1
    assert peak < 350 * len(names)


def test_a_level_of_single_leaves_has_the_groups_of_the_leaves() -> None:
    dimensions = {"a": {"column": "a", "categories": ["x", "y"], "levels": {"same": {"X": ["x"], "Y": ["y"]}}}}
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": ["a"]},
        {"name": "u", "dimensions": [{"dimension": "a", "level": "same"}]},
        {"name": "v", "dimensions": ["a"], "filter": {"a": ["x", "y", "_other"]}},
    ]
    layout = resolve(spec(tables, dimensions=dimensions)).layout
    leaves, level = (grouping.axes[0].members for grouping in layout.groupings)  # the filter keeps everyone
    assert leaves == level
    assert hash(leaves) == hash(level)
    assert list(leaves) == [{0}, {1}, {2}]
