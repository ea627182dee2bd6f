"""The specification of a release: what is published, from which source, with which privacy.

It is a YAML file (or a dict) with these parts; `discreet release --schema` prints them all:

    version: "2026-01"                  # label of the data's version
    source: {csv: people.csv}
    unit: {id: person_id, contributions: 1}
    dimensions:
      sex: {column: sex, categories: [female, male]}
      age: {column: age, ranges: {child: [0, 16], adult: [16, null]}}
    tables:
      - {name: people, dimensions: [sex, age], margins: all}
    budget: {epsilon: 1, delta: 1e-6}
    secret: {file: secret.key}

The adviser and everything else that decides on the noise see the specification only, never the data. `read_spec`
reads it.
"""

import json
import os
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from discreet.errors import SpecError
from discreet.plan.sections import Budget, Dimension, Fixed, Label, Secret, Section, TableSpec, Unit, plain
from discreet.plan.source import Source
from discreet.plan.yaml_file import text

RESERVED = ("measurements", "manifest", "certificate", "report")
"""Files of every folder, which tables may not be called."""

COLUMNS = ("count", "grouping", "measurement")
"""Columns of the files, which dimensions may not be called."""


class ReleaseSpec(Section):
    """A release: tables published together."""

    title: str = Field("Release", description="What the report is headed with.")
    version: str = Field(
        min_length=1, max_length=100, description="Label of the data's version; new data need a new one."
    )
    source: Source = Field(description="csv, parquet, duckdb, postgres or spark; see the how-to pages.")
    unit: Unit = Field(Unit(), description="Whose privacy is kept; every row is a person unless given.")
    dimensions: dict[Label, Dimension] = Field(description="A codebook for each name that tables use.")
    tables: list[TableSpec] = Field(min_length=1, description="What is published.")
    design: dict[str, Any] | None = Field(
        None,
        description="A design by name with its parameters, or {certificate: FILE}; the adviser's best unless given.",
    )
    bits: int | None = Field(None, ge=8, le=62, description="Of the perturbation table.")
    budget: Budget | None = Field(None, description="What one person may lose in all; not for key: contributors.")
    key: Literal["query", "fresh", "contributors"] = Field("query", description="How noise is chosen; see keys.")
    record_keys: list[str] | None = Field(
        None,
        min_length=1,
        description="For contributors: columns with record keys that came with the data. They carry no guarantee.",
    )
    record_keys_are: Literal["integers", "fractions"] = Field(
        "integers", description="Record keys that came with the data: integers (ONS), or from 0 to below 1 (cellKey)."
    )
    secret: Secret | None = Field(None, description="What noise is chosen by; not needed for key: fresh.")
    ledger: str | None = Field(None, description="Path or URL of a ledger.")
    reconcile: Literal["auto", "tree", "cube", "wang-3", "none"] = Field(
        "auto", description="How tables are made from measurements, so that they add up; none: clamped at 0."
    )
    fixed: list[Fixed] = Field(
        default_factory=list, description="Counts that are public from elsewhere. They are outside the guarantee."
    )
    seed: int = Field(0, ge=0, lt=2**63, description="Public seed of the reconciliation.")
    outputs: list[Literal["csv", "parquet", "json-stat"]] = Field(
        ["csv"], min_length=1, description="Formats of the tables, each once."
    )

    @field_validator("version", "title", mode="before")
    @classmethod
    def _label(cls, given: Any) -> Any:
        return text(given)

    @field_validator("version")
    @classmethod
    def _printable(cls, given: str) -> str:
        if not given.isprintable():
            raise ValueError(f"the version is {given!r}; give a label without line ends and control characters")
        return given

    @field_validator("title")
    @classmethod
    def _one_line(cls, given: str) -> str:
        return plain(given)

    @field_validator("dimensions")
    @classmethod
    def _columns(cls, given: dict[str, Dimension]) -> dict[str, Dimension]:
        for name in given:
            if name.lower() in COLUMNS:
                raise SpecError(
                    f"a dimension is called {name}, as a column of the files is; choose another name", (name,)
                )
        return given

    @field_validator("tables")
    @classmethod
    def _files(cls, given: list[TableSpec]) -> list[TableSpec]:
        names: set[str] = set()
        for at, table in enumerate(given):
            name = table.name.lower()
            if name in RESERVED:
                raise SpecError(
                    f"a table is called {table.name}, as a file of every folder is; choose another name", (at, "name")
                )
            if name in names:
                raise SpecError(
                    f"two tables have the same name, {table.name}, capital letters aside; give each its own",
                    (at, "name"),
                )
            names.add(name)
        return given

    @field_validator("outputs")
    @classmethod
    def _once(cls, given: list[str]) -> list[str]:
        if len(set(given)) < len(given):
            raise ValueError("a format is given twice; give each once")
        return given

    @property
    def used(self) -> set[str]:
        """The dimensions of tables and filters."""
        axes = {axis.dimension for table in self.tables for axis in table.dimensions}
        return axes.union(*(table.filter for table in self.tables))

    @property
    def columns(self) -> set[str]:
        """The columns of the source that are read."""
        named = {self.dimensions[name].column for name in self.used if name in self.dimensions}
        return named | {*(self.record_keys or ()), *([] if self.unit.id is None else [self.unit.id])}

    @model_validator(mode="after")
    def _consistent(self) -> "ReleaseSpec":
        if self.key != "fresh" and self.secret is None:
            raise SpecError(
                f"key is {self.key}, which needs a secret; give secret: {{file: ...}} or key: fresh", ("key",)
            )
        if self.key == "contributors" and (self.budget is not None or self.ledger is not None):
            raise SpecError(
                "key is contributors, whose guarantees do not compose; leave budget and ledger out", ("key",)
            )
        from_data = any(each.from_data for name, each in self.dimensions.items() if name in self.used)
        if from_data and self.ledger is not None:
            raise SpecError(
                "categories are taken from the data, so nothing is promised; leave the ledger out", ("ledger",)
            )
        if self.key != "contributors" and self.budget is None and not (from_data and self.design):
            raise ValueError("give a budget: what one person may lose in all, such as {epsilon: 1, delta: 1e-6}")
        if self.key == "contributors" and self.design is None:
            raise SpecError("key is contributors; give a design, as there is no budget to choose one by", ("key",))
        if self.key == "contributors" and self.record_keys is None and self.unit.id is None:
            raise SpecError(
                "key is contributors; give unit: {id: COLUMN} to make record keys from, or record_keys", ("key",)
            )
        if self.key == "query" and self.ledger is None and self.secret is not None and self.secret.memory_path is None:
            raise SpecError(
                "the secret comes from the environment, and what was released with it must be remembered, as changed"
                " data under one label would show their exact differences; give secret: {env: ..., memory: FILE}, a"
                " ledger, or key: fresh",
                ("secret",),
            )
        if self.ledger is not None and self.secret is None:
            raise SpecError("a ledger needs the secret it was opened with; give secret: {file: ...}", ("ledger",))
        self._own_keys()
        self._certificate()
        try:
            json.dumps(self.design, allow_nan=False, default=str)
        except ValueError:
            raise SpecError("the design has a number that is infinite or none; give finite ones", ("design",)) from None
        return self

    def _own_keys(self) -> None:
        if self.record_keys is None:
            return
        if self.key != "contributors":
            raise SpecError("record_keys are for key: contributors; leave them out", ("record_keys",))
        if self.unit.id is not None:
            raise SpecError(
                "record keys came with the data, so nothing is promised and rows are not limited; leave unit out",
                ("unit",),
            )

    def _certificate(self) -> None:
        if self.design is None or "certificate" not in self.design:
            return
        if not isinstance(self.design["certificate"], (str, os.PathLike)):
            raise SpecError("the certificate is not the path of a file; give one", ("design", "certificate"))
        if len(self.design) > 1:
            others = ", ".join(str(name) for name in self.design if name != "certificate")
            raise SpecError(
                f"the design is a certificate, and has {others} as well; a certificate says it all: leave that out",
                ("design",),
            )
        if self.bits is not None:
            raise SpecError("the design is a certificate, which has its own bits; leave bits out", ("bits",))
