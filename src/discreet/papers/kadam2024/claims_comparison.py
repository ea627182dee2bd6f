"""Claims about Kadam 2024's comparisons with other mechanisms: Figures 5 to 8 and footnote 6."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.errors import ParameterError
from discreet.mechanism import Mechanism
from discreet.papers.claim import Claim, number
from discreet.papers.kadam2024.claim_texts import SAME, comparison, formula, promise, row, statement
from discreet.papers.kadam2024.one_sided import definition_2, one_sided_delta, pure, two_sided
from discreet.papers.kadam2024.rivals import (
    counts,
    data_independent,
    distribution,
    error_rate,
    gaussian,
    gaussian_matrix,
    geometric,
    gumbel,
    gumbel_matrix,
    least_cost,
    mean_squared_error,
    modulo,
    smallest_parameter,
)
from discreet.papers.kadam2024.single_difference import corollary_1, theorem_2
from discreet.papers.wording import MUCH, TWICE

Values = Sequence[float]

FEW = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
SQUARES = np.arange(9) ** 2

MSE = 0.6101
"""Of Figure 7(a)."""

ERROR_RATE = 0.3
"""Of Figure 7(b)."""

GEOMETRIC_ALPHA = ERROR_RATE / (2 - ERROR_RATE)
"""Geometric noise has the error rate 2 alpha / (1 + alpha)."""


def dp_geometric(n: int, epsilon: float, delta: float) -> Mechanism:
    """Return clamped geometric noise whose delta at epsilon is (1 - E alpha) / (1 + alpha) = delta."""
    return geometric(n, (1 - delta) / (math.exp(epsilon) + delta))


def counts_eta(epsilon: float, delta: float) -> float:
    """Return the largest chance of the truth that Sadeghi 2020's noise has at (epsilon, delta), support 7."""
    return float(Fraction(design.bounded(epsilon=epsilon, delta=delta, support=7, lowest=7).design["eta"]))


def gaussian_with_error_rate(rate: float) -> float:
    """Return sigma2 of the discrete Gaussian noise that is not 0 with this probability, by bisection."""
    return _bisect(lambda noise: float(1 - noise[60]), rate)


def gaussian_with_mse(mse: float) -> float:
    """Return sigma2 of the discrete Gaussian noise whose second moment, cut to [-4, 4], is the MSE of Figure 7(a)."""
    return _bisect(lambda noise: float(noise[56:65] @ np.arange(-4, 5) ** 2), mse)


def gumbel_with_mse(mse: float) -> float:
    """Return the scale of the rounded Gumbel noise whose second moment, cut to [-4, 4], is the MSE of Figure 7(a)."""
    low, high, outputs = 0.1, 1.0, np.arange(-4, 5)
    for _ in range(60):
        middle = (low + high) / 2
        below = np.exp(-np.exp(-(np.append(outputs, 5) - 0.5) / middle))
        low, high = (middle, high) if np.diff(below) @ outputs**2 < mse else (low, middle)
    return (low + high) / 2


def _bisect(value: Callable[[Floats], float], target: float) -> float:
    """Return the sigma2 at which a value of the discrete Gaussian noise on -60..60 is the target.

    The value has to grow with sigma2.
    """
    low, high, squares = 0.01, 4.0, np.arange(-60, 61) ** 2
    for _ in range(60):
        middle = (low + high) / 2
        weights = np.exp(-squares / (2 * middle))
        low, high = (middle, high) if value(weights / weights.sum()) < target else (low, middle)
    return (low + high) / 2


def _better(ours: Values, rivals: Mapping[str, Values], by: float = 1.0) -> tuple[str, bool]:
    """Say at how many places ours is smaller, by some factor, than each rival that is not 0, and whether at all."""
    texts, everywhere = [], True
    for name, values in rivals.items():
        counted = [mine < value / by - SAME for mine, value in zip(ours, values, strict=True) if value > SAME]
        texts.append(f"{name} {sum(counted)} of {len(counted)}")
        everywhere = everywhere and all(counted)
    return ", ".join(texts), everywhere


