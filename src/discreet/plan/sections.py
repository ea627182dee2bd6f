"""The sections of a specification: whose privacy, dimensions, tables, budget, secret, fixed counts."""

import math
import os
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from discreet.account.composition import MOST_CONTRIBUTIONS
from discreet.errors import SpecError
from discreet.exact import Epsilon, exact
from discreet.labels import OTHER, TOTAL
from discreet.plan.range_bound import Bound
from discreet.plan.spec_section import LONGEST_LABEL, UNPRINTED, Declared, Label, Marked, Section, Text, one_line
from discreet.plan.yaml_file import text


class Unit(Declared):
    """Whose privacy is kept: the people that a column names, or one person for each row."""

    id: str | None = Field(None, description="Column with the id of a person. Default: every row is a person.")
    contributions: int = Field(
        1,
        ge=1,
        le=MOST_CONTRIBUTIONS,
        description="Most rows of one person that count. A keyed order decides which rows are dropped.",
    )
    name: Label | None = Field(
        None,
        description="Whom a ledger protects, the same in all releases. Default: the id column, or every row.",
    )

    @property
    def protects(self) -> str:
        """Name of the people whose losses a ledger counts."""
        return self.name or ("every row" if self.id is None else f"each {self.id}")

    @model_validator(mode="after")
    def _contributions_need_id(self) -> "Unit":
        if self.contributions > 1 and self.id is None:
            raise SpecError(
                f"contributions is {self.contributions}, and no id tells which rows belong to one person; give id",
                ("contributions",),
            )
        return self


class Dimension(Declared):
    """A codebook: how the raw values of a column become leaves. Undeclared values become `_other`."""

    column: str = Field(description="Column of the source.")
    categories: list[Text] | dict[Text, list[str] | str] | None = Field(
        None, description="Leaves: a list of raw values, or the raw values of each named leaf."
    )
    ranges: dict[Label, tuple[Bound, Bound]] | None = Field(
        None,
        description="Leaves of a number or a date: [lower, upper) for each named leaf; null is no bound. A date is"
        " written as 2026-12-31.",
    )
    from_data: bool = Field(
        False, description="Take the categories from the data. Then nothing is promised, and a ledger is refused."
    )
    levels: dict[Label, dict[Label, list[Label]]] = Field(
        default_factory=dict, description="Coarser levels: the leaves of each group of each level."
    )

    @field_validator("categories", mode="before")
    @classmethod
    def _category_texts(cls, categories: Any) -> Any:
        """Turn numbers, booleans and dates into text, as files hold them."""
        if isinstance(categories, list):
            return [text(value) for value in categories]
        if isinstance(categories, dict):
            return {
                name: [text(value) for value in values] if isinstance(values, list) else text(values)
                for name, values in _with_text_keys(categories).items()
            }
        return categories

    @field_validator("ranges", mode="before")
    @classmethod
    def _range_names(cls, ranges: Any) -> Any:
        return _with_text_keys(ranges)

    @field_validator("ranges")
    @classmethod
    def _bounds(cls, ranges: dict[str, Any] | None) -> dict[str, Any] | None:
        """Write an infinite bound as None, so that one population has one codebook."""
        if ranges is None:
            return None
        checked = {}
        for name, (low, high) in ranges.items():
            bounds = None if low == -math.inf else low, None if high == math.inf else high
            if not all(bound is None or isinstance(bound, str) or math.isfinite(bound) for bound in bounds):
                raise SpecError(f"the range {name!r} has {low} to {high}; give numbers, or null for no bound", (name,))
            checked[name] = bounds
        kinds = {type(bound) for bounds in checked.values() for bound in bounds if bound is not None}
        if len(kinds) > 1:
            raise SpecError("some bounds of the ranges are dates, and some are numbers; give dates alone, or numbers")
        return checked

    @property
    def has_dates(self) -> bool:
        """True if the ranges are ranges of dates."""
        return any(isinstance(bound, str) for bounds in (self.ranges or {}).values() for bound in bounds)

    @field_validator("levels", mode="before")
    @classmethod
    def _level_texts(cls, levels: Any) -> Any:
        if not isinstance(levels, dict):
            return levels
        named_levels = {level: _with_text_keys(groups) for level, groups in _with_text_keys(levels).items()}
        return {
            level: {group: _text_list(leaves) for group, leaves in groups.items()}
            if isinstance(groups, dict)
            else groups
            for level, groups in named_levels.items()
        }

    @model_validator(mode="after")
    def _categories_or_ranges(self) -> "Dimension":
        if self.from_data and self.source is not None:
            raise SpecError(
                "from_data takes categories from the data, so they have no other source; leave source out", ("source",)
            )
        if self.from_data and self.ranges is not None:
            raise ValueError("from_data takes categories from the data; leave ranges out")
        if not self.from_data and (self.categories is None) == (self.ranges is None):
            raise ValueError("give either categories or ranges")
        for label in () if self.from_data else self.categories or ():
            if len(label) > LONGEST_LABEL:
                raise SpecError(
                    f"the category {label[:20]!r}... has {len(label)} characters; give {LONGEST_LABEL} at most",
                    ("categories",),
                )
            one_line(label)
        return self

    def with_categories(self, values: Sequence[str]) -> "Dimension":
        """Return the dimension with categories that were found in the data.

        Labels that Discreet uses itself and texts that no codebook can declare are left out: they count as `_other`.
        """
        categories = [value for value in values if value not in (OTHER, TOTAL) and not UNPRINTED.search(value)]
        return self.model_copy(update={"categories": categories})


