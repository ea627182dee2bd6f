"""Random releases without `measure`: planned, compared with the truth, and proved by the independent checker."""

import itertools
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.certify import folder as independent
from discreet.plan.layout import Grouping
from discreet.release import Release
from tests.system import truth

SIDES = {"place": 9, "age": 6, "sex": 2, "work": 4}
SEEDS = range(8)


def dimensions() -> dict[str, Any]:
    """Return dimensions: places with groups of unequal sizes and with halves that cut them, ages that overlap."""
    books: dict[str, Any] = truth.dimensions(SIDES)
    names = books["place"]["categories"]
    books["place"]["levels"] = {
        "state": {"big": names[:5], "small": names[5:7]},
        "half": {"left": names[:4], "right": names[4:]},
    }
    ages = books["age"]["categories"]
    books["age"]["levels"] = {"band": {"young": ages[:3], "middle": ages[2:4], "all": ages}}
    return books


def tables(draw: random.Random) -> list[dict[str, Any]]:
    """Return two to four tables, with levels, filters and categories that overlap."""
    found = []
    for number in range(draw.randint(2, 4)):
        axes: list[Any] = draw.sample(list(SIDES), draw.choice((1, 2, 2, 3)))
        kept = [name for name in ("sex", "work") if name not in axes]
        if "place" in axes and draw.random() < 0.4:
            axes[axes.index("place")] = {"dimension": "place", "level": draw.choice(("state", "half"))}
        if "age" in axes and draw.random() < 0.25:
            axes[axes.index("age")] = {"dimension": "age", "level": "band"}
        table: dict[str, Any] = {"name": f"t{number}", "dimensions": axes, "margins": "all"}
        if kept and draw.random() < 0.4:
            name = draw.choice(kept)
            table["filter"] = {name: [f"{name}{draw.randrange(2)}"]}
        found.append(table)
    return found


def true_counts(grouping: Grouping, people: truth.People) -> Any:
    """Return the true counts of a grouping. A person is in all groups that hold the person's category."""
    kept = people
    for book, leaves in grouping.within:
        inside = {book.leaves[leaf] for leaf in leaves}
        kept = [person for person in kept if person[book.name] in inside]
    counts = np.zeros(grouping.shape, dtype=np.int64)
    groups_of = [
        {
            axis.book.leaves[leaf]: [group for group, leaves in enumerate(axis.members) if leaf in leaves]
            for leaf in range(len(axis.book.leaves))
        }
        for axis in grouping.axes
    ]
    names = [axis.book.name for axis in grouping.axes]
    for values, number in Counter(tuple(person[name] for name in names) for person in kept).items():
        for cell in itertools.product(*(groups[value] for groups, value in zip(groups_of, values, strict=True))):
            counts[cell] += number
    return counts


def wrong_in(release: Release, people: truth.People) -> list[str]:
    """Return the groupings that are further from the truth than the plan says, or negative."""
    plan, found = release.plan, []
    published = release.published.tables
    planned = dc.release.describe(plan).groupings
    for (table, indices), counts in zip(plan.layout.tables, published, strict=True):
        for index, numbers in zip(indices, counts, strict=True):
            errors = numbers - true_counts(plan.layout.groupings[index], people)
            size, allowed = errors.size, planned[index].typical_error
            rms = math.sqrt(float((errors.astype(float) ** 2).mean()))
            if rms > allowed * (1 + 3.5 / math.sqrt(size)) or numbers.min() < 0:
                found.append(f"{table.name} {planned[index].name}: {rms:.1f} against {allowed:.1f}")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_planned_release_is_right_and_its_promise_is_within_the_budget(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    people = truth.zipf(seed, 6000, SIDES)
    rows = draw.choice((1, 1, 3))
    for number, person in enumerate(people):
        person["id"] = str(number // rows)
    spec = {
        "version": "1",
        "source": {"csv": str(truth.write(tmp_path / "people.csv", people))},
        "unit": {"id": "id", "contributions": rows},
        "dimensions": dimensions(),
        "tables": tables(draw),
        "accuracy": {"aim": draw.choice(("margins", "cells", "worst"))},
        "budget": {"epsilon": draw.choice(("0.5", "1", "2")), "delta": "1e-6"},
        "key": "fresh",
    }
    release = dc.release.run(spec, tmp_path / "out")
    assert wrong_in(release, people) == []
    report = independent.check(tmp_path / "out")
    assert {finding.verdict for finding in report.findings} <= {"proved", "not checked"}, report.failures
    promise = release.plan.promise
    assert promise is not None
    assert promise.delta <= 1e-6
