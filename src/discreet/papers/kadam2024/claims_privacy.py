"""Claims about Kadam 2024's preliminaries: two notions of privacy, post-processing, and the set of differences."""

import math

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.mechanism import Mechanism
from discreet.papers.claim import Claim
from discreet.papers.kadam2024.claim_texts import SAME, comparison, formula, promise, row, statement
from discreet.papers.kadam2024.jumps import distinct, probabilistic_steps
from discreet.papers.kadam2024.one_sided import program_13, pure, two_sided
from discreet.papers.kadam2024.rivals import clamped, distribution, modulo
from discreet.papers.kadam2024.single_difference import theorem_2

BOUNDED = (1, 2, 3)
EPSILONS = np.linspace(0.1, 4, 40)


def theorem_1() -> list[Claim]:
    """PDP implies DP, and not the other way round."""
    noises: list[tuple[Floats, tuple[int, ...]]] = [
        (program_13(8, BOUNDED, 1.5, delta), BOUNDED) for delta in (0.0, 0.13, 0.16)
    ]
    generator = np.random.default_rng(1)
    noises += [(generator.dirichlet(np.full(6, 0.5)), (1,)) for _ in range(50)]
    excess = -math.inf
    for noise, differences in noises:
        mechanism = two_sided(noise, differences)
        for epsilon in EPSILONS[::4]:
            excess = max(excess, mechanism.delta(epsilon) - mechanism.delta(epsilon, kind="pdp"))
    what = "(epsilon, delta)-PDP implies (epsilon, delta)-DP: largest DP delta minus PDP delta, 53 noises, 10 epsilons"
    example = modulo(9, 1.0, delta=0.1)
    dp, pdp = example.delta(1), example.delta(1, kind="pdp")
    return [
        statement("Theorem 1", what, excess, excess < SAME),
        statement(
            "Theorem 1",
            "DP does not imply PDP: delta of the noise of least error rate, n 8, difference 1, epsilon 1, delta 0.1",
            f"DP {dp:.4f}, PDP {pdp:.4f}",
            pdp > dp + SAME,
        ),
    ]


def post_processing() -> list[Claim]:
    """The section on post-processing, and Proposition 1."""
    noise = design.gaussian(sigma2="3.38")
    before, after = noise.deltas(EPSILONS), clamped(noise, 8).deltas(EPSILONS)
    note = (
        "DP is closed under every post-processing, whatever delta is; only PDP is not: at epsilon 0.5 clamping takes"
        f" PDP from {noise.delta(0.5, kind='pdp'):.4f} to {clamped(noise, 8).delta(0.5, kind='pdp'):.4f}"
    )
    claims = [
        statement(
            "Section Post-processing",
            "for delta > 0 (epsilon, delta)-DP may be lost by clamping: largest increase of delta, Gaussian noise,"
            " sigma2 3.38, 0..8, 40 epsilons",
            float((after - before).max()),
            bool((after > before + SAME).any()),
            note,
        )
    ]
    mechanism = two_sided(program_13(8, BOUNDED, 1.5, 0.16), BOUNDED)
    matrix = mechanism.matrix()
    order = np.random.default_rng(2).permutation(9)
    change = max(abs(_pdp(matrix[order], BOUNDED, e) - _pdp(matrix, BOUNDED, e)) for e in EPSILONS)
    what = "an invertible map keeps the PDP delta: largest change, Table 1's noise for delta 0.1522, 40 epsilons"
    claims.append(statement("Proposition 1", what, float(change), change < SAME))
    onto = modulo(9, 1.0).matrix()
    merged = np.array([onto[[2 * i, 2 * i + 1]].sum(axis=0) if i < 4 else onto[8] for i in range(5)])
    left = _pdp(merged, (1,), 1.0)
    what = "a map that merges outputs keeps delta 0: PDP delta of pairs merged, n 8, epsilon 1"
    claims.append(statement("Proposition 1", what, left, left < SAME))
    pair = np.array([[0.1, 0.0], [0.4, 0.2], [0.5, 0.8]])
    together = np.array([pair[:2].sum(axis=0), pair[2]])
    first, then = (_one_way(noise, math.log(2)) for noise in (pair, together))
    claims.append(
        comparison(
            "Proposition 1",
            "merging two outputs, (.1, .4, .5) against (0, .2, .8), epsilon log 2",
            f"PDP {first:.1f} becomes {then:.1f}",
            "so neither condition can be left out; the DP delta is 0.1 before and 0.1 after",
        )
    )
    return claims


def _pdp(matrix: Floats, differences: tuple[int, ...], epsilon: float) -> float:
    """Return the PDP delta, in both directions, of a matrix of published by true values on a cycle."""
    size = matrix.shape[1]
    pairs = [(q, (q + mu) % size) for q in range(size) for mu in differences]
    return max(_one_way(matrix[:, pair], epsilon) for q, other in pairs for pair in ([q, other], [other, q]))


