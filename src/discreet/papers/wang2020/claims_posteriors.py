"""Claims about sections 4.2, 5.2 and 5.3 of Wang 2020: posteriors of true counts, given the released ones."""

from functools import cache

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.infer import wang as posteriors
from discreet.infer import wang_pair
from discreet.papers.claim import Claim
from discreet.papers.wang2020.algorithm_1_posterior import algorithm_1
from discreet.papers.wang2020.claim_kinds import beside, quoted, statement
from discreet.papers.wang2020.example_data import EXAMPLE_2
from discreet.papers.wang2020.geometric_draws import EPSILON
from discreet.papers.wang2020.posterior_grid import RELEASED, grid, most_probable
from discreet.papers.wording import ABOUT, LITTLE, about, little

TABLE_4 = {
    250: "0.03",
    251: "0.03",
    249: "0.03",
    252: "0.03",
    248: "0.03",
    253: "0.02",
    247: "0.02",
    254: "0.02",
    246: "0.02",
    255: "0.02",
}
"""By N_1; N_2 is 607 - N_1."""

TABLE_5 = {
    (250, 357): "0.21", (251, 356): "0.13", (251, 357): "0.08", (250, 356): "0.08", (249, 358): "0.07",
    (250, 358): "0.05", (249, 357): "0.05", (251, 358): "0.03", (249, 356): "0.03", (252, 355): "0.03",
}  # fmt: skip

PRINTED_WINDOW = 10
"""The window that Table 4 was computed with, by its numbers; the text says 30."""

SMALL = (3, 5)
"""A released pair that is small beside the noise."""


def table_4() -> list[Claim]:
    """Table 4: algorithm 2."""
    one, other, table = grid("2")
    near, exact = most_probable(*grid("2", PRINTED_WINDOW)), joint("2")
    claims = []
    for first, text in TABLE_4.items():
        pair = (first, sum(RELEASED) - first)
        note = f"with true counts within 30, as stated; {near[pair]:.4f} within 10; {exact[pair]:.4f} without a window"
        claims.append(
            quoted("Table 4", f"chance of {pair}", text, float(table[one == pair[0], other == pair[1]][0]), note=note)
        )
    order = list(most_probable(one, other, table))
    same = sum(round(near[first, sum(RELEASED) - first], 2) == float(text) for first, text in TABLE_4.items())
    return [
        *claims,
        statement(
            "Table 4",
            "these are the ten most probable pairs, in this order",
            "the same" if order == [(n, sum(RELEASED) - n) for n in TABLE_4] else str(order),
            order == [(n, sum(RELEASED) - n) for n in TABLE_4],
        ),
        beside(
            "Table 4",
            "printed values that come out with true counts within 10 instead of 30",
            f"{same} of {len(TABLE_4)}",
        ),
    ]


def table_5() -> list[Claim]:
    """Table 5: algorithm 3."""
    one, other, table = grid("3")
    order = list(most_probable(one, other, table))
    claims = [
        quoted("Table 5", f"chance of {pair}", text, float(table[one == pair[0], other == pair[1]][0]))
        for pair, text in TABLE_5.items()
    ]
    claims.append(
        statement(
            "Table 5",
            "these are the ten most probable pairs, in this order",
            "the same" if order == list(TABLE_5) else str(order),
            order == list(TABLE_5),
        )
    )
    first, second, exact = wang_pair(RELEASED, epsilon=EPSILON, algorithm="3", ties="random")
    claims.append(
        beside(
            "Table 5",
            "chance of (251, 356) and of (249, 358) with ties broken at random",
            f"{exact[first == 251, second == 356][0]:.4f} and {exact[first == 249, second == 358][0]:.4f}",
            "the printed asymmetry, 0.13 and 0.07, is the rule for ties",
        )
    )
    return claims


def comments() -> list[Claim]:
    """Section 4.2, after Table 5."""
    item = "Section 4.2, comments"
    tops = {algorithm: most_probable(*grid(algorithm)) for algorithm in ("2", "3")}
    modes = [next(iter(top)) for top in tops.values()]
    best, second = list(tops["3"].values())[:2]
    flat = list(tops["2"].values())
    apart = distance(joint("2").ravel(), joint("3").ravel())
    return [
        statement(
            item,
            f"both algorithms give similar posteriors: distance of the two, from 0 (the same) to 1 {LITTLE}",
            f"{apart:.3f}",
            little(apart),
            "they agree on the most probable pair only: the standard deviation of N_1 is 12.1 for algorithm 2 and 1.2"
            " for algorithm 3",
        ),
        statement(
            item,
            "the most probable pair is the released one, for both algorithms",
            " and ".join(map(str, modes)),
            all(mode == RELEASED for mode in modes),
        ),
        statement(
            item,
            f"algorithm 2: the ten most probable pairs have very close probabilities, and the sum 607 {ABOUT}",
            f"{flat[-1]:.4f} to {flat[0]:.4f}; sums {sorted({sum(pair) for pair in tops['2']})}",
            about(flat[-1], flat[0]) and {sum(pair) for pair in tops["2"]} == {607},
        ),
        statement(
            item,
            "algorithm 3: the highest probability is quite bigger than the others (limit: by more than 10%)",
            f"{best:.3f} against {second:.3f}",
            best > second and not about(second, best),
        ),
        *(
            Claim(
                item,
                f"highest probability of algorithm {algorithm}, about {ABOUT}",
                text,
                next(iter(tops[algorithm].values())),
                about(next(iter(tops[algorithm].values())), float(text)),
                note,
            )
            for algorithm, text, note in (("2", "0.03", "as in Table 4: true counts within 10"), ("3", "0.21", ""))
        ),
    ]


