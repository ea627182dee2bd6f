"""Releases whose groupings have different noise, or are not measured."""

import copy
import csv
import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from discreet.measure import secrets
from discreet.release import Release

PLACES = [f"p{number}" for number in range(7)]
SIDES = {"west": PLACES[:3], "east": PLACES[3:5]}

DIMENSIONS: dict[str, Any] = {
    "sex": {"column": "sex", "categories": ["f", "m"]},
    "age": {"column": "age", "categories": list("abcd")},
    "place": {"column": "place", "categories": PLACES, "levels": {"side": SIDES}},
}


def geometric(epsilon: str) -> dict[str, Any]:
    return {"name": "geometric", "epsilon": epsilon}


def bell(sigma2: int) -> dict[str, Any]:
    return {"name": "gaussian", "sigma2": sigma2, "certify_at": "0.5"}


def entry(table: str, design: Any, margin: Any = None) -> dict[str, Any]:
    return {"table": table, "margin": margin, "design": design}


CUBE = [{"name": "people", "dimensions": ["sex", "age", "place"], "margins": "all"}]
TWO = [
    {"name": "people", "dimensions": ["sex", "age"], "margins": "all"},
    {"name": "places", "dimensions": ["place", "age"], "margins": [["place"], []]},
]
TREE = [
    {"name": "places", "dimensions": ["place"], "margins": "all"},
    {"name": "sides", "dimensions": [{"dimension": "place", "level": "side"}]},
]
FILTERED = [*TWO, {"name": "women", "dimensions": ["age"], "margins": "all", "filter": {"sex": ["f"]}}]

RELEASES: dict[str, dict[str, Any]] = {
    "a cube with two noises": {
        "tables": CUBE,
        "measure": [
            entry("people", geometric("0.4")),
            entry("people", geometric("0.3"), ["sex", "age"]),
            entry("people", geometric("0.3"), ["place"]),
        ],
    },
    "two tables with four noises": {
        "tables": TWO,
        "measure": [
            entry("people", geometric("0.4")),
            entry("places", geometric("0.25")),
            entry("places", geometric("0.2"), ["place"]),
            entry("people", geometric("0.15"), []),
        ],
    },
    "a hierarchy whose total is not measured": {
        "tables": TREE,
        "measure": [entry("places", geometric("0.6")), entry("sides", geometric("0.4"))],
    },
    "measurements as they are": {
        "tables": TWO[:1],
        "reconcile": "none",
        "measure": [
            entry("people", geometric("0.4")),
            entry("people", geometric("0.3"), ["sex"]),
            entry("people", geometric("0.2"), ["age"]),
            entry("people", geometric("0.1"), []),
        ],
    },
    "bells": {
        "tables": CUBE,
        "measure": [entry("people", bell(60)), entry("people", bell(90), ["age"]), entry("people", bell(40), [])],
        "budget": {"epsilon": 1, "delta": "1e-3"},
    },
    "one table, all margins from it": {"tables": CUBE, "measure": [entry("people", None)]},
    "a filter": {
        "tables": FILTERED,
        "measure": [
            entry("people", geometric("0.3")),
            entry("places", geometric("0.3")),
            entry("women", geometric("0.2")),
            entry("women", geometric("0.2"), []),
        ],
    },
    "a count from elsewhere": {
        "tables": TWO,
        "fixed": [{"where": {}, "count": 4000}],
        "measure": [entry("people", geometric("0.6")), entry("places", geometric("0.4"))],
    },
    "three rows of a person": {
        "tables": TWO,
        "unit": {"id": "id", "contributions": 3},
        "budget": {"epsilon": 3, "delta": "1e-6"},
        "measure": [entry("people", geometric("0.6")), entry("places", geometric("0.4"))],
    },
}


def people(number: int = 4000) -> list[dict[str, str]]:
    """Return people, few of them in some categories."""
    draw = np.random.default_rng(number)
    shares = {"sex": [0.52, 0.48], "age": [0.5, 0.3, 0.19, 0.01], "place": [0.4, 0.3, 0.2, 0.06, 0.03, 0.01, 0]}
    columns = {name: draw.choice(DIMENSIONS[name]["categories"], number, p=chances) for name, chances in shares.items()}
    return [{"id": str(row)} | {name: str(values[row]) for name, values in columns.items()} for row in range(number)]


def spec(folder: Path, name: str, **changes: Any) -> dict[str, Any]:
    """Return the specification of a release of the people, whose file and secret are made if there are none."""
    if not (folder / "people.csv").exists():
        with (folder / "people.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "sex", "age", "place"])
            writer.writeheader()
            writer.writerows(people())
        secrets.new_secret(folder / "secret.key")
    return {
        "version": "1",
        "source": {"csv": str(folder / "people.csv")},
        "dimensions": DIMENSIONS,
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "secret": {"file": str(folder / "secret.key")},
        **copy.deepcopy(RELEASES[name]),
        **changes,
    }


def truth(release: Release, people_counted: list[dict[str, str]] | None = None) -> list[Any]:
    """Return the true counts of every grouping, in its shape, by plain Python."""
    rows, found = people() if people_counted is None else people_counted, []
    for grouping in release.plan.layout.groupings:
        kept = [
            row
            for row in rows
            if all(row[book.name] in {book.leaves[leaf] for leaf in leaves} for book, leaves in grouping.within)
        ]
        names = [axis.book.name for axis in grouping.axes]
        group_of = [
            {axis.book.leaves[leaf]: group for group, leaves in enumerate(axis.members) for leaf in leaves}
            for axis in grouping.axes
        ]
        counts = Counter(tuple(group[row[name]] for group, name in zip(group_of, names, strict=True)) for row in kept)
        array = np.zeros(grouping.shape, dtype=np.int64)
        for cell in itertools.product(*map(range, grouping.shape)):
            array[cell] = counts[cell]
        found.append(array)
    return found


def counts_of_cells(release: Release, people_counted: list[dict[str, str]] | None = None) -> Any:
    """Return the true counts of all cells of the layout."""
    cells = release.plan.layout.cells
    counts = np.zeros(len(cells.definitions), dtype=np.int64)
    for indices, numbers in zip(cells.indices, truth(release, people_counted), strict=True):
        counts[indices] = numbers.ravel()
    return counts