def _one_way(pair: Floats, epsilon: float) -> float:
    """Return the mass of the first column where it is more than E times the second."""
    p, q = pair.T
    return float(p[p > math.exp(epsilon) * q * (1 + 1e-12)].sum())


def differences() -> list[Claim]:
    """The set M of differences is one-sided: (6), Definitions 5 and 6."""
    claims = []
    for mu, n, epsilon in ((3, 7, 0.75), (2, 7, 0.75)):
        at = f"n {n}, difference {mu}, epsilon {epsilon:g}"
        noise = pure((n + 1,), (mu,), epsilon)
        claims += _promises("Definition 5", f"noise of Lemma 3, {at}", noise, (mu,), epsilon, 0.0)
        for delta in (0.05, 0.1, 0.2, 0.4):
            noise = theorem_2(n + 1, mu, epsilon, delta)
            claims += _promises("Definition 5", f"noise of Theorem 2, {at}", noise, (mu,), epsilon, delta)
    for bounded, n, epsilon in ((BOUNDED, 8, 1.5), ((1, 2, 3, 4), 10, 1.0)):
        at = f"n {n}, differences 1 to {len(bounded)}, epsilon {epsilon:g}"
        noise = pure((n + 1,), bounded, epsilon)
        claims += _promises("Definition 6", f"noise of Lemma 4, {at}", noise, bounded, epsilon, 0.0)
    return claims


def _promises(
    item: str, what: str, noise: Floats, differences: tuple[int, ...], epsilon: float, delta: float
) -> list[Claim]:
    mechanism = two_sided(noise, differences)
    best = distribution(modulo(len(noise), epsilon, delta=delta, neighbours=differences, public_classes=True))
    note = f"two-sided, the largest f(0) at delta {delta:g} is {best[0]:.4f}, not {noise[0]:.4f}"
    claims = [
        promise(item, f"its delta at delta {delta:g}, {what}", delta, mechanism.delta(epsilon), note, kind="formula")
    ]
    if delta == 0:
        true = mechanism.epsilon()
        note = f"PRIVACY: epsilon {epsilon:g} is {true:.4g} when neighbours are symmetric"
        claims.append(formula(item, f"its epsilon, {what}", epsilon, true, note))
    return claims


def uniform_noise() -> list[Claim]:
    """The remark on uniform noise before (8)."""
    uniform = design.uniform(n=8)
    mechanism = two_sided(np.full(9, 1 / 9), (1,))
    return [
        statement(
            "Section Optimal additive noise",
            "uniform noise has delta 0 at every epsilon and the error rate 1 - 1/(n+1); n 8: delta at epsilon 0.01,"
            " error rate",
            f"{mechanism.delta(0.01):.4f}, {1 - uniform.matrix()[0, 0]:.4f}",
            mechanism.delta(0.01) < SAME and abs(uniform.matrix()[0, 0] - 1 / 9) < SAME,
        )
    ]


def clamping() -> list[Claim]:
    """(55), (56) and Figure 6: what clamping does."""
    claims, n, alpha = [], 8, 0.7
    noise = (1 - alpha) / (1 + alpha) * alpha ** np.abs(np.arange(-60, 61))
    below = np.cumsum(noise)
    for q in (0, 4, 8):
        at = 60 + np.array([-q, n - q, n - q - 1])
        inside = math.fsum(noise[60 - q + 1 : 60 + n - q])
        printed, right = (float(below[at[0]] + inside + 1 - below[end]) for end in at[1:])
        note = f"the sum of (56) is {printed:.4f}; at k = n it has to be 1 - F(n - q - 1), then the sum is {right:.4f}"
        claims.append(formula("Equation (56)", f"sum over k, geometric noise, alpha 0.7, n 8, q {q}", printed, 1, note))
    shown = []
    for name, drawn in (("geometric", design.geometric(alpha="0.7")), ("Gaussian", design.gaussian(sigma2="3.38"))):
        inside_range = clamped(drawn, n)
        dp = float((inside_range.deltas(EPSILONS) - drawn.deltas(EPSILONS)).max())
        pdp = _largest_increase(drawn, inside_range)
        shown.append(pdp)
        note = f"DP: largest increase {max(dp, 0):.4f}, as clamping is post-processing"
        what = f"clamping {name} noise to 0..8 increases the PDP delta: largest increase, epsilon 0.05 to 2"
        claims.append(statement("Figure 6", what, pdp, pdp > SAME, note))
    what = "the effect is larger for Gaussian noise: largest increases of the PDP delta"
    claims.append(statement("Figure 6", what, row(shown), shown[1] > shown[0]))
    return claims


def _largest_increase(before: Mechanism, after: Mechanism) -> float:
    """Return by how much the PDP delta increases at most, over all steps of both."""
    ends = distinct(np.concatenate([probabilistic_steps(m, 0.05, 2.0)[0] for m in (before, after)]))
    middles = (ends[:-1] + ends[1:]) / 2
    return max(after.delta(e, kind="pdp") - before.delta(e, kind="pdp") for e in middles)
