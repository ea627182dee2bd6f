"""Codebooks: total functions from the raw values of a column to declared leaves.

A leaf is a category at the finest level; what is not declared is the leaf `_other`, which always exists. A coarser
level puts leaves into groups; leaves in no group make up its group `_other`. Groups may overlap (18+ and 65+): a person
is then in several cells of one grouping, and every one of them counts.

A recode is how an engine reads a codebook: a declared value has its code, and everything else (missing, NaN, an
infinity, text where a number is expected, a category nobody declared) has the code `leaves`, which is `_other`. So
nothing that a person answers can make a release fail, or change anything but counts.

The digest of a codebook covers its column and the leaf of every raw value. It is part of the identity of a cell, so
that one key never serves two populations.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import ParameterError, SpecError
from discreet.labels import OTHER, TOTAL, listed
from discreet.plan.canonical_text import LARGEST, WHITE_SPACE
from discreet.plan.sections import Dimension
from discreet.plan.yaml_file import Place

MANY = 10_000_000


@dataclass(frozen=True)
class Recode:
    """How a column becomes the codes 0, ..., leaves - 1, and `leaves` for everything else.

    Attributes
    ----------
    column
        Its name in the source.
    leaves
        How many leaves are declared.
    values
        The code of each declared canonical text (see `canonical`).
    ranges
        (lower, upper, code): lower <= x < upper has the code; None is no bound. They may not overlap.
    """

    column: str
    leaves: int
    values: Mapping[str, int] | None = None
    ranges: Sequence[tuple[float | None, float | None, int]] | None = None

    def __post_init__(self) -> None:
        what = f"column {self.column!r}"
        if (self.values is None) == (self.ranges is None):
            raise ParameterError(f"{what} has both values and ranges, or neither; give one of them")
        if not 1 <= self.leaves <= MANY:
            raise ParameterError(f"{what} declares {self.leaves} leaves; give 1 to {MANY}")
        codes = self.values.values() if self.values is not None else [code for *_, code in self.ranges or ()]
        for code in (min(codes, default=0), max(codes, default=0)):
            if not 0 <= code < self.leaves:
                raise ParameterError(f"{what} has the code {code}; codes go from 0 to leaves - 1 = {self.leaves - 1}")
        for text in self.values or ():
            if not isinstance(text, str) or text.strip(WHITE_SPACE) != text or not text or "\0" in text:
                raise ParameterError(
                    f"{what} declares {text!r}; give a text that is not blank, without white space at its ends"
                )
        self.segments()

    def segments(self) -> tuple[list[float], list[int]]:
        """Cuts and codes of the ranges: below cuts[0] the code is codes[0], from cuts[i] on it is codes[i + 1]."""
        what = f"column {self.column!r}"
        cuts: list[float] = []
        codes = [self.leaves]
        ordered = sorted(self.ranges or (), key=lambda r: -math.inf if r[0] is None else r[0])
        end = -math.inf
        for low, high, code in ordered:
            lower, upper = -math.inf if low is None else float(low), math.inf if high is None else float(high)
            if not lower < upper or lower < end:
                raise ParameterError(
                    f"{what} has the range {low} to {high}, which is empty or overlaps another one; give ranges apart"
                )
            for bound in (lower, upper):
                if math.isfinite(bound) and abs(bound) > LARGEST:
                    raise ParameterError(f"{what} has the bound {bound}; a number beyond {LARGEST} counts as infinite")
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


Groups = Sequence[frozenset[int]]
"""A tuple or `Singles`, as `grouped` makes them: groups that are the same compare equal."""


@dataclass(frozen=True)
class Singles(Sequence[frozenset[int]]):
    """Groups {0}, {1}, ...: each is made when it is asked for, as a million sets take more memory than all else."""

    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, at: Any) -> Any:
        return frozenset({range(self.size)[at]})

    def __iter__(self) -> Iterator[frozenset[int]]:
        return (frozenset({leaf}) for leaf in range(self.size))


def grouped(groups: Iterable[frozenset[int]]) -> Groups:
    """Groups in one of two forms."""
    found = tuple(groups)
    alone = all(len(group) == 1 and at in group for at, group in enumerate(found))
    return Singles(len(found)) if alone else found


@dataclass(frozen=True)
class Level:
    """Groups of leaves: a label and the leaves (by code) of each."""

    labels: tuple[str, ...]
    members: Groups


@dataclass(frozen=True, eq=False)
class Codebook:
    """A dimension, resolved: its leaves with `_other` as the last, how raw values get there, and its levels."""

    name: str
    leaves: tuple[str, ...]
    recode: Recode
    levels: dict[str, Level]
    digest: bytes

    def level(self, name: str | None, place: Place = ()) -> Level:
        """A level by name; the leaves themselves where that is None."""
        if name is None:
            return self.levels[""]
        if name not in self.levels or not name:
            known = ", ".join(level for level in self.levels if level) or "none"
            raise SpecError(f"dimension {self.name!r} has no level {name!r}; its levels are: {known}", place)
        return self.levels[name]

    def select(self, labels: list[str], what: str = "the filter on", place: Place = ()) -> frozenset[int]:
        """The leaves that `what` names, by leaf or by group of any level; a name of several sets is refused.

        `_other` is the leaf, whatever levels there are: what was not declared.
        """
        found: set[int] = set()
        for label in labels:
            meanings = {
                level: groups.members[groups.labels.index(label)]
                for level, groups in self.levels.items()
                if label in groups.labels and (label != OTHER or not level)
            }
            if not meanings:
                raise SpecError(
                    f"{what} {self.name!r} names {label!r}, which is no leaf or group of it;"
                    f" its leaves are {listed(self.leaves)}",
                    place,
                )
            if len(set(meanings.values())) > 1:
                means = " and ".join(f"a group of level {level!r}" if level else "a leaf" for level in meanings)
                raise SpecError(
                    f"{what} {self.name!r} names {label!r}, which is {means}, and they differ; rename one of them, or"
                    " name the leaves",
                    place,
                )
            found.update(*meanings.values())
        return frozenset(found)


def resolve(name: str, dimension: Dimension) -> Codebook:
    """The codebook of a declared dimension."""
    if dimension.ranges is not None:
        labels = list(dimension.ranges)
        ranges = [(lower, upper, code) for code, (lower, upper) in enumerate(dimension.ranges.values())]
        recode = _recode(name, dimension.column, len(labels), ranges=ranges)
        mapping: object = {"ranges": [[lower, upper, labels[code]] for lower, upper, code in ranges]}
    else:
        given = dimension.categories
        if given is None:
            raise SpecError(f"dimension {name!r} takes its categories from the data, which are not known yet")
        labels = list(given)
        values = _listed(name, labels) if isinstance(given, list) else _grouped(name, given)
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
    every = Level(leaves, Singles(len(leaves)))
    levels = {"": every} | {level: _level(name, level, groups, leaves) for level, groups in dimension.levels.items()}
    return Codebook(name, leaves, recode, levels, hashlib.sha256(identity.encode()).digest())


def _listed(name: str, labels: list[str]) -> dict[str, int]:
    """The code of every raw value, each of which is a category."""
    values = {label: code for code, label in enumerate(labels)}
    if len(values) < len(labels):
        raise SpecError(
            f"dimension {name!r} declares a category twice; give each once", ("dimensions", name, "categories")
        )
    return values


def _grouped(name: str, categories: dict[str, list[str] | str]) -> dict[str, int]:
    """The code of every raw value, from the raw values of each category."""
    values: dict[str, int] = {}
    for code, (label, texts) in enumerate(categories.items()):
        for text in [texts] if isinstance(texts, str) else texts:
            if text in values:
                raise SpecError(
                    f"dimension {name!r} gives the raw value {text!r} to two categories; give it to one",
                    ("dimensions", name, "categories", label),
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
    members = []
    code = {leaf: at for at, leaf in enumerate(leaves)}
    for group, names in groups.items():
        place = ("dimensions", name, "levels", level, group)
        if group in (OTHER, TOTAL):
            raise SpecError(
                f"level {level!r} of {name!r} has a group {group!r}, which Discreet uses itself; rename it", place
            )
        unknown = [leaf for leaf in names if leaf not in code]
        if unknown:
            raise SpecError(
                f"group {group!r} of level {level!r} names {unknown[0]!r}, which is no leaf of {name!r}; its leaves are"
                f" {listed(leaves)}",
                place,
            )
        if not names:
            raise SpecError(
                f"group {group!r} of level {level!r} of {name!r} has no leaves; give some or leave it out", place
            )
        members.append(frozenset(code[leaf] for leaf in names))
    rest = frozenset(range(len(leaves))) - frozenset().union(*members)
    labels = tuple(groups)
    return Level((*labels, OTHER), grouped([*members, rest])) if rest else Level(labels, grouped(members))