def estimates() -> list[Claim]:
    """Section 5.2, first paragraph."""
    item = "Section 5.2, estimates"
    spreads = {algorithm: deviation(joint(algorithm)) for algorithm in ("2", "3")}
    wrong = []
    for algorithm in ("2", "3"):
        for one in range(9):
            for other in range(one, 9):
                first, second, table = wang_pair((one, other), epsilon=EPSILON, algorithm=algorithm, ties="random")
                if next(iter(most_probable(first, second, table, 1))) != (one, other):
                    wrong.append((one, other))
    largest = posteriors(EXAMPLE_2, epsilon=EPSILON, algorithm="3", ties="random")[-1]
    return [
        statement(
            item,
            "the posterior is more spread out for algorithm 2 than for algorithm 3: standard deviation of N_1",
            f"{spreads['2']:.2f} against {spreads['3']:.2f}",
            spreads["2"] > spreads["3"],
        ),
        statement(
            item,
            "the most probable true counts are the released ones: exceptions among all pairs up to 8",
            f"{len(wrong)} of {2 * 45}",
            not wrong,
        ),
        beside(
            item,
            "most probable true count, and mean, of the 435 of Example 2, released as it is by algorithm 3",
            f"{largest.mode()} and {largest.mean():.2f}",
            "the most probable count is the released one, but the mean is 4 below: the mode of a multinomial pushes"
            " large counts up",
        ),
    ]


def future_algorithm_1() -> list[Claim]:
    """Section 5.3: the posterior of algorithm 1, which the paper leaves for later."""
    item = "Section 5.3, algorithm 1"
    base = joint("2")
    claims = []
    for algorithm, name in (("1i", "1 (ind)"), ("1c", "1 (summed)")):
        table = joint(algorithm)
        claims.append(_expected(f"posteriors of N_1, algorithm {name}", distance(table.sum(axis=1), base.sum(axis=1))))
        claims.append(
            _expected(
                f"posteriors of N, algorithm {name}",
                distance(totals(table), totals(base)),
                "algorithms 2 and 3 release the noisy total; algorithm 1 draws from its posterior, which is noise once"
                " more, so the released total says less about the true one",
            )
        )
    for algorithm, name in (("1i", "1 (ind)"), ("1c", "1 (summed)"), ("2", "2"), ("3", "3")):
        table = joint(algorithm)
        first, second, small = posterior_table(algorithm, SMALL)
        claims.append(
            beside(
                item,
                f"algorithm {name}: chance of {RELEASED}, standard deviations of N_1 and of N",
                f"{table[RELEASED]:.6f}; {deviation(table):.3f}; {deviation(table, total=True):.3f}",
            )
        )
        claims.append(
            beside(
                item,
                f"algorithm {name}: chance of {SMALL} given {SMALL}",
                float(small[first == SMALL[0], second == SMALL[1]][0]),
            )
        )
    return claims


def _expected(what: str, apart: float, note: str = "") -> Claim:
    """Return whether an expectation is met. An expectation is no claim of the paper, so the kind is ours."""
    return beside(
        "Section 5.3, algorithm 1",
        f"expected to be similar to algorithm 2: distance of the {what} {LITTLE}",
        f"{apart:.4f}: {'as expected' if little(apart) else 'not as expected'}",
        note,
    )


def future_components() -> list[Claim]:
    """Section 5.3: more than two components, exactly."""
    claims = []
    for algorithm, ties in (("3", "first"), ("3", "random"), ("2", "first")):
        largest = posteriors(EXAMPLE_2, epsilon=EPSILON, algorithm=algorithm, ties=ties)[-1]  # type: ignore[arg-type]
        low, high = largest.interval(0.95)
        rule = f", {ties} ties" if algorithm == "3" else ""
        what = f"mean and 95% interval of the true count released as 435, 50 components, algorithm {algorithm}{rule}"
        claims.append(beside("Section 5.3, more components", what, f"{largest.mean():.3f}, {low} to {high}"))
    return claims


def posterior_table(algorithm: str, released: tuple[int, int]) -> tuple[Integers, Integers, Floats]:
    """Return the posterior of two true counts for any of the paper's algorithms."""
    if algorithm in ("1i", "1c"):
        return algorithm_1(released, algorithm=algorithm, epsilon=EPSILON)  # type: ignore[arg-type]
    return wang_pair(released, epsilon=EPSILON, algorithm=algorithm, ties="paper")  # type: ignore[arg-type]


@cache
def joint(algorithm: str) -> Floats:
    """Return the posterior of two true counts given the pair of section 4.2, from (0, 0) to (699, 699)."""
    first, second, table = posterior_table(algorithm, RELEASED)
    whole = np.zeros((700, 700))
    whole[np.ix_(first, second)] = table
    return whole


def totals(table: Floats) -> Floats:
    """Return the distribution of the sum of two counts."""
    flipped = table[::-1]
    return np.array([np.trace(flipped, offset) for offset in range(1 - len(table), len(table))])


def distance(one: Floats, other: Floats) -> float:
    """Return the total variation distance."""
    return float(np.abs(one - other).sum()) / 2


def deviation(table: Floats, total: bool = False) -> float:
    """Return the standard deviation of the first count, or of the total."""
    chances = totals(table) if total else table.sum(axis=1)
    values = np.arange(len(chances))
    mean = values @ chances
    return float(np.sqrt((values - mean) ** 2 @ chances))
