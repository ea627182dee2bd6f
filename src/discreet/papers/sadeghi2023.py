"""Sadeghi and Chien 2023, On the connection between the ABS perturbation methodology and differential privacy.

The paper finds the law of the noise that the Australian Bureau of Statistics adds to counts, of largest entropy
for its support D and variance V, and its exact delta (Proposition 2); gives a rule that picks D and V for a
target (epsilon, delta); and turns the law into a lookup table for keys of 8, 16 or 32 bits, by ceilings of the
distribution function.

Here stand its numbers beside ours, and beside what it leaves unsaid: what the best gamma gives, what the ceilings
cost, and what a key that is made from the contributors of a cell gives away. For that key see `same_contributors`
and `empty_cells`: neither depends on how good the noise is.
"""

import math
from collections import Counter
from fractions import Fraction
from functools import cache, reduce
from itertools import count, product
from operator import xor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from discreet.arrays import Floats
from discreet.design import geometric, maxent
from discreet.design.additive.maxent import float_delta, paper_table
from discreet.mechanism import Mechanism, Row
from discreet.papers import sadeghi2023_figures as draw
from discreet.papers.claim import Claim, number

KEYS = (8, 16, 32)
"""Bits of a cell key."""

MODULI = {8: 251, 16: 65521, 32: 2**32 - 5}
"""bigN: the largest prime below 2**bits, by which the record keys of a cell are added up."""

EPSILONS = tuple(Fraction(k, 10) for k in range(1, 26))
SUPPORT = 10
"""Section 4.3: D = 10 and epsilon .1, .2, ... 2.5."""

FIGURE_1 = ((11, 4, 0.125), (11, 10, 0.0498), (15, 4, 0.125), (15, 10, 0.0498))
"""Support, variance, and gamma as printed."""


class Sampled(NamedTuple):
    """The paper's figures for its lookup table.

    Attributes
    ----------
    bias
        Mean of the noise.
    variance_error
        (V^Q - V)/V.
    epsilon
        The largest logarithm of a ratio of adjacent weights; infinite where a weight is 0.
    delta
        The chance of the lowest noise.
    exact
        The exact delta of the table at the epsilon of the design.
    """

    bias: Fraction
    variance_error: float
    epsilon: float
    delta: float
    exact: float


def claims() -> list[Claim]:
    """Every number the paper prints, and what it does not say."""
    return [
        *_figure_1(),
        *_proposition_2(),
        *_remark_1(),
        *_example_1(),
        *_figure_2(),
        *_examples_2_and_3(),
        *_section_4_3(),
        *_cell_keys(),
        *_small_counts(),
    ]


def figures(folder: Path) -> list[Path]:
    """Draw Figures 1 to 5, ours beside the paper's; returns the files."""
    return [
        _draw_figure_1(folder / "sadeghi2023_figure_1_delta_against_epsilon.png"),
        _draw_figure_2(folder / "sadeghi2023_figure_2_delta_and_variance.png"),
        _draw_section_4_3(folder / "sadeghi2023_figure_3_variance_error.png", "variance_error"),
        _draw_section_4_3(folder / "sadeghi2023_figure_4_epsilon_of_the_table.png", "epsilon"),
        _draw_section_4_3(folder / "sadeghi2023_figure_5_delta_of_the_table.png", "delta"),
    ]


# The mechanisms


def example_1() -> Mechanism:
    """The noise of Examples 1 to 3: epsilon .5, delta 1e-4, by the paper's rule."""
    return maxent(epsilon="0.5", delta="1e-4", variant="paper")


def section_4_3(epsilon: Fraction) -> Mechanism:
    """The noise of section 4.3."""
    return maxent(epsilon=epsilon, support=SUPPORT, variant="paper")


def sampled(design: Mechanism, epsilon: Fraction, bits: int) -> Sampled:
    """What becomes of the noise in the paper's lookup table."""
    table = paper_table(design, bits)
    row = table.interior[0]
    assert row.numerators is not None
    mean, square = (
        Fraction(sum(z**power * w for z, w in enumerate(row.numerators, row.first)), row.denominator)
        for power in (1, 2)
    )
    variance = design.variance(0)
    gap = math.inf if 0 in row.numerators else float(np.abs(np.diff(np.log(np.array(row.numerators, float)))).max())
    end = row.numerators[0] / row.denominator
    return Sampled(mean, (float(square - mean**2) - variance) / variance, gap, end, table.delta(epsilon))


@cache
def _sampled(epsilon: Fraction, bits: int) -> Sampled:
    return sampled(section_4_3(epsilon), epsilon, bits)


