"""Claims in words: what the paper says, and what the computation finds."""

from collections.abc import Iterable

from discreet.papers.claim import Claim, Kind

SAME = 1e-7
"""Two costs that differ by less are one: more than a linear program leaves open."""


def stated(item: str, what: str, paper: str, ours: str, note: str = "", kind: Kind = "stated") -> Claim:
    """Return a claim that agrees if both texts are the same."""
    return Claim(item, what, paper, ours, paper == ours, note, kind)


def judged(
    item: str,
    what: str,
    paper: str | float | None,
    ours: str | float,
    agrees: bool,
    note: str = "",
    kind: Kind = "stated",
) -> Claim:
    """Return a claim whose agreement was computed. The note is dropped if the claim agrees."""
    return Claim(item, what, paper, _tidy(ours), bool(agrees), "" if agrees else note, kind)


def measured(
    item: str, what: str, paper: float, value: float, digits: int, note: str = "", kind: Kind = "quoted"
) -> Claim:
    """Return a claim about a number with so many digits after the point. The note is dropped if the claim agrees."""
    return judged(item, what, paper, value, round(value, digits) == round(paper, digits), note, kind)


def ours(item: str, what: str, value: str | float, agrees: bool = True) -> Claim:
    """Return a value that the paper does not have."""
    return Claim(item, what, None, _tidy(value), bool(agrees), "", "ours")


def _tidy(value: str | float) -> str | float:
    """Return a number without what a solver leaves in the last digits."""
    return round(value, 9) + 0.0 if isinstance(value, float) else value


def every(flags: Iterable[object]) -> str:
    """Return "all", or how many of how many."""
    each = [bool(flag) for flag in flags]
    return "all" if all(each) else f"{sum(each)} of {len(each)}"


def close(a: float, b: float) -> bool:
    """Return True if two costs are one."""
    return abs(a - b) < SAME


def listed(values: Iterable[float], digits: int = 4) -> str:
    """Return numbers with so many digits after the point, with commas between."""
    return ", ".join(f"{value:.{digits}f}" for value in values)
