"""How claims about Wang 2020 are written: quoted values, statements, values of formulas, values of ours."""

import math

from discreet.papers.claim import Claim

SAME = 1e-9
"""Numbers that differ by a smaller part are one: more than floats leave open."""

ERRORS = 3
"""Standard errors by which a mean over runs may differ from a printed one."""


def quoted(item: str, what: str, paper: str, ours: float, error: float = 0.0, note: str = "") -> Claim:
    """Return a claim about a number with the digits that the paper prints.

    `error` is the standard error of the difference, for numbers that the paper found by simulation.
    """
    half = 0.5 * 10.0 ** -len(paper.partition(".")[2])
    if error:
        what = f"{what} (standard error {error:.2g})"
    return Claim(item, what, paper, ours, abs(ours - float(paper)) <= half + ERRORS * error, note)


def statement(item: str, what: str, ours: str, holds: bool, note: str = "") -> Claim:
    """Return a claim about a statement in words. The column of the paper says that the paper makes the statement."""
    return Claim(item, what, "stated", ours, bool(holds), note, "stated")


def formula(item: str, what: str, paper: float, ours: float, note: str = "", tolerance: float = SAME) -> Claim:
    """Return a claim about the value of a formula of the paper, beside a value that was computed without it."""
    return Claim(item, what, paper, ours, math.isclose(paper, ours, rel_tol=tolerance), note, "formula")


def beside(item: str, what: str, value: str | float, note: str = "") -> Claim:
    """Return a value of ours that the paper does not have."""
    return Claim(item, what, None, value, True, note, "ours")


def listed(values: object, digits: int = 3) -> str:
    """Return numbers with so many significant digits."""
    return ", ".join(f"{value:.{digits}g}" for value in values)  # type: ignore[attr-defined]
