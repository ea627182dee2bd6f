"""The releases that an explorer shows, each under a short name for addresses."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discreet.errors import ParameterError
from discreet.infer.any_table.answered_table import AnsweredTable, answer, usable_levels
from discreet.infer.any_table.open_release import OpenRelease, open_release
from discreet.infer.any_table.table_change import version_order, why_not_comparable
from discreet.infer.any_table.table_question import AxisChoice, TableQuestion
from discreet.labels import listed

LONGEST_NAME = 40

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, eq=False)
class ShownRelease:
    """A release of the catalogue.

    Attributes
    ----------
    name
        Its name in addresses: small letters, digits and hyphens.
    opened
        The release.
    """

    name: str
    opened: OpenRelease

    @cached_property
    def levels(self) -> dict[str, list[str | None]]:
        """The levels at which every dimension can be shown, from the finest. Other dimensions are left out."""
        usable = {name: usable_levels(self.opened, name) for name in self.opened.books}
        return {name: levels for name, levels in usable.items() if levels}

    @cached_property
    def first_question(self) -> TableQuestion:
        """What is shown first: the first two dimensions of the first table."""
        table, _ = self.opened.layout.tables[0]
        axes = [AxisChoice(axis.dimension, axis.level) for axis in table.dimensions]
        if table.filter:
            return TableQuestion(tuple(axes), (), tuple((name, tuple(kept)) for name, kept in table.filter.items()))
        shown = [axis for axis in axes if axis.dimension in self.levels][:2]
        shown.sort(key=lambda axis: -len(self.opened.books[axis.dimension].level(axis.level).labels))
        return TableQuestion(tuple(shown[:1]), tuple(shown[1:]))


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The releases of an explorer. Made by `open_catalogue`.

    Attributes
    ----------
    releases
        The releases by name, in the order in which they were given.
    """

    releases: dict[str, ShownRelease]

    def release(self, name: str) -> ShownRelease:
        """Return a release by name. Raise UnknownReleaseError if there is none."""
        if name not in self.releases:
            raise UnknownReleaseError(f"there is no release {name!r:.60}; there are: {listed(list(self.releases))}")
        return self.releases[name]

    @cached_property
    def comparable(self) -> dict[str, list[str]]:
        """For every release, the names of releases of earlier versions of the same data, from the earliest."""
        names = sorted(self.releases, key=lambda name: version_order(self.releases[name].opened.spec.version))
        return {
            name: [other for other in names if why_not_comparable(own.opened, self.releases[other].opened) is None]
            for name, own in self.releases.items()
        }

    def answer(self, name: str, question: TableQuestion) -> AnsweredTable:
        """Return the answer to a question about a release.

        Raises
        ------
        DiscreetError
            The table cannot be shown; see `any_table.answer`.
        """
        return answer(self.release(name).opened, question)


class UnknownReleaseError(ParameterError):
    """An address names a release that the explorer does not have."""


def open_catalogue(folders: Sequence[str]) -> Catalogue:
    """Verify published folders, and return them as a catalogue.

    Parameters
    ----------
    folders
        The paths of the folders.

    Raises
    ------
    ParameterError
        No folder is given, or a folder is given twice.
    CertificateError
        A folder is no release folder, or a claim does not hold.
    """
    if not folders:
        raise ParameterError("no folder is given; name the folder of a release, or several")
    releases: dict[str, ShownRelease] = {}
    resolved: set[Path] = set()
    for folder in folders:
        path = Path(folder).resolve()
        if path in resolved:
            raise ParameterError(f"{folder} is given twice; name each folder once")
        resolved.add(path)
        name = _address_name(path.name, releases)
        releases[name] = ShownRelease(name, open_release(folder))
    return Catalogue(releases)


def _address_name(folder: str, taken: dict[str, ShownRelease]) -> str:
    """Return a name for addresses, made from the name of a folder, that no other release has."""
    plain = _NOT_IN_NAMES.sub("-", folder.lower()).strip("-")[:LONGEST_NAME].strip("-") or "release"
    number, name = 1, plain
    while name in taken:
        number += 1
        name = f"{plain}-{number}"
    return name
