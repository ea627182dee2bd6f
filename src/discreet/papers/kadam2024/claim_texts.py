"""How claims about Kadam 2024 are written: rows of numbers, values of formulas, statements, and promises of privacy."""

from collections.abc import Iterable, Sequence

from discreet.papers.claim import Claim, Kind

SAME = 1e-8
"""Numbers that differ by less are one: more than a program leaves open."""


def clean(value: float) -> float:
    """Return a number without the rounding of floats: what is below 1e-9 is 0."""
    return round(float(value), 9) + 0.0


def row(values: Iterable[float], digits: int = 4) -> str:
    """Return numbers separated by spaces."""
    return " ".join(f"{clean(value):.{digits}f}" for value in values)


def listed(values: Iterable[object]) -> str:
    """Return integers or words separated by spaces."""
    return " ".join(map(str, values))


def numbers(
    item: str,
    what: str,
    paper: Sequence[float],
    ours: Iterable[float],
    digits: int = 4,
    note: str = "",
    kind: Kind = "quoted",
) -> Claim:
    """Return a claim about several numbers, printed with so many digits."""
    values = [float(value) for value in ours]
    agrees = len(values) == len(paper) and all(round(a, digits) == b for a, b in zip(values, paper, strict=True))
    return Claim(item, what, row(paper, digits), row(values, digits), agrees, note, kind)


def words(
    item: str,
    what: str,
    paper: Iterable[object],
    ours: Iterable[object],
    note: str = "",
    kind: Kind = "quoted",
) -> Claim:
    """Return a claim about integers or names that the paper prints in an order."""
    return Claim(item, what, listed(paper), listed(ours), listed(paper) == listed(ours), note, kind)


def formula(item: str, what: str, paper: float, ours: float, note: str = "") -> Claim:
    """Return a claim about the value of a formula of the paper."""
    return Claim(item, what, clean(paper), clean(ours), bool(abs(paper - ours) < SAME), note, "formula")


def statement(item: str, what: str, ours: str | float, holds: bool, note: str = "", kind: Kind = "stated") -> Claim:
    """Return a claim about a statement in words. The column of the paper says that the paper makes it."""
    return Claim(item, what, "stated", ours if isinstance(ours, str) else clean(ours), bool(holds), note, kind)


def comparison(item: str, what: str, value: str | float, note: str = "") -> Claim:
    """Return a value of ours that the paper has nothing to compare with."""
    return Claim(item, what, None, value if isinstance(value, str) else clean(value), True, note, "ours")


def promise(item: str, what: str, claimed: float, true: float, note: str = "", kind: Kind = "stated") -> Claim:
    """Return the delta that the paper promises for some noise, beside the two-sided delta of this noise."""
    broken = bool(true > claimed + SAME)
    privacy = f"PRIVACY: delta {claimed:.4f} is {true:.4f} when neighbours are symmetric" if broken else ""
    return Claim(item, what, clean(claimed), clean(true), not broken, "; ".join(filter(None, [privacy, note])), kind)
