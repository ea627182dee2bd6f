"""The source of a release: which file or table holds the rows."""

import os
from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError, field_validator, model_serializer, model_validator

from discreet.errors import ParameterError
from discreet.plan.spec_section import Section
from discreet.spelling import did_you_mean

FIELDS: dict[str, set[str]] = {
    "csv": {"delimiter", "header", "encoding", "decimal", "dates"},
    "parquet": set(),
    "excel": {"sheet"},
    "duckdb": {"table"},
    "postgres": {"table"},
    "spark": {"format", "delimiter", "header", "encoding", "decimal", "dates"},
}
"""The kinds of source, and the other fields of each kind."""

PATHS = ("csv", "parquet", "excel", "duckdb")
"""Kinds whose location is a path."""


class Source(Section):
    """The source of the rows: exactly one of csv, parquet, excel, duckdb, postgres and spark, with its options."""

    csv: str | None = Field(None, description="Path of a CSV file.")
    parquet: str | None = Field(None, description="A Parquet file, a folder, or a pattern.")
    excel: str | None = Field(None, description="Path of an Excel workbook (.xlsx); its first row names the columns.")
    duckdb: str | None = Field(None, description="Path of a DuckDB database; also give table.")
    postgres: str | None = Field(None, repr=False, description="env:NAME or a connection string; also give table.")
    spark: str | None = Field(None, description="A path or a table of Spark.")
    table: str | None = Field(None, description="For duckdb and postgres: table, or schema.table.")
    format: str | None = Field(None, description="For spark: table, csv or parquet.")
    delimiter: str | None = Field(None, description="For CSV files: the separator of fields. Default: a comma.")
    header: bool | None = Field(
        None, description="For CSV files: true if the first line names the columns. Default: true."
    )
    encoding: str | None = Field(
        None,
        description="For CSV files: utf-8, or an encoding of one byte a character, such as cp1252. Default: utf-8.",
    )
    decimal: str | None = Field(
        None, description='For CSV files: the decimal mark of numbers, "." or ",". Default: a point.'
    )
    dates: str | None = Field(
        None,
        description="For CSV files: the order in dates such as 31.12.2026 (dmy) or 12/31/2026 (mdy), for ranges of"
        " dates. Default: ymd, 2026-12-31.",
    )
    sheet: str | None = Field(None, description="For excel: the name of the sheet. Default: the first sheet.")

    @model_validator(mode="before")
    @classmethod
    def _check_fields(cls, fields: Any) -> Any:
        """Check names and types of the fields. Messages name the kind of source and never repeat a location."""
        if not isinstance(fields, Mapping):
            return fields
        kinds = [kind for kind in FIELDS if kind in fields]
        if len(kinds) != 1:
            raise ValueError(f"the source names {', '.join(kinds) or 'nothing'}; name one of {', '.join(FIELDS)}")
        kind = kinds[0]
        unknown = {str(name) for name in fields} - FIELDS[kind] - {kind}
        if unknown:
            names, known = ", ".join(sorted(unknown)), ", ".join(sorted(FIELDS[kind])) or "none"
            near = did_you_mean(min(unknown), FIELDS[kind])
            raise ValueError(f"{kind} sources have no field {names}; allowed: {known}{near}")
        location = fields[kind]
        if not isinstance(location, (str, os.PathLike)) or not os.fspath(location):
            raise ValueError(f"the source's {kind} is not a path or a name; give a path or a name")
        if kind in ("duckdb", "postgres") and not fields.get("table"):
            raise ValueError(f"the source {kind} has no table; give table, or schema.table")
        for name in FIELDS[kind] & set(fields):
            expected_type, expected = (bool, "true or false") if name == "header" else (str, "a text")
            if not isinstance(fields[name], expected_type):
                raise ValueError(f"the source's {name} is {fields[name]!r:.80}; give {expected}")
        if fields.get("decimal", ".") not in (".", ","):
            raise ValueError(f"the source's decimal is {fields['decimal']!r:.80}; give '.' or ','")
        if fields.get("dates", "ymd") not in ("ymd", "dmy", "mdy"):
            raise ValueError(
                f"the source's dates is {fields['dates']!r:.80}; give ymd (2026-12-31), dmy (31.12.2026) or mdy"
                " (12/31/2026)"
            )
        return fields

    @field_validator(*FIELDS, mode="before")
    @classmethod
    def _path(cls, location: Any) -> Any:
        return os.fspath(location) if isinstance(location, os.PathLike) else location

    @model_serializer
    def _without_defaults(self) -> dict[str, Any]:
        """Return the fields that were given, so that a source that was written can be read again."""
        return {self.kind: self.location, **self.options}

    @classmethod
    def of(cls, source: "Source | Mapping[str, Any]") -> "Source":
        """Return a source from a mapping, or a source unchanged.

        Raises
        ------
        ParameterError
            The mapping is not a source.
        """
        if isinstance(source, Source):
            return source
        try:
            return cls.model_validate(source)
        except ValidationError as error:
            raise ParameterError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None

    @property
    def kind(self) -> str:
        """The kind of the source: csv, parquet, excel, duckdb, postgres or spark."""
        return next(kind for kind in FIELDS if getattr(self, kind) is not None)

    @property
    def location(self) -> str:
        """The path, table or connection string."""
        return str(getattr(self, self.kind))

    @property
    def options(self) -> dict[str, Any]:
        """The other fields that were given."""
        return {name: getattr(self, name) for name in FIELDS[self.kind] if getattr(self, name) is not None}
