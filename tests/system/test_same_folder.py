"""One release makes the same folder from every source, byte for byte."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.measure import secrets
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.servers import Postgres, Spark

KINDS = ["query", "contributors"]


def rows() -> list[dict[str, Any]]:
    """Return people with one to three rows each. Some ids and answers are missing, some answers are undeclared."""
    draw = random.Random(5)
    people = []
    for person in range(400):
        for _ in range(draw.choice([1, 1, 1, 2, 3])):
            people.append(
                {
                    "person": None if draw.random() < 0.05 else person,
                    "region": draw.choice(["north", "south", "east", "elsewhere", None]),
                    "age": draw.choice([None, draw.randrange(100)]),
                    "sex": draw.choice(["f", "m"]),
                }
            )
    draw.shuffle(people)
    return people


def spec(source: dict[str, Any], folder: Path, key: str) -> dict[str, Any]:
    document: dict[str, Any] = {
        "version": "1",
        "source": source,
        "unit": {"id": "person", "contributions": 2},
        "dimensions": {
            "region": {
                "column": "region",
                "categories": ["north", "south", "east"],
                "levels": {"coast": {"sea": ["north", "east"], "land": ["south"]}},
            },
            "age": {"column": "age", "ranges": {"young": [0, 30], "middle": [30, 60], "old": [60, None]}},
            "sex": {"column": "sex", "categories": ["f", "m"]},
        },
        "tables": [
            {"name": "all", "dimensions": ["region", "age", "sex"], "margins": "all"},
            {"name": "coast", "dimensions": [{"dimension": "region", "level": "coast"}, "sex"], "margins": "all"},
        ],
        "design": {"name": "geometric", "epsilon": "0.1"},
        "key": key,
        "secret": {"file": str(folder / "secret.key")},
        "outputs": ["csv", "parquet", "json-stat"],
    }
    return document | ({"budget": {"epsilon": 4, "delta": "1e-6"}} if key == "query" else {})


@pytest.mark.parametrize("key", KINDS)
def test_every_source_and_row_order_gives_the_same_folder(
    tmp_path: Path, postgres: Postgres, spark: Spark, key: str
) -> None:
    secrets.new_secret(tmp_path / "secret.key")
    data = rows()
    types = {"person": pa.int64(), "region": pa.string(), "age": pa.int32(), "sex": pa.string()}
    table = pa.Table.from_pylist(data, pa.schema(types.items()))
    pq.write_table(table, tmp_path / "people.parquet")
    pq.write_table(table.sort_by("age"), tmp_path / "sorted.parquet")
    with (tmp_path / "people.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(types))
        writer.writeheader()
        writer.writerows(data)
    with duckdb.connect(str(tmp_path / "people.db")) as base:
        base.execute(f"CREATE TABLE people AS FROM '{tmp_path / 'sorted.parquet'}'")
    sources = {
        "parquet": {"parquet": str(tmp_path / "people.parquet")},
        "sorted": {"parquet": str(tmp_path / "sorted.parquet")},
        "csv": {"csv": str(tmp_path / "people.csv")},
        "duckdb": {"duckdb": str(tmp_path / "people.db"), "table": "people"},
        "postgres": postgres.load("people", table),
        "spark": {"spark": str(tmp_path / "people.parquet")},
        "spark csv": {"spark": str(tmp_path / "people.csv"), "format": "csv"},
    }
    folders = {}
    for name, source in sources.items():
        run(spec(source, tmp_path, key), tmp_path / name)
        files = {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()}
        manifest = json.loads(files.pop("manifest.json"))
        assert manifest.pop("engine") in source
        folders[name] = (files, manifest)
    verify_folder(tmp_path / "postgres")
    for name in sources:
        assert folders[name] == folders["parquet"], name
