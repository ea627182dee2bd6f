"""Engines count rows: DuckDB inside this process, a PostgreSQL server, or Spark.

All engines give the same counts, whatever the order of the rows.
"""
