"""Claims about the comments of Wang 2020 on its Tables 1 and 3, sections 4.1.1 and 4.1.2.

Words such as "close" and "slightly" are judged by the rule of `discreet.papers.wording`. Section 5.1 repeats some of
the comments, so the functions that judge them take the item.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from discreet.papers.claim import Claim
from discreet.papers.wang2020.claim_kinds import ERRORS, beside, statement
from discreet.papers.wang2020.claims_examples import ALGORITHMS, moments_of, squared_error
from discreet.papers.wang2020.example_data import EXAMPLES, FIVE, representatives
from discreet.papers.wang2020.repeated_runs import RUNS, runs
from discreet.papers.wording import ABOUT, LITTLE, MUCH, SLIGHTLY, about, little, much, slightly


def comments_on_table_1() -> list[Claim]:
    """Section 4.1.1, the paragraph after Table 1."""
    item = "Section 4.1.1, comments"
    zero = {name: float(moments_of(1, method)[0][0]) for method, name in ALGORITHMS.items()}
    variances = {method: representatives(moments_of(1, method)[1]) for method in ALGORITHMS}
    each = np.array(list(variances.values()))
    spread = each.max(axis=0) / each.min(axis=0)
    ratios = np.array([variances[method][1:] / FIVE[1][1:] for method in ("1i", "1c", "2")])
    third, others = variances["3"], each[:3].min(axis=0)
    return [
        close_means(item, 1),
        statement(
            item,
            f"the means of N_min = 0 tend to be close to 1 {ABOUT}",
            "; ".join(f"{name}: {value:.2f}" for name, value in zero.items()),
            all(about(value, 1) for value in zero.values()),
            "0.91 and 0.88 in algorithm 1, which draws twice; algorithms 2 and 3 replace a negative noisy count by"
            " 0, and the mean of what is left is alpha/(1 - alpha**2) = 0.425 before the counts are made to add up",
        ),
        statement(
            item,
            f"no big difference of the variances for N_min: largest over least {SLIGHTLY}",
            f"{spread[0]:.1f}",
            slightly(spread[0], 1),
            f"algorithm 1 has {each[0][0]:.2f}, algorithm 3 {third[0]:.2f}",
        ),
        statement(
            item,
            f"variances are much different for big counts: largest over least, the four counts above 0 {MUCH}",
            f"{spread[1:].min():.0f} to {spread[1:].max():.0f}",
            all(much(value, 1) for value in spread[1:]),
        ),
        statement(
            item,
            f"variances of algorithms 1 and 2 are close to the true count: ratio, the four counts above 0 {ABOUT}",
            f"{ratios.min():.3f} to {ratios.max():.3f}",
            all(about(ratio, 1) for ratio in ratios.ravel()),
            "a multinomial draw has the variance N_s (1 - N_s/N), to which the noise adds about 1.8 or 3.7",
        ),
        slightly_better(item, (1,)),
        statement(
            item,
            f"variances of algorithm 3 are much smaller: least of the others over it, the four counts above 0 {MUCH}",
            f"{(others / third)[1:].min():.0f} to {(others / third)[1:].max():.0f}",
            all(much(value, 1) for value in (others / third)[1:]),
        ),
        statement(
            item,
            f"variances of algorithm 3 are similar even across different counts: least and largest {ABOUT}",
            f"{third.min():.2f} to {third.max():.2f}",
            about(third.min(), third.max()),
            f"{third[1:].min():.2f} to {third[1:].max():.2f} for the four counts above 0, as printed; {third[0]:.2f}"
            " for N_min = 0, which Table 1 has as 0.7",
        ),
    ]


def comments_on_table_3() -> list[Claim]:
    """Section 4.1.2, the paragraphs after Table 3."""
    item = "Section 4.1.2, comments"
    third = runs(2, "3")
    variances = {method: representatives(moments_of(2, method)[1]) for method in ALGORITHMS}
    ratios = np.array([variances[method] / variances["2"] for method in ("1i", "1c")])
    least = all((variances["3"] < variances[method]).all() for method in ("1i", "1c", "2"))
    apart = [runs(example, "3").absolute for example in EXAMPLES]
    return [
        close_means(item, 2),
        statement(
            item,
            f"variances of algorithms 1 and 2 are similar: algorithm 1 over algorithm 2 {ABOUT}",
            f"{ratios.min():.2f} to {ratios.max():.2f}",
            all(about(ratio, 1) for ratio in ratios.ravel()),
            "algorithm 1 draws every component once more, which adds as much as the noise: little beside 435, a half"
            " beside 1",
        ),
        slightly_better(item, (2,)),
        statement(
            item, "algorithm 3 has the smallest variances", "for all five counts" if least else "not always", least
        ),
        much_better(item),
        statement(
            item,
            "one draw of algorithm 3 (printed: 4) is very similar to the true data: sum of all differences over the"
            f" total, Examples 1 and 2 {LITTLE}",
            " and ".join(f"{value:.4f}" for value in apart),
            all(map(little, apart)),
        ),
        no_difference(item),
        beside(
            item,
            "counts that one draw of algorithm 3 has within 1 and within 2, Example 2",
            f"{third.away[:2].sum():.3f} and {third.away[:3].sum():.3f}",
            "as much as the noise itself: 0.802 and 0.927",
        ),
        beside(
            item,
            "variance of algorithm 3 for N_max, which is half of the total",
            float(variances["3"][-1]),
            "not as in Example 1: what the noise adds to 49 small counts is taken from or given to the large one",
        ),
    ]


def close_means(item: str, example: int) -> Claim:
    """Judge the means of the representative counts above 0; nothing is within 10% of 0."""
    truth = np.array(FIVE[example])
    positive = truth > 0
    means = {name: representatives(moments_of(example, method)[0])[positive] for method, name in ALGORITHMS.items()}
    close = np.array([[about(a, b) for a, b in zip(row, truth[positive], strict=True)] for row in means.values()])
    worst = ", ".join(
        f"{value:.2f} for {count} (algorithm {name})"
        for name, row in means.items()
        for value, count in zip(row, truth[positive], strict=True)
        if not about(value, count)
    )
    return statement(
        item,
        f"means are very close to the true counts, Example {example}, counts above 0 {ABOUT}",
        f"{close.sum()} of {close.size}",
        bool(close.all()),
        f"not: {worst}" if worst else "",
    )


def slightly_better(item: str, examples: Sequence[int]) -> Claim:
    """Judge that algorithm 2 performs slightly better than both cases of algorithm 1."""
    errors = {e: {m: squared_error(e, m) for m in ALGORITHMS} for e in examples}
    return statement(
        item,
        f"algorithm 2 performs slightly better than algorithm 1: squared errors, {_examples(examples)} {SLIGHTLY}",
        "; ".join(f"{each['2']:.2f} against {each['1i']:.2f} and {each['1c']:.2f}" for each in errors.values()),
        all(slightly(each[m], each["2"]) for each in errors.values() for m in ("1i", "1c")),
    )


def much_better(item: str) -> Claim:
    """Judge that algorithm 3 is much more centred than the others."""
    errors = {e: {m: squared_error(e, m) for m in ALGORITHMS} for e in EXAMPLES}
    return statement(
        item,
        f"algorithm 3 is much more concentrated than algorithms 1 and 2: squared errors, {_examples(EXAMPLES)} {MUCH}",
        "; ".join(f"{each['3']:.2f} against {each['2']:.2f}" for each in errors.values()),
        all(much(each[m], each["3"]) for each in errors.values() for m in ("1i", "1c", "2")),
    )


def no_difference(item: str) -> Claim:
    """Judge that the two cases of algorithm 1 do not differ: by less than three standard errors of 40,000 runs."""
    equal = [paired(example, "1i", "1c") for example in EXAMPLES]
    return statement(
        item,
        "no difference between independence and summed totals, and summed totals are not better: difference of squared"
        " errors over its standard error, Examples 1 and 2 (limit: 3)",
        ", ".join(f"{gap / error:.3g}" for gap, error in equal),
        all(abs(gap) < ERRORS * error for gap, error in equal),
    )


def paired(example: int, one: str, other: str) -> tuple[float, float]:
    """Return the difference of the squared errors of two methods on the same noise, and its standard error."""
    gap = runs(example, one).squared - runs(example, other).squared
    return float(gap.mean()), float(gap.std()) / math.sqrt(RUNS)


def _examples(examples: Iterable[int]) -> str:
    return "Example" + ("s " if len(list(examples)) > 1 else " ") + " and ".join(map(str, examples))
