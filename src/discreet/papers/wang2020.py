"""Wang 2020, Post-processing differentially private counts to satisfy additive constraints.

Components and their total get two-sided geometric noise. The paper makes them non-negative integers that add up, by
multinomials with the noisy proportions: two that draw the total and the proportions from posteriors first (algorithms
1i and 1c), one draw (2), and the mode in place of a draw (3). It then asks what the released counts say about the true
ones, by brute force, for two components.

Here stand its numbers beside ours, and beside what it leaves out: what a component and the total cost together, what
ties decide, least squares, and the posterior for any number of components. Tables 1 and 3 are means over runs: ours are
over RUNS runs with a fixed seed, and agree where they differ by no more than half a unit of the last printed digit and
three standard errors, of ours and of the paper's 10,000 runs together. The data of Example 1 are printed only by their
minimum, quartiles and maximum; ours lie evenly between them. Only the paper's numbers were at hand, not its text: what
its Figure 1 shows is not known here, and the figure drawn in its place is of the noise.
"""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.design import geometric
from discreet.infer.wang_posteriors.components import pair
from discreet.infer.wang_posteriors.components import wang as posterior
from discreet.papers import wang2020_figures as draw
from discreet.papers.claim import Claim, number
from discreet.reconcile.wang_lists import sum_of_noises, wang

RUNS = 40_000
PAPER_RUNS = 10_000
SEED = 2020

EPSILON = 1
ALPHA = math.exp(-EPSILON)

NAMES = ("minimum", "first quartile", "median", "third quartile", "maximum")

EXAMPLE_1 = np.rint(np.interp(np.arange(50), [0, 12, 25, 37, 49], [0, 60, 382, 736, 977])).astype(np.int64)
EXAMPLE_2 = np.repeat(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 27, 36, 53, 435],
    [7, 5, 3, 6, 3, 2, 2, 4, 4, 1, 1, 1, 1, 2, 1, 2, 2, 1, 1, 1],
)
"""Table 2."""

EXAMPLES = {1: (EXAMPLE_1, [0, 12, 25, 37, 49]), 2: (EXAMPLE_2, [0, 11, 25, 37, 49])}
"""The data, and where the five components stand that the paper prints."""

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
"""Means and variances of the five components in Tables 1 and 3, as printed."""

RELEASED = (250, 357)
"""The two components of Tables 4 and 5."""

TABLE_4 = {250: 0.03, 251: 0.03, 249: 0.03, 252: 0.03, 248: 0.03, 253: 0.02, 247: 0.02, 254: 0.02, 246: 0.02, 255: 0.02}
"""By x1; x2 is 607 - x1."""

TABLE_5 = {
    (250, 357): 0.21, (251, 356): 0.13, (251, 357): 0.08, (250, 356): 0.08, (249, 358): 0.07,
    (250, 358): 0.05, (249, 357): 0.05, (251, 358): 0.03, (249, 356): 0.03, (252, 355): 0.03,
}  # fmt: skip

METHODS = {"1i": "random", "1c": "random", "2": "random", "3": "paper", "3, random ties": "random", "gls": "random"}
"""What is run, and how ties are decided."""


@dataclass(frozen=True, eq=False)
class Runs:
    """What a method gives over all runs.

    Attributes
    ----------
    mean, variance
        Of each component.
    errors
        The standard errors of the mean and of the variance, for one run; divide by the root of the number of runs.
    squared
        The squared error of each run, averaged over components.
    """

    mean: Floats
    variance: Floats
    errors: tuple[Floats, Floats]
    squared: Floats


def claims() -> list[Claim]:
    """Every number the paper prints, and what it does not say."""
    return [
        *_privacy(),
        *_truncation(),
        *_equation_6(),
        *_tables_1_and_3(),
        *_ties(),
        *_table_4(),
        *_table_5(),
        *_any_number(),
        *_least_squares(),
    ]


def figures(folder: Path) -> list[Path]:
    """Draw the noise, the errors of every method, and the posteriors; returns the files."""
    return [
        _draw_noise(folder / "wang2020_figure_1_noise.png"),
        _draw_errors(folder / "wang2020_tables_1_and_3_errors.png"),
        _draw_pairs(folder / "wang2020_tables_4_and_5_posteriors.png"),
        _draw_posteriors(folder / "wang2020_posteriors_of_example_2.png"),
    ]


# The experiments


@cache
def noisy(example: int) -> tuple[Integers, Integers]:
    """Noisy components and totals of an example, epsilon 1, by a fixed seed."""
    truth = EXAMPLES[example][0]
    generator = np.random.default_rng([SEED, example])
    shape = (RUNS, len(truth) + 1)
    noise = generator.geometric(1 - ALPHA, shape) - generator.geometric(1 - ALPHA, shape)
    return truth + noise[:, :-1], int(truth.sum()) + noise[:, -1]


