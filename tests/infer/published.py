"""Releases of random people, and how their tables are read."""

import csv
import io
import random
from pathlib import Path
from typing import Any

from discreet.infer.release_folder import FolderReader
from discreet.measure import secrets
from discreet.release import run

AGES = {"18+": ["adult", "old"], "65+": ["old"]}


def publish(folder: Path, version: str, size: int = 600, **changes: Any) -> Path:
    """A release of random people with overlapping age groups, one dimension at two levels."""
    draw = random.Random(version)
    lines = [f"{draw.choice('nsw')},{draw.choice(['child', 'adult', 'old'])},{draw.choice('fm')}" for _ in range(size)]
    (folder / f"{version}.csv").write_text("\n".join(["district,age,sex", *lines]) + "\n")
    if not (folder / "secret.key").exists():
        secrets.new_secret(folder / "secret.key")
    spec: dict[str, Any] = {
        "version": version,
        "source": {"csv": str(folder / f"{version}.csv")},
        "dimensions": {
            "district": {"column": "district", "categories": ["n", "s", "w"]},
            "age": {"column": "age", "categories": ["child", "adult", "old"], "levels": {"legal": AGES}},
            "sex": {"column": "sex", "categories": {"f, female": "f", "m": "m"}},
        },
        "tables": [
            {"name": "people", "dimensions": ["district", "sex"], "margins": "all"},
            {"name": "ages", "dimensions": [{"dimension": "age", "level": "legal"}], "margins": "none"},
        ],
        "design": {"name": "geometric", "epsilon": "0.5"},
        "budget": {"epsilon": 9, "delta": "1e-6"},
        "secret": {"file": str(folder / "secret.key")},
    }
    run(spec | changes, folder / f"out{version}")
    return folder / f"out{version}"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def cell(held: FolderReader, **labels: str) -> int:
    return next(
        int(row["measured"])
        for row in rows(held.csv(table="people"))
        if all(row[name] == label for name, label in labels.items())
    )


DISTRICT = {"column": "district", "categories": ["n", "s", "w"], "levels": {"side": {"coast": ["n", "w"]}}}
AGE = {"column": "age", "categories": ["child", "adult", "old"], "levels": {"legal": AGES}}
SEX = {"column": "sex", "categories": {"f, female": "f", "m": "m"}}
PEOPLE = {"name": "people", "dimensions": ["district", "sex"], "margins": "all"}
