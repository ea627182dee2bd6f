"""The synthetic town that ships with Discreet: its people, and the specification of a release about them.

The data come from examples/make_town.py.
"""

import gzip
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import yaml


def unpack(folder: Path) -> dict[str, Any]:
    """Put the people into a folder, as a CSV file; the specification that publishes them."""
    data = resources("discreet").joinpath("data")
    people = folder / "town.csv"
    people.write_bytes(gzip.decompress(data.joinpath("town.csv.gz").read_bytes()))
    document: dict[str, Any] = yaml.safe_load(data.joinpath("town.yaml").read_text(encoding="utf-8"))
    return document | {"source": {"csv": str(people)}}
