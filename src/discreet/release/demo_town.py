"""The synthetic town that ships with Discreet: its people, and the specification of a release.

The data were made by examples/make_town.py.
"""

import gzip
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import yaml


def unpack(folder: Path) -> dict[str, Any]:
    """Write the people of the town to a CSV file.

    Parameters
    ----------
    folder
        The folder for the file, which gets the name town.csv.

    Returns
    -------
    dict
        The specification of a release of the people.
    """
    data = resources("discreet").joinpath("data")
    people = folder / "town.csv"
    people.write_bytes(gzip.decompress(data.joinpath("town.csv.gz").read_bytes()))
    document: dict[str, Any] = yaml.safe_load(data.joinpath("town.yaml").read_text(encoding="utf-8"))
    return document | {"source": {"csv": str(people)}}
