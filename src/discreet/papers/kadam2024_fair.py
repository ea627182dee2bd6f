"""What Kadam 2024's figures compare, on equal terms: neighbours in both directions, and the error that users see.

The error of a count is that of the published count, E (q~ - q)^2 with q~ = (q + Z) modulo N. The paper takes Z^2 for
the residue Z in 0..n, which is that of q = 0 alone. The rivals are clamped noise, and the least error that any
mechanism at all can have, by a linear program over its matrix.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import design
from discreet.arrays import Floats
from discreet.errors import PrivacyWarning
from discreet.linear_program import Program
from discreet.mechanism import Mechanism
from discreet.papers import kadam2024_onesided as onesided
from discreet.papers.claim import Claim, number

SAME = 1e-8
"""Numbers that differ by less are one: more than a program leaves open."""

FEW, BOUNDED = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0), (1, 2, 3)


def modulo(size: int, epsilon: float, **options: Any) -> Mechanism:
    """`design.cyclic`, without its warning that a large delta publishes the truth: the paper's deltas are large."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return design.cyclic(size=size, epsilon=epsilon, **options)


def distribution(mechanism: Mechanism) -> Floats:
    """The noise on a cycle, 0 first."""
    return mechanism.interior[0].values


def error_rate(mechanism: Mechanism) -> float:
    """The largest chance, over the true counts, that something else is published."""
    return float(1 - mechanism.matrix().diagonal().min())


def squared(mechanism: Mechanism) -> Floats:
    """E (q~ - q)^2 for every true count q; their mean is that of a uniform q."""
    matrix = mechanism.matrix()
    counts = np.arange(len(matrix))
    errors: Floats = (np.subtract.outer(counts, counts) ** 2 * matrix).sum(axis=0)
    return errors


def clamped(noise: Mechanism, n: int) -> Mechanism:
    """Additive noise on the counts 0..n, what leaves the range being moved to its nearer end."""
    outputs, chances = noise.pmf(0)
    matrix = np.zeros((n + 1, n + 1))
    for count in range(n + 1):
        np.add.at(matrix[:, count], np.clip(count + outputs, 0, n), chances)
    return Mechanism.from_matrix(matrix)


def clamped_geometric(n: int, epsilon: float, delta: float) -> Mechanism:
    """Clamped geometric noise that has this delta at epsilon, (1 - E alpha) / (1 + alpha)."""
    return design.geometric(alpha=(1 - delta) / (math.exp(epsilon) + delta), upper=n)


def unrestricted(
    n: int, epsilon: float, delta: float, cost: Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], Any]
) -> float:
    """The least worst-case cost of any (epsilon, delta)-private mechanism on the counts 0..n."""
    counts, alpha = np.arange(n + 1), math.exp(-epsilon)
    matrix = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)  # [true, published]
    pairs = [(q, q + 1) for q in range(n)] + [(q + 1, q) for q in range(n)]
    slack = matrix.size + np.arange(len(pairs) * (n + 1)).reshape(len(pairs), n + 1)
    largest = matrix.size + slack.size
    program = Program(largest + 1)
    program.cost[largest] = 1
    program.rows(matrix, 1.0, 1.0, 1.0)
    for (q, other), excess in zip(pairs, slack, strict=True):
        program.rows(np.column_stack([matrix[q], matrix[other], excess]), [alpha, -1.0, -1.0], -np.inf, 0.0)
        program.rows(excess[None], 1.0, -np.inf, alpha * delta)
    costs = np.asarray(cost(counts[:, None], counts[None, :]), dtype=np.float64)
    below = np.column_stack([matrix, np.full(n + 1, largest)])
    program.rows(below, np.column_stack([costs, np.full(n + 1, -1.0)]), -np.inf, 0.0)
    return float(program.solve(onesided.SECONDS)[largest])


# Claims


def claims() -> list[Claim]:
    """What Figures 5 to 8, 11, 12 and 14 are said to show."""
    return [*_figure_5(), *_figure_6(), *_figure_7(), *_other_figures()]


def row(values: Iterable[float], digits: int = 4) -> str:
    return " ".join(f"{value:.{digits}f}" for value in values)


def listed(differences: Sequence[int]) -> str:
    return " ".join(map(str, differences))


