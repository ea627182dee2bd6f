"""Propose a first specification for a data file or a table of a server: `discreet init`."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.count.file_kind import file_kind, no_file, require_kind
from discreet.count.sources import open_engine
from discreet.errors import InputError, ParameterError
from discreet.plan.source import FIELDS, PATHS
from discreet.prepare.file_dialect import FileDialect, file_dialect
from discreet.prepare.proposal import Proposal, propose
from discreet.prepare.spec_text import spec_text

_ENDINGS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".gz": "csv", ".parquet": "parquet", ".xlsx": "excel",
    ".xlsm": "excel", ".duckdb": "duckdb",
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class InitialSpec:
    """A first specification. It lists values of the data.

    Attributes
    ----------
    text
        The YAML file.
    source
        The source section that was proposed, with the path as it was given.
    proposal
        What is proposed for each column.
    """

    text: str
    source: dict[str, Any]
    proposal: Proposal


def initial_spec(
    data: str,
    *,
    folder: str | os.PathLike[str] = ".",
    kind: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
) -> InitialSpec:
    """Look at the data, and propose a specification that runs as it is.

    Parameters
    ----------
    data
        The path of a CSV, Parquet, Excel or DuckDB file; env:NAME for the connection string of a PostgreSQL server; the
        name of a table or a path of Spark.
    folder
        The folder that the specification will be in. A relative path of the data is written relative to it.
    kind
        csv, parquet, excel, duckdb, postgres or spark. Default: by the name or the content of the data.
    table
        The table of a DuckDB file or a PostgreSQL server.
    sheet
        The sheet of a workbook. Default: the first sheet.

    Returns
    -------
    InitialSpec
        The text of the specification, which lists values of the data, and what was found.

    Raises
    ------
    InputError
        The data cannot be read, or no column can be counted.
    ParameterError
        The kind is unknown, or an option does not fit it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> temporary = tempfile.TemporaryDirectory()
    >>> people = pathlib.Path(temporary.name, "people.csv")
    >>> _ = people.write_text("sex;income\\n" + "".join(f"{'fm'[i % 2]};{i},5\\n" for i in range(40)))
    >>> spec = initial_spec(str(people))
    >>> spec.source["delimiter"], spec.source["decimal"]
    (';', ',')
    >>> [dimension.column for dimension in spec.proposal.dimensions]
    ['sex', 'income']
    >>> temporary.cleanup()
    """
    kind = kind or _kind(data)
    if kind not in FIELDS:
        raise ParameterError(f"the kind is {kind!r:.60}; give one of {', '.join(FIELDS)}")
    if kind == "postgres" and not data.startswith("env:"):
        raise ParameterError(
            "a connection string would be written into the specification; put it into an environment variable, and give"
            " env:NAME"
        )
    given = {"table": table, "sheet": sheet}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    notes: list[str] = []
    if kind == "csv":
        dialect = file_dialect(Path(data))
        options |= dialect.options()
        notes += _dialect_notes(dialect)
    if kind == "excel":
        notes += _sheet_notes(Path(data), sheet)
    source = {kind: data, **options}
    with open_engine(source) as engine:
        proposal = propose(engine)
    if not proposal.dimensions:
        reasons = "".join(f"\n  {column}: {why}" for column, why in proposal.left_out.items())
        raise InputError(f"no column of {data} can be proposed as a dimension:{reasons}")
    written = source | ({kind: _path_from(folder, data)} if kind in PATHS else {})
    text = spec_text(proposal, written, name=Path(data).name if kind in PATHS else table or data, notes=notes)
    return InitialSpec(text, source, proposal)


def _kind(data: str) -> str:
    """Return the kind of source that a name stands for."""
    if data.startswith("env:") or data.startswith(("postgres://", "postgresql://")):
        return "postgres"
    path = Path(data)
    ending = path.suffix.lower()
    if os.path.isdir(path) or (ending == ".parquet" and not os.path.isfile(path)):
        return "parquet"
    if not os.path.exists(path):
        raise InputError(
            f"{no_file(path)}; for a table of PostgreSQL give env:NAME and --table, for Spark --kind spark"
            if ending not in _ENDINGS
            else no_file(path)
        )
    require_kind(path, "csv", "parquet", "excel", "duckdb", "gzip")
    kind_of_file = file_kind(path)
    return _ENDINGS.get(ending, "csv") if kind_of_file in ("csv", "gzip") else kind_of_file


def _dialect_notes(dialect: FileDialect) -> list[str]:
    """Return what was found out about a CSV file, in words."""
    notes = []
    if dialect.encoding != "utf-8":
        notes.append(
            f"encoding: the file is not in UTF-8; {dialect.encoding} fits. Check letters such as é and ü below."
        )
    if dialect.damaged:
        notes.append(f"encoding: {dialect.damaged} bytes are not UTF-8; values with such a byte count as undeclared.")
    if dialect.dates != "ymd":
        first = "day" if dialect.dates == "dmy" else "month"
        notes.append(f"dates: {dialect.dates} takes the {first} to come first in dates such as 01/02/2026. Check it.")
    if not dialect.header:
        notes.append("header: the first line does not name the columns, so they are column1, column2, ...")
    return notes


def _sheet_notes(path: Path, sheet: str | None) -> list[str]:
    from discreet.count.excel_file import sheet_names  # few calls need it

    names = sheet_names(path)
    if sheet is None and len(names) > 1:
        return [
            f"sheet: the first of {len(names)} sheets is read ({', '.join(names[:20])}); give sheet for another one"
        ]
    return []


def _path_from(folder: str | os.PathLike[str], data: str) -> str:
    """Return a path as a specification in a folder has to give it. Absolute paths stay as they are."""
    return data if os.path.isabs(data) else os.path.relpath(data, folder or ".")
