"""Codebooks: total functions from the raw values of a column to declared leaves.

A leaf is a category at the finest level; what is not declared is the leaf `_other`, which always exists. A coarser
level puts leaves into groups; leaves in no group make up its group `_other`. Groups may overlap (18+ and 65+): a person
is then in several cells of one grouping, and every one of them counts.

The digest of a codebook covers its column and the leaf of every raw value. It is part of the identity of a cell, so
that one key never serves two populations.
"""

import hashlib
import json
from dataclasses import dataclass

from discreet.errors import SpecError
from discreet.release.engines import Recode
from discreet.release.spec import OTHER, TOTAL, Dimension


@dataclass(frozen=True)
class Level:
    """Groups of leaves: a label and the leaves (by code) of each."""

    labels: tuple[str, ...]
    members: tuple[frozenset[int], ...]


@dataclass(frozen=True, eq=False)
class Codebook:
    """A dimension, resolved: its leaves with `_other` as the last, how raw values get there, and its levels."""

    name: str
    leaves: tuple[str, ...]
    recode: Recode
    levels: dict[str, Level]
    digest: bytes

    def level(self, name: str | None) -> Level:
        """A level by name; the leaves themselves where that is None."""
        if name is None:
            return self.levels[""]
        if name not in self.levels or not name:
            known = ", ".join(level for level in self.levels if level) or "none"
            raise SpecError(f"dimension {self.name!r} has no level {name!r}; its levels are: {known}")
        return self.levels[name]

    def select(self, labels: list[str]) -> frozenset[int]:
        """The leaves that a filter names, by leaf or by group of any level."""
        found: set[int] = set()
        for label in labels:
            if label in self.leaves:
                found.add(self.leaves.index(label))
                continue
            groups = [
                level.members[level.labels.index(label)] for level in self.levels.values() if label in level.labels
            ]
            if not groups:
                raise SpecError(
                    f"the filter on {self.name!r} names {label!r}, which is no leaf or group of it;"
                    f" its leaves are {', '.join(self.leaves[:20])}"
                )
            found |= groups[0]
        return frozenset(found)


def resolve(name: str, dimension: Dimension) -> Codebook:
    """The codebook of a declared dimension."""
    if dimension.ranges is not None:
        labels = list(dimension.ranges)
        ranges = [(lower, upper, code) for code, (lower, upper) in enumerate(dimension.ranges.values())]
        recode = Recode(dimension.column, len(labels), ranges=ranges)
        mapping: object = {"ranges": [[lower, upper, labels[code]] for lower, upper, code in ranges]}
    else:
        given = dimension.categories
        if given is None:
            raise SpecError(f"dimension {name!r} takes its categories from the data, which are not known yet")
        raws = (
            {label: [label] for label in given}
            if isinstance(given, list)
            else {label: [raw] if isinstance(raw, str) else raw for label, raw in given.items()}
        )
        labels = list(raws)
        if isinstance(given, list) and len(labels) < len(given):
            raise SpecError(f"dimension {name!r} declares a category twice; give each once")
        values: dict[str, int] = {}
        for code, texts in enumerate(raws.values()):
            for text in texts:
                if text in values:
                    raise SpecError(
                        f"dimension {name!r} gives the raw value {text!r} to two categories; give it to one"
                    )
                values[text] = code
        recode = Recode(dimension.column, len(labels), values=values)
        mapping = {"values": sorted([text, labels[code]] for text, code in values.items())}
    for label in labels:
        if label in (OTHER, TOTAL):
            raise SpecError(f"dimension {name!r} declares {label!r}, which Discreet uses itself; choose another name")
    leaves = (*labels, OTHER)
    identity = json.dumps([dimension.column, mapping], ensure_ascii=False, sort_keys=True)
    every = Level(leaves, tuple(frozenset({code}) for code in range(len(leaves))))
    levels = {"": every} | {level: _level(name, level, groups, leaves) for level, groups in dimension.levels.items()}
    return Codebook(name, leaves, recode, levels, hashlib.sha256(identity.encode()).digest())


def _level(name: str, level: str, groups: dict[str, list[str]], leaves: tuple[str, ...]) -> Level:
    members = []
    for group, names in groups.items():
        if group in (OTHER, TOTAL):
            raise SpecError(f"level {level!r} of {name!r} has a group {group!r}, which Discreet uses itself; rename it")
        unknown = [leaf for leaf in names if leaf not in leaves]
        if unknown:
            raise SpecError(f"group {group!r} of level {level!r} names {unknown[0]!r}, which is no leaf of {name!r}")
        if not names:
            raise SpecError(f"group {group!r} of level {level!r} of {name!r} has no leaves; give some or leave it out")
        members.append(frozenset(leaves.index(leaf) for leaf in names))
    rest = frozenset(range(len(leaves))) - frozenset().union(*members)
    labels = tuple(groups)
    return Level((*labels, OTHER), (*members, rest)) if rest else Level(labels, tuple(members))