@cache
def runs(example: int, method: str) -> Runs:
    """One of METHODS over all runs of an example."""
    algorithm = method.partition(",")[0]
    found = wang(*noisy(example), epsilon=EPSILON, algorithm=algorithm, ties=METHODS[method], seed=SEED)  # type: ignore[arg-type]
    mean, variance = found.mean(axis=0), found.var(axis=0)
    fourth = ((found - mean) ** 4).mean(axis=0)
    squared = ((found - EXAMPLES[example][0]) ** 2).mean(axis=1)
    return Runs(mean, variance, (np.sqrt(variance), np.sqrt(fourth - variance**2)), squared)


@cache
def within(algorithm: str, window: int | None) -> dict[tuple[int, int], float]:
    """The posterior of the two components of Tables 4 and 5, for true counts up to a window from the released ones."""
    one, other, table = pair(RELEASED, epsilon=EPSILON, algorithm=algorithm, ties="paper")  # type: ignore[arg-type]
    if window is not None:
        near = [np.abs(values - released) <= window for values, released in zip((one, other), RELEASED, strict=True)]
        one, other, table = one[near[0]], other[near[1]], table[np.ix_(*near)]
        table = table / table.sum()
    return {(int(a), int(b)): float(table[i, j]) for i, a in enumerate(one) for j, b in enumerate(other)}


def printed_sum(count: int, away: int) -> float:
    """Equation (6): (1-a)^2S a^k C(S-1+k, k) 2F1(S, S+k; k+1; a^2), its series summed until nothing is added."""
    term = total = (1 - ALPHA) ** (2 * count) * ALPHA**away * math.comb(count - 1 + away, away)
    step = 0
    while term > 1e-18 * total:
        term *= (count + step) * (count + away + step) / ((away + 1 + step) * (step + 1)) * ALPHA**2
        total += term
        step += 1
    return total


# The claims


def _privacy() -> list[Claim]:
    """The loss of a count is +-epsilon, of two together 2 epsilon with chance 1/(1+a)^2: delta is (1-a)/(1+a)^2."""
    delta = (1 - ALPHA) / (1 + ALPHA) ** 2
    note = (
        "PRIVACY: one person changes a component and the total, so noise of epsilon on each costs 2 epsilon; at epsilon"
        f" itself delta is {delta:.3f}"
    )
    spent = 2 * float(geometric(epsilon=EPSILON, upper=50).epsilon())
    return [Claim("Privacy", "epsilon of components and total, noise of epsilon 1 on each", 1, spent, spent <= 1, note)]


def _truncation() -> list[Claim]:
    """Noise cut at +-50: delta of one count is the chance of the end, of two counts that of either end."""
    found = []
    for epsilon in ("1", "0.5", "0.2", "0.1"):
        single = geometric(epsilon=epsilon, support=50).delta(epsilon)
        both = -math.expm1(2 * math.log1p(-single))
        small = both < 1e-9
        note = (
            "" if small else f"PRIVACY: at epsilon {epsilon} the cut must be farther out; geometric(epsilon=) finds it"
        )
        what = f"delta of noise cut at +-50, component and total, epsilon {epsilon} each"
        found.append(Claim("Section 2.1", what, None, both, small, note))
    return found


