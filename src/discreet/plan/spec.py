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

The adviser and every other step that decides on the noise see the specification only, never the data. `read_spec`
reads a specification.
"""

import json
import os
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from discreet.errors import SpecError
from discreet.plan.metadata import Language, Metadata, require_known_names
from discreet.plan.sections import (
    Accuracy,
    Budget,
    Dimension,
    Fixed,
    MeasuredGrouping,
    Secret,
    TableSpec,
    Unit,
)
from discreet.plan.source import Source
from discreet.plan.spec_section import Label, Section, one_line
from discreet.plan.yaml_file import text

RESERVED = ("measurements", "manifest", "certificate", "report")
"""Names of files in every folder. Tables may not have these names."""

COLUMNS = ("count", "grouping", "measurement")
"""Columns of the files. Dimensions may not have these names."""

COLUMNS_SINCE_2 = ("low", "high", "measure")
"""Columns of the files since version 2 of the format of folders."""


class ReleaseSpec(Section):
    """A release: tables published together."""

    title: str = Field("Release", description="Heading of the report.")
    version: str = Field(
        min_length=1, max_length=100, description="Label of the data's version. New data need a new label."
    )
    source: Source | None = Field(
        None,
        description="csv, parquet, excel, duckdb, postgres or spark; see docs/engines.md. Leave it out to give a data"
        " frame: see docs/frames.md.",
    )
    unit: Unit = Field(Unit(), description="Whose privacy is kept. Default: every row is a person.")
    dimensions: dict[Label, Dimension] = Field(description="The codebook of each dimension that tables use.")
    tables: list[TableSpec] = Field(min_length=1, description="The tables to publish.")
    measure: Literal["published", "plan"] | list[MeasuredGrouping] | None = Field(
        None,
        description="Groupings that are measured: published (every table and margin, all with one noise), plan (those"
        " that make the errors small, each with its noise), or a list. Other groupings are published from the measured"
        " ones by least squares. Default: plan, unless the specification has a design, no budget, key: contributors, or"
        " reconcile: none or wang-3; then published.",
    )
    accuracy: Accuracy = Field(Accuracy(), description="What measure: plan makes small, and what it must reach.")
    design: dict[str, Any] | None = Field(
        None,
        description="A design by name with its parameters, or {certificate: FILE}. Default: the adviser's best design.",
    )
    bits: int | None = Field(None, ge=8, le=62, description="Bits of the perturbation table.")
    budget: Budget | None = Field(
        None, description="The most that one person may lose in all; not for key: contributors."
    )
    key: Literal["query", "fresh", "contributors"] = Field(
        "query", description="How noise is chosen; see docs/keys.md."
    )
    record_keys: list[str] | None = Field(
        None,
        min_length=1,
        description="For contributors: columns with record keys that came with the data. They carry no guarantee.",
    )
    record_keys_are: Literal["integers", "fractions", "components"] = Field(
        "integers",
        description="Record keys that came with the data: integers (ONS), numbers from 0 to below 1 (cellKey), or the"
        " components of a key of the ABS, summed modulo a prime.",
    )
    secret: Secret | None = Field(None, description="The secret that chooses the noise; not needed for key: fresh.")
    ledger: str | None = Field(None, description="Path or URL of a ledger.")
    reconcile: Literal["auto", "tree", "cube", "wang-3", "none"] = Field(
        "auto", description="How measurements become tables that add up. none: measurements are clamped at 0."
    )
    fixed: list[Fixed] = Field(
        default_factory=list,
        description="Counts that are public from elsewhere. Fixed counts are outside the guarantee.",
    )
    seed: int = Field(0, ge=0, lt=2**63, description="Public seed of the reconciliation.")
    outputs: list[Literal["csv", "parquet", "json-stat", "sdmx-csv", "xlsx"]] = Field(
        ["csv"], min_length=1, description="Formats of the tables, each once."
    )
    language: Language = Field("en", description="Language of the report, of README.md and of labels.")
    metadata: Metadata = Field(Metadata(), description="What readers are told: description, contact, licence, labels.")

    @field_validator("version", "title", mode="before")
    @classmethod
    def _label(cls, label: Any) -> Any:
        return text(label)

    @field_validator("version")
    @classmethod
    def _printable(cls, version: str) -> str:
        if not version.isprintable():
            raise ValueError(f"the version is {version!r}; give a label without line ends and control characters")
        return version

    @field_validator("title")
    @classmethod
    def _one_line(cls, title: str) -> str:
        return one_line(title)

    @field_validator("dimensions")
    @classmethod
    def _no_reserved_dimension(cls, dimensions: dict[str, Dimension], info: ValidationInfo) -> dict[str, Dimension]:
        first_version = (info.context or {}).get("version") == 1
        for name in dimensions:
            if name.lower() in (COLUMNS if first_version else COLUMNS + COLUMNS_SINCE_2):
                raise SpecError(
                    f"the dimension {name} has the name of a column of the files; choose another name", (name,)
                )
        return dimensions

    @field_validator("tables")
    @classmethod
    def _distinct_file_names(cls, tables: list[TableSpec]) -> list[TableSpec]:
        names: set[str] = set()
        for index, table in enumerate(tables):
            name = table.name.lower()
            if name in RESERVED:
                raise SpecError(
                    f"the table {table.name} has the name of a file in every folder; choose another name",
                    (index, "name"),
                )
            if name in names:
                raise SpecError(
                    f"two tables have the name {table.name}, capital letters aside; give each its own name",
                    (index, "name"),
                )
            names.add(name)
        return tables

    @field_validator("outputs")
    @classmethod
    def _distinct_formats(cls, outputs: list[str]) -> list[str]:
        if len(set(outputs)) < len(outputs):
            raise ValueError("a format is given twice; give each format once")
        return outputs

    @property
    def used(self) -> set[str]:
        """Names of the dimensions that tables and filters use."""
        axes = {axis.dimension for table in self.tables for axis in table.dimensions}
        return axes.union(*(table.filter for table in self.tables))

    @property
    def why_from_data(self) -> str | None:
        """What the specification took from the data, so that nothing is promised; None if there is nothing."""
        used = [dimension for name, dimension in self.dimensions.items() if name in self.used]
        if any(dimension.from_data for dimension in used):
            return "categories were taken from the data"
        if any(dimension.found is not None for dimension in used):
            return "categories or ranges were found in the data"
        return None if self.unit.found is None else "the unit and its contributions were found in the data"

    @property
    def columns(self) -> set[str]:
        """Names of the columns of the source that are read."""
        named = {self.dimensions[name].column for name in self.used if name in self.dimensions}
        return named | {*(self.record_keys or ()), *([] if self.unit.id is None else [self.unit.id])}

    @model_validator(mode="after")
    def _consistent(self) -> "ReleaseSpec":
        self._refuse_measured_with_contributor_keys()
        if self.key != "fresh" and self.secret is None:
            raise SpecError(
                f"key is {self.key}, which needs a secret; give secret: {{file: ...}} or key: fresh", ("key",)
            )
        if self.key == "contributors" and (self.budget is not None or self.ledger is not None):
            raise SpecError(
                "key is contributors, whose guarantees do not compose; leave budget and ledger out", ("key",)
            )
        reason = self.why_from_data
        if reason is not None and self.ledger is not None:
            raise SpecError(f"{reason}, so nothing is promised; leave the ledger out", ("ledger",))
        if self.key != "contributors" and self.budget is None and not (reason is not None and self.design):
            raise ValueError("give a budget, the most that one person may lose in all: {epsilon: 1, delta: 1e-6}")
        if self.key == "contributors" and self.design is None:
            raise SpecError("key is contributors, so there is no budget to choose a design by; give a design", ("key",))
        if self.key == "contributors" and self.record_keys is None and self.unit.id is None:
            raise SpecError(
                "key is contributors; give unit: {id: COLUMN}, from which record keys are made, or record_keys",
                ("key",),
            )
        if self.key == "query" and self.ledger is None and self.secret is not None and self.secret.memory_path is None:
            raise SpecError(
                "the secret comes from the environment and has no memory: if the data changed under one label, two"
                " releases would show the exact differences; give secret: {env: ..., memory: FILE}, a ledger, or key:"
                " fresh",
                ("secret",),
            )
        if self.ledger is not None and self.secret is None:
            raise SpecError("a ledger needs the secret that opened it; give secret: {file: ...}", ("ledger",))
        require_known_names(self.metadata, [table.name for table in self.tables], self.dimensions)
        self._refuse_given_record_keys()
        if self.measure not in ("plan", None) and self.accuracy != Accuracy():
            raise SpecError("accuracy is for measure: plan; leave it out, or take measure: plan", ("accuracy",))
        for yaml_path, design in self.designs:
            _refuse_wrong_design(design, self.bits, yaml_path)
        return self

    @property
    def designs(self) -> list[tuple[tuple[str | int, ...], dict[str, Any]]]:
        """The designs that the specification states, each with its place."""
        listed = self.measure if isinstance(self.measure, list) else []
        own = [(("measure", index, "design"), entry.design) for index, entry in enumerate(listed)]
        return [(path, design) for path, design in [(("design",), self.design), *own] if design is not None]

    def _refuse_measured_with_contributor_keys(self) -> None:
        if self.measure not in ("published", None) and self.key == "contributors":
            raise SpecError(
                "key is contributors, and measure is not published; noise that people's keys choose does not compose,"
                " so there is no budget to share among groupings: leave measure out, or take key: query",
                ("measure",),
            )

    def _refuse_given_record_keys(self) -> None:
        if self.record_keys is None:
            return
        if self.key != "contributors":
            raise SpecError("record_keys are for key: contributors only; leave record_keys out", ("record_keys",))
        if self.unit.id is not None:
            raise SpecError(
                "record keys came with the data, so nothing is promised and rows are not limited; leave unit out",
                ("unit",),
            )


def _refuse_wrong_design(design: dict[str, Any], bits: int | None, yaml_path: tuple[str | int, ...]) -> None:
    """Raise SpecError if a design has an infinity, or is a certificate and has parameters or bits as well."""
    try:
        json.dumps(design, allow_nan=False, default=str)
    except ValueError:
        raise SpecError("the design has an infinity or NaN; give finite numbers", yaml_path) from None
    if "certificate" not in design:
        return
    if not isinstance(design["certificate"], (str, os.PathLike)):
        raise SpecError("the certificate is not a path; give the path of a certificate", (*yaml_path, "certificate"))
    if len(design) > 1:
        parameters = ", ".join(str(name) for name in design if name != "certificate")
        raise SpecError(f"the design is a certificate and also has {parameters}; leave {parameters} out", yaml_path)
    if bits is not None:
        raise SpecError("the design is a certificate, and a certificate states its bits; leave bits out", ("bits",))
