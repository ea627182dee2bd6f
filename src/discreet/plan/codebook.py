"""Codebooks: total functions from the raw values of a column to declared leaves.

A leaf is a category at the finest level. Values that are not declared go to the leaf `_other`, which always exists. A
coarser level puts leaves into groups. Leaves in no group make up the group `_other` of the level. Groups may overlap
(18+ and 65+): a person is then in several cells of one grouping, and every one of these cells counts.

A recode tells an engine how to read a codebook: a declared value has its code. Everything else (missing, NaN, an
infinity, text where a number is expected, an undeclared category) has the code `leaves`, which is `_other`. So nothing
that a person answers can make a release fail, or change anything but counts.

The digest of a codebook covers its column and the leaf of every raw value. The digest is part of the identity of a
cell, so that one key never serves two populations.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from discreet.errors import ParameterError, SpecError
from discreet.labels import OTHER, TOTAL, listed
from discreet.plan.canonical_text import LARGEST_NUMBER, WHITE_SPACE
from discreet.plan.range_bound import date_number, number_date
from discreet.plan.sections import Dimension
from discreet.plan.yaml_file import YamlPath
from discreet.spelling import did_you_mean

MOST_LEAVES = 10_000_000


@dataclass(frozen=True)
class Recode:
    """How a column becomes the codes 0, ..., leaves - 1, and `leaves` for everything else.

    Attributes
    ----------
    column
        Name of the column in the source.
    leaves
        Number of declared leaves.
    values
        The code of each declared canonical text (see `canonical_text`). None if there are ranges.
    ranges
        (lower, upper, code): lower <= x < upper has the code. None is no bound. Ranges may not overlap.
    dates
        True if the ranges are ranges of dates. A date is the number YYYYMMDD.

    Raises
    ------
    ParameterError
        Values and ranges are both given or both missing, a code is outside 0, ..., leaves - 1, a value is not a
        canonical text, or a range is empty or overlaps another one.
    """

    column: str
    leaves: int
    values: Mapping[str, int] | None = None
    ranges: Sequence[tuple[float | None, float | None, int]] | None = None
    dates: bool = False

    def __post_init__(self) -> None:
        name = f"column {self.column!r}"
        if (self.values is None) == (self.ranges is None):
            raise ParameterError(f"{name} has both values and ranges, or neither; give one of them")
        if not 1 <= self.leaves <= MOST_LEAVES:
            raise ParameterError(f"{name} declares {self.leaves} leaves; give 1 to {MOST_LEAVES}")
        codes = self.values.values() if self.values is not None else [code for *_, code in self.ranges or ()]
        for code in (min(codes, default=0), max(codes, default=0)):
            if not 0 <= code < self.leaves:
                raise ParameterError(f"{name} has the code {code}; codes go from 0 to leaves - 1 = {self.leaves - 1}")
        for text in self.values or ():
            if not isinstance(text, str) or text.strip(WHITE_SPACE) != text or not text or "\0" in text:
                raise ParameterError(
                    f"{name} declares {text!r}; give a text that is not blank, without white space at its ends"
                )
        self.segments()

    def segments(self) -> tuple[list[float], list[int]]:
        """Return cuts and codes of the ranges: below cuts[0] the code is codes[0], from cuts[i] on codes[i + 1]."""
        cuts: list[float] = []
        codes = [self.leaves]
        end = -math.inf
        for low, high, code in sorted(self.ranges or (), key=lambda r: -math.inf if r[0] is None else r[0]):
            lower, upper = -math.inf if low is None else float(low), math.inf if high is None else float(high)
            self._refuse_bounds(lower, upper, end)
            if lower == end:
                codes[-1] = code
            else:
                cuts.append(lower)
                codes.append(code)
            if upper < math.inf:
                cuts.append(upper)
                codes.append(self.leaves)
            end = upper
        return cuts, codes

    def _refuse_bounds(self, lower: float, upper: float, end: float) -> None:
        """Raise ParameterError if a range is empty, begins before `end`, or has a bound that counts as infinite."""
        if not lower < upper or lower < end:
            raise ParameterError(
                f"column {self.column!r} has the range {self._shown(lower)} to {self._shown(upper)}, which is empty or"
                " overlaps another one; give ranges apart"
            )
        for bound in (lower, upper):
            if math.isfinite(bound) and abs(bound) > LARGEST_NUMBER:
                raise ParameterError(
                    f"column {self.column!r} has the bound {bound}; a number beyond {LARGEST_NUMBER} counts as infinite"
                )

    def _shown(self, bound: float) -> str:
        return str(number_date(bound)) if self.dates and math.isfinite(bound) else str(bound)


Groups = Sequence[frozenset[int]]
"""Sets of leaves, as a tuple or as `Singles`. `grouped` chooses the form, so equal groups compare equal."""


@dataclass(frozen=True)
class Singles(Sequence[frozenset[int]]):
    """The groups {0}, {1}, ... Each set is made when it is read, because a million sets would fill the memory."""

    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: Any) -> Any:
        return frozenset({range(self.size)[index]})

    def __iter__(self) -> Iterator[frozenset[int]]:
        return (frozenset({leaf}) for leaf in range(self.size))


def grouped(groups: Iterable[frozenset[int]]) -> Groups:
    """Return groups as `Singles` if they are {0}, {1}, ..., else as a tuple."""
    members = tuple(groups)
    are_singles = all(len(group) == 1 and index in group for index, group in enumerate(members))
    return Singles(len(members)) if are_singles else members


@dataclass(frozen=True)
class Level:
    """Groups of leaves.

    Attributes
    ----------
    labels
        The label of each group.
    members
        The leaves of each group, by code.
    """

    labels: tuple[str, ...]
    members: Groups


@dataclass(frozen=True, eq=False)
class Codebook:
    """A dimension whose names are resolved.

    Attributes
    ----------
    leaves
        The labels of the leaves. The last one is `_other`.
    recode
        How raw values become leaves.
    levels
        The levels by name. "" is the level of the leaves themselves.
    digest
        SHA-256 of the column and of the leaf of every raw value.
    """

    name: str
    leaves: tuple[str, ...]
    recode: Recode
    levels: dict[str, Level]
    digest: bytes

    def level(self, name: str | None, yaml_path: YamlPath = ()) -> Level:
        """Return a level by name, or the level of the leaves for None. Raise SpecError if there is no such level."""
        if name is None:
            return self.levels[""]
        if name not in self.levels or not name:
            known = ", ".join(level for level in self.levels if level) or "none"
            near = did_you_mean(name, filter(None, self.levels))
            raise SpecError(f"dimension {self.name!r} has no level {name!r}; its levels are: {known}{near}", yaml_path)
        return self.levels[name]

    def in_no_group(self, level: str) -> list[str]:
        """Return the declared leaves that no group of a level has. They count as `_other` of the level."""
        groups = self.levels[level]
        if not level or groups.labels[-1] != OTHER:
            return []
        return [self.leaves[code] for code in sorted(groups.members[-1]) if self.leaves[code] != OTHER]

    @property
    def group_labels(self) -> list[str]:
        """The labels of the declared groups of all levels."""
        return [label for name, level in self.levels.items() if name for label in level.labels if label != OTHER]

    @property
    def _labels(self) -> list[str]:
        """The labels of leaves and groups."""
        return [label for level in self.levels.values() for label in level.labels]

    def select(self, labels: list[str], subject: str = "the filter on", yaml_path: YamlPath = ()) -> frozenset[int]:
        """Return the leaves that are named by their own labels or by labels of groups, of any level.

        `_other` is the leaf, whatever levels there are.

        Parameters
        ----------
        labels
            Labels of leaves and groups.
        subject
            Begins the message of an error.
        yaml_path
            The part of the specification that has the labels.

        Raises
        ------
        SpecError
            A label is unknown, or names different sets of leaves at two levels.
        """
        selected: set[int] = set()
        for label in labels:
            meanings = {
                level: groups.members[groups.labels.index(label)]
                for level, groups in self.levels.items()
                if label in groups.labels and (label != OTHER or not level)
            }
            if not meanings:
                raise SpecError(
                    f"{subject} {self.name!r} names {label!r}, which is no leaf or group of it;"
                    f" its leaves are {listed(self.leaves)}{did_you_mean(label, self._labels)}",
                    yaml_path,
                )
            if len(set(meanings.values())) > 1:
                kinds = " and ".join(f"a group of level {level!r}" if level else "a leaf" for level in meanings)
                raise SpecError(
                    f"{subject} {self.name!r} names {label!r}, which is {kinds}, and they differ; rename one of them,"
                    " or name the leaves",
                    yaml_path,
                )
            selected.update(*meanings.values())
        return frozenset(selected)


def resolve(name: str, dimension: Dimension) -> Codebook:
    """Return the codebook of a declared dimension.

    Parameters
    ----------
    name
        The name of the dimension.
    dimension
        Its section of the specification.

    Raises
    ------
    SpecError
        A label or a raw value is declared twice or cannot be declared, a level names an unknown leaf, or the
        categories are still to be taken from the data.
    """
    if dimension.ranges is not None:
        labels = list(dimension.ranges)
        _refuse_overlap(name, dimension.ranges)
        ranges = [(_number(lower), _number(upper), i) for i, (lower, upper) in enumerate(dimension.ranges.values())]
        recode = _recode(name, dimension.column, len(labels), ranges=ranges, dates=dimension.has_dates)
        mapping: object = {"ranges": [[*bounds, label] for label, bounds in dimension.ranges.items()]}
    else:
        categories = dimension.categories
        if categories is None:
            raise SpecError(f"dimension {name!r} takes its categories from the data, which are not known yet")
        labels = list(categories)
        values = _listed_values(name, labels) if isinstance(categories, list) else _named_values(name, categories)
        recode = _recode(name, dimension.column, len(labels), values=values)
        mapping = {"values": sorted((text, labels[code]) for text, code in values.items())}
    for label in labels:
        if label in (OTHER, TOTAL):
            raise SpecError(
                f"dimension {name!r} declares {label!r}, which Discreet uses itself; choose another name",
                ("dimensions", name, "categories" if dimension.ranges is None else "ranges", label),
            )
    leaves = (*labels, OTHER)
    identity = json.dumps([dimension.column, mapping], ensure_ascii=False, sort_keys=True)
    leaf_level = Level(leaves, Singles(len(leaves)))
    levels = {level: _level(name, level, groups, leaves) for level, groups in dimension.levels.items()}
    return Codebook(name, leaves, recode, {"": leaf_level} | levels, hashlib.sha256(identity.encode()).digest())


def _number(bound: float | str | None) -> float | None:
    """Return the bound of a range as a number. A date becomes YYYYMMDD."""
    return float(date_number(bound)) if isinstance(bound, str) else bound


def _refuse_overlap(name: str, ranges: Mapping[str, Sequence[float | str | None]]) -> None:
    """Raise SpecError, with both labels, if two ranges share a number. `Recode` refuses empty ranges."""
    known = [
        (-math.inf if lower is None else lower, math.inf if upper is None else upper, label)
        for label, bounds in ranges.items()
        for lower, upper in [map(_number, bounds)]
    ]
    for (_, end, first), (begin, upper, second) in pairwise(sorted(known, key=lambda own: own[:2])):
        if begin < end and begin < upper:
            shown = [f"{label!r} ({_bounds(ranges[label])})" for label in (first, second)]
            raise SpecError(
                f"the ranges {shown[0]} and {shown[1]} of dimension {name!r} overlap; give ranges apart, each from its"
                " lower bound to below its upper bound",
                ("dimensions", name, "ranges", second),
            )


def _bounds(bounds: Sequence[float | str | None]) -> str:
    texts = ("null" if bound is None else bound if isinstance(bound, str) else f"{bound:.15g}" for bound in bounds)
    return f"[{', '.join(texts)}]"


def _listed_values(name: str, labels: list[str]) -> dict[str, int]:
    """Return the code of every raw value, if each category is one raw value."""
    values = {label: code for code, label in enumerate(labels)}
    for label in values if len(values) < len(labels) else ():
        numbers = [number for number, other in enumerate(labels, 1) if other == label]
        if len(numbers) > 1:
            raise SpecError(
                f"dimension {name!r} declares the category {label!r} twice: categories {numbers[0]} and {numbers[1]} of"
                f" {len(labels)}; give it once",
                ("dimensions", name, "categories", numbers[1] - 1),
            )
    return values


def _named_values(name: str, categories: dict[str, list[str] | str]) -> dict[str, int]:
    """Return the code of every raw value, if each category is a name for some raw values."""
    values: dict[str, int] = {}
    for code, (label, texts) in enumerate(categories.items()):
        for text in [texts] if isinstance(texts, str) else texts:
            if text in values:
                other = list(categories)[values[text]]
                both = (
                    f"to {other!r} and to {label!r}; give it to one"
                    if other != label
                    else f"to {label!r} twice; give it once"
                )
                raise SpecError(
                    f"dimension {name!r} gives the raw value {text!r} {both}", ("dimensions", name, "categories", label)
                )
            values[text] = code
    return values


def _recode(name: str, column: str, leaves: int, **how: Any) -> Recode:
    try:
        return Recode(column, leaves, **how)
    except ParameterError as error:
        field = "ranges" if "ranges" in how else "categories"
        raise SpecError(f"dimension {name!r}: {error}", ("dimensions", name, field)) from None


def _level(name: str, level: str, groups: dict[str, list[str]], leaves: tuple[str, ...]) -> Level:
    """Return a level of a dimension, with the group `_other` if some leaves are in no group."""
    members = []
    codes = {leaf: code for code, leaf in enumerate(leaves)}
    for group, names in groups.items():
        yaml_path = ("dimensions", name, "levels", level, group)
        if group in (OTHER, TOTAL):
            raise SpecError(
                f"level {level!r} of {name!r} has a group {group!r}, which Discreet uses itself; rename it", yaml_path
            )
        unknown = [leaf for leaf in names if leaf not in codes]
        if unknown:
            raise SpecError(
                f"group {group!r} of level {level!r} names {unknown[0]!r}, which is no leaf of {name!r}; its leaves are"
                f" {listed(leaves)}{did_you_mean(unknown[0], leaves)}",
                yaml_path,
            )
        if not names:
            raise SpecError(
                f"group {group!r} of level {level!r} of {name!r} has no leaves; give some or leave it out", yaml_path
            )
        members.append(frozenset(codes[leaf] for leaf in names))
    rest = frozenset(range(len(leaves))) - frozenset().union(*members)
    labels = tuple(groups)
    return Level((*labels, OTHER), grouped([*members, rest])) if rest else Level(labels, grouped(members))