def empty_cells(noise: Mechanism) -> Mechanism:
    """The noise with keys made from contributors: an empty cell has key 0, and so always the lowest noise."""
    return Mechanism(noise.domain, (Row.of(noise.interior[0].first, [1]),), noise.interior)


def same_contributors(noise: Mechanism) -> float:
    """The delta, at every epsilon, of publishing a cell and the same cell with one person more.

    Without the person both have the same contributors, the same key and the same noise, so they differ by 0. With
    the person they differ by 0 with chance sum p(z) p(z+1) only.
    """
    law = noise.interior[0].values
    return 1 - math.fsum(law[:-1] * law[1:])


def xor_distance(bits: int) -> Fraction:
    """Total variation distance from uniform of the XOR of four independent sums, each uniform below bigN.

    Let M be the m values from bigN up to 2**bits, which a sum never takes. Its law is (1 - 1_M)/bigN, and the constant
    1 convolved with anything is constant, so that of all products only 1_M * 1_M * 1_M * 1_M is not: Pr[x] is
    (1 - (m/bigN)^4)/2**bits plus bigN^-4 for each of the m^4 quadruples of M whose XOR is x.
    """
    keys, modulus = 1 << bits, MODULI[bits]
    missing = keys - modulus
    quadruples = Counter(reduce(xor, four) for four in product(range(modulus, keys), repeat=4))
    base = Fraction(modulus**4 - missing**4, keys * modulus**4) - Fraction(1, keys)
    return sum((max(base + Fraction(times, modulus**4), Fraction(0)) for times in quadruples.values()), Fraction(0))


# The claims


def _figure_1() -> list[Claim]:
    found = []
    for support, variance, printed in FIGURE_1:
        gamma = float(maxent(support=support, variance=variance).design["gamma"])
        digits = len(str(printed)) - 2
        note = "" if round(gamma, digits) == printed else "the value of D = 11; variance 10 at D = 15 needs .049999"
        found.append(number("Figure 1", f"gamma at D {support}, V {variance}", printed, gamma, digits, note))
    return found


def _proposition_2() -> list[Claim]:
    """T(k) - E T(k+1) by its formula, beside the sum of positive parts over both directions."""
    found = []
    for support, variance, _ in FIGURE_1:
        noise = maxent(support=support, variance=variance)
        for epsilon in (0.5, 1.0, 2.0):
            formula = float_delta(noise.design["gamma"], epsilon, support)
            exact = noise.delta(epsilon)
            what = f"delta at epsilon {epsilon:g}, D {support}, V {variance}"
            found.append(Claim("Proposition 2", what, formula, exact, math.isclose(formula, exact, rel_tol=1e-9)))
    return found


def _remark_1() -> list[Claim]:
    """The right end of [epsilon/(2D+1), epsilon/(2D-1)]: the last step is E there, and only the end point is lost."""
    support, epsilon = 25, 0.5
    end = float_delta(epsilon / (2 * support - 1), epsilon, support)
    rule = example_1().delta(epsilon)
    note = (
        f"gamma = epsilon/(2D-1) is allowed: delta is p(D) there too, {end:.4g} against {rule:.4g} by the paper's"
        " rule, and the least of the interval"
    )
    what = f"the right end of the interval must be left out, epsilon {epsilon:g}, D {support}"
    return [Claim("Remark 1", what, "left out", f"delta {end:.4g}", end > rule, note)]


def _example_1() -> list[Claim]:
    where, noise = "Example 1", example_1()
    law = noise.interior[0].values[noise.design["support"] :]
    ours = maxent(epsilon="0.5", delta="1e-4")
    best = f"the best knot has D = {ours.design['support']}, V = {ours.variance(0):.1f}, delta = {ours.delta(0.5):.3g}"
    plain = _smallest_geometric(0.5, 1e-4)
    other = f"D {plain.design['support']}, V {plain.variance(0):.2f}"
    slip = f"this is p(11); p(12) = {law[12]:.15f}"
    return [
        number(where, "support D for epsilon 0.5, delta 1e-4", 25, noise.design["support"], 0, best),
        number(where, "delta", 9.91e-5, noise.delta(0.5), 7),
        number(where, "variance V", 49.00, noise.variance(0), 2),
        number(where, "p(0)", 0.056895481243871, float(law[0]), 15),
        number(where, "p(1)", 0.056320120792644, float(law[1]), 15),
        number(where, "p(2)", 0.054628714970934, float(law[2]), 15),
        number(where, "p(12)", 0.016632589297126, float(law[12]), 15, slip),
        number(where, "p(24)", 0.000163117271714, float(law[24]), 15),
        number(where, "p(25)", 9.912980816e-05, float(law[25]), 14),
        Claim(
            where, "a truncated geometric for the same target", None, other, True, "for one count it needs less noise"
        ),
    ]


