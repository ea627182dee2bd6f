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

The adviser and everything else that decides on the noise see the specification only, never the data. A mistake is
reported with the line it is in.
"""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from discreet.errors import SpecError

OTHER = "_other"
TOTAL = "_total"

RESERVED = ("measurements", "manifest", "certificate", "report")

LARGEST_FILE = 4_000_000

Label = Annotated[str, Field(min_length=1, max_length=200)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Unit(_Part):
    """Whose privacy is kept: the people named by a column, or one person a row."""

    id: str | None = Field(None, description="Column with the id of a person; without one every row is a person.")
    contributions: int = Field(
        1, ge=1, le=10, description="Most rows of one person that count; others are dropped in a keyed order."
    )


class Dimension(_Part):
    """A codebook: how the raw values of a column become leaves. What is not declared becomes `_other`."""

    column: str = Field(description="Column of the source.")
    categories: list[Label] | dict[Label, list[str] | str] | None = Field(
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
        """Numbers and booleans as the texts they are in a file."""
        if isinstance(given, list):
            return [_text(item) for item in given]
        if isinstance(given, dict):
            return {
                _text(name): [_text(raw) for raw in raws] if isinstance(raws, list) else _text(raws)
                for name, raws in given.items()
            }
        return given

    @field_validator("levels", mode="before")
    @classmethod
    def _level_texts(cls, given: Any) -> Any:
        if isinstance(given, dict):
            return {
                _text(level): {_text(group): [_text(leaf) for leaf in leaves] for group, leaves in groups.items()}
                for level, groups in given.items()
                if isinstance(groups, dict)
            }
        return given

    @model_validator(mode="after")
    def _one_way(self) -> "Dimension":
        if self.from_data and self.ranges is not None:
            raise ValueError("from_data is for categories; leave ranges out")
        if not self.from_data and (self.categories is None) == (self.ranges is None):
            raise ValueError("give categories or ranges, one of them")
        return self


class Axis(_Part):
    """A dimension of a table, at one of its levels."""

    dimension: str
    level: str | None = Field(None, description="A coarser level of the dimension; its leaves unless given.")


class TableSpec(_Part):
    """One table: its dimensions, which of its margins are published, and who is in it."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$")]
    dimensions: list[Axis] = Field(description="Names of dimensions, or {dimension: ..., level: ...}.")
    margins: Literal["all", "none"] | list[list[str]] = Field(
        "none", description="'all', 'none', or a list of margins, each the names of its dimensions; [] is the total."
    )
    filter: dict[str, list[Label]] = Field(
        default_factory=dict, description="Only people with one of these leaves or groups, for some dimensions."
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
            return {key: [_text(item) for item in (v if isinstance(v, list) else [v])] for key, v in given.items()}
        return given


class Budget(_Part):
    """What one person may lose in all."""

    epsilon: str
    delta: str = "0"

    @field_validator("epsilon", "delta", mode="before")
    @classmethod
    def _number(cls, given: Any) -> Any:
        return given if isinstance(given, str) else repr(given)


class Secret(_Part):
    """Where the 32 random bytes are: a file that only its owner can read, or an environment variable."""

    file: str | None = None
    env: str | None = None

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
    count: int = Field(ge=0, le=10**15)

    @field_validator("where", mode="before")
    @classmethod
    def _texts(cls, given: Any) -> Any:
        return {key: _text(value) for key, value in given.items()} if isinstance(given, dict) else given


class ReleaseSpec(_Part):
    """A release: tables published together."""

    title: str = "Release"
    version: Label = Field(description="Label of the data's version; new data need a new one.")
    source: dict[str, Any] = Field(description="csv, parquet, duckdb, postgres or spark; see the how-to pages.")
    unit: Unit = Unit()
    dimensions: dict[Label, Dimension]
    tables: list[TableSpec] = Field(min_length=1)
    design: dict[str, Any] | None = Field(
        None,
        description="A design by name with its parameters, or {certificate: FILE}; the adviser's best unless given.",
    )
    bits: int | None = Field(None, ge=8, le=62, description="Of the perturbation table.")
    budget: Budget | None = Field(None, description="What one person may lose in all; not for key: contributors.")
    key: Literal["query", "fresh", "contributors"] = Field("query", description="How noise is chosen; see keys.")
    record_keys: list[str] | None = Field(
        None, description="For contributors: columns with record keys that came with the data. They carry no guarantee."
    )
    record_keys_are: Literal["integers", "fractions"] = Field(
        "integers", description="Record keys that came with the data: integers (ONS), or from 0 to below 1 (cellKey)."
    )
    secret: Secret | None = None
    ledger: str | None = Field(None, description="Path or URL of a ledger.")
    reconcile: Literal["auto", "tree", "cube", "wang-3", "none"] = Field(
        "auto", description="How tables are made from measurements, so that they add up; none: clamped at 0."
    )
    fixed: list[Fixed] = Field(
        default_factory=list, description="Counts that are public from elsewhere. They are outside the guarantee."
    )
    seed: int = Field(0, ge=0, lt=2**63, description="Public seed of the reconciliation.")
    outputs: list[Literal["csv", "parquet", "json-stat"]] = Field(["csv"], description="Formats of the tables.")

    @field_validator("version", "title", mode="before")
    @classmethod
    def _label(cls, given: Any) -> Any:
        return _text(given)

    @model_validator(mode="after")
    def _consistent(self) -> "ReleaseSpec":
        if self.key != "fresh" and self.secret is None:
            raise ValueError(f"key is {self.key}, which needs a secret; give secret: {{file: ...}} or key: fresh")
        if self.key == "contributors" and (self.budget is not None or self.ledger is not None):
            raise ValueError("key is contributors, whose guarantees do not compose; leave budget and ledger out")
        from_data = any(dimension.from_data for dimension in self.dimensions.values())
        if from_data and self.ledger is not None:
            raise ValueError("categories are taken from the data, so nothing is promised; leave the ledger out")
        if self.key != "contributors" and self.budget is None and not (from_data and self.design):
            raise ValueError("give a budget: what one person may lose in all, such as {epsilon: 1, delta: 1e-6}")
        if self.key == "contributors" and self.design is None:
            raise ValueError("key is contributors; give a design, as there is no budget to choose one by")
        if self.key == "contributors" and self.record_keys is None and self.unit.id is None:
            raise ValueError("key is contributors; give unit: {id: COLUMN} to make record keys from, or record_keys")
        if self.ledger is not None and self.secret is None:
            raise ValueError("a ledger needs the secret it was opened with; give secret: {file: ...}")
        if self.record_keys is not None and self.key != "contributors":
            raise ValueError("record_keys are for key: contributors; leave them out")
        for table in self.tables:
            if table.name in RESERVED:
                raise ValueError(f"a table is called {table.name}, as a file of every folder is; choose another name")
        if len({table.name for table in self.tables}) < len(self.tables):
            raise ValueError("two tables have the same name; give each its own")
        return self


def load(given: Any) -> ReleaseSpec:
    """A specification from a path, a dict, or itself; relative paths in it are relative to its file."""
    if isinstance(given, ReleaseSpec):
        return given
    if isinstance(given, dict):
        return _checked(given, None, "the specification")
    path = Path(os.fspath(given)) if isinstance(given, (str, os.PathLike)) else None
    if path is None:
        raise SpecError(f"the specification is {type(given).__name__}; give a path, a dict or a ReleaseSpec")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SpecError(f"{path} has more than {LARGEST_FILE} bytes; a specification is shorter")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError(f"{path} cannot be read ({error.strerror}); give the path of a specification") from None
    except UnicodeDecodeError:
        raise SpecError(f"{path} is not text in UTF-8; give a YAML file") from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else "it"
        raise SpecError(f"{path}, {where}: this is not YAML ({getattr(error, 'problem', error)})") from None
    if not isinstance(document, dict):
        raise SpecError(f"{path} is not a specification; it has version, source, dimensions, tables and budget")
    return _relative(_checked(document, node, str(path)), path.parent)


def schema() -> dict[str, Any]:
    """The JSON schema of a specification."""
    return ReleaseSpec.model_json_schema()


def _checked(document: dict[str, Any], node: Any, where: str) -> ReleaseSpec:
    try:
        return ReleaseSpec.model_validate(document)
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            place = ".".join(str(part) for part in problem["loc"]) or "the whole"
            line = _line(node, problem["loc"])
            said = problem["msg"].removeprefix("Value error, ")
            lines.append(f"{where}{f', line {line}' if line else ''}: {place}: {said}")
        raise SpecError("\n".join(lines)) from None


def _line(node: Any, place: tuple[int | str, ...]) -> int | None:
    """The line of the innermost part of the place that the file has."""
    if node is None:
        return None
    line = node.start_mark.line + 1
    for part in place:
        found = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(part):
                    found, line = value, key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = node.value[part]
            line = found.start_mark.line + 1
        if found is None:
            break
        node = found
    return int(line)


def _relative(spec: ReleaseSpec, folder: Path) -> ReleaseSpec:
    """The same with paths that do not depend on the current folder."""

    def at(path: str) -> str:
        return str(folder / path)

    source = {
        key: at(value) if key in ("csv", "parquet", "duckdb") and isinstance(value, str) else value
        for key, value in spec.source.items()
    }
    changed: dict[str, Any] = {"source": source}
    if spec.secret is not None and spec.secret.file is not None:
        changed["secret"] = Secret(file=at(spec.secret.file))
    if spec.ledger is not None and "://" not in spec.ledger:
        changed["ledger"] = at(spec.ledger)
    if spec.design is not None and "certificate" in spec.design:
        changed["design"] = {**spec.design, "certificate": at(str(spec.design["certificate"]))}
    return spec.model_copy(update=changed)


def _text(value: Any) -> Any:
    """A scalar of YAML as a text, as files hold it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value