def _significantly(item: str, at: str, ours: Values, rivals: Mapping[str, Values]) -> Claim:
    """Judge "significantly outperforms all these mechanisms", as the paper counts."""
    shown, holds = _better(ours, rivals, TWICE)
    ratios = {
        name: min(value / mine for mine, value in zip(ours, values, strict=True) if value > SAME and mine > SAME)
        for name, values in rivals.items()
    }
    note = "least ratio of their delta and ours: " + ", ".join(f"{name} {ratio:.3g}" for name, ratio in ratios.items())
    return statement(
        item, f"significantly outperforms all, as the paper counts: the same, {at} {MUCH}", shown, holds, note
    )


def _compared(item: str, what: str, names: tuple[str, ...], rows: Mapping[float, Values], note: str) -> Claim:
    """Return our values beside those of rivals, with the statement that ours are smaller everywhere."""
    columns = list(zip(*rows.values(), strict=True))
    shown, holds = _better(columns[0], dict(zip(names, columns[1:], strict=True)))
    return Claim(item, what, "stated", shown, holds, note, "ours")


def figure_5a() -> list[Claim]:
    """Squared error against epsilon at delta 0.3, n 8."""
    item, at = "Figure 5(a)", "n 8, delta 0.3, 6 epsilons from 0.25 to 3"
    noises = [definition_2(8, (1,), epsilon, 0.3, "squared") for epsilon in FEW]
    own: dict[str, list[float]] = {name: [] for name in ("geometric", "Gaussian", "Gumbel")}
    for epsilon in FEW:
        sigma2 = smallest_parameter(lambda value: gaussian_matrix(8, value), 0.02, 300, epsilon, 0.3, "pdp")
        scale = smallest_parameter(lambda value: gumbel_matrix(8, value), 0.02, 300, epsilon, 0.3, "pdp")
        rivals = geometric(8, math.exp(-epsilon)), gaussian(8, sigma2), gumbel(8, scale)
        for errors, rival in zip(own.values(), rivals, strict=True):
            errors.append(mean_squared_error(rival))
    shown, holds = _better([float(noise @ SQUARES) for noise in noises], own)
    what = f"outperforms all, as the paper counts: epsilons with less MSE than, {at}"
    claims = [statement(item, what, shown, holds, "one-sided PDP, and E Z^2 in place of the error of a count")]
    for epsilon, noise in zip(FEW, noises, strict=True):
        true = two_sided(noise, (1,)).delta(epsilon)
        claims.append(promise(item, f"delta of the noise of least E Z^2, n 8, epsilon {epsilon:g}", 0.3, true))
    rows = {epsilon: _fair_errors(epsilon) for epsilon in FEW}
    note = "two-sided DP, mean over counts: clamped noise has less error than noise modulo n + 1"
    claims.append(
        _compared(
            item, f"on equal terms: epsilons with less MSE than, {at}", ("geometric", "Gaussian", "Gumbel"), rows, note
        )
    )
    for epsilon, values in rows.items():
        what = (
            f"MSE, two-sided DP, epsilon {epsilon:g}: modulo; geometric, Gaussian, Gumbel; the least of any mechanism"
        )
        claims.append(comparison(item, what, row([*values, least_cost(8, epsilon, 0.3, "squared", "mean")])))
    return claims


@cache
def _fair_errors(epsilon: float) -> tuple[float, ...]:
    """Return mean squared errors at delta 0.3, n 8, two-sided DP: modulo, geometric, Gaussian, Gumbel."""
    sigma2 = smallest_parameter(lambda value: gaussian_matrix(8, value), 0.02, 300, epsilon, 0.3, "dp")
    scale = smallest_parameter(lambda value: gumbel_matrix(8, value), 0.02, 300, epsilon, 0.3, "dp")
    known = (
        modulo(9, epsilon, delta=0.3, objective="uniform_prior"),
        dp_geometric(8, epsilon, 0.3),
        gaussian(8, sigma2),
        gumbel(8, scale),
    )
    return tuple(mean_squared_error(mechanism) for mechanism in known)


