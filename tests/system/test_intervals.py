"""Published intervals hold the true counts, in whole releases that are drawn again and again.

Secrets and labels are given, so the draws are the same in every run of the tests.
"""

import csv
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.publish.verify_folder import verify_folder
from discreet.release import Release, demo_town, run
from tests.simulated import measured, true_counts
from tests.system import truth

TOWN_DRAWS, SKEWED_DRAWS = 3, 8
SIDES = {"a": 7, "b": 5, "c": 3}


def drawn(folder: Path, spec: dict[str, Any], label: str) -> Release:
    """Make a release of a version of the data. Its noise follows from the label."""
    (folder / "secret.key").touch(0o600)
    (folder / "secret.key").write_text(bytes(range(32)).hex())
    versioned = {"version": label, "key": "query", "secret": {"file": str(folder / "secret.key")}}
    return run(spec | versioned, folder / f"out-{label}")


def held_by_margin(release: Release, people: list[dict[str, str]]) -> dict[Any, list[tuple[int, bool, bool]]]:
    """Return, by table and margin: true count, whether its interval holds it, and whether the interval is long."""
    held: dict[Any, list[tuple[int, bool, bool]]] = {}
    for table in release.spec.tables:
        with (release.folder / f"{table.name}.intervals.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        names = [axis.dimension for axis in table.dimensions]
        counts: Counter[Any] = Counter()
        for person in people:
            counts.update(product(*((person[name], "_total") for name in names)))
        for row in rows:
            labels = tuple(row[name] for name in names)
            low, count, high, true = int(row["low"]), int(row["count"]), int(row["high"]), counts[labels]
            assert low <= count <= high
            margin = table.name, tuple(label == "_total" for label in labels)
            held.setdefault(margin, []).append((true, low <= true <= high, high - low > 50))
    return held


def pooled(releases: list[dict[Any, list[tuple[int, bool, bool]]]]) -> dict[Any, list[tuple[int, bool, bool]]]:
    return {margin: [cell for release in releases for cell in release[margin]] for margin in releases[0]}


def test_intervals_of_the_town_hold_the_truth_and_are_narrower_than_those_of_single_cells(tmp_path: Path) -> None:
    """A cell alone has 53 whole numbers from its first to its last, on every margin of the town."""
    spec = demo_town.unpack(tmp_path)
    with Path(spec["source"]["csv"]).open(newline="") as file:
        raw = list(csv.DictReader(file))
    releases = [drawn(tmp_path, spec, str(label)) for label in range(TOWN_DRAWS)]
    plan = releases[0].plan
    people = [_leaves(plan, row) for row in raw]
    cells = pooled([held_by_margin(release, people) for release in releases])
    assert len(cells) == 12  # ten groupings, of which two tables publish the total and the margin by age
    for margin, of_margin in cells.items():
        chance = np.mean([inside for _, inside, _ in of_margin])
        assert chance >= 0.95 - 3.1 * (0.95 * 0.05 / len(of_margin)) ** 0.5, margin
        assert not any(long for _, _, long in of_margin), margin
    assert np.mean([inside for of_margin in cells.values() for _, inside, _ in of_margin]) >= 0.95


def _leaves(plan: Any, row: dict[str, str]) -> dict[str, str]:
    """Return the labels of a person of the town."""
    labels = {}
    for name, dimension in plan.spec.dimensions.items():
        text = row[dimension.column]
        if dimension.ranges is None:
            labels[name] = text if text in dimension.categories else "_other"
            continue
        found = [
            label
            for label, (low, high) in dimension.ranges.items()
            if text and (low is None or float(text) >= low) and (high is None or float(text) < high)
        ]
        labels[name] = found[0] if found else "_other"
    return labels


MEASURE = [
    {"table": "t", "design": {"name": "geometric", "epsilon": "0.4"}},
    {"table": "t", "margin": ["a"], "design": {"name": "geometric", "epsilon": "0.3"}},
    {"table": "u", "design": {"name": "geometric", "epsilon": "0.2"}},
]


@pytest.mark.parametrize("measure", [None, MEASURE], ids=["all groupings measured", "some groupings measured"])
def test_intervals_of_skewed_data_hold_the_truth(measure: Any, tmp_path: Path) -> None:
    people = truth.zipf(11, 900, SIDES, empty=1)
    spec = {
        "source": {"csv": str(truth.write(tmp_path / "people.csv", people))},
        "dimensions": truth.dimensions(SIDES),
        "tables": [
            {"name": "t", "dimensions": ["a", "b"], "margins": "all"},
            {"name": "u", "dimensions": ["b", "c"], "margins": "all"},
        ],
        "budget": {"epsilon": 4, "delta": "1e-6"},
        **({"measure": measure} if measure else {"design": {"name": "geometric", "epsilon": "0.5"}}),
    }
    releases = [drawn(tmp_path, spec, str(label)) for label in range(SKEWED_DRAWS)]
    verify_folder(releases[0].folder)
    cells = pooled([held_by_margin(release, people) for release in releases])
    for margin, of_margin in cells.items():
        chance = np.mean([inside for _, inside, _ in of_margin])
        assert chance >= 0.95 - 3.1 * (0.95 * 0.05 / len(of_margin)) ** 0.5, margin
    of_all = [cell for of_margin in cells.values() for cell in of_margin]
    assert np.mean([inside for _, inside, _ in of_all]) >= 0.95
    empty = [inside for true, inside, _ in of_all if true == 0]
    assert len(empty) >= 50
    assert np.mean(empty) >= 0.95


def test_intervals_of_every_grouping_hold_the_truth_in_many_draws(tmp_path: Path) -> None:
    """3,000 cells and more a grouping: intervals before they are widened, with true counts of 0 and 3."""
    people = truth.zipf(11, 900, SIDES, empty=1)
    spec = {
        "source": {"csv": str(truth.write(tmp_path / "people.csv", people))},
        "dimensions": truth.dimensions(SIDES),
        "tables": [
            {"name": "t", "dimensions": ["a", "b"], "margins": "all"},
            {"name": "u", "dimensions": ["b", "c"], "margins": "all"},
        ],
        "budget": {"epsilon": 4, "delta": "1e-6"},
        "measure": MEASURE,
    }
    release = drawn(tmp_path, spec, "1")
    plan, joint = release.plan, release.published.joint
    array = np.zeros([len(book.leaves) for book in plan.layout.books])
    for person in people:
        array[tuple(book.leaves.index(person[book.name]) for book in plan.layout.books)] += 1
    array[tuple(np.argwhere(array == 0)[0])] = 3
    counts, rng = true_counts(plan, array), np.random.default_rng(6)
    held: dict[int, list[Any]] = {index: [] for index in joint.part_of}
    assert len(held) == len(plan.layout.groupings)
    while min(sum(map(np.size, parts)) for parts in held.values()) < 3000:
        for index, (low, high) in joint.ends(measured(plan, counts, rng)).items():
            held[index].append((low <= counts[index]) & (counts[index] <= high))
    for index, parts in held.items():
        inside = np.array(parts)
        assert inside.mean() >= 0.95 - 3.1 * (0.95 * 0.05 / inside.size) ** 0.5, plan.layout.groupings[index].name
        for few in (0, 3):
            of_few = inside[:, counts[index] == few]
            assert of_few.size == 0 or of_few.mean() >= 0.95