def promise(where: str, what: str, claimed: float, true: float, note: str = "") -> Claim:
    """The paper's delta of a law, and the two-sided one."""
    privacy = f"PRIVACY: delta {claimed:.4f} is {true:.4f} when neighbours are symmetric"
    broken = true > claimed + SAME
    return Claim(where, what, claimed, true, not broken, "; ".join(filter(None, [privacy if broken else "", note])))


def _figure_5() -> list[Claim]:
    """Errors against epsilon."""
    found = []
    for epsilon in FEW:
        at = f"n 8, epsilon {epsilon:g}, delta 0.3"
        law = onesided.definition_2(onesided.square(8), (1,), epsilon, 0.3)
        true = onesided.two_sided(law, (1,)).delta(epsilon)
        note = f"E Z^2 = {law @ np.arange(9) ** 2:.4f} as the paper counts, {at}"
        found.append(promise("Figure 5 (a)", f"delta of the noise of least E Z^2, {at}", 0.3, true, note))
        ours = float(squared(modulo(9, epsilon, delta=0.3, objective="uniform_prior")).mean())
        theirs = float(squared(clamped_geometric(8, epsilon, 0.3)).mean())
        shown = f"{ours:.4f}, clamped geometric {theirs:.4f}"
        note = (
            ""
            if ours < theirs
            else f"two-sided, modulo noise has {ours / theirs:.3g} times the mean squared error, {at}"
        )
        found.append(Claim("Figure 5 (a)", f"least MSE of a count, {at}", "outperforms", shown, ours < theirs, note))
    for epsilon in FEW:
        at = f"n 7, epsilon {epsilon:g}, delta 0.5"
        ours = error_rate(modulo(8, epsilon, delta=0.5))
        theirs = error_rate(clamped_geometric(7, epsilon, 0.5))
        least = unrestricted(7, epsilon, 0.5, lambda true, published: true != published)
        shown = f"{ours:.4f}, clamped geometric {theirs:.4f}"
        note = f"two-sided, and no mechanism has less in the worst case: {least:.4f}, {at}"
        holds = ours < theirs and abs(ours - least) < SAME
        found.append(Claim("Figure 5 (b)", f"least worst-case error rate, {at}", "outperforms", shown, holds, note))
    return found


def _figure_6() -> list[Claim]:
    """The constants of the figures, delta against epsilon at equal errors, and clamping."""
    found = []
    for where, text, paper, digits in (("Figures 6 and 8", "0.7", 3.38, 2), ("Figure 7 (a)", "0.2", 0.6101, 4)):
        alpha = float(text)
        chances = (1 - alpha) / (1 + alpha) * alpha ** np.abs(np.arange(-4, 5))
        cut = float(chances @ np.arange(-4, 5) ** 2)
        note = f"geometric noise cut to [-4, 4] and not normalised: a mass of {1 - chances.sum():.6f} is missing"
        found.append(number(where, f"MSE of geometric noise, alpha {text}", paper, cut, digits, note))
        true = float(squared(design.geometric(alpha=text, upper=8)).mean())
        note = "mean over q of the clamped noise that is drawn"
        found.append(number(where, f"the same, clamped to 0..8, alpha {text}", paper, true, digits, note))
    geometric = design.geometric(alpha="0.7", upper=8)
    allowed = float(squared(geometric).mean())
    for epsilon in (0.1, 0.2, 0.3, 0.5):
        ours = modulo(9, epsilon, objective="uniform_prior", distortion=allowed).delta(epsilon)
        found.append(_against("Figures 6 and 8", epsilon, allowed, ours, geometric.delta(epsilon)))
    epsilons = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0)
    for name, noise in (("geometric", design.geometric(alpha="0.7")), ("Gaussian", design.gaussian(sigma2="3.38"))):
        inside = clamped(noise, 8)
        for kind in ("dp", "pdp"):
            more = [inside.delta(e, kind=kind) > noise.delta(e, kind=kind) + SAME for e in epsilons]
            shown = f"increases at {sum(more)} of {len(more)}"
            post = f"clamping is post-processing: it never increases the delta of {name} noise"
            note = post if kind == "dp" else "" if any(more) else f"nor the probabilistic delta of {name} noise"
            what = f"clamping {name} noise to 0..8, {len(more)} epsilons, {kind.upper()}"
            found.append(Claim("Clamping", what, "increases delta", shown, any(more), note))
    return found