def figure_5b() -> list[Claim]:
    """Error rate against epsilon at delta 0.5, n 7."""
    item, at = "Figure 5(b)", "n 7, delta 0.5, 6 epsilons from 0.25 to 3"
    noises = [theorem_2(8, 1, epsilon, 0.5) for epsilon in FEW]
    own = {
        "geometric": [error_rate(geometric(7, math.exp(-epsilon))) for epsilon in FEW],
        "counts": [1 - pdp_counts_eta(epsilon, 0.5) for epsilon in FEW],
        "data independent": [pdp_data_independent(epsilon, 0.5) for epsilon in FEW],
    }
    shown, holds = _better([float(1 - noise[0]) for noise in noises], own)
    what = f"outperforms all, as the paper counts: epsilons with a lower error rate than, {at}"
    claims = [statement(item, what, shown, holds, "one-sided PDP")]
    for epsilon, noise in zip(FEW, noises, strict=True):
        true = two_sided(noise, (1,)).delta(epsilon)
        claims.append(promise(item, f"delta of the noise of least error rate, n 7, epsilon {epsilon:g}", 0.5, true))
    rows = {epsilon: _fair_error_rates(epsilon) for epsilon in FEW}
    names = ("geometric", "counts", "data independent")
    what = f"on equal terms: epsilons with a lower error rate than, {at}"
    claims.append(_compared(item, what, names, rows, "two-sided DP, worst count"))
    for epsilon, values in rows.items():
        what = f"error rate, two-sided DP, epsilon {epsilon:g}: modulo; {', '.join(names)}; the least of any mechanism"
        claims.append(comparison(item, what, row([*values, least_cost(7, epsilon, 0.5, "error_rate", "worst")])))
    return claims


def _fair_error_rates(epsilon: float) -> tuple[float, ...]:
    """Return error rates at delta 0.5, n 7, two-sided DP: modulo, geometric, counts, data independent."""
    return (
        error_rate(modulo(8, epsilon, delta=0.5)),
        error_rate(dp_geometric(7, epsilon, 0.5)),
        1 - counts_eta(epsilon, 0.5),
        0.5 / (1 + math.exp(epsilon) / 7),
    )


def pdp_data_independent(epsilon: float, delta: float) -> float:
    """Return the error rate of the data independent noise of n 7 at a PDP delta: f(0) = delta, or pure."""
    return min(1 - delta, 7 / (7 + math.exp(epsilon)))


@cache
def pdp_counts_eta(epsilon: float, delta: float) -> float:
    """Return the largest chance of the truth, of 400 tried, at which Sadeghi 2020's noise has this PDP delta."""
    tried = np.linspace(0.99, 0.01, 400)
    return next(float(eta) for eta in tried if _counts_pdp(epsilon, float(eta)) <= delta)


def _counts_pdp(epsilon: float, eta: float) -> float:
    """Return the PDP delta of Sadeghi 2020's noise; 1 where the paper's formula is refused."""
    try:
        return counts(epsilon, eta, 7).delta(epsilon, kind="pdp")
    except ParameterError:
        return 1.0


def constants() -> list[Claim]:
    """The squared errors 3.38 and 0.6101, which are to be equal for all mechanisms of a figure."""
    claims = []
    outputs = np.arange(-4, 5)
    for item, text, paper, digits in (("Figure 8", "0.7", 3.38, 2), ("Figure 7(a)", "0.2", MSE, 4)):
        alpha = float(text)
        chances = (1 - alpha) / (1 + alpha) * alpha ** np.abs(outputs)
        note = f"geometric noise cut to [-4, 4] and not normalised: a mass of {1 - chances.sum():.6f} is missing"
        what = f"MSE of geometric noise, alpha {text}, n 8"
        claims.append(number(item, what, paper, float(chances @ outputs**2), digits, note))
        true = mean_squared_error(geometric(8, alpha))
        claims.append(comparison(item, f"{what}: clamped to 0..8, mean over counts", true))
    drawn = [mean_squared_error(noise) for noise in (geometric(8, 0.7), gaussian(8, 3.38))]
    what = "geometric and Gaussian noise have the same MSE, 3.38, n 8: clamped, mean over counts"
    note = "Gaussian noise with sigma2 = 3.38 is compared with geometric noise of more than twice the error"
    claims.append(statement("Figure 6", what, row(drawn), abs(drawn[0] - drawn[1]) < 0.005, note))
    return claims


