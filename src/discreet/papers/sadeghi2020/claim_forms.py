"""How claims about Sadeghi 2020 are written: values of formulas, promises, statements, and values of ours."""

import math

from discreet.papers.claim import Claim, Kind

RELATIVE, ABSOLUTE = 1e-6, 1e-9
"""Numbers that differ by less are one: more than a linear program leaves open."""


def tidy(value: float) -> float:
    """Return a number without what a solver leaves in the last digits; what is below 1e-10 is 0."""
    return float(f"{value:.8g}") if abs(value) > 1e-10 else 0.0


def formula(item: str, what: str, paper: float, ours: float, note: str = "") -> Claim:
    """Return a claim about the value of a formula of the paper."""
    agrees = math.isclose(paper, ours, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return Claim(item, what, tidy(paper), tidy(ours), agrees, note, "formula")


def promise(item: str, what: str, claimed: float, true: float, note: str = "") -> Claim:
    """Return a delta that a formula of the paper promises, beside the exact one. A true promise is not exceeded."""
    return Claim(item, what, tidy(claimed), tidy(true), true <= claimed * (1 + RELATIVE), note, "formula")


def statement(item: str, what: str, ours: str | float, holds: bool, note: str = "", kind: Kind = "stated") -> Claim:
    """Return a claim about a statement in words."""
    return Claim(item, what, "stated", ours if isinstance(ours, str) else tidy(ours), bool(holds), note, kind)


def beside(item: str, what: str, value: str | float, note: str = "") -> Claim:
    """Return a value of ours that the paper does not have."""
    return Claim(item, what, None, value if isinstance(value, str) else tidy(value), True, note, "ours")


def exceptions(item: str, what: str, failures: int, total: int, note: str = "", kind: Kind = "stated") -> Claim:
    """Return a claim that something holds in all of so many cases."""
    return Claim(item, what, "none", f"{failures} of {total}" if failures else "none", failures == 0, note, kind)


def listed(values: list[float], digits: int = 3) -> str:
    """Return numbers with so many significant digits."""
    return ", ".join(f"{value:.{digits}g}" for value in values)
