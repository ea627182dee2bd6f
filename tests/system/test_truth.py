"""A release of a skewed population is right within its noise, or refused, but never wrong."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import ReleaseError, SolverError
from discreet.publish.verify_folder import verify_folder
from discreet.reconcile import cubes, dense, fit_problem, least_squares
from discreet.release import Release, demo_town, run

from . import truth

SIDES = {"a": 17, "b": 9, "c": 8, "d": 6, "e": 3, "f": 2}


def specification(folder: Path, people: truth.People, tables: list[list[Any]], **changes: Any) -> dict[str, Any]:
    """Return a specification of tables of the people, with all margins."""
    return {
        "version": "1",
        "source": {"csv": str(truth.write(folder / "people.csv", people))},
        "dimensions": truth.dimensions(SIDES),
        "tables": [
            {"name": f"t{at}", "dimensions": axes, "margins": "all"} for at, axes in enumerate(tables)
        ],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
        **changes,
    }  # fmt: skip


CIRCLE = [["a", "b"], ["b", "c"], ["c", "a"]]

SETS = [
    [["a", "f"], ["b", "f"], ["c", "f"], ["d", "f"]],  # what published nonsense: several tables that share one axis
    CIRCLE,
    [["a", "b", "f"], ["a", "c"]],
    [["a", "b", "c"], ["b", "c", "d"], ["c", "d", "e"]],
    [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "e"], ["b", "c", "f"]],  # three separators cross in the first
    [["a"], ["b"], ["c", "d"], ["e", "f"], ["a", "e"]],
    [["d", "e"], ["d", "f"], ["e", "f"], ["a", "d"], ["b", "e"], ["c", "f"], ["a", "b"], ["c", "d", "e"]],
    [["b", "c", "e", "f"], ["a", "e"]],
]


@pytest.mark.timeout(900)  # four three-way tables of 400 people take 20 s alone, and minutes on a busy machine
@pytest.mark.parametrize("tables", SETS, ids=lambda tables: " ".join("".join(axes) for axes in tables))
@pytest.mark.parametrize(("people", "empty"), [(30_000, 0), (400, 1)])
def test_tables_of_a_skewed_population_are_right(
    tables: list[list[str]], people: int, empty: int, tmp_path: Path
) -> None:
    """Two to eight tables, of many people or few, with categories that nobody has."""
    rows = truth.zipf(people, people, SIDES, empty=empty)
    release = run(specification(tmp_path, rows, tables), tmp_path / "out")
    assert truth.wrong_in(release, rows) == []
    verify_folder(tmp_path / "out")


def test_tables_with_one_cell_that_holds_nearly_everyone_are_right(tmp_path: Path) -> None:
    rows = truth.zipf(1, 60_000, SIDES, power=6)
    release = run(specification(tmp_path, rows, SETS[3]), tmp_path / "out")
    assert truth.wrong_in(release, rows) == []


def test_a_release_that_is_nearly_all_noise_is_right(tmp_path: Path) -> None:
    rows = truth.zipf(2, 50, SIDES)
    spec = specification(tmp_path, rows, SETS[2], budget={"epsilon": "0.01", "delta": "1e-6"})
    assert truth.wrong_in(run(spec, tmp_path / "out"), rows) == []


def test_many_tables_that_share_a_half_empty_axis_are_right(tmp_path: Path) -> None:
    """Each table pushes nearly empty categories up. All tables together must not."""
    sides = {"a": 40, **{f"b{at}": 12 for at in range(6)}}
    draw = np.random.default_rng(9)
    rows = truth.zipf(9, 40_000, sides, power=0.5)
    for person in rows:
        person["a"] = f"a{draw.integers(20)}" if draw.random() < 0.999 else f"a{draw.integers(20, 40)}"
    tables = [["a", name] for name in sides if name != "a"]
    spec = specification(tmp_path, rows, tables, dimensions=truth.dimensions(sides))
    assert truth.wrong_in(run(spec, tmp_path / "out"), rows) == []


def test_the_demo_town_is_right(tmp_path: Path) -> None:
    spec = demo_town.unpack(tmp_path)
    release = run(spec, tmp_path / "out")
    with (tmp_path / "town.csv").open(newline="") as file:
        people = list(csv.DictReader(file))
    ages = spec["dimensions"]["age"]["ranges"]
    for person in people:
        age = float(person["age"])
        person["age"] = next(n for n, (low, high) in ages.items() if low <= age and (high is None or age < high))
    assert truth.wrong_in(release, people) == []


def test_a_hierarchy_of_unequal_groups_crossed_with_other_dimensions_is_right(tmp_path: Path) -> None:
    rows = truth.zipf(3, 20_000, SIDES)
    state = {f"a{at}": "north" if at < 2 else "south" if at < 9 else "west" for at in range(SIDES["a"])}
    books = truth.dimensions(SIDES)
    books["a"]["levels"] = {"state": {s: [a for a, of in state.items() if of == s] for s in ("north", "south", "west")}}
    level = {"dimension": "a", "level": "state"}
    tables: list[list[Any]] = [["a", "f"], [level, "b"], [level, "c", "f"], ["b", "f"]]
    release = run(specification(tmp_path, rows, tables, dimensions=books), tmp_path / "out")
    assert truth.wrong_in(release, rows, {"a": state | {"_other": "_other"}}) == []


def test_tables_of_people_with_several_rows_are_right(tmp_path: Path) -> None:
    rows = truth.zipf(4, 9_000, SIDES)
    for at, person in enumerate(rows):
        person["person"] = str(at // 3)
    unit = {"id": "person", "contributions": 3}
    release = run(specification(tmp_path, rows, CIRCLE, unit=unit), tmp_path / "out")
    assert truth.wrong_in(release, rows) == []


def test_tables_of_a_part_of_the_people_are_right_and_share_numbers(tmp_path: Path) -> None:
    """A filter makes another population. A cell that both populations have is one number."""
    rows = truth.zipf(5, 20_000, SIDES)
    spec = specification(tmp_path, rows, [["a", "f"], ["b", "f"]])
    spec["tables"].append({"name": "part", "dimensions": ["a", "c"], "margins": "all", "filter": {"f": ["f0"]}})
    release = run(spec, tmp_path / "out")
    inside = [person for person in rows if person["f"] == "f0"]
    assert truth.wrong_in(release, rows, tables=release.spec.tables[:2]) == []
    assert truth.wrong_in(release, inside, tables=release.spec.tables[2:]) == []
    everyone, part_counts = truth.table(release.folder, "t0")[1], truth.table(release.folder, "part")[1]
    assert all(everyone[f"a{at}", "f0"] == part_counts[f"a{at}", "_total"] for at in range(SIDES["a"]))


# Former and possible defects: each must be refused


def _flat(axes: Any, blocks: Any, *rest: Any) -> Any:
    """A former defect: if some counts are known, make the tables as flat as possible."""
    result = least_squares.fit(axes, blocks, *rest)
    known = [block for block in blocks if (block.variance == 0).all()]
    if not known:
        return result
    total = float(known[-1].values.sum())
    flat = {key: np.full(values.shape, total / values.size) for key, values in result.tables.items()}
    return replace(result, copies=(flat, *result.copies[1:]))


def _unconverged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the search early, and ignore that it did not converge."""
    monkeypatch.setattr(least_squares, "STEPS", 0)
    for name in ("GAP", "RESIDUAL", "COARSE"):
        monkeypatch.setattr(fit_problem, name, np.inf)


