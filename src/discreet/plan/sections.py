"""The sections of a specification: whose privacy, dimensions, tables, budget, secret, fixed counts."""

import math
import os
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from discreet.errors import SpecError
from discreet.exact import Epsilon, exact
from discreet.labels import OTHER, TOTAL
from discreet.plan.yaml_file import text

LONGEST_LABEL = 200

_UNPRINTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def plain(label: str) -> str:
    """A text of one line."""
    if _UNPRINTED.search(label):
        raise ValueError(f"the text {label!r:.60} has a line end or a control character; give one without")
    return label


Label = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL), AfterValidator(plain)]
Text = Annotated[str, Field(min_length=1)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Unit(Section):
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


class Dimension(Section):
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
            plain(label)
        return self

    def with_categories(self, found: Sequence[str]) -> "Dimension":
        """The same with the categories that were found in the data.

        Whatever people answered is taken, but for what Discreet uses itself and what no codebook can declare: that
        counts as `_other`.
        """
        kept = [value for value in found if value not in (OTHER, TOTAL) and not _UNPRINTED.search(value)]
        return self.model_copy(update={"categories": kept})


class Axis(Section):
    """A dimension of a table, at one of its levels."""

    dimension: str = Field(description="Name of a dimension.")
    level: str | None = Field(None, description="A coarser level of the dimension; its leaves unless given.")


class TableSpec(Section):
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


class Budget(Section):
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


class Secret(Section):
    """Where the 32 random bytes are: a file that only its owner can read, or an environment variable."""

    file: str | None = Field(None, description="Path of a file made by: discreet keys new FILE.")
    env: str | None = Field(None, description="Environment variable that holds the secret in hexadecimal digits.")
    memory: str | None = Field(
        None,
        description="Private file that remembers what was released with the secret; FILE.memory beside it unless given."
        " A secret from the environment needs one for key: query without a ledger.",
    )

    @model_validator(mode="after")
    def _one(self) -> "Secret":
        if (self.file is None) == (self.env is None):
            raise ValueError("give file or env")
        return self

    @property
    def memory_path(self) -> str | None:
        """The file that remembers what was released with the secret; None where there is no place for one.

        A link to the file of the secret has no memory of its own: the memory lies beside the file.
        """
        beside = None if self.file is None else f"{os.path.realpath(self.file)}.memory"
        return beside if self.memory is None else self.memory


class Fixed(Section):
    """A count that is public from elsewhere: a total that tables must meet, or 0 where nobody can be."""

    where: dict[str, Label] = Field(
        default_factory=dict, description="For some dimensions a leaf or group; everyone unless given."
    )
    count: int = Field(ge=0, le=2**41, description="How many people that is; 0 where nobody can be.")

    @field_validator("where", mode="before")
    @classmethod
    def _texts(cls, given: Any) -> Any:
        return {key: text(value) for key, value in given.items()} if isinstance(given, dict) else given


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