def figure_7a() -> list[Claim]:
    """Least delta at MSE 0.6101, n 8."""
    item, few = "Figure 7(a)", (0.25, 0.5, 1.0, 1.5)
    rival, sigma2 = geometric(8, 0.2), gaussian_with_mse(MSE)
    noises = [definition_2(8, (1,), epsilon, None, "squared", MSE) for epsilon in few]
    least = [one_sided_delta(noise, (1,), epsilon) for noise, epsilon in zip(noises, few, strict=True)]
    own = {
        "geometric": [rival.delta(epsilon, kind="pdp") for epsilon in few],
        "Gaussian": [gaussian(8, sigma2).delta(epsilon, kind="pdp") for epsilon in few],
    }
    shown, holds = _better(least, own)
    at = "n 8, epsilon 0.25, 0.5, 1 and 1.5"
    note = "one-sided PDP, and E Z^2 in place of the error of a count"
    claims = [
        statement(
            item, f"outperforms all, as the paper counts: epsilons with less delta than, {at}", shown, holds, note
        ),
        _significantly(item, at, least, own),
    ]
    for epsilon, noise, claimed in zip(few, noises, least, strict=True):
        true = two_sided(noise, (1,)).delta(epsilon)
        what = f"least delta, E Z^2 at most 0.6101, n 8, epsilon {epsilon:g}"
        claims.append(promise(item, what, claimed, true, kind="formula"))
    allowed = mean_squared_error(rival)
    rows = {
        epsilon: (
            modulo(9, epsilon, objective="uniform_prior", distortion=allowed).delta(epsilon),
            rival.delta(epsilon),
        )
        for epsilon in few
    }
    note = f"two-sided DP, and the MSE {allowed:.4f} of clamped geometric noise, alpha 0.2, mean over counts, for both"
    claims.append(_compared(item, f"on equal terms: epsilons with less delta than, {at}", ("geometric",), rows, note))
    for epsilon, values in rows.items():
        claims.append(comparison(item, f"delta, two-sided DP, epsilon {epsilon:g}: modulo, geometric", row(values)))
    return claims


def figure_7b() -> list[Claim]:
    """Least delta at error rate 0.3, n 7."""
    item, few = "Figure 7(b)", (0.1, 0.5, 1.0, 1.5, 2.0)
    names = ("geometric", "Gaussian", "counts", "data independent")
    own = [[rival.delta(epsilon, kind="pdp") for epsilon in few] for rival in error_rate_rivals(7)]
    own.insert(2, [counts(epsilon, 1 - ERROR_RATE, 7).delta(epsilon, kind="pdp") for epsilon in few])
    least = [corollary_1(8, epsilon, ERROR_RATE) for epsilon in few]
    rivals = dict(zip(names, own, strict=True))
    shown, holds = _better(least, rivals)
    at = "n 7, epsilon 0.1, 0.5, 1, 1.5 and 2"
    note = "below epsilon 0.8473 the least one-sided delta is 0.7, which the data independent noise has too"
    claims = [
        statement(
            item, f"outperforms all, as the paper counts: epsilons with less delta than, {at}", shown, holds, note
        ),
        _significantly(item, at, least, rivals),
    ]
    for epsilon, claimed in zip(few, least, strict=True):
        true = two_sided(theorem_2(8, 1, epsilon, claimed), (1,)).delta(epsilon)
        what = f"least delta, error rate 0.3, n 7, epsilon {epsilon:g}"
        claims.append(promise(item, what, claimed, true, kind="formula"))
    rows = {
        epsilon: (
            modulo(8, epsilon, distortion=ERROR_RATE).delta(epsilon),
            *(rival.delta(epsilon) for rival in error_rate_rivals(7)[:2]),
            counts(epsilon, 1 - ERROR_RATE, 7).delta(epsilon),
            error_rate_rivals(7)[2].delta(epsilon),
        )
        for epsilon in few
    }
    claims.append(_compared(item, f"on equal terms: epsilons with less delta than, {at}", names, rows, "two-sided DP"))
    for epsilon, values in rows.items():
        what = f"delta, two-sided DP, epsilon {epsilon:g}: modulo; {', '.join(names)}"
        note = (
            "as n grows, modulo and geometric noise get the same delta, 1 - rho (1 + E) / 2"
            if epsilon == few[0]
            else ""
        )
        claims.append(comparison(item, what, row(values), note))
    return claims