def _against(where: str, epsilon: float, allowed: float, ours: float, theirs: float) -> Claim:
    at = f"n 8, epsilon {epsilon:g}, MSE {allowed:.4f}"
    shown = f"{ours:.4f}, clamped geometric {theirs:.4f}"
    return Claim(
        where, f"least delta, {at}", "outperforms", shown, ours < theirs, f"two-sided and at equal MSE of a count, {at}"
    )


def _figure_7() -> list[Claim]:
    """The least delta at a given error."""
    found = []
    geometric = design.geometric(alpha="0.2", upper=8)
    allowed = float(squared(geometric).mean())
    for epsilon in (0.25, 0.5, 1.0, 1.5):
        law = onesided.definition_2(onesided.square(8), (1,), epsilon, None, 0.6101)
        claimed, true = onesided.probabilistic(law, (1,), epsilon), onesided.two_sided(law, (1,)).delta(epsilon)
        found.append(
            promise("Figure 7 (a)", f"least delta, E Z^2 at most 0.6101, n 8, epsilon {epsilon:g}", claimed, true)
        )
        ours = modulo(9, epsilon, objective="uniform_prior", distortion=allowed).delta(epsilon)
        found.append(_against("Figure 7 (a)", epsilon, allowed, ours, geometric.delta(epsilon)))
    response = onesided.two_sided(np.array([0.7] + [0.3 / 7] * 7), range(1, 8))
    for epsilon in (0.1, 0.5, 1.0, 1.5, 2.0):
        ours = modulo(8, epsilon, distortion=0.3).delta(epsilon)
        probabilistic = modulo(8, epsilon, distortion=0.3, privacy="pdp").delta(epsilon, kind="pdp")
        theirs = response.delta(epsilon)
        note = f"one-sided {onesided.least_delta(8, epsilon, 0.3):.4f}, two-sided probabilistic {probabilistic:.4f}"
        what = f"least delta, error rate 0.3, n 7, epsilon {epsilon:g}"
        shown = f"{ours:.4f}, randomized response {theirs:.4f}"
        found.append(Claim("Figure 7 (b)", what, "outperforms", shown, ours < theirs, note))
    return found


def _other_figures() -> list[Claim]:
    """Figures 11, 12 and 14 at the parameters named."""
    found = []
    wide = range(2, 10)
    for epsilon, delta in ((1.0, 0.2), (2.0, 0.0)):
        laws = [onesided.literal(9, range(1, mu + 1), epsilon, delta) for mu in wide]
        rates = [1 - law[0] for law in laws]
        both = [1 - distribution(modulo(10, epsilon, delta=delta, neighbours=range(1, mu + 1)))[0] for mu in wide]
        true = max(onesided.two_sided(law, range(1, mu + 1)).delta(epsilon) for mu, law in zip(wide, laws, strict=True))
        note = f"two-sided {row(both)}: from 5 on all values are neighbours; one-sided, the largest delta is {true:.4f}"
        what = f"error rate grows with mu = 2..9, n 9, epsilon {epsilon:g}, delta {delta:g}"
        found.append(Claim("Figure 11", what, None, row(rates), bool((np.diff(rates) > -SAME).all()), note))
    for epsilon, delta in ((0.5, 0.2), (1.0, 0.2), (2.0, 0.1)):
        drawn = 1 - float(onesided.literal(9, BOUNDED, epsilon, delta)[0])
        least = 1 - float(onesided.definition_2(onesided.wrong(9), BOUNDED, epsilon, delta)[0])
        both = 1 - distribution(modulo(10, epsilon, delta=delta, neighbours=BOUNDED))[0]
        what = f"least error rate, one-sided, n 9, mu 3, epsilon {epsilon:g}, delta {delta:g}"
        note = f"(13) as printed is not Definition 2, which allows {least:.4f}; two-sided and true {both:.4f}"
        found.append(Claim("Figure 12 (b)", what, drawn, least, abs(drawn - least) < SAME, note))
    for n, differences in ((10, (1, 2, 3, 4)), (16, (1, 3, 5, 6))):
        law = onesided.pure((n + 1,), differences, 1.0)
        at = f"n {n}, differences {listed(differences)}, epsilon 1"
        best = float(distribution(modulo(n + 1, 1.0, neighbours=differences))[0])
        note = f"f(0) = {law[0]:.4f}; two-sided the largest is {best:.4f}"
        found.append(
            promise("Figure 14", f"its delta, {at}", 0.0, onesided.two_sided(law, differences).delta(1.0), note)
        )
    return found