MUTATIONS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "the flat start is published": lambda patch: patch.setattr(cubes, "fit", _flat),
    "the solver's failure is passed over": _unconverged,
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_nonsense_is_refused_by_the_comparison_with_the_measurements(
    mutation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before a folder exists. If the folder is made all the same, it does not verify."""
    rows = truth.zipf(6, 30_000, SIDES)
    spec = specification(tmp_path, rows, [*SETS[0], ["a", "b", "c"]])
    MUTATIONS[mutation](monkeypatch)
    with pytest.raises(ReleaseError, match="noise explains"):
        run(spec, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with monkeypatch.context() as patch:
        patch.setattr("discreet.reconcile.distance.require_near", lambda *_: None)
        release: Release = run(spec, tmp_path / "out")
    assert truth.wrong_in(release, rows) != []
    with pytest.raises(Exception, match="noise explains"):
        verify_folder(tmp_path / "out")


def test_a_search_that_does_not_converge_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = truth.zipf(7, 30_000, SIDES)
    monkeypatch.setattr(least_squares, "STEPS", 1)
    monkeypatch.setattr(dense, "STEPS", 1)
    with pytest.raises(SolverError, match="did not converge"):
        run(specification(tmp_path, rows, SETS[3]), tmp_path / "out")
    assert not (tmp_path / "out").exists()
