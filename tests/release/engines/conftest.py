"""Spark in local mode, started once."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import unavailable

from . import town


class Spark:
    """A running session."""

    def load(self, kind: str, data: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
        """Put the rows where Spark reads them as "spark parquet", "spark csv" or "spark table"."""
        from pyspark.sql import SparkSession

        if kind == "spark csv":
            return {"spark": str(town.write_csv(folder / "town.csv", data))}
        file = town.write_parquet(folder / "town.parquet", data)
        if kind == "spark parquet":
            return {"spark": str(file)}
        session = SparkSession.getActiveSession()
        assert session is not None
        session.read.parquet(str(file)).createOrReplaceTempView("town_view")
        return {"spark": "town_view", "format": "table"}


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """One session for all tests, as its start is slow."""
    if shutil.which("java") is None:
        unavailable("there is no Java; apt-get install openjdk-17-jre-headless")
    from discreet.count.engines.spark import _running

    with pytest.MonkeyPatch.context() as patch:  # Java need not compile well for so short a life
        patch.setenv("PYSPARK_SUBMIT_ARGS", "--driver-java-options -XX:TieredStopAtLevel=1 pyspark-shell")
        with _running():
            yield Spark()