def _smallest_geometric(epsilon: float, delta: float) -> Mechanism:
    every = (geometric(epsilon=epsilon, support=support) for support in count(1))
    return next(noise for noise in every if noise.delta(epsilon) <= delta)


def _figure_2() -> list[Claim]:
    """Pictures: delta of the paper's gamma, of the end of its interval, and of the best knot."""
    found = []
    for support in (11, 15):
        for epsilon in (0.5, 1.0, 2.0):
            rule = maxent(epsilon=epsilon, support=support, variant="paper").delta(epsilon)
            end = float_delta(epsilon / (2 * support - 1), epsilon, support)
            best = maxent(epsilon=epsilon, support=support).delta(epsilon)
            ours = f"{rule:.4g}; end {end:.4g}; best {best:.4g}"
            found.append(
                Claim("Figure 2", f"delta at epsilon {epsilon:g}, D {support}", None, ours, best <= end <= rule)
            )
    return found


def _examples_2_and_3() -> list[Claim]:
    noise = example_1()
    table = paper_table(noise, 32)
    row = table.interior[0]
    assert row.numerators is not None
    thresholds = np.cumsum(np.array(row.numerators, dtype=np.int64))
    figures = sampled(noise, Fraction(1, 2), 32)
    second = Fraction(sum(z * z * w for z, w in enumerate(row.numerators, row.first)), row.denominator)
    ours = noise.certify(bits=32)
    unbiased = (
        f"exactly -D/KEYSIZE; our table of 32 bits has bias 0 and delta {float(ours.guarantee.delta):.10g}, below the"
        f" design's {noise.delta(0.5):.10g}"
    )

    def noise_of(key: int) -> int:
        return row.first + int(np.searchsorted(thresholds, key, side="right"))

    two, three = "Example 2", "Example 3"
    return [
        number(two, "threshold of -25", 425760, int(thresholds[0]), 0),
        number(two, "threshold of -24", 1126343, int(thresholds[1]), 0),
        number(two, "threshold of -23", 2255949, int(thresholds[2]), 0),
        number(two, "noise of key 2552", -25, noise_of(2552), 0),
        number(two, "noise of key 1200124", -23, noise_of(1200124), 0),
        number(three, "bias", -5.820766091346741e-09, float(figures.bias), 24, unbiased),
        number(three, "variance V^Q", 49.002167175291106, float(second - figures.bias**2), 13),
        number(three, "epsilon^Q", 0.498039387067656, figures.epsilon, 14),
        number(three, "delta^Q", 9.9129974842e-05, figures.delta, 15),
    ]


def _section_4_3() -> list[Claim]:
    where = "Section 4.3"
    printed = {
        8: (0.6, "-0.04", -2, "0.007", "all"),
        16: (1.7, "-1.5e-4", -5, "order 1e-4", "all"),
        32: (None, "-2.3e-9", -10, "order 1e-9", "none"),
    }
    found = []
    for bits, (last, bias, unit, error, above) in printed.items():
        every = {epsilon: _sampled(epsilon, bits) for epsilon in EPSILONS}
        full = {epsilon: figures for epsilon, figures in every.items() if math.isfinite(figures.epsilon)}
        exceeding = sum(figures.epsilon > epsilon for epsilon, figures in full.items())
        worst = max(abs(figures.variance_error) for figures in full.values())
        mean = float(every[EPSILONS[0]].bias)
        size = f"KEYSIZE 2^{bits}"
        if last is not None:
            found.append(number(where, f"last epsilon with every weight above 0, {size}", last, float(max(full)), 1))
        exactly = all(figures.bias == Fraction(-SUPPORT, 1 << bits) for figures in every.values())
        agrees = exactly and round(mean, -unit) == float(bias)
        found.append(Claim(where, f"bias, {size}", bias, mean, agrees, f"exactly -D/KEYSIZE at every epsilon, {size}"))
        near = round(worst, 3) == 0.007 if bits == 8 else math.floor(math.log10(worst)) == int(error[-2:])
        found.append(Claim(where, f"largest variance error, {size}", error, worst, near))
        counted = f"{exceeding} of {len(full)}"
        so = exceeding == {"all": len(full), "none": 0}[above]
        wrong = "" if so else "at the other epsilons the ceilings happen to make it smaller"
        found.append(Claim(where, f"epsilon^Q above epsilon, {size}", above, counted, so, wrong))
        low = every[EPSILONS[0]]
        note = f"delta^Q, the weight of -D, is {low.delta:.6g}; they agree only where no step passes epsilon, {size}"
        found.append(Claim(where, f"exact delta at epsilon 0.1, {size}", None, low.exact, low.exact >= low.delta, note))
    return found


