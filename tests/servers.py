"""Servers for tests: PostgreSQL of the system's packages, in a temporary folder, and Spark in local mode."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

PASSWORD = "correct horse"
_TYPES = {
    pa.int32(): "int", pa.int64(): "bigint", pa.float64(): "float8", pa.string(): "text", pa.bool_(): "bool",
    pa.date32(): "date", pa.timestamp("us"): "timestamp",
}  # fmt: skip


@dataclass(frozen=True)
class Postgres:
    """A running PostgreSQL server."""

    port: int

    @property
    def dsn(self) -> str:
        """The connection string, with the password."""
        return f"host=127.0.0.1 port={self.port} dbname=postgres user=steward password='{PASSWORD}'"

    def url(self, database: str) -> str:
        """Return the URL of a database, with the password."""
        return f"postgresql://steward:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self.port}/{database}"

    def execute(self, *statements: str) -> None:
        """Run statements, each in its own transaction."""
        import psycopg

        with psycopg.connect(self.dsn, autocommit=True) as base:
            for statement in statements:
                base.execute(statement.encode())

    def load(self, name: str, rows: pa.Table) -> dict[str, Any]:
        """Create a table with the rows. Return the source section that reads it."""
        import psycopg
        from psycopg import sql

        columns = [
            sql.SQL("{} {}").format(sql.Identifier(field.name), sql.SQL(_TYPES.get(field.type, "numeric")))
            for field in rows.schema
        ]
        table = sql.Identifier(name)
        with psycopg.connect(self.dsn) as base, base.cursor() as cursor:
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(table))
            cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(table, sql.SQL(", ").join(columns)))
            with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
                for row in rows.to_pylist():
                    copy.write_row(list(row.values()))
        return {"postgres": self.dsn, "table": name}


def programs() -> Path | None:
    """Return the folder of the programs of the newest server; None if no server is installed."""
    initdbs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(shutil.which("initdb") or "/none")]
    return initdbs[-1].parent if (initdbs[-1].parent / "pg_ctl").exists() else None


@contextmanager
def server(bin_folder: Path, durable: bool = False) -> Iterator[Postgres]:
    """Start a server, and stop it at the end of the context."""
    user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    prefix = ["runuser", "-u", user, "--"] if os.getuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    shutil.chown(folder, user)
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def run(*command: object) -> None:
        subprocess.run([*prefix, *map(str, command)], check=True, cwd=folder, stdout=subprocess.DEVNULL)

    data = folder / "data"
    run(bin_folder / "initdb", "-D", data, "-U", "steward", "-A", "scram-sha-256", f"--pwfile={secret}", "-N",
        "-E", "UTF8", "--locale=C.UTF-8")  # fmt: skip
    options = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync={'on' if durable else 'off'}"
    run(bin_folder / "pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "-t", "300", "start")
    try:
        yield Postgres(port)
    finally:
        run(bin_folder / "pg_ctl", "-D", data, "-m", "immediate", "-w", "-t", "300", "stop")
        shutil.rmtree(folder, ignore_errors=True)


class Spark:
    """A running Spark session."""

    def load(self, kind: str, data: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
        """Store the rows as "spark parquet", "spark csv" or "spark table". Return the source that reads them."""
        from pyspark.sql import SparkSession

        from tests.count import hostile

        if kind == "spark csv":
            return {"spark": str(hostile.write_csv(folder / "town.csv", data))}
        file = hostile.write_parquet(folder / "town.parquet", data)
        if kind == "spark parquet":
            return {"spark": str(file)}
        session = SparkSession.getActiveSession()
        assert session is not None
        session.read.parquet(str(file)).createOrReplaceTempView("town_view")
        return {"spark": "town_view", "format": "table"}
