"""Claims about section 4.1 of Wang 2020: Examples 1 and 2, and Tables 1 to 3.

Means and variances of algorithms 1 (independence) and 2 are exact (`exact_moments`), those of algorithms 1 (summed) and
3 are over 40,000 runs (`repeated_runs`). A printed number agrees if the two differ by no more than half a unit of the
last printed digit and three standard errors, of the paper's 10,000 runs and of ours.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np

from discreet.arrays import Floats
from discreet.papers.claim import Claim
from discreet.papers.wang2020.claim_kinds import beside, quoted, statement
from discreet.papers.wang2020.exact_moments import moments
from discreet.papers.wang2020.example_data import (
    BETWEEN_15_AND_60,
    EXAMPLE_1,
    EXAMPLE_2,
    EXAMPLES,
    FIVE,
    LARGEST,
    LEAST_MIDDLE,
    MOST_MIDDLE,
    NAMES,
    RANKS,
    SEATS_2010,
    SMALL_COUNTS,
    TABLE_2,
    TOTAL,
    representatives,
)
from discreet.papers.wang2020.repeated_runs import PAPER_RUNS, RUNS, runs
from discreet.papers.wording import MOST, most

PRINTED = {
    1: {
        "1i": ("0.9 60 382 736 977", "2.4 63 375 695 940"),
        "1c": ("0.9 60 382 736 977", "2.5 63 380 714 936"),
        "2": ("0.4 60 382 736 977", "1.2 62 380 708 932"),
        "3": ("0.4 60 382 736 977", "0.7 2 2 2 2"),
    },
    2: {
        "1i": ("1.5 2.2 6.0 11.0 432.5", "3.5 4.7 9.3 14.0 256.8"),
        "1c": ("1.5 2.2 6.0 11.0 432.5", "3.5 4.9 9.2 14.5 259"),
        "2": ("1.1 2.1 6.0 11.0 434.2", "2.2 3.6 7.9 12.6 235.1"),
        "3": ("1.0 2.0 5.9 11.0 437.6", "1.1 1.5 1.8 1.8 19.2"),
    },
}
"""Means and variances of the five representative counts, by example and algorithm: Table 1 and Table 3, as printed."""

ALGORITHMS = {"1i": "1 (ind)", "1c": "1 (summed)", "2": "2", "3": "3"}
EXACT = ("1i", "2")
"""Algorithms whose moments are exact; the others are repeated."""


@cache
def moments_of(example: int, method: str, repeats: int = RUNS) -> tuple[Floats, Floats]:
    """Return the mean and the variance of every count: exact where that is possible, else over all runs."""
    if method in EXACT:
        return moments(EXAMPLES[example], method)  # type: ignore[arg-type]
    result = runs(example, method, repeats)
    return result.mean, result.variance


def squared_error(example: int, method: str) -> float:
    """Return the mean squared error, averaged over all counts."""
    mean, variance = moments_of(example, method)
    return float((variance + (mean - EXAMPLES[example]) ** 2).mean())


def example_1() -> list[Claim]:
    """The printed properties of Example 1 fit together: each beside what the others leave open."""
    item = "Example 1"
    note = "the list is not printed, so a value can only be checked against the other printed properties"
    low, high = _totals(FIVE[1])
    middle = ", ".join(map(str, representatives(EXAMPLE_1).tolist()))
    claims = [
        Claim(
            item,
            "the total, beside the least and the largest total that the other printed properties allow",
            str(TOTAL[1]),
            f"{low} to {high}",
            low <= TOTAL[1] <= high,
            note,
        )
    ]
    for index, (name, rank) in enumerate(zip(NAMES, RANKS, strict=True)):
        allowed = _allowed(index)
        claims.append(
            Claim(
                item,
                f"{name}, the count of rank {rank}, beside the values that the other printed properties allow",
                str(FIVE[1][index]),
                f"{allowed[0]}" if len(allowed) == 1 else f"{allowed[0]} to {allowed[-1]}",
                FIVE[1][index] in allowed,
            )
        )
    claims.append(
        beside(
            item,
            "the rebuilt list: counts, total, and the five representative counts",
            f"{len(EXAMPLE_1)}; {EXAMPLE_1.sum()}; {middle}",
            "the paper does not print the list; this one has the printed properties, with five counts between 15 and 60"
            f" of {BETWEEN_15_AND_60}",
        )
    )
    return claims


def _totals(five: Sequence[int]) -> tuple[int, int]:
    """Return the least and the largest total of 50 counts with these representative counts.

    Six counts are 0, 0, 0, 1, 2, 3, five lie between 15 and 60, and 39 between 60 and 1000; `five` has their least, two
    counts between and their largest after the minimum.
    """
    small, gaps = sum(SMALL_COUNTS), np.diff(RANKS[1:])
    steps = list(zip(five[1:], five[2:], gaps.tolist(), strict=False))
    low = small + 5 * LEAST_MIDDLE + sum(below * gap for below, _, gap in steps) + five[-1]
    high = small + 5 * MOST_MIDDLE + five[1] + sum(above * gap for _, above, gap in steps)
    return low, high


def _allowed(index: int) -> list[int]:
    """Return the values of one representative count that fit the total, the others and the text of section 4.1.1."""
    if index == 0:
        return [min(SMALL_COUNTS)]
    five = list(FIVE[1])
    least = MOST_MIDDLE if index == 1 else five[index - 1]
    most = LARGEST if index == len(five) - 1 else five[index + 1]
    values = []
    for value in range(least, most + 1):
        five[index] = value
        low, high = _totals(five)
        if low <= TOTAL[1] <= high:
            values.append(value)
    return values


def example_2() -> list[Claim]:
    """The data of Example 2."""
    item = "Example 2"
    states = Counter({seats: len(names.split()) for seats, names in SEATS_2010.items()})
    listed = Counter(TABLE_2)
    missing, extra = states - listed, listed - states
    claims = [
        quoted(item, "counts in Table 2", "50", len(EXAMPLE_2)),
        quoted(item, "the total", "863", int(EXAMPLE_2.sum())),
        *(
            quoted(item, f"{name}, the count of rank {rank}", str(count), int(value))
            for name, rank, count, value in zip(NAMES, RANKS, FIVE[2], representatives(EXAMPLE_2), strict=True)
        ),
        statement(
            item,
            f"most counts are between 0 and 50 {MOST}",
            f"{(EXAMPLE_2 <= 50).sum()} of 50",
            most(float((EXAMPLE_2 <= 50).mean())),
        ),
        statement(
            item,
            "the counts are those of 50 states",
            f"extra: {_texts(extra)}; missing: {_texts(missing)}",
            not missing and not extra,
            "435 is the whole House. A state with 7 seats is missing: Alabama, if the list was alphabetical and ended"
            " with the total. So the total 863 is 428 + 435, and 435 is more than half of it",
        ),
    ]
    quartiles = np.quantile(EXAMPLE_2, [0.25, 0.75])
    claims.append(
        beside(
            item,
            "quartiles by interpolation",
            f"{quartiles[0]:g} and {quartiles[1]:g}",
            "printed: 2 and 11, the counts of rank 12 and 38",
        )
    )
    return claims


def _texts(counts: Counter[int]) -> str:
    return ", ".join(f"{number} x {count}" for count, number in counts.items()) or "none"


def tables_1_and_3() -> list[Claim]:
    """All means and variances of Tables 1 and 3."""
    claims = []
    for example, table in PRINTED.items():
        for algorithm, lines in table.items():
            repeated = runs(example, algorithm)
            simulated = 0 if algorithm in EXACT else 1 / RUNS
            for what, line, values, errors in zip(
                ("mean", "variance"), lines, moments_of(example, algorithm), repeated.errors, strict=True
            ):
                for name, text, value, error in zip(
                    NAMES, line.split(), representatives(values), representatives(errors), strict=True
                ):
                    claims.append(
                        quoted(
                            f"Table {2 * example - 1}",
                            f"{what} of {name}, algorithm {ALGORITHMS[algorithm]}",
                            text,
                            float(value),
                            float(error) * math.sqrt(simulated + 1 / PAPER_RUNS),
                        )
                    )
    return claims
