"""Releases of random people, and helpers that read their tables."""

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
    """Publish random people with overlapping age groups, one dimension at two levels. Return the folder."""
    rng = random.Random(version)
    lines = [f"{rng.choice('nsw')},{rng.choice(['child', 'adult', 'old'])},{rng.choice('fm')}" for _ in range(size)]
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
    """Return the rows of a CSV text, by column name. No row has more fields than the header."""
    found = list(csv.DictReader(io.StringIO(text)))
    assert all(None not in row for row in found)
    return found


def cell(reader: FolderReader, **labels: str) -> int:
    """Return the measurement of one cell of the table "people"."""
    return next(
        int(row["measured"])
        for row in rows(reader.csv(table="people"))
        if all(row[name] == label for name, label in labels.items())
    )


DISTRICT = {"column": "district", "categories": ["n", "s", "w"], "levels": {"side": {"coast": ["n", "w"]}}}
AGE = {"column": "age", "categories": ["child", "adult", "old"], "levels": {"legal": AGES}}
SEX = {"column": "sex", "categories": {"f, female": "f", "m": "m"}}
PEOPLE = {"name": "people", "dimensions": ["district", "sex"], "margins": "all"}
