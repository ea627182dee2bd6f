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

The adviser and everything else that decides on the noise see the specification only, never the data. `loading` reads
it.
"""

import math
import os
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from discreet.errors import SpecError
from discreet.exact import Epsilon, exact
from discreet.release.document import text

OTHER = "_other"
TOTAL = "_total"

RESERVED = ("measurements", "manifest", "certificate", "report")
"""Files of every folder, which tables may not be called."""

COLUMNS = ("count", "grouping", "measurement")
"""Columns of the files, which dimensions may not be called."""

LONGEST_LABEL = 200

Label = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL)]
Text = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Unit(_Part):
    """Whose privacy is kept: the people named by a column, or one person a row."""

    id: str | None = Field(None, description="Column with the id of a person; without one every row is a person.")
    contributions: int = Field(
        1, ge=1, le=10, description="Most rows of one person that count; others are dropped in a keyed order."
    )

    name: Label | None = Field(
        None,
        description="Whom a ledger protects, if not what the id column (or every row) says: the same in all releases.",
    )

    @property
    def protects(self) -> str:
        """Whose privacy a ledger's units are of."""
        return self.name or ("every row" if self.id is None else f"each {self.id}")

    @model_validator(mode="after")
    def _whose(self) -> "Unit":
        if self.contributions > 1 and self.id is None:
            raise SpecError(
                f"contributions is {self.contributions}, and nothing says which rows are one person's; give id",
                ("contributions",),
            )
        return self


