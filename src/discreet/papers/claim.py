"""What a paper says, what we compute, and whether the two agree."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """One printed number or statement.

    Attributes
    ----------
    where
        The place in the paper: "Example 1", "Figure 7", "Lemma 3".
    what
        What is claimed, in a few words.
    paper
        The value as printed; None where the paper gives a picture or no number.
    ours
        The value computed here, now.
    agrees
        Whether ours is the paper's, to the digits it prints.
    note
        Where it does not agree, what is true instead.
    """

    where: str
    what: str
    paper: str | float | None
    ours: str | float
    agrees: bool
    note: str = ""


def number(where: str, what: str, paper: float, ours: float, digits: int, note: str = "") -> Claim:
    """A claim about a number printed with so many digits after the point."""
    return Claim(where, what, paper, ours, round(ours, digits) == round(paper, digits), note)
