"""How claims are read in tests."""

from discreet.papers.claim import Claim


def our_values(claims: list[Claim], item: str) -> list[float | str]:
    """Our values of the claims of one place in a paper, in order."""
    return [claim.ours for claim in claims if claim.item == item]


def agreement(claims: list[Claim]) -> dict[str, list[bool]]:
    """For every place in a paper which of its claims hold."""
    found: dict[str, list[bool]] = {}
    for claim in claims:
        found.setdefault(claim.item, []).append(claim.agrees)
    return found