class Dimension(_Part):
    """A codebook: how the raw values of a column become leaves. What is not declared becomes `_other`."""

    column: str = Field(description="Column of the source.")
    categories: list[Text] | dict[Text, list[str] | str] | None = Field(
        None, description="Leaves: a list of raw values, or a name for each with the raw values it stands for."
    )
    ranges: dict[Label, tuple[float | None, float | None]] | None = Field(
        None, description="Leaves of a number: a name for each and [lower, upper), null for no bound."
    )
    from_data: bool = Field(
        False, description="Categories are those found in the data; then nothing is promised, and no ledger takes it."
    )
    levels: dict[Label, dict[Label, list[Label]]] = Field(
        default_factory=dict, description="Coarser levels: for each its groups, and for each group its leaves."
    )

    @field_validator("categories", mode="before")
    @classmethod
    def _texts(cls, given: Any) -> Any:
        """Numbers, booleans and dates as the texts they are in a file."""
        if isinstance(given, list):
            return [text(item) for item in given]
        if isinstance(given, dict):
            return {
                name: [text(raw) for raw in raws] if isinstance(raws, list) else text(raws)
                for name, raws in _named(given).items()
            }
        return given

    @field_validator("ranges", mode="before")
    @classmethod
    def _range_names(cls, given: Any) -> Any:
        return _named(given)

    @field_validator("ranges")
    @classmethod
    def _bounds(cls, given: dict[str, Any] | None) -> dict[str, Any] | None:
        """An infinite bound is no bound: one population has one codebook."""
        if given is None:
            return None
        found = {}
        for name, (low, high) in given.items():
            bounds = None if low == -math.inf else low, None if high == math.inf else high
            if not all(bound is None or math.isfinite(bound) for bound in bounds):
                raise SpecError(f"the range {name!r} has {low} to {high}; give numbers, or null for no bound", (name,))
            found[name] = bounds
        return found

    @field_validator("levels", mode="before")
    @classmethod
    def _level_texts(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        levels = {level: _named(groups) for level, groups in _named(given).items()}
        return {
            level: {group: _texts_of(leaves) for group, leaves in groups.items()}
            if isinstance(groups, dict)
            else groups
            for level, groups in levels.items()
        }

    @model_validator(mode="after")
    def _one_way(self) -> "Dimension":
        if self.from_data and self.ranges is not None:
            raise ValueError("from_data is for categories; leave ranges out")
        if not self.from_data and (self.categories is None) == (self.ranges is None):
            raise ValueError("give categories or ranges, one of them")
        for label in () if self.from_data else self.categories or ():
            if len(label) > LONGEST_LABEL:
                raise SpecError(
                    f"the category {label[:20]!r}... has {len(label)} characters; give {LONGEST_LABEL} at most",
                    ("categories",),
                )
        return self

    def with_categories(self, found: Sequence[str]) -> "Dimension":
        """The same with the categories that were found in the data.

        Whatever people answered is taken, but for what Discreet uses itself and what no codebook can declare: that
        counts as `_other`.
        """
        kept = [value for value in found if value not in (OTHER, TOTAL) and "\0" not in value]
        return self.model_copy(update={"categories": kept})


class Axis(_Part):
    """A dimension of a table, at one of its levels."""

    dimension: str = Field(description="Name of a dimension.")
    level: str | None = Field(None, description="A coarser level of the dimension; its leaves unless given.")


class TableSpec(_Part):
    """One table: its dimensions, which of its margins are published, and who is in it."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$")] = Field(
        description="Letters, digits, _ and -; its files are called so."
    )
    dimensions: list[Axis] = Field(description="Names of dimensions, or {dimension: ..., level: ...}.")
    margins: Literal["all", "none"] | list[list[str]] = Field(
        "none", description="'all', 'none', or a list of margins, each the names of its dimensions; [] is the total."
    )
    filter: dict[str, list[Label]] = Field(
        default_factory=dict,
        description="Only people with one of these leaves or groups, for some dimensions. `_other` is the leaf.",
    )

    @field_validator("dimensions", mode="before")
    @classmethod
    def _names(cls, given: Any) -> Any:
        return (
            [{"dimension": item} if isinstance(item, str) else item for item in given]
            if isinstance(given, list)
            else given
        )

    @field_validator("filter", mode="before")
    @classmethod
    def _filter_texts(cls, given: Any) -> Any:
        if isinstance(given, dict):
            return {key: _texts_of(values) for key, values in given.items()}
        return given


class Budget(_Part):
    """What one person may lose in all."""

    epsilon: str = Field(description="The factor is at most e**epsilon; a number, or a fraction such as 1/3.")
    delta: str = Field("0", description="The chance beyond that factor, such as 1e-6.")

    @field_validator("epsilon", "delta", mode="before")
    @classmethod
    def _number(cls, given: Any) -> Any:
        return given if isinstance(given, str) else repr(given)

    @field_validator("epsilon")
    @classmethod
    def _epsilon(cls, given: str) -> str:
        Epsilon.of(given)
        return given

    @field_validator("delta")
    @classmethod
    def _delta(cls, given: str) -> str:
        if not 0 <= exact(given, "delta") < 1:
            raise ValueError(f"delta is {given}; give a chance, from 0 to below 1, for example 1e-6")
        return given


class Secret(_Part):
    """Where the 32 random bytes are: a file that only its owner can read, or an environment variable."""

    file: str | None = Field(None, description="Path of a file made by: discreet keys new FILE.")
    env: str | None = Field(None, description="Environment variable that holds the secret in hexadecimal digits.")

    @model_validator(mode="after")
    def _one(self) -> "Secret":
        if (self.file is None) == (self.env is None):
            raise ValueError("give file or env")
        return self


class Fixed(_Part):
    """A count that is public from elsewhere: a total that tables must meet, or 0 where nobody can be."""

    where: dict[str, Label] = Field(
        default_factory=dict, description="For some dimensions a leaf or group; everyone unless given."
    )
    count: int = Field(ge=0, le=2**41, description="How many people that is; 0 where nobody can be.")

    @field_validator("where", mode="before")
    @classmethod
    def _texts(cls, given: Any) -> Any:
        return {key: text(value) for key, value in given.items()} if isinstance(given, dict) else given


class ReleaseSpec(_Part):
    """A release: tables published together."""

    title: str = Field("Release", description="What the report is headed with.")
    version: str = Field(
        min_length=1, max_length=100, description="Label of the data's version; new data need a new one."
    )
    source: dict[str, Any] = Field(description="csv, parquet, duckdb, postgres or spark; see the how-to pages.")
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
        from_data = any(dimension.from_data for dimension in self.dimensions.values())
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
        if self.ledger is not None and self.secret is None:
            raise SpecError("a ledger needs the secret it was opened with; give secret: {file: ...}", ("ledger",))
        self._own_keys()
        self._certificate()
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


def _named(given: Any) -> Any:
    """A mapping whose keys are texts, as files hold them."""
    if not isinstance(given, dict):
        return given
    named = {text(name): value for name, value in given.items()}
    if len(named) < len(given):
        raise ValueError("two names are the same when written as text; give each once")
    return named


def _texts_of(given: Any) -> Any:
    """A list of texts; one scalar is a list of one."""
    if isinstance(given, list):
        return [text(item) for item in given]
    return [text(given)] if isinstance(text(given), str) else given