def error_rate_rivals(n: int) -> tuple[Mechanism, Mechanism, Mechanism]:
    """Return geometric, Gaussian and data independent noise with the error rate 0.3."""
    sigma2 = gaussian_with_error_rate(ERROR_RATE)
    return geometric(n, GEOMETRIC_ALPHA), gaussian(n, sigma2), data_independent(n, ERROR_RATE)


def figure_8() -> list[Claim]:
    """PMFs at n 8, alpha 0.7, epsilon 1, delta 0, sigma2 3.38."""
    item, noise = "Figure 8", pure((9,), (1,), 1.0)
    rivals = [(1 - 0.7) / (1 + 0.7), float(design.gaussian(sigma2="3.38").pmf(0)[1].max())]
    fair = math.log(1 / 0.7)
    firsts = [float(distribution(modulo(9, epsilon))[0]) for epsilon in (fair, 1.0)]
    strong = (1 - math.exp(-1)) / (1 + math.exp(-1))
    at = "n 8, difference 1, epsilon 1, delta 0"
    return [
        statement(
            item,
            f"the proposed noise has the largest f(0): it, geometric 0.7, Gaussian 3.38, {at}",
            row([float(noise[0]), *rivals]),
            noise[0] > max(rivals),
        ),
        promise(item, f"its delta, {at}", 0.0, two_sided(noise, (1,)).delta(1.0)),
        formula(
            item,
            f"E Z^2 of the proposed noise is 3.38 as well, {at}",
            3.38,
            float(noise @ SQUARES),
            "no single difference and no set 1..mu has E Z^2 = 3.38 at n 8 and epsilon 1",
        ),
        comparison(
            item, f"f(0), two-sided, at equal epsilon {fair:.4f}: modulo 9, geometric 0.7", row([firsts[0], rivals[0]])
        ),
        comparison(item, "f(0), two-sided, at equal epsilon 1: modulo 9, geometric", row([firsts[1], strong])),
    ]


def footnote_6() -> list[Claim]:
    """Gumbel noise on the answer is not the exponential mechanism."""
    n, epsilon, q = 8, 1.0, 4
    column = design.exponential(n=n, epsilon=epsilon).matrix()[:, q]
    scores = -epsilon * np.abs(np.arange(n + 1) - q) / 2
    grid = np.linspace(-12, 40, 20001)
    density = np.exp(-(grid[:, None] - scores) - np.exp(-(grid[:, None] - scores)))
    below = np.exp(-np.exp(-(grid[:, None] - scores)))
    wins = [float(np.trapezoid(density[:, i] * np.delete(below, i, axis=1).prod(axis=1), grid)) for i in range(n + 1)]
    right = float(np.abs(np.array(wins) - column).sum() / 2)
    apart = [float(np.abs(gumbel(n, scale).matrix()[:, q] - column).sum() / 2) for scale in np.geomspace(0.2, 5, 60)]
    note = f"Gumbel noise on the scores, and the largest taken, is: distance {right:.4f}"
    what = (
        "Gumbel noise on the answer is the exponential mechanism: smallest total variation distance over 60 scales, n"
        " 8, epsilon 1, q 4"
    )
    return [statement("Footnote 6", what, min(apart), min(apart) < 1e-3, note)]
