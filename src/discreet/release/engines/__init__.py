"""Where rows are counted: DuckDB inside this process, a PostgreSQL server, or Spark.

    from discreet.release.engines import Plan, Recode, open_engine

    with open_engine({"parquet": "people.parquet"}) as engine:
        engine.count(Plan((Recode("sex", 2, values={"F": 0, "M": 1}),), unit="id"))

All engines give the same counts, to the last one, and whatever the order of the rows.
"""

from discreet.release.engines.engine import Engine
from discreet.release.engines.plan import Kind, Plan, Recode, RecordKeys
from discreet.release.engines.source import Source, open_engine

__all__ = ["Engine", "Kind", "Plan", "Recode", "RecordKeys", "Source", "open_engine"]
