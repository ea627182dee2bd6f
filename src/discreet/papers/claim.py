"""One statement about a paper: what the paper has, what Discreet computes, and whether the two agree."""

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["quoted", "stated", "formula", "ours"]
"""Where the value in the column `paper` comes from.

quoted
    The paper prints the value. Only such claims count as reproduced or not.
stated
    The paper makes the statement, in words or as a theorem, and Discreet judges it.
formula
    The value follows from a formula of the paper, evaluated here.
ours
    The paper does not make the statement; Discreet adds the value for comparison.
"""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Claim:
    """One number or statement.

    Attributes
    ----------
    item
        Name of the item in the paper's register: "Example 1", "Figure 7", "Lemma 3".
    what
        What is claimed, in a few words. A word of quantity is followed by its limit (`discreet.papers.wording`).
    paper
        The paper's value; None if the paper has no value.
    ours
        The value computed here, now.
    agrees
        True if ours is the paper's value, to the digits that the paper prints, or if the statement holds.
    note
        What is true instead, if the two do not agree.
    kind
        Where the paper's value comes from.
    """

    item: str
    what: str
    paper: str | float | None
    ours: str | float
    agrees: bool
    note: str = ""
    kind: Kind = "quoted"


def number(
    item: str, what: str, paper: float, ours: float, digits: int, note: str = "", kind: Kind = "quoted"
) -> Claim:
    """Return a claim about a number that is given with so many digits after the point."""
    return Claim(item, what, paper, ours, round(ours, digits) == round(paper, digits), note, kind)
