"""Figure 5: which mechanism to take for L0 and alpha > 1/2, as questions that lead from one to the next.

The text of the paper has the questions (section 6.3) and not the drawing, so the layout is ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.papers.cormode2019.count_mechanisms import COLUMNS, WEAK

START = "fair"


@dataclass(frozen=True)
class Question:
    """A question of the chart: its words, its place, what decides it, and where "yes" and "no" lead."""

    text: str
    x: float
    y: float
    yes: str
    no: str
    decide: Callable[[frozenset[str], int, Fraction], bool]


@dataclass(frozen=True)
class Answer:
    """A mechanism at the end of the chart."""

    text: str
    x: float
    y: float


QUESTIONS = {
    "fair": Question("fairness (F)?", 0, 3, "EM", "columns", lambda required, n, alpha: "F" in required),
    "columns": Question(
        "a column property (CH, CM)?", 0, 2, COLUMNS, "honest", lambda required, n, alpha: bool(required & {"CH", "CM"})
    ),
    "honest": Question("weak honesty (WH)?", 0, 1, "large", "GM", lambda required, n, alpha: "WH" in required),
    "large": Question(
        "n >= 2 alpha/(1 - alpha)?", 0, 0, "GM", WEAK, lambda required, n, alpha: n * (1 - alpha) >= 2 * alpha
    ),
}

ANSWERS = {
    "EM": Answer("EM (ours: EM*)", 1, 3),
    COLUMNS: Answer("program with WH and CM", 1, 2),
    "GM": Answer("GM", 1, 1),
    WEAK: Answer("program with WH (ours: closed form)", 1, 0),
}


def follow(required: frozenset[str], n: int, alpha: Fraction) -> str:
    """Return the mechanism to which the chart leads, one of the names of `ANSWERS`."""
    here = START
    while here in QUESTIONS:
        question = QUESTIONS[here]
        here = question.yes if question.decide(required, n, alpha) else question.no
    return here
