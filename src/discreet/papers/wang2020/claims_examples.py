"""Claims about section 4.1 of Wang 2020: Examples 1 and 2, and Tables 1 to 3.

Means and variances of algorithms 1 (independence) and 2 are exact (`exact_moments`), those of algorithms 1 (summed) and
3 are over 40,000 runs (`repeated_runs`). A printed number agrees if the two differ by no more than half a unit of the
last printed digit and three standard errors, of the paper's 10,000 runs and of ours.
"""

import math
from collections import Counter
from functools import cache

import numpy as np

from discreet.arrays import Floats
from discreet.papers.claim import Claim
from discreet.papers.wang2020.claim_kinds import beside, printed, statement
from discreet.papers.wang2020.exact_moments import moments
from discreet.papers.wang2020.example_data import (
    BETWEEN_15_AND_60,
    EXAMPLE_1,
    EXAMPLE_2,
    EXAMPLES,
    FIVE,
    NAMES,
    SEATS_2010,
    SMALL_COUNTS,
    TABLE_2,
    TOTAL,
    representatives,
)
from discreet.papers.wang2020.repeated_runs import PAPER_RUNS, RUNS, runs

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


@cache
def found(example: int, method: str) -> tuple[Floats, Floats]:
    """Return the mean and the variance of every count: exact where that is possible, else over all runs."""
    if method in ("1i", "2"):
        return moments(EXAMPLES[example], method)  # type: ignore[arg-type]
    result = runs(example, method)
    return result.mean, result.variance


def squared_error(example: int, method: str) -> float:
    """Return the mean squared error, averaged over all counts."""
    mean, variance = found(example, method)
    return float((variance + (mean - EXAMPLES[example]) ** 2).mean())


def example_1() -> list[Claim]:
    """The printed properties of Example 1 fit together."""
    five = FIVE[1]
    low = sum(SMALL_COUNTS) + 5 * 15 + 13 * five[1] + 13 * five[2] + 12 * five[3] + five[4]
    high = sum(SMALL_COUNTS) + 5 * 60 + five[1] + 13 * five[2] + 13 * five[3] + 12 * five[4]
    middle = ", ".join(map(str, representatives(EXAMPLE_1).tolist()))
    return [
        Claim(
            "Example 1",
            "the total, beside the least and the largest total that the other printed properties allow",
            TOTAL[1],
            f"{low} to {high}",
            low <= TOTAL[1] <= high,
            kind="formula",
        ),
        beside(
            "Example 1",
            "the rebuilt list: counts, total, and the five representative counts",
            f"{len(EXAMPLE_1)}; {EXAMPLE_1.sum()}; {middle}",
            "the paper does not print the list; this one has the printed properties, with five counts between 15 and 60"
            f" of {BETWEEN_15_AND_60}",
        ),
    ]


