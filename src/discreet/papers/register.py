"""The register of a paper: every numbered item, what it says, where Discreet has it, and whether it is right.

A `Paper` holds the register, the claims that judge it, and the figures. Claims and figures are functions, so that
nothing is computed before it is asked for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Literal

from discreet.errors import ParameterError
from discreet.papers.claim import Claim
from discreet.papers.figure import Figure

NAMES = ("cormode2019", "kadam2024", "sadeghi2020", "sadeghi2023", "wang2020")

Verdict = Literal["holds", "loose", "misprint", "fails", "no claim"]
"""What Discreet finds about an item.

holds
    True as printed.
loose
    True, and something better is known.
misprint
    The idea is right and the print is wrong. `Item.says` has the corrected form.
fails
    False.
no claim
    A definition, a notation, a setting, an expectation or a plan for later: nothing to be right or wrong.
"""


@dataclass(frozen=True)
class Item:
    """One numbered item of a paper.

    Attributes
    ----------
    name
        As the paper calls it: "Lemma 3", "Figure 8(b)", "Equation (16)", "Section 7.1".
    section
        Where the paper has it.
    says
        What it says, in our words.
    verdict
        What Discreet finds.
    api
        Where Discreet has it: a public name, or a function of the paper's module.
    shown_by
        The test that shows the verdict, or the reason why there is nothing to show. Items with claims may leave it out.
    """

    name: str
    section: str
    says: str
    verdict: Verdict
    api: str = ""
    shown_by: str = ""


ClaimFunction = Callable[[], Sequence[Claim]]
"""Compute the claims of one or a few items."""


@dataclass(frozen=True)
class Paper:
    """A paper, with all that Discreet says about it.

    Attributes
    ----------
    name
        Name of the package: "wang2020".
    authors, year, title
        As printed.
    items
        The register, in the order of the paper.
    claims
        Functions that compute the claims, in the order of the paper.
    figures
        The figures, in the order of the paper.
    with_adult
        Return more claims and figures, computed from the UCI Adult data in a file. None if the paper uses no such data.
    """

    name: str
    authors: str
    year: int
    title: str
    items: tuple[Item, ...]
    claims: tuple[ClaimFunction, ...]
    figures: tuple[Figure, ...]
    with_adult: Callable[[Path], tuple[tuple[ClaimFunction, ...], tuple[Figure, ...]]] | None = None

    @property
    def citation(self) -> str:
        """Authors, year and title."""
        return f"{self.authors} {self.year}, {self.title}"

    def with_data(self, adult: Path) -> "Paper":
        """Return the paper with the claims and figures that need the UCI Adult data.

        Raises
        ------
        ParameterError
            The paper does not use the data.
        """
        if self.with_adult is None:
            raise ParameterError(f"adult is {str(adult)!r}, and {self.name} does not use the Adult data: leave it out")
        claims, figures = self.with_adult(adult)
        return replace(self, claims=self.claims + claims, figures=self.figures + figures)

    def figure(self, number: str) -> Figure:
        """Return the figure of a number such as "8b".

        Raises
        ------
        ParameterError
            The paper has no such figure.
        """
        for figure in self.figures:
            if figure.number == number:
                return figure
        known = ", ".join(repr(figure.number) for figure in self.figures)
        more = "" if self.with_adult is None else "; figures on the Adult data need adult=FILE"
        raise ParameterError(f"{self.name} has no figure {number!r}; choose from {known}{more}")


@dataclass(frozen=True)
class Tally:
    """How many claims of one kind there are, and how many agree."""

    agree: int
    total: int


def tally(claims: Sequence[Claim], kind: str) -> Tally:
    """Count the claims of one kind."""
    agreed = [claim.agrees for claim in claims if claim.kind == kind]
    return Tally(sum(agreed), len(agreed))


def load(name: str) -> Paper:
    """Return a paper by the name of its package.

    Raises
    ------
    ParameterError
        There is no such paper.
    """
    if name not in NAMES:
        raise ParameterError(f"the paper is {name!r}; choose from {', '.join(NAMES)}")
    module = import_module(f"discreet.papers.{name}")
    paper = module.PAPER
    assert isinstance(paper, Paper)
    return paper
