"""Claims about section 5.1 of Wang 2020, and what least squares does with the same noise."""

import numpy as np

from discreet.arrays import Integers
from discreet.papers.claim import Claim
from discreet.papers.wang2020.claim_kinds import beside, listed, statement
from discreet.papers.wang2020.claims_comments import close_means, much_better, no_difference, paired, slightly_better
from discreet.papers.wang2020.claims_examples import ALGORITHMS, moments_of, squared_error
from discreet.papers.wang2020.exact_moments import moments
from discreet.papers.wang2020.example_data import EXAMPLES, FIVE, TOTAL, representatives
from discreet.papers.wang2020.geometric_draws import noise
from discreet.papers.wang2020.repeated_runs import METHODS, Runs, noisy, runs
from discreet.papers.wording import ABOUT, MOST, MUCH, about, most, much

LARGE, FEW, ZEROS = 200, 5, 45
"""Our example of many zeros and a few large counts; the paper gives no numbers."""

ZERO_RUNS = 10_000


def performance() -> list[Claim]:
    """Section 5.1, first paragraph."""
    item = "Section 5.1"
    third = [runs(example, "3").away for example in EXAMPLES]
    zeros = {name: runs(1, method).at_zero for method, name in ALGORITHMS.items()}
    return [
        *(close_means(item, example) for example in EXAMPLES),
        statement(
            item,
            f"algorithm 3 is close to the true counts most of the time: counts within 1, Examples 1 and 2 {MOST}",
            listed([float(away[:2].sum()) for away in third]),
            all(most(away[:2].sum()) for away in third),
        ),
        statement(
            item,
            f"a count of 0 is most likely released as 0 or 1: chance, by algorithm {MOST}",
            "; ".join(f"{name}: {shares[:2].sum():.3f}" for name, shares in zeros.items()),
            all(most(shares[:2].sum()) for shares in zeros.values()),
        ),
        slightly_better(item, tuple(EXAMPLES)),
        much_better(item),
        no_difference(item),
    ]


def many_zeros() -> list[Claim]:
    """Section 5.1, second paragraph: large counts among many zeros get smaller."""
    item = "Section 5.1, large counts among zeros"
    truth = with_zeros(ZEROS)
    means = {name: large_mean(truth, method) for method, name in ALGORITHMS.items()}
    setting = f"{FEW} counts of {LARGE} and {ZEROS} of 0"
    ours = large_mean(truth, "least squares")
    return [
        statement(
            item,
            f"large counts get smaller, because zeros get a portion: mean released for {LARGE}, {setting}",
            "; ".join(f"{name}: {mean:.1f}" for name, mean in means.items()),
            all(mean < LARGE for mean in means.values()),
        ),
        beside(
            item,
            "the same by least squares",
            f"{ours:.1f}",
            f"algorithm 1 takes {1 - means['1 (ind)'] / LARGE:.1%} from the large counts, algorithm 3"
            f" {1 - means['3'] / LARGE:.1%}, least squares {1 - ours / LARGE:.1%}",
        ),
    ]


def with_zeros(zeros: int) -> Integers:
    """Return so many zeros, and the large counts."""
    return np.array([0] * zeros + [LARGE] * FEW)


def large_mean(truth: Integers, method: str, repeats: int = ZERO_RUNS) -> float:
    """Return the mean of the large counts: exact for algorithms 1i and 2."""
    if method in ("1i", "2"):
        return float(moments(truth, method)[0][-1])  # type: ignore[arg-type]
    return float(METHODS[method](*noisy(truth, repeats, 3))[:, -FEW:].mean())


def variability() -> list[Claim]:
    """Section 5.1, third paragraph: the multinomial draw is where the variance comes from."""
    item = "Section 5.1, variability"
    claims = []
    for example in EXAMPLES:
        truth, mean = np.array(FIVE[example]), representatives(moments_of(example, "2")[0])
        draw = mean * (1 - mean / TOTAL[example])
        extra = representatives(moments_of(example, "2")[1]) - representatives(moments_of(example, "3")[1])
        ratio = extra[truth > 0] / draw[truth > 0]
        claims.append(
            statement(
                item,
                f"drawing is the reason for the variances of algorithm 2: its variance less that of algorithm 3, over"
                f" m (1 - m/N), m its mean, counts above 0, Example {example} {ABOUT}",
                f"{ratio.min():.2f} to {ratio.max():.2f}",
                all(about(value, 1) for value in ratio),
            )
        )
    averages = {e: [float(moments_of(e, m)[1].mean()) for m in ("1i", "1c", "2", "3")] for e in EXAMPLES}
    claims.append(
        statement(
            item,
            f"variances of algorithm 3 are much smaller: average of algorithms 1 (ind), 1 (summed), 2, 3 {MUCH}",
            "; ".join(", ".join(f"{value:.2f}" for value in values) for values in averages.values()),
            all(much(min(others), third) for *others, third in averages.values()),
        )
    )
    for example in EXAMPLES:
        spread = {m: representatives(moments_of(example, m)[1]) for m in ("2", "3")}
        ratios = {m: float(values.max() / values.min()) for m, values in spread.items()}
        claims.append(
            statement(
                item,
                f"variances of algorithm 3 are more stable: largest over least, algorithms 2 and 3, Example {example}",
                f"{ratios['2']:.0f} and {ratios['3']:.0f}",
                ratios["3"] < ratios["2"],
            )
        )
    return claims


def least_squares() -> list[Claim]:
    """Section 5.2: algorithm 3 is the best. Of the paper's algorithms; least squares is better in Example 2."""
    item, claims = "Section 5.2, the best algorithm", []
    best = {example: min(ALGORITHMS, key=lambda method: squared_error(example, method)) for example in EXAMPLES}
    claims.append(
        statement(
            item,
            "algorithm 3 is the best of the paper's algorithms: the one with the least squared error, Examples 1 and 2",
            " and ".join(best.values()),
            set(best.values()) == {"3"},
        )
    )
    for example, truth in EXAMPLES.items():
        ours, theirs = runs(example, "least squares"), runs(example, "3, random ties")
        gap, error = paired(example, "3, random ties", "least squares")
        claims += [
            beside(
                item,
                f"squared error of least squares, Example {example}",
                f"{ours.squared.mean():.4f}; algorithm 3 {theirs.squared.mean():.4f}",
                f"algorithm 3 less least squares on the same noise, ties at random: {gap:.4f}, error {error:.4f}",
            ),
            beside(
                item,
                f"average and largest bias of least squares, Example {example}",
                f"{_biases(ours, truth)}; algorithm 3 {_biases(theirs, truth)}",
                f"the average is {_average_bias(ours, truth) / _average_bias(theirs, truth):.2f} times that of"
                " algorithm 3",
            ),
        ]
    counts = EXAMPLES[2]
    values = np.arange(-60, 61)
    errors_2 = [float(noise(values, 2.0) @ (np.maximum(count + values, 0) - count) ** 2) for count in counts.tolist()]
    claims.append(
        beside(
            item,
            "squared error of the components of Example 2, if all of the 2 epsilon is spent on them",
            f"{np.mean(errors_2):.4f}",
            "noise of epsilon 2 on the components, which add up by themselves, and none on the total; the variance of"
            f" their sum is then about {50 * float(noise(values, 2.0) @ values**2):.1f}, instead of 1.8",
        )
    )
    return claims


def _average_bias(result: Runs, truth: Integers) -> float:
    return float(np.abs(result.mean - truth).mean())


def _biases(result: Runs, truth: Integers) -> str:
    bias = np.abs(result.mean - truth)
    return f"{bias.mean():.3f}, {bias.max():.3f}"
