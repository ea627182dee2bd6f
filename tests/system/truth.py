"""Compare whole releases with the truth, which plain Python counts here."""

import csv
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from discreet.mechanism import Mechanism
from discreet.plan.sections import TableSpec
from discreet.publish.planned_release import describe
from discreet.release import Release

People = list[dict[str, str]]


def zipf(seed: int, people: int, sides: dict[str, int], power: float = 1.3, empty: int = 0) -> People:
    """Return people whose categories follow Zipf's law.

    Dimensions are independent, except for the first two. Nobody has the last `empty` categories of a dimension.
    """
    draw = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for name, side in sides.items():
        shares = 1 / np.arange(1, side - empty + 1) ** power
        columns[name] = draw.choice(len(shares), people, p=shares / shares.sum())
    first, second, *_ = [*sides, *sides]
    together = draw.random(people) < 0.5
    columns[second] = np.where(together, columns[first] % (sides[second] - empty), columns[second])
    return [{name: f"{name}{codes[at]}" for name, codes in columns.items()} for at in range(people)]


def dimensions(sides: dict[str, int]) -> dict[str, Any]:
    """Return the dimensions of a specification of such people."""
    return {name: {"column": name, "categories": [f"{name}{at}" for at in range(n)]} for name, n in sides.items()}


def write(path: Path, people: People) -> Path:
    """Write the people to a CSV file. Return its path."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, people[0].keys())
        writer.writeheader()
        writer.writerows(people)
    return path


def table(folder: Path, name: str) -> tuple[list[str], dict[tuple[str, ...], int]]:
    """Return the dimensions and the counts of a published table."""
    with (folder / f"{name}.csv").open(newline="") as file:
        head, *rows = list(csv.reader(file))
    width = head.index("count")
    return head[:width], {tuple(row[:width]): int(row[width]) for row in rows}


def wrong_in(
    release: Release,
    people: People,
    groups: dict[str, dict[str, str]] | None = None,
    tables: list[TableSpec] | None = None,
    deviation: float | None = None,
) -> list[str]:
    """Return the mistakes of a published folder, one text each.

    `groups` recodes the values of a dimension to the groups of a level. `tables` are those of these people; by default
    all tables. Errors are compared with `deviation`, by default that of the measurements, or, with several noises, that
    of each margin by the plan. A margin of N cells may have 1 + 6 / sqrt(N) times this standard deviation in root mean
    square: errors of a margin that is not measured share noise, and geometric noise exceeds four standard deviations
    once in 300 draws.
    """
    mistakes: list[str] = []
    seen: dict[Any, int] = {}
    for table_spec in tables or release.spec.tables:
        head, cells = table(release.folder, table_spec.name)
        levels = {axis.dimension: axis.level for axis in table_spec.dimensions}
        if min(cells.values()) < 0:
            mistakes.append(f"{table_spec.name}: a negative count")
        finest = {key: count for key, count in cells.items() if "_total" not in key}
        for keep in (kept for size in range(len(head) + 1) for kept in combinations(head, size)):
            margin = {k: n for k, n in cells.items() if all((v != "_total") == (h in keep) for v, h in zip(k, head))}  # noqa: B905
            if not margin:
                continue
            sums: Counter[tuple[str, ...]] = Counter()
            for key, count in finest.items():
                sums[tuple(v if h in keep else "_total" for v, h in zip(key, head, strict=True))] += count
            if any(sums[key] != count for key, count in margin.items()):
                mistakes.append(f"{table_spec.name} by {keep}: does not add up")
            true_counts = Counter(tuple(_value(person[h], h, levels, groups) for h in keep) for person in people)
            short = {tuple(v for v, h in zip(k, head, strict=True) if h in keep): n for k, n in margin.items()}
            error = math.sqrt(sum((n - true_counts.get(key, 0)) ** 2 for key, n in short.items()) / len(short))
            allowed = _deviation(release, table_spec.name, keep) if deviation is None else deviation
            if error > allowed * (1 + 6 / math.sqrt(len(short))):
                mistakes.append(f"{table_spec.name} by {keep}: error {error:.1f}, measured with {allowed:.1f}")
            for key, count in short.items():
                if seen.setdefault((tuple((h, levels[h]) for h in keep), key), count) != count:
                    mistakes.append(f"{table_spec.name} by {keep}: {key} is another number than in another table")
                    break
    return mistakes


def _deviation(release: Release, table: str, margin: tuple[str, ...]) -> float:
    """Return the standard deviation to expect of a margin."""
    if len(release.ptables) == 1:
        return math.sqrt(Mechanism.from_table(release.ptable.table).variance(10**6))
    layout = release.plan.layout
    indices = next(indices for spec, indices in layout.tables if spec.name == table)
    names = {frozenset(axis.book.name for axis in layout.groupings[index].axes): index for index in indices}
    return describe(release.plan).groupings[names[frozenset(margin)]].typical_error


def _value(value: str, name: str, levels: dict[str, str | None], groups: dict[str, dict[str, str]] | None) -> str:
    return (groups or {})[name][value] if levels[name] is not None else value
