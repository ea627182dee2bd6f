"""Sadeghi, Asoodeh and Calmon 2020, Differentially private mechanisms for count queries.

The paper adds noise Z in [-D, D] with mean 0 and Pr[Z = 0] = eta, and minimises over it the largest

    p(y) - E p'(y),      E = e^epsilon,

of a single output y and two neighbouring counts. That is a delta per output. Remark 2 turns it into a promise
of (epsilon, (2D+1) delta). Here the exact delta, the sum of the positive parts, stands beside both, and beside
that the least exact delta there is for the same epsilon, eta and D: the truncated geometric of
`design.bounded`.

What the paper states without a number (a theorem, a bound, a picture) is evaluated by its own formula; the
column `paper` then holds the formula's value and `ours` what a program or the exact sum gives.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

from discreet.arrays import Floats
from discreet.assess import privacy
from discreet.design import bounded, gaussian
from discreet.design.additive import _bounded_program
from discreet.design.additive.bounded import theorem_3, threshold
from discreet.domain import Counts
from discreet.mechanism import Mechanism, Row
from discreet.papers import sadeghi2020_figures as draw
from discreet.papers.claim import Claim, number

SECONDS = 60.0
"""For one linear program; the longest takes less than one."""


class Setting(NamedTuple):
    """Parameters of one mechanism: epsilon, eta, and the support D."""

    epsilon: float
    eta: float
    support: int

    def __str__(self) -> str:
        return f"epsilon {self.epsilon:g}, eta {self.eta:g}, D {self.support}"


FIGURE_1 = Setting(2.18, 0.8, 6)
EXAMPLES = (
    FIGURE_1,
    Setting(1.5, 0.5, 6),
    Setting(0.5, 0.3, 4),
    Setting(3.0, 0.5, 6),
    Setting(1.1, 0.5, 4),
    Setting(1.1, 0.5, 8),
)
OTHER_CASES = (Setting(0.5, 0.8, 4), Setting(0.3, 0.5, 6), Setting(0.9, 0.5, 6))
SMALL_ETA = (Setting(2.2, 0.02, 8), Setting(1.0, 0.1, 8), Setting(2.18, 0.02, 6))
SMALL_COUNTS = Setting(2.2, 0.8, 8)
PROPOSITION_2 = (
    Setting(1.1, 0.5, 6),
    Setting(1.1, 0.5, 8),
    Setting(2.18, 0.8, 8),
    Setting(1.0, 0.5, 8),
    Setting(1.1, 0.5, 4),
    Setting(1.5, 0.5, 4),
    Setting(2.18, 0.8, 4),
    Setting(2.2, 0.8, 4),
    Setting(1.5, 0.5, 6),
)
FIGURE_4 = tuple(Setting(epsilon, 0.5, 6) for epsilon in (0.3, 0.5, 0.8, 0.9, 1.1, 1.2, 1.3, 1.5, 2.0))


def claims() -> list[Claim]:
    """Every number the paper prints, and its theorems at the settings above."""
    return [
        *_figure_1(),
        *_remark_2(),
        *_theorems(),
        *_optimality(),
        *_figure_4(),
        *_small_eta(),
        *_small_counts(),
        *_proposition_2(),
    ]


def figures(folder: Path) -> list[Path]:
    """Draw Figures 1 and 4, the cases of Theorem 3, and delta against support and eta; returns the files."""
    return [
        _noise(folder / "sadeghi2020_figure_1_noise.png"),
        _cases(folder / "sadeghi2020_cases_of_theorem_3.png"),
        _support_and_eta(folder / "sadeghi2020_delta_against_support_and_eta.png"),
        _gaussians(folder / "sadeghi2020_figure_4_delta_against_epsilon.png"),
    ]


# The mechanisms


def printed(setting: Setting) -> Mechanism:
    """The noise of Theorem 3 as the paper prints it, also where its promise is false."""
    _, _, a = theorem_3(*setting)
    side = (1 - setting.eta) / 2
    half = [side * x for x in a]
    return Mechanism(
        Counts(setting.support), interior=(Row.of(-setting.support, [*reversed(half), setting.eta, *half]),)
    )


def optimum(setting: Setting, lowest: int | None = None) -> Mechanism:
    """The least exact delta; for counts from `lowest`, or from D, where it is the truncated geometric."""
    epsilon, eta, support = setting
    return bounded(
        epsilon=epsilon,
        eta=eta,
        support=support,
        lowest=support if lowest is None else lowest,
        time_limit=SECONDS,
    )


def program(setting: Setting, lowest: int) -> Mechanism:
    """Proposition 2: the least delta of an output over the counts from `lowest`."""
    epsilon, eta, support = setting
    problem = _bounded_program.Problem(
        math.exp(epsilon), Fraction(str(eta)), support, Counts(lowest), per_output=True, time_limit=SECONDS
    )
    return Mechanism(problem.counts, *_bounded_program.optimum(problem))


def same_variance(variance: float) -> Mechanism:
    """The discrete Gaussian whose variance, not whose parameter sigma2, is the one given."""
    sigma2 = _root(lambda sigma2: gaussian(sigma2=sigma2).variance(0) - variance, variance / 2, 2 * variance + 1, 50)
    return gaussian(sigma2=sigma2)


def per_output(mechanism: Mechanism, epsilon: float) -> float:
    """The paper's delta: the largest p(y) - E p'(y) of a single output."""
    return max(float((pairs.p - math.exp(epsilon) * pairs.q).max()) for pairs in privacy.neighbours(mechanism))


def _exact(setting: Setting) -> float:
    return printed(setting).delta(setting.epsilon)


def _bound(setting: Setting) -> float:
    """Remark 2: (2D+1) times Theorem 3's delta."""
    return (2 * setting.support + 1) * theorem_3(*setting)[1]


