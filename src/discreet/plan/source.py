"""The source of a release: which file or table holds the rows."""

import os
from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError, field_validator, model_serializer, model_validator

from discreet.errors import ParameterError
from discreet.plan.sections import Section

FIELDS: dict[str, set[str]] = {
    "csv": {"delimiter", "header"},
    "parquet": set(),
    "duckdb": {"table"},
    "postgres": {"table"},
    "spark": {"format", "delimiter", "header"},
}
"""The kinds of source, and the other fields that each may have."""

PATHS = ("csv", "parquet", "duckdb")
"""Kinds whose location is a path."""


class Source(Section):
    """Where the rows are: exactly one of csv, parquet, duckdb, postgres and spark, with its options."""

    csv: str | None = Field(None, description="Path of a CSV file.")
    parquet: str | None = Field(None, description="A Parquet file, a folder, or a pattern.")
    duckdb: str | None = Field(None, description="Path of a DuckDB database; give its table, too.")
    postgres: str | None = Field(None, description="env:NAME or a connection string; give the table, too.")
    spark: str | None = Field(None, description="A path or a table of Spark.")
    table: str | None = Field(None, description="For duckdb and postgres: table, or schema.table.")
    format: str | None = Field(None, description="For spark: table, csv or parquet.")
    delimiter: str | None = Field(None, description="For CSV files: a comma unless given.")
    header: bool | None = Field(
        None, description="For CSV files: whether the first line names the columns; true unless given."
    )

    @model_validator(mode="before")
    @classmethod
    def _fields(cls, given: Any) -> Any:
        """Check names and types here, so that a message names the kind of source and never repeats a location."""
        if not isinstance(given, Mapping):
            return given
        kinds = [kind for kind in FIELDS if kind in given]
        if len(kinds) != 1:
            raise ValueError(f"the source names {', '.join(kinds) or 'nothing'}; name one of {', '.join(FIELDS)}")
        kind = kinds[0]
        unknown = {str(name) for name in given} - FIELDS[kind] - {kind}
        if unknown:
            known = ", ".join(sorted(FIELDS[kind])) or "none"
            raise ValueError(f"{kind} sources have no field {', '.join(sorted(unknown))}; allowed: {known}")
        location = given[kind]
        if not isinstance(location, (str, os.PathLike)) or not os.fspath(location):
            raise ValueError(f"the source's {kind} is not a path or a name; give one")
        if kind in ("duckdb", "postgres") and not given.get("table"):
            raise ValueError(f"the source {kind} has no table; give table, or schema.table")
        for name in FIELDS[kind] & set(given):
            expected, wanted = (bool, "true or false") if name == "header" else (str, "a text")
            if not isinstance(given[name], expected):
                raise ValueError(f"the source's {name} is {given[name]!r:.80}; give {wanted}")
        return given

    @field_validator(*FIELDS, mode="before")
    @classmethod
    def _path(cls, given: Any) -> Any:
        return os.fspath(given) if isinstance(given, os.PathLike) else given

    @model_serializer
    def _as_given(self) -> dict[str, Any]:
        """Leave out what was not given, so that what is written can be read again."""
        return {self.kind: self.location, **self.options}

    @classmethod
    def of(cls, given: "Source | Mapping[str, Any]") -> "Source":
        """Return a source from a mapping.

        Raises
        ------
        ParameterError
            The mapping is not a source.
        """
        if isinstance(given, Source):
            return given
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise ParameterError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None

    @property
    def kind(self) -> str:
        """Which kind of source it is."""
        return next(kind for kind in FIELDS if getattr(self, kind) is not None)

    @property
    def location(self) -> str:
        """The path, table or connection string."""
        return str(getattr(self, self.kind))

    @property
    def options(self) -> dict[str, Any]:
        """The other fields that were given."""
        return {name: getattr(self, name) for name in FIELDS[self.kind] if getattr(self, name) is not None}