def _cell_keys() -> list[Claim]:
    """What the key made from contributors gives away, whatever the noise."""
    where, noise = "Section 3", example_1()
    alone = empty_cells(noise).delta(0.5)
    pair = same_contributors(noise)
    claims = [
        Claim(
            where,
            "delta of one count, empty cells included",
            noise.delta(0.5),
            alone,
            alone <= noise.delta(0.5),
            "PRIVACY: an empty cell always has key 0, so always the noise -D; a cell of one person is never published"
            " as -D",
        ),
        Claim(
            where,
            "delta of a cell and of the same with one person more",
            None,
            pair,
            True,
            "PRIVACY: at every epsilon; the same contributors have the same noise, so a difference tells that the"
            " person exists",
        ),
    ]
    for bits in (8, 32):
        distance = float(xor_distance(bits))
        note = "in total variation, because bigN is a little less than KEYSIZE" if bits == 8 else ""
        what = f"distance of the cell key from uniform, {bits} bits"
        claims.append(Claim(where, what, None, distance, distance < 1e-6, note))
    return claims


def _small_counts() -> list[Claim]:
    """Footnote 1: small counts have rows of their own, outputs of 0 or more, and zeros are left alone."""
    noise, found = maxent(support=5, variance=3), []
    note = (
        "PRIVACY: 1 - p(0|1), since an output above 0 tells that the count is not 0; the noise of large counts has"
        f" {noise.delta(1):.4g}"
    )
    for js in (0, 1, 2):
        table = maxent(support=5, variance=3, small="sdc", js=js, mono=False, fixed=True)
        what = f"delta at epsilon 1, zeros left alone, outputs 1..js blocked, D 5, V 3, js {js}"
        found.append(Claim("Footnote 1", what, None, table.delta(1), True, note if js == 0 else ""))
    return found


# The figures


def _draw_figure_1(path: Path) -> Path:
    epsilons = np.linspace(0.02, 4, 400)
    curves = {
        f"D {support}, V {variance}": maxent(support=support, variance=variance).deltas(epsilons)
        for support, variance, _ in FIGURE_1
    }
    return draw.curves(path, draw.Panel("epsilon", "delta", "Figure 1: delta at every epsilon", epsilons, curves))


def _draw_figure_2(path: Path) -> Path:
    epsilons = np.linspace(0.1, 2.5, 49)
    deltas: dict[str, Floats] = {}
    variances: dict[str, Floats] = {}
    for support in (11, 15):
        rules = {
            "paper's gamma": [maxent(epsilon=e, support=support, variant="paper") for e in epsilons.tolist()],
            "best knot": [maxent(epsilon=e, support=support) for e in epsilons.tolist()],
        }
        for name, designs in rules.items():
            pairs = zip(designs, epsilons.tolist(), strict=True)
            deltas[f"{name}, D {support}"] = np.array([design.delta(epsilon) for design, epsilon in pairs])
            variances[f"{name}, D {support}"] = np.array([design.variance(0) for design in designs])
    return draw.curves(
        path,
        draw.Panel("epsilon", "delta", "Figure 2a: delta for a given support", epsilons, deltas),
        draw.Panel("epsilon", "variance", "Figure 2b: the variance that has it", epsilons, variances),
    )


def _draw_section_4_3(path: Path, what: str) -> Path:
    title, name = {
        "variance_error": ("Figure 3: |V^Q - V|/V, where every weight is above 0", "relative error"),
        "epsilon": ("Figure 4: epsilon^Q, where it is finite", "epsilon^Q"),
        "delta": ("Figure 5: delta^Q", "delta"),
    }[what]
    epsilons = np.array([float(epsilon) for epsilon in EPSILONS])
    curves = {}
    for bits in KEYS:
        every = [_sampled(epsilon, bits) for epsilon in EPSILONS]
        values = np.abs([float(getattr(figures, what)) for figures in every])
        finite = [what == "delta" or math.isfinite(figures.epsilon) for figures in every]
        curves[f"2^{bits}"] = np.where(finite, values, np.nan)
    if what == "epsilon":
        curves["epsilon"] = epsilons
    if what == "delta":
        curves["design"] = np.array([section_4_3(epsilon).delta(epsilon) for epsilon in EPSILONS])
        curves["exact delta, 2^8"] = np.array([_sampled(epsilon, 8).exact for epsilon in EPSILONS])
    return draw.curves(path, draw.Panel("epsilon", name, f"{title}; D {SUPPORT}", epsilons, curves))