class Axis(Section):
    """A dimension of a table, at one of its levels."""

    dimension: str = Field(description="Name of a dimension.")
    level: str | None = Field(None, description="A coarser level of the dimension. Default: the leaves.")


class TableSpec(Section):
    """A table: its dimensions, the margins to publish, and a filter on people."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$")] = Field(
        description="Name of the table and of its files: letters, digits, _ and -."
    )
    dimensions: list[Axis] = Field(description="Names of dimensions, or {dimension: ..., level: ...}.")
    margins: Literal["all", "none"] | list[list[str]] = Field(
        "none", description="'all', 'none', or a list of margins. A margin is a list of dimensions; [] is the total."
    )
    filter: dict[str, list[Label]] = Field(
        default_factory=dict,
        description="Count only people with one of these leaves or groups, by dimension. `_other` is the leaf.",
    )

    @property
    def filter_words(self) -> dict[str, str]:
        """What the filter keeps, by dimension: the names that it gives, joined by ` + `."""
        return {name: " + ".join(labels) for name, labels in self.filter.items()}

    @field_validator("dimensions", mode="before")
    @classmethod
    def _axes(cls, dimensions: Any) -> Any:
        if not isinstance(dimensions, list):
            return dimensions
        return [{"dimension": item} if isinstance(item, str) else item for item in dimensions]

    @field_validator("filter", mode="before")
    @classmethod
    def _filter_texts(cls, labels: Any) -> Any:
        if isinstance(labels, dict):
            return {name: _text_list(values) for name, values in labels.items()}
        return labels


class MeasuredGrouping(Marked):
    """A table or one of its published margins that is measured, with the noise of its cells."""

    marks = ("earlier",)

    table: str = Field(description="Name of a table.")
    margin: list[str] | None = Field(
        None, description="Dimensions of a published margin of the table; [] is the total. Default: the table itself."
    )
    design: dict[str, Any] | None = Field(
        None, description="The noise, as in design of the release. Default: the design of the release."
    )
    earlier: Literal[True] | None = Field(
        None,
        description="true: an earlier release under the same version label measured this, with the same numbers. A plan"
        " states it.",
    )


class TargetSpec(Section):
    """An accuracy that a published grouping must have."""

    table: str = Field(description="Name of a table.")
    margin: list[str] | None = Field(
        None, description="Dimensions of a published margin of the table; [] is the total. Default: the table itself."
    )
    plus_minus: float = Field(gt=0, allow_inf_nan=False, description="The estimate is off by at most this many people.")
    level: float = Field(0.95, gt=0, lt=1, description="The chance of that.")


class Accuracy(Section):
    """What a plan makes small, and what it must reach; for measure: plan."""

    aim: Literal["margins", "cells", "worst"] = Field(
        "margins",
        description="margins: the mean over tables and margins. cells: the mean over all cells. worst: the largest.",
    )
    weights: dict[str, float] = Field(
        default_factory=dict,
        description="How much a table or margin matters, by its name in discreet plan (sex by age). Default: 1.",
    )
    within: list[TargetSpec] = Field(default_factory=list, description="Accuracies that must be reached.")
    no_worse_than: Literal["published"] | None = Field(
        None,
        description="published: no table or margin gets a larger root mean square error than with measure: published.",
    )

    @field_validator("weights")
    @classmethod
    def _positive(cls, weights: dict[str, float]) -> dict[str, float]:
        for name, weight in weights.items():
            if not 0 <= weight < math.inf:
                raise ValueError(f"the weight of {name!r:.60} is {weight}; give a number from 0 on")
        return weights


class Budget(Section):
    """The most that one person may lose in all."""

    epsilon: str = Field(description="Chances change by a factor of e**epsilon at most; a number or a fraction (1/3).")
    delta: str = Field("0", description="The chance of a larger factor, such as 1e-6.")

    @field_validator("epsilon", "delta", mode="before")
    @classmethod
    def _number_text(cls, number: Any) -> Any:
        return number if isinstance(number, str) else repr(number)

    @field_validator("epsilon")
    @classmethod
    def _epsilon(cls, epsilon: str) -> str:
        Epsilon.of(epsilon)
        return epsilon

    @field_validator("delta")
    @classmethod
    def _delta(cls, delta: str) -> str:
        if not 0 <= exact(delta, "delta") < 1:
            raise ValueError(f"delta is {delta}; give a chance, from 0 to below 1, for example 1e-6")
        return delta


class Secret(Section):
    """The secret, 32 random bytes: in a file that only its owner can read, or in an environment variable."""

    file: str | None = Field(None, description="Path of a file that was made by: discreet keys new FILE.")
    env: str | None = Field(None, description="Environment variable that holds the secret in hexadecimal digits.")
    memory: str | None = Field(
        None,
        description="Private file that remembers what was released with the secret. Default: FILE.memory beside the"
        " secret. A secret from the environment needs a memory for key: query without a ledger.",
    )
    new_label: str | None = Field(
        None,
        description="The version label, if nothing was released under it with this secret. Needed only if an earlier"
        " version of Discreet wrote the memory, which then does not know the noise of each label.",
    )

    @field_validator("new_label", mode="before")
    @classmethod
    def _label_text(cls, label: Any) -> Any:
        return text(label)

    @model_validator(mode="after")
    def _file_or_env(self) -> "Secret":
        if (self.file is None) == (self.env is None):
            raise ValueError("give either file or env")
        return self

    @property
    def memory_path(self) -> str | None:
        """Path of the file that remembers what was released with the secret, or None if there is no such file.

        If the secret is given by a link, the memory lies beside the file that the link leads to.
        """
        beside = None if self.file is None else f"{os.path.realpath(self.file)}.memory"
        return beside if self.memory is None else self.memory


class Fixed(Marked):
    """A count that is public from elsewhere: a total that tables must meet, or 0 for an impossible combination."""

    marks = ("differs",)

    where: dict[str, Label] = Field(
        default_factory=dict, description="The population: a leaf or a group of some dimensions. Default: everyone."
    )
    count: int = Field(ge=0, le=2**41, description="Number of people; 0 for an impossible combination.")
    differs: str | None = Field(
        None,
        min_length=1,
        max_length=1000,
        description="Why the microdata have another count, if they do; published. Without a reason, a count that noise"
        " does not explain is refused.",
    )

    @field_validator("where", mode="before")
    @classmethod
    def _where_texts(cls, labels: Any) -> Any:
        return {name: text(label) for name, label in labels.items()} if isinstance(labels, dict) else labels


def _with_text_keys(mapping: Any) -> Any:
    """Return a mapping with keys as text, as files hold them; anything else unchanged."""
    if not isinstance(mapping, dict):
        return mapping
    with_text_keys = {text(key): value for key, value in mapping.items()}
    if len(with_text_keys) < len(mapping):
        raise ValueError("two names are the same when written as text; give each once")
    return with_text_keys


def _text_list(labels: Any) -> Any:
    """Return a list of texts. One scalar becomes a list of one text."""
    if isinstance(labels, list):
        return [text(label) for label in labels]
    return [text(labels)] if isinstance(text(labels), str) else labels