def _root(function: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """Where a function changes sign, by bisection."""
    rising = function(high) > 0
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if (function(middle) > 0) == rising else (middle, high)
    return (low + high) / 2


# The claims


def _figure_1() -> list[Claim]:
    """Section III-B: the noise at epsilon 2.18, eta .8, D 6, and the discrete Gaussian beside it."""
    epsilon, eta, support = FIGURE_1
    where = "Section III-B, Figure 1"
    case, delta, _ = theorem_3(*FIGURE_1)
    noise = printed(FIGURE_1)
    variance = noise.variance(support)
    law = noise.pmf(support)[1][support:]
    normal = gaussian(sigma2=variance, support=support)
    beside = normal.pmf(0)[1][support:]
    best = optimum(FIGURE_1)
    return [
        number(where, "E = e^epsilon at epsilon 2.18", 8.8463, math.exp(epsilon), 4),
        number(where, "C = 2 eta/(1 - eta) at eta 0.8", 8, 2 * eta / (1 - eta), 0),
        number(where, "C_2", 8.1229, threshold(epsilon, 2), 4),
        number(where, "C_3", 7.8867, threshold(epsilon, 3), 4),
        number(where, "the case k of D = 6", 3, case, 0),
        number(where, "delta_3, per output", 0.0049, delta, 4),
        number(where, "p_Z(1)", 0.08987, float(law[1]), 5),
        number(where, "p_Z(2)", 0.0096, float(law[2]), 4),
        number(where, "p_Z(1) / p_Z(2)", 9.3617, float(law[1] / law[2]), 4),
        number(where, "discrete Gaussian, p_G(1)", 0.11685, float(beside[1]), 5),
        number(where, "discrete Gaussian, p_G(2)", 0.000416, float(beside[2]), 6),
        number(
            where,
            "p_G(1) / p_G(2)",
            282,
            float(beside[1] / beside[2]),
            0,
            f"the ratio is {beside[1] / beside[2]:.1f}, also {0.11685 / 0.000416:.1f} from the printed p_G;"
            " nothing else rests on it",
        ),
        number(
            where, "epsilon_G, at which p_G(1) - E p_G(2) = delta_3", 5.6, math.log((beside[1] - delta) / beside[2]), 1
        ),
        Claim(
            where,
            "both have one variance: that of Z, that of the Gaussian",
            variance,
            normal.variance(0),
            math.isclose(normal.variance(0), variance, rel_tol=1e-3),
            f"sigma2 = {variance:.4f} is the Gaussian's parameter; its variance is {normal.variance(0):.4f}."
            f" The truncated geometric of this epsilon, eta and D has {best.variance(support):.4f}",
        ),
    ]


def _remark_2() -> list[Claim]:
    """(epsilon, delta) per output gives (epsilon, (2D+1) delta)."""
    found = []
    for setting in EXAMPLES:
        bound, exact = _bound(setting), _exact(setting)
        note = f"true, and {bound / exact:.2f} times the exact delta at {setting}"
        found.append(
            Claim("Remark 2", f"(2D+1) delta bounds the exact delta, {setting}", bound, exact, exact <= bound, note)
        )
    return found


def _theorems() -> list[Claim]:
    """The closed form against the linear program over the counts from D, which it claims to solve."""
    found = []
    for setting in EXAMPLES + OTHER_CASES:
        case, delta, _ = theorem_3(*setting)
        least = per_output(program(setting, setting.support), setting.epsilon)
        agrees = math.isclose(least, delta, rel_tol=1e-6, abs_tol=1e-9)
        found.append(Claim("Theorems 1-3", f"least delta per output, k = {case}, {setting}", delta, least, agrees))
    return found


def _optimality() -> list[Claim]:
    """Least per output is not least: the exact delta of Theorem 3's noise and of the truncated geometric."""
    found = []
    for setting in EXAMPLES:
        exact, best = _exact(setting), optimum(setting).delta(setting.epsilon)
        agrees = exact <= best * (1 + 1e-9)
        smaller = f"least per output only: the truncated geometric's is {exact / best:.3g} times smaller, {setting}"
        note = "" if agrees else smaller
        found.append(
            Claim("Theorem 3", f"its optimum is that of the exact delta too, {setting}", exact, best, agrees, note)
        )
    return found


def _figure_4() -> list[Claim]:
    """The bounded noise against the discrete Gaussian of the same variance, both by their exact delta."""
    found = []
    for setting in FIGURE_4:
        exact, normal = _beside_gaussian(setting)
        best = optimum(setting).delta(setting.epsilon)
        shown = f"{exact:.4g} against {normal:.4g}; optimum {best:.4g}"
        found.append(
            Claim("Figure 4", f"less delta than a discrete Gaussian, {setting}", "less", shown, exact < normal)
        )
    low, high = _crossings()
    shown = f"below {low:.3f} or above {high:.3f}"
    note = (
        f"at equal true variance the discrete Gaussian has less delta for epsilon from {low:.3f} to {high:.3f},"
        " even less than the truncated geometric, which there has the same delta as the paper's noise"
    )
    found.append(Claim("Figure 4", "less delta at which epsilon, eta 0.5, D 6", "every", shown, low >= high, note))
    return found


def _beside_gaussian(setting: Setting) -> tuple[float, float]:
    """Exact delta of Theorem 3's noise and of the discrete Gaussian of the same true variance."""
    noise = printed(setting)
    return noise.delta(setting.epsilon), same_variance(noise.variance(setting.support)).delta(setting.epsilon)


def _crossings() -> tuple[float, float]:
    """The two epsilons at which both have the same delta, eta 0.5, D 6."""

    def excess(epsilon: float) -> float:
        exact, normal = _beside_gaussian(Setting(epsilon, 0.5, 6))
        return exact - normal

    return _root(excess, 0.2, 0.4, 12), _root(excess, 0.7, 0.9, 12)


def _small_eta() -> list[Claim]:
    """Proposition 4 omits (1-eta)/2 a_1 <= E eta + delta, so Theorem 3 promises too much where eta is small."""
    found = []
    for setting in SMALL_ETA:
        _, delta, a = theorem_3(*setting)
        bound, noise = _bound(setting), printed(setting)
        exact = noise.delta(setting.epsilon)
        note = (
            f"PRIVACY: per output {delta:.3g} is claimed, {per_output(noise, setting.epsilon):.4g} is true, {setting}."
            " (1-eta)/2 a_1 <= E eta + delta was left out; it needs"
            f" eta >= {a[1] / (2 + a[1]):.4g}. The least exact delta is {optimum(setting).delta(setting.epsilon):.3g}"
        )
        found.append(Claim("Proposition 4", f"(epsilon, (2D+1) delta), {setting}", bound, exact, exact <= bound, note))
    return found


def _small_counts() -> list[Claim]:
    """Theorem 3 holds for counts n >= D; D - 1 and D are neighbours, so that must be a public fact."""
    where, epsilon = "n >= D", SMALL_COUNTS.epsilon
    delta, every = theorem_3(*SMALL_COUNTS)[1], program(SMALL_COUNTS, 1)
    least, bound = per_output(every, epsilon), _bound(SMALL_COUNTS)
    exact = optimum(SMALL_COUNTS, lowest=1).delta(epsilon)
    note = "PRIVACY: with counts below D this is the least possible, {}; the promise n >= D is `lowest` here"
    output = note.format("per output")
    whole = note.format(f"exact (for counts from D: {optimum(SMALL_COUNTS).delta(epsilon):.3g})")
    setting = f"counts from 1, {SMALL_COUNTS}"
    return [
        Claim(where, f"delta per output, {setting}", delta, least, least <= delta * (1 + 1e-6), output),
        Claim(where, f"(epsilon, (2D+1) delta), {setting}", bound, exact, exact <= bound, whole),
    ]


def _proposition_2() -> list[Claim]:
    """The program over all counts from 1, its bound by Remark 2, and what the exact delta comes to."""
    found = []
    for setting in PROPOSITION_2:
        every = program(setting, 1)
        least, exact = per_output(every, setting.epsilon), every.delta(setting.epsilon)
        bound, best = (2 * setting.support + 1) * least, optimum(setting, lowest=1).delta(setting.epsilon)
        note = f"per output {least:.4g}; minimised itself, the exact delta is {best:.4g}, {setting}"
        found.append(
            Claim("Proposition 2", f"(2D+1) delta, counts from 1, {setting}", bound, exact, exact <= bound, note)
        )
    return found


# The figures


def _noise(path: Path) -> Path:
    noise = printed(FIGURE_1)
    variance = noise.variance(FIGURE_1.support)
    laws = {
        "Theorem 3": noise,
        "least exact delta": optimum(FIGURE_1),
        "discrete Gaussian, sigma2 = variance of Z": gaussian(sigma2=variance, support=FIGURE_1.support),
        "discrete Gaussian, same variance as Z": same_variance(variance),
    }
    return draw.noise(path, f"Noise at {FIGURE_1}", laws, FIGURE_1.support)


def _cases(path: Path) -> Path:
    support = FIGURE_1.support
    epsilons = np.linspace(0.02, 3, 300)
    odds = np.array([[threshold(epsilon, k) for epsilon in epsilons] for k in range(1, support + 1)])
    second = np.array([theorem_3(epsilon, 1e-6, support)[2][1] for epsilon in epsilons])  # a_2, the least C
    return draw.cases(path, epsilons, odds / (2 + odds), second / (2 + second), support)


def _support_and_eta(path: Path) -> Path:
    epsilon = 1.1
    supports = np.arange(1, 13)
    etas = np.unique(
        np.concatenate([np.geomspace(0.005, 0.1, 40), np.linspace(0.1, 0.9, 81), np.linspace(0.49, 0.53, 21)])
    )
    by_support = _curves([Setting(epsilon, 0.5, int(support)) for support in supports])
    by_eta = _curves([Setting(epsilon, float(eta), 8) for eta in etas])
    return draw.two_panels(
        path,
        draw.Panel("D", f"epsilon {epsilon:g}, eta 0.5", supports, by_support),
        draw.Panel("eta", f"epsilon {epsilon:g}, D 8", etas, by_eta),
    )


def _gaussians(path: Path) -> Path:
    epsilons = np.unique(np.concatenate([np.linspace(0.05, 2.5, 50), np.linspace(1, 1.12, 25)]))
    settings = [Setting(float(epsilon), 0.5, 6) for epsilon in epsilons]
    variances = [printed(setting).variance(setting.support) for setting in settings]
    named = [gaussian(sigma2=variance) for variance in variances]
    matched = [same_variance(variance) for variance in variances]
    curves = _curves(settings) | {
        "discrete Gaussian, sigma2 = variance": _deltas(named, settings),
        "discrete Gaussian, same variance": _deltas(matched, settings),
    }
    title = "eta 0.5, D 6 (shaded: the discrete Gaussian has less delta)"
    return draw.one_panel(path, draw.Panel("epsilon", title, epsilons, curves), _crossings())


def _curves(settings: list[Setting]) -> dict[str, Floats]:
    """The three deltas of the bounded noise along a line of settings."""
    return {
        "paper: (2D+1) delta": np.array([_bound(setting) for setting in settings]),
        "paper: exact delta": np.array([_exact(setting) for setting in settings]),
        "least exact delta": _deltas([optimum(setting) for setting in settings], settings),
    }


def _deltas(mechanisms: list[Mechanism], settings: list[Setting]) -> Floats:
    pairs = zip(mechanisms, settings, strict=True)
    return np.array([mechanism.delta(setting.epsilon) for mechanism, setting in pairs])
