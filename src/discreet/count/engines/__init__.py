"""Where rows are counted: DuckDB inside this process, a PostgreSQL server, or Spark.

All engines give the same counts, to the last one, and whatever the order of the rows.
"""