def _equation_6() -> list[Claim]:
    found = []
    for count in (2, 3, 5, 50):
        law = sum_of_noises(count, ALPHA)
        for away in (0, 1, 2, 10):
            formula, ours = printed_sum(count, away), float(law[len(law) // 2 + away])
            what = f"chance that {count} noises add up to {away}"
            note = "a convolution of the S laws, not a product" if (count, away) == (2, 0) else ""
            found.append(Claim("(6)", what, formula, ours, math.isclose(formula, ours, rel_tol=1e-11), note))
    return found


def _tables_1_and_3() -> list[Claim]:
    found = [
        number("Table 2", "components", 50, len(EXAMPLE_2), 0),
        number("Table 2", "total", 863, int(EXAMPLE_2.sum()), 0, "435 is the House itself, entered as a state"),
    ]
    for example, table in PRINTED.items():
        places = EXAMPLES[example][1]
        for algorithm, lines in table.items():
            ours = runs(example, algorithm)
            for what, line, values, errors in zip(
                ("mean", "variance"), lines, (ours.mean, ours.variance), ours.errors, strict=True
            ):
                for name, text, place in zip(NAMES, line.split(), places, strict=True):
                    error = float(errors[place]) * math.sqrt(1 / RUNS + 1 / PAPER_RUNS)
                    half = 0.5 * 10.0 ** -len(text.partition(".")[2])
                    value = float(values[place])
                    agrees = abs(value - float(text)) <= half + 3 * error
                    label = f"{what} of the {name}, algorithm {algorithm} (standard error {error:.2g})"
                    found.append(Claim(f"Table {2 * example - 1}", label, text, value, agrees))
    return found


def _ties() -> list[Claim]:
    """How often who is named first decides."""
    found = []
    for example in EXAMPLES:
        first, last = (wang(*noisy(example), algorithm="3", ties=ties) for ties in ("first", "last"))
        share = float((first != last).any(axis=1).mean())
        error = math.sqrt(share * (1 - share) / RUNS)
        what = f"runs of Example {example} in which a tie decides (standard error {error:.1g})"
        note = "the mode is not unique, so the rule for ties is part of the algorithm" if example == 1 else ""
        found.append(Claim("Theorem 1", what, None, share, share > 3 * error, note))
    return found


def _table_4() -> list[Claim]:
    found = []
    for window in (30, 10):
        law = within("2", window)
        for x, printed in TABLE_4.items():
            note = ""
            if window == 30 and x == RELEASED[0]:
                exact = within("2", None)[RELEASED]
                note = f"at +-30, as stated, it is half of what is printed, that of +-10; with no window {exact:.6f}"
            what = f"({x}, {607 - x}), true counts within +-{window}"
            found.append(number("Table 4", what, printed, law[x, 607 - x], 2, note))
    return found


def _table_5() -> list[Claim]:
    law = within("3", 30)
    return [
        number("Table 5", f"({a}, {b}), true counts within +-30", printed, law[a, b], 2)
        for (a, b), printed in TABLE_5.items()
    ]


def _any_number() -> list[Claim]:
    """The paper stops at two components; here are fifty: Example 2, released as it is."""
    found = []
    for algorithm, ties in (("3", "first"), ("3", "random"), ("2", "first")):
        largest = posterior(EXAMPLE_2, epsilon=EPSILON, algorithm=algorithm, ties=ties)[-1]  # type: ignore[arg-type]
        low, high = largest.interval(0.95)
        rule = f", {ties} ties" if algorithm == "3" else ""
        what = f"mean and 95% interval of the true count released as 435, algorithm {algorithm}{rule}"
        ours = f"{largest.mean():.3f}, {low} to {high}"
        found.append(Claim("Beyond Table 5", what, None, ours, low <= largest.mean() <= high))
    return found


def _least_squares() -> list[Claim]:
    """What the paper does not compare with: the closest non-negative numbers that add up, rounded."""
    where, found = "Least squares", []
    for example, (truth, _) in EXAMPLES.items():
        ours = runs(example, "gls")
        for method in ("3", "3, random ties"):
            theirs = runs(example, method)
            gap = theirs.squared - ours.squared
            error = float(gap.std()) / math.sqrt(RUNS)
            name = f"Example {example}, algorithm {method if method != '3' else '3 as in the paper'}"
            found += [
                Claim(
                    where,
                    f"average squared error, {name}",
                    None,
                    f"{theirs.squared.mean():.4f}; least squares {ours.squared.mean():.4f}",
                    ours.squared.mean() <= 1.01 * theirs.squared.mean(),
                    f"they differ by {gap.mean():.4f}, standard error {error:.4f}, paired: {name}",
                ),
                Claim(
                    where,
                    f"average and largest bias, {name}",
                    None,
                    f"{_biases(theirs, truth)}; least squares {_biases(ours, truth)}",
                    np.abs(ours.mean - truth).mean() <= np.abs(theirs.mean - truth).mean(),
                ),
            ]
    return found


def _biases(found: Runs, truth: Integers) -> str:
    bias = np.abs(found.mean - truth)
    return f"{bias.mean():.3f}, {bias.max():.3f}"


# The figures


def _draw_noise(path: Path) -> Path:
    values = np.arange(-50, 51)
    laws = {f"epsilon {e}": geometric(epsilon=e, support=50).interior[0].values for e in ("1", "0.5", "0.2", "0.1")}
    return draw.noise(path, values, laws)


def _draw_errors(path: Path) -> Path:
    panels = []
    for example, (truth, _) in EXAMPLES.items():
        curves = {}
        for method, name in (("1i", "1i"), ("2", "2"), ("3", "3"), ("gls", "least squares")):
            found = runs(example, method)
            curves[name] = (found.mean - truth, found.variance + (found.mean - truth) ** 2)
        panels.append((f"Example {example}", curves))
    return draw.errors(path, panels)


def _draw_pairs(path: Path) -> Path:
    tables = []
    for algorithm, reach, title in (("2", 30, "Table 4: algorithm 2"), ("3", 8, "Table 5: algorithm 3")):
        law = within(algorithm, 30)
        one, other = (np.arange(released - reach, released + reach + 1) for released in RELEASED)
        tables.append((title, one, other, np.array([[law.get((int(a), int(b)), 0.0) for a in one] for b in other])))
    return draw.pairs(path, tables)


def _draw_posteriors(path: Path) -> Path:
    spreads = {}
    for algorithm in ("3", "2"):
        found = posterior(EXAMPLE_2, epsilon=EPSILON, algorithm=algorithm)
        means = np.array([each.mean() for each in found])
        spreads[f"algorithm {algorithm}"] = (means, np.array([each.interval(0.95) for each in found], dtype=float))
    return draw.posteriors(path, EXAMPLE_2, spreads)
