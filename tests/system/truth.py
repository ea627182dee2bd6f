"""Whole releases compared with the truth, which is counted here by plain Python."""

import csv
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from discreet.mechanism import Mechanism
from discreet.release import Release

People = list[dict[str, str]]


def zipf(seed: int, people: int, sides: dict[str, int], power: float = 1.3, empty: int = 0) -> People:
    """People whose categories follow Zipf's law, each dimension by itself but for the first two, which go together.

    The last `empty` categories of every dimension are declared and have nobody.
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
    """The codebooks of such people."""
    return {name: {"column": name, "categories": [f"{name}{at}" for at in range(n)]} for name, n in sides.items()}


def write(path: Path, people: People) -> Path:
    """The people as a CSV file."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, people[0].keys())
        writer.writeheader()
        writer.writerows(people)
    return path


def table(folder: Path, name: str) -> tuple[list[str], dict[tuple[str, ...], int]]:
    """The dimensions and the counts of a published table."""
    with (folder / f"{name}.csv").open(newline="") as file:
        head, *rows = list(csv.reader(file))
    return head[:-1], {tuple(row[:-1]): int(row[-1]) for row in rows}


def wrong_in(release: Release, people: People, groups: dict[str, dict[str, str]] | None = None) -> list[str]:
    """Everything that is wrong with a published folder; `groups` recodes the values of a dimension at a level.

    Errors are compared with the noise of the measurements: a margin of N cells may have 1 + 3 / sqrt(N) times its
    standard deviation in root mean square.
    """
    deviation = math.sqrt(Mechanism.from_table(release.ptable.table).variance(10**6))
    found: list[str] = []
    seen: dict[Any, int] = {}
    for wanted in release.spec.tables:
        head, cells = table(release.folder, wanted.name)
        levels = {axis.dimension: axis.level for axis in wanted.dimensions}
        if min(cells.values()) < 0:
            found.append(f"{wanted.name}: a negative count")
        finest = {key: count for key, count in cells.items() if "_total" not in key}
        for keep in (kept for size in range(len(head) + 1) for kept in combinations(head, size)):
            mine = {k: n for k, n in cells.items() if all((v != "_total") == (h in keep) for v, h in zip(k, head))}  # noqa: B905
            if not mine:
                continue
            sums: Counter[tuple[str, ...]] = Counter()
            for key, count in finest.items():
                sums[tuple(v if h in keep else "_total" for v, h in zip(key, head, strict=True))] += count
            if any(sums[key] != count for key, count in mine.items()):
                found.append(f"{wanted.name} by {keep}: does not add up")
            real = Counter(tuple(_value(one[h], h, levels, groups) for h in keep) for one in people)
            short = {tuple(v for v, h in zip(k, head, strict=True) if h in keep): n for k, n in mine.items()}
            error = math.sqrt(sum((n - real.get(key, 0)) ** 2 for key, n in short.items()) / len(short))
            if error > deviation * (1 + 3 / math.sqrt(len(short))):
                found.append(f"{wanted.name} by {keep}: error {error:.1f}, measured with {deviation:.1f}")
            for key, count in short.items():
                if seen.setdefault((tuple((h, levels[h]) for h in keep), key), count) != count:
                    found.append(f"{wanted.name} by {keep}: {key} is another number than in another table")
                    break
    return found


def _value(value: str, name: str, levels: dict[str, str | None], groups: dict[str, dict[str, str]] | None) -> str:
    return (groups or {})[name][value] if levels[name] is not None else value