def example_2() -> list[Claim]:
    """The data of Example 2."""
    item = "Example 2"
    states = Counter({seats: len(names.split()) for seats, names in SEATS_2010.items()})
    listed = Counter(TABLE_2)
    missing, extra = states - listed, listed - states
    claims = [
        printed(item, "counts in Table 2", "50", len(EXAMPLE_2)),
        printed(item, "the total", "863", int(EXAMPLE_2.sum())),
        *(
            printed(item, f"{name}, the count of rank {rank}", str(count), int(value))
            for name, rank, count, value in zip(
                NAMES, (1, 12, 25, 38, 50), FIVE[2], representatives(EXAMPLE_2), strict=True
            )
        ),
        statement(
            item, "most counts are between 0 and 50", f"{(EXAMPLE_2 <= 50).sum()} of 50", (EXAMPLE_2 <= 50).mean() > 0.5
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
            simulated = 0 if algorithm in ("1i", "2") else 1 / RUNS
            for what, line, values, errors in zip(
                ("mean", "variance"), lines, found(example, algorithm), repeated.errors, strict=True
            ):
                for name, text, value, error in zip(
                    NAMES, line.split(), representatives(values), representatives(errors), strict=True
                ):
                    claims.append(
                        printed(
                            f"Table {2 * example - 1}",
                            f"{what} of {name}, algorithm {ALGORITHMS[algorithm]}",
                            text,
                            float(value),
                            float(error) * math.sqrt(simulated + 1 / PAPER_RUNS),
                        )
                    )
    return claims


def comments_on_table_1() -> list[Claim]:
    """Section 4.1.1, the paragraph after Table 1."""
    item = "Section 4.1.1, comments"
    zero = {name: float(found(1, method)[0][0]) for method, name in ALGORITHMS.items()}
    spread = {rank: [float(found(1, method)[1][rank]) for method in ALGORITHMS] for rank in (0, 49)}
    ratios = [representatives(found(1, method)[1])[1:] / FIVE[1][1:] for method in ("1i", "1c", "2")]
    third = representatives(found(1, "3")[1])
    return [
        _close_means(item, 1),
        statement(
            item,
            "the means of N_min = 0 tend to be close to 1",
            "; ".join(f"{name}: {value:.2f}" for name, value in zero.items()),
            all(abs(value - 1) < 0.5 for value in zero.values()),
            "true of algorithm 1, which draws twice; algorithms 2 and 3 replace a negative noisy count by 0, and the"
            " mean of what is left is alpha/(1 - alpha**2) = 0.425 before the counts are made to add up",
        ),
        statement(
            item,
            "variances differ little between algorithms for N_min and much for large counts: largest over least",
            f"N_min {max(spread[0]) / min(spread[0]):.1f}, N_max {max(spread[49]) / min(spread[49]):.0f}",
            max(spread[0]) / min(spread[0]) < 10 < max(spread[49]) / min(spread[49]),
        ),
        statement(
            item,
            "variances of algorithms 1 and 2 are close to the true count: ratio, for the four counts above 0",
            f"{min(map(np.min, ratios)):.3f} to {max(map(np.max, ratios)):.3f}",
            all((np.abs(ratio - 1) < 0.1).all() for ratio in ratios),
            "a multinomial draw has the variance N_s (1 - N_s/N), to which the noise adds about 1.8 or 3.7",
        ),
        statement(
            item,
            "variances of algorithm 3 are much smaller, and similar across counts",
            f"{third.min():.2f} to {third.max():.2f}",
            third.max() < 0.1 * min(spread[49][:3]) and third.max() < 4 * third.min(),
        ),
    ]


def comments_on_table_3() -> list[Claim]:
    """Section 4.1.2, the paragraphs after Table 3."""
    item = "Section 4.1.2, comments"
    third = runs(2, "3")
    variances = {method: representatives(found(2, method)[1]) for method in ALGORITHMS}
    similar = [variances[method] / variances["2"] for method in ("1i", "1c")]
    least = all((variances["3"] < variances[method]).all() for method in ("1i", "1c", "2"))
    claims = [
        _close_means(item, 2),
        statement(
            item,
            "variances of algorithms 1 and 2 are similar: ratio",
            f"{min(map(np.min, similar)):.2f} to {max(map(np.max, similar)):.2f}",
            all((ratio < 2).all() for ratio in similar),
        ),
        statement(
            item, "algorithm 3 has the smallest variances", "for all five counts" if least else "not always", least
        ),
        statement(
            item,
            "one draw of algorithm 3 (printed: 4) is very similar to the true data: counts within 1 and within 2",
            f"{third.away[:2].sum():.3f} and {third.away[:3].sum():.3f}",
            third.away[:3].sum() > 0.9,
            "as much as the noise itself: 0.802 and 0.927",
        ),
    ]
    claims.append(
        beside(
            item,
            "variance of algorithm 3 for N_max, which is half of the total",
            float(variances["3"][-1]),
            "not similar across counts: what the noise adds to 49 small counts is taken from or given to the large one",
        )
    )
    return claims


def _close_means(item: str, example: int) -> Claim:
    truth = np.array(FIVE[example])
    gaps = np.array([np.abs(representatives(found(example, method)[0]) - truth) for method in ALGORITHMS])
    close = gaps <= np.maximum(1, truth / 100)
    return statement(
        item,
        f"means are very close to the true counts, Example {example}: within 1, or 1%",
        f"{close.sum()} of {close.size}; farthest {gaps.max():.2f}",
        bool(close.all()),
    )
