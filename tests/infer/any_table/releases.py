"""Releases of random people with levels, filters and several kinds of noise, and questions about them."""

import csv
import random
from functools import cache
from pathlib import Path
from typing import Any

from discreet.infer.any_table.table_question import AxisChoice, TableQuestion
from discreet.release import run

AREAS = [f"area {number}" for number in range(9)]
REGIONS = {"north": AREAS[:2], "middle": AREAS[2:6], "south": AREAS[6:]}
AGES = ["child", "young", "old"]

BASE: dict[str, Any] = {
    "version": "2025",
    "dimensions": {
        "area": {"column": "area", "categories": AREAS, "levels": {"region": REGIONS}},
        "age": {"column": "age", "categories": AGES, "levels": {"legal": {"adult": ["young", "old"]}}},
        "sex": {"column": "sex", "categories": {"f, female": "f", "m": "m"}},
    },
    "tables": [{"name": "people", "dimensions": ["area", "age", "sex"], "margins": "all"}],
    "design": {"name": "geometric", "epsilon": "0.5"},
    "budget": {"epsilon": 50, "delta": "1e-6"},
    "key": "fresh",
    "outputs": ["csv"],
}

REGION = {"dimension": "area", "level": "region"}

RELEASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "no margins": {"tables": [{"name": "people", "dimensions": ["area", "age", "sex"]}]},
    "levels": {
        "tables": [
            {"name": "people", "dimensions": ["area", "sex"], "margins": [["sex"]]},
            {"name": "regions", "dimensions": [REGION, "age"], "margins": "all"},
        ]
    },
    "two hierarchies": {
        "tables": [
            {"name": "people", "dimensions": ["area", "age"], "margins": "all"},
            {"name": "regions", "dimensions": [REGION, {"dimension": "age", "level": "legal"}], "margins": "all"},
        ]
    },
    "a filter": {
        "tables": [
            {"name": "people", "dimensions": ["area", "sex"], "margins": "all"},
            {"name": "adults", "dimensions": ["area", "age"], "margins": "all", "filter": {"age": ["young", "old"]}},
        ]
    },
    "not made to add up": {"reconcile": "none"},
    "a fixed total": {"fixed": [{"where": {}, "count": 700, "differs": "of a register"}]},
    "an upper end": {"design": {"name": "geometric", "epsilon": "0.5", "upper": 1000}},
}


def publish(folder: Path, name: str = "plain", version: str = "2025", **changes: Any) -> Path:
    """Publish 700 random people. Return the folder."""
    rng = random.Random(version)
    lines = [f"{rng.choice(AREAS[:-1])},{rng.choice(AGES)},{rng.choice('fm')}" for _ in range(700)]
    people = folder / f"{version}.csv"
    people.write_text("\n".join(["area,age,sex", *lines]) + "\n")
    published = folder / f"{name.replace(' ', '-')}-{version}"
    run(BASE | {"source": {"csv": str(people)}} | RELEASES[name] | {"version": version} | changes, published)
    return published


@cache
def rows(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file of a published folder."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def asked(rows: str = "", columns: str = "", **keep: str) -> TableQuestion:
    """Return a question from texts: asked("area/region,sex", "age", sex="m")."""

    def axes(text: str) -> tuple[AxisChoice, ...]:
        parts = [part.partition("/") for part in text.split(",") if part]
        return tuple(AxisChoice(name, level or None) for name, _, level in parts)

    kept = tuple((name, tuple(labels.split("|"))) for name, labels in keep.items())
    return TableQuestion(axes(rows), axes(columns), kept)
