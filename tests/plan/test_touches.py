"""How often one person's loss is composed: against every way in which rows can fall."""

import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import SpecError
from discreet.plan.guarantee import composed_promise
from discreet.plan.release_plan import resolve
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
    return {"name": "".join(leaves), "dimensions": [], "filter": {"g": list(leaves)}}


def level(name: str) -> dict[str, str]:
    return {"dimension": "g", "level": name}


PAIRS = [among("a", "b"), among("a", "c"), among("b", "c")]


@pytest.mark.parametrize(
    ("tables", "one", "several"),
    [
        (PAIRS, 2, 3),  # a row is in two of them; the rows a, b, c move each by two
        ([among("a"), among("b"), among("c")], 1, 1),
        ([{"name": "t", "dimensions": ["g", "h"], "margins": "all"}], 4, 4),
        ([{"name": "t", "dimensions": [level("three")]}], 2, 3),
        ([{"name": "t", "dimensions": [level("nested"), "h"]}], 2, 2),
        ([{"name": "t", "dimensions": ["h"], "filter": {"g": ["a"]}}, among("b"), among("a", "b")], 2, 2),
    ],
)
def test_touches(tables: list[dict[str, Any]], one: int, several: int) -> None:
    layout = resolve(spec(tables)).layout
    assert layout.touches() == one
    assert layout.touches(3) == several


def test_several_rows_in_cells_that_overlap_are_promised_what_they_cost() -> None:
    """Three people's worth of rows, one in each pair of groups: all three counts change by two."""
    design = {"name": "fair", "n": 3, "epsilon": 1}
    ptable = discreet.design.fair(n=3, epsilon=1).certify()
    columns = discreet.Mechanism.from_table(ptable.table).matrix().T
    worst = 0.0
    for i, j in itertools.permutations(range(4), 2):
        if abs(i - j) == 2:
            p, q = (np.einsum("a,b,c->abc", columns[k], columns[k], columns[k]) for k in (i, j))
            worst = max(worst, float(np.maximum(0, p - np.exp(4.58) * q).sum()))
    assert worst == pytest.approx(0.2963, abs=1e-4)
    asked = spec(PAIRS, 3, design=design, budget={"epsilon": "4.58", "delta": "0.9"})
    promise = composed_promise(asked, ptable, resolve(asked).layout.touches(3))
    assert promise is not None
    assert promise.delta >= worst


@pytest.mark.parametrize("names", [("three",), ("nested",), ("three", "nested")])
@pytest.mark.parametrize("contributions", [2, 3])
def test_every_way_to_move_cells_fits_into_the_families(names: tuple[str, ...], contributions: int) -> None:
    """Each family takes moves that add up to the contributions at most, so all moves fit into as many as are paid."""
    tables = [{"name": name, "dimensions": [level(name)]} for name in names]
    layout = resolve(spec(tables)).layout
    families = layout.touches(contributions)
    cells = {members for g in layout.groupings for side in g.axes for members in side.members}
    for rows in itertools.combinations_with_replacement(range(4), contributions):
        moves = [sum(row in cell for row in rows) for cell in cells]
        assert sum(moves) <= families * contributions
        assert sum(2 * move > contributions for move in moves) <= families


def test_cells_are_counted_before_they_are_made() -> None:
    many = {f"d{number}": {"column": "c", "ranges": {"x": [number, number + 1]}} for number in range(18)}
    with pytest.raises(SpecError, match="18 dimensions and all their margins"):
        resolve(spec([{"name": "t", "dimensions": list(many), "margins": "all"}], dimensions=many))
    wide = {f"d{at}": {"column": f"c{at}", "categories": [str(k) for k in range(99)]} for at in range(5)}
    with pytest.raises(SpecError, match="can be published at once"):
        resolve(spec([{"name": "t", "dimensions": list(wide)}], dimensions=wide))


def test_the_manifest_tells_groupings_apart() -> None:
    layout = resolve(spec([{"name": "t", "dimensions": [level("three")]}, among("a", "b")])).layout
    told = table_files.groupings(layout, "sha256:0", 1)
    assert [each.multiplicity for each in told] == [2, 1]
    assert [each.within for each in told] == [{}, {"g": ["a", "b"]}]


def test_many_categories_take_memory_in_proportion() -> None:
    """20,000 of them, where a table of categories by leaves would have 400 million entries."""
    names = [str(at) for at in range(20_000)]
    asked = ReleaseSpec.model_validate(
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
    found = resolve(asked).layout
    assert found.touches(1) == 4  # the cell, both groups, and the total, which has _other as well
    assert found.touches(2) == 4
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000_000


def test_a_list_of_categories_is_kept_once() -> None:
    """Bytes for each of many categories: a list for each of them, or a second copy of their groups, take more."""
    names = [f"category {at}" for at in range(20_000)]
    asked = spec(
        [{"name": "t", "dimensions": ["a"], "margins": "all"}], dimensions={"a": {"column": "a", "categories": names}}
    )
    resolve(asked)
    tracemalloc.start()
    found = resolve(asked).layout
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.groupings[0].size == len(names) + 1
    assert peak < 350 * len(names)


def test_a_level_of_single_leaves_has_the_groups_of_the_leaves() -> None:
    dimensions = {"a": {"column": "a", "categories": ["x", "y"], "levels": {"same": {"X": ["x"], "Y": ["y"]}}}}
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": ["a"]},
        {"name": "u", "dimensions": [{"dimension": "a", "level": "same"}]},
        {"name": "v", "dimensions": ["a"], "filter": {"a": ["x", "y", "_other"]}},
    ]
    found = resolve(spec(tables, dimensions=dimensions)).layout
    one, other = (grouping.axes[0].members for grouping in found.groupings)  # the filter leaves everyone
    assert one == other
    assert hash(one) == hash(other)
    assert list(one) == [{0}, {1}, {2}]
