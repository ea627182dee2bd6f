"""A published folder that was verified, ready to answer questions.

Everything comes from the folder: the measurements, and the tables that `discreet verify` makes from them again. Nothing
is read that is not published.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.arrays import Floats, Integers
from discreet.errors import CertificateError
from discreet.infer.any_table.remembered_results import RememberedResults
from discreet.publish.verify_folder import MeasuredFolder, verify_folder

if TYPE_CHECKING:
    from discreet.infer.any_table.answered_table import AnsweredTable
    from discreet.plan.codebook import Codebook
    from discreet.plan.layout import Layout
    from discreet.plan.spec import ReleaseSpec
    from discreet.publish.cell_intervals import CountIntervals
    from discreet.publish.folder import Published

MOST_ENDS = 20_000
"""The most kinds of sums whose ends of errors are remembered."""

MOST_REMEMBERED_CELLS = 500_000
"""The most cells of answers that are remembered: ten tables of the largest size, or thousands of small ones."""


def _ends() -> RememberedResults[tuple[float, float]]:
    return RememberedResults(MOST_ENDS)


def _answers() -> "RememberedResults[AnsweredTable]":
    return RememberedResults(MOST_REMEMBERED_CELLS, lambda shown: shown.size)


@dataclass(frozen=True, eq=False)
class OpenRelease:
    """A verified release. Made by `open_release`.

    Attributes
    ----------
    path
        The folder.
    published
        Its plan, its measurements and its tables.
    ends
        The ends of the errors of sums that were needed, by the kind of the sum.
    answers
        Answers to the last questions.
    """

    path: Path
    published: "Published"
    ends: RememberedResults[tuple[float, float]] = field(default_factory=_ends)
    answers: "RememberedResults[AnsweredTable]" = field(default_factory=_answers)

    @property
    def spec(self) -> "ReleaseSpec":
        """The public specification."""
        return self.published.plan.spec

    @property
    def layout(self) -> "Layout":
        """The tables and their groupings."""
        return self.published.plan.layout

    @cached_property
    def books(self) -> dict[str, "Codebook"]:
        """The codebooks of the dimensions that tables or filters use, by name."""
        return {book.name: book for book in self.layout.books}

    @cached_property
    def counts(self) -> dict[int, Integers]:
        """The published counts of every grouping."""
        return {
            index: numbers
            for (_, indices), tables in zip(self.layout.tables, self.published.tables, strict=True)
            for index, numbers in zip(indices, tables, strict=True)
        }

    @cached_property
    def intervals(self) -> dict[int, "CountIntervals"]:
        """The published intervals of every grouping."""
        return {
            index: ends
            for (_, indices), tables in zip(self.layout.tables, self.published.intervals, strict=True)
            for index, ends in zip(indices, tables, strict=True)
        }

    @cached_property
    def estimates(self) -> Mapping[int, Floats]:
        """Least squares from all measurements together, for every grouping that has a law of its errors."""
        return self.published.joint.estimates(self.published.measurements)

    @property
    def measured(self) -> MeasuredFolder:
        """The plan and the measurements alone."""
        return MeasuredFolder(self.path, self.published.plan, self.published.measurements)


def open_release(path: str | os.PathLike[str]) -> OpenRelease:
    """Verify a published folder, and prepare everything that answers need.

    Parameters
    ----------
    path
        The folder of a release.

    Raises
    ------
    CertificateError
        This is no release folder, a claim does not hold, or another version of Discreet made other tables from the same
        measurements.
    """
    verified = verify_folder(path)
    other = [name for name in verified.not_replayed if name != "report.html"]
    if other:
        raise CertificateError(
            f"{path} has tables that this version of Discreet makes otherwise, such as {other[0]}: the folder was"
            f" {verified.other_software}. Show the folder with the version of Discreet that published it"
        )
    release = OpenRelease(Path(path), verified.published)
    release.counts, release.intervals, release.estimates  # noqa: B018 - computed before the first question
    return release
