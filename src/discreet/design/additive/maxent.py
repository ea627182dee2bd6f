"""Maximum-entropy noise on [-D, D] (Sadeghi and Chien 2023, the method of the Australian Bureau of Statistics).

Of all noise on [-D, D] (`support`) with mean 0 and variance V, the one of largest entropy is

    p(z) = c exp(-gamma z^2),      sum z^2 p(z) = V.

V falls as gamma grows, from D(D+1)/3 at gamma = 0, the uniform law. A step is p(z)/p(z+1) = exp(gamma (2z+1)), so
with E = e^epsilon and T(z) = p(z) + ... + p(D) the exact delta is (Proposition 2)

    delta(epsilon) = T(k) - E T(k+1),     k the least z with gamma (2z+1) > epsilon, at most D.

Knots. For a given epsilon and D, delta as a function of gamma has its corners at gamma_j = epsilon/(2j-1), where
the step from j-1 to j is E exactly and k = j:

    delta_j(D) = [w(j) - (E-1) (w(j+1) + ... + w(D))] / [1 + 2 (w(1) + ... + w(D))],     w(z) = exp(-gamma_j z^2).

The numerator falls and the denominator grows with D, so every delta_j falls with D, and so does the least of
them. The best gamma was a knot in every case tried, and delta_j falls and then rises in j; so the best knot for D
is found by bisection, and the smallest D whose best knot meets a target by another. What is returned is computed
in integers (`bell`) and its delta compared with the target once more, exactly.

The paper takes gamma inside [epsilon/(2D+1), epsilon/(2D-1)], where only the end is lost and delta = p(D), and
holds (Remark 1) that the right end is not allowed. It is: there the last step is E, not more. It is knot D, the
best of the interval, and seldom the best of all. variant="paper" is the paper's rule, gamma = epsilon/(2D-1) less
a tenth of the interval.

Counts below D: by default they have the same noise as all others, which may publish less than 0, and the
guarantee is that of the noise. Two alternatives keep outputs at 0 or more: small="sdc" (`sdc`), the tables of the
R package ptable, whose delta is large; and small="joint" (`joint`), one program over all small counts that holds
delta to a target.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.design import parameters
from discreet.design.additive import _gaussian_weights, _small_counts_joint, _small_counts_ptable
from discreet.domain import Counts
from discreet.errors import ParameterError, PrecisionWarning
from discreet.exact import Epsilon, Number, text
from discreet.mechanism import Mechanism, Row

FARTHEST = 700
"""Noise z with gamma z^2 above this has probability 0 in every sense that matters."""

SMALLEST_DELTA = Fraction(1, 10**200)
"""Below this no table holds the noise, and no float its delta."""

COMBINATIONS = (
    "give support and variance, or epsilon and delta, or epsilon and support (these two also with variant='paper');"
    " with small='sdc' give support and variance, with small='joint' all four"
)


def maxent(
    *,
    support: int | None = None,
    variance: Number | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    variant: str | None = None,
    small: str | None = None,
    js: int = 0,
    pstay: Number | Sequence[Number] | None = None,
    mono: bool | Sequence[bool] = True,
    fixed: bool = False,
    bias: Number | None = None,
    alpha: Number | None = None,
    time_limit: float = 60.0,
) -> Mechanism:
    """Maximum-entropy noise on unbounded counts.

    Give support and variance, or epsilon and delta (the smallest support that meets them), or epsilon and support
    (the least delta).

    Parameters
    ----------
    support
        Farthest noise.
    variance
        Variance of the noise.
    epsilon
        Privacy of one count. Beside support and variance: where to certify.
    delta
        The other half of the privacy.
    variant
        None for the best gamma; "paper" for Sadeghi 2023's.
    small
        None: every count has the same noise. "sdc": zeros stay, outputs are 0 or more, as the R package ptable makes
        them. "joint": outputs are 0 or more, unbiased from count 1 on, and delta is met.
    js
        With small="sdc": no output from 1 to js.
    pstay
        With small="sdc": chance of the true count, at least; one, or one for each row from count 1 on.
    mono
        With small="sdc": whether probabilities rise towards the true count from below; one, or one for each row.
    fixed
        With small="sdc": the variance is met by every row from count 1 on, instead of being the most it may have.
    bias
        With small="joint": largest bias of a count of 0. None: as it comes.
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    time_limit
        Seconds after which the program of small="joint" is given up.
    """
    if variant not in (None, "paper"):
        raise ParameterError(f"variant is {variant!r}; give None for the best gamma or 'paper' for Sadeghi 2023's")
    if small not in (None, "sdc", "joint"):
        raise ParameterError(f"small is {small!r}; give None, 'sdc' or 'joint'")
    if small != "sdc" and (js or pstay is not None or np.atleast_1d(mono).tolist() != [True] or fixed):
        raise ParameterError(f"js, pstay, mono and fixed are for small='sdc', and small is {small!r}; leave them out")
    if small != "joint" and bias is not None:
        raise ParameterError(f"bias is {bias!r} and small {small!r}; it is for small='joint': leave it out")
    at = None if epsilon is None and alpha is None else Epsilon.of(epsilon, alpha)
    reach = None if support is None else parameters.support(support)
    spread = None if variance is None else parameters.positive(variance, "variance")
    target = None if delta is None else parameters.probability(delta, "delta")
    if target is not None and target < SMALLEST_DELTA:
        raise ParameterError(f"delta is {delta!r}; below 1e-200 no table can hold it: give a larger one")
    if small is not None and variant is not None:
        raise ParameterError(
            f"variant is {variant!r} and small {small!r}; the paper's rule is for noise alone: leave one out"
        )
    rule = best if variant is None else interval
    design: dict[str, Any] = {
        "name": "maxent",
        **(at.parameters if at else {}),
        **({"variant": variant} if variant else {}),
    }
    match small, reach, spread, at, target:
        case "sdc", int(d), Fraction() as v, _, None:
            rows, noise, options = _small_counts_ptable.table(d, v, js, pstay, mono, fixed)
            design |= {"support": d, "variance": text(v), "small": "sdc", **options}
            return Mechanism(Counts(), rows, (noise,), design=design)
        case "joint", int(d), Fraction() as v, Epsilon() as privacy, Fraction() as goal:
            most = None if bias is None else parameters.positive(bias, "bias")
            rows, noise = _small_counts_joint.table(privacy, goal, d, v, most, parameters.seconds(time_limit))
            design |= {"delta": text(goal), "support": d, "variance": text(v), "small": "joint"}
            design |= {} if most is None else {"bias": text(most)}
            return Mechanism(Counts(), rows, (noise,), design=design)
        case None, int(d), Fraction() as v, _, None if variant is None:
            gamma = of_variance(d, v)
            return _noise(gamma, _half(gamma, d), {**design, "variance": text(v)})
        case None, int(d), None, Epsilon() as privacy, None:
            gamma = rule(privacy, d)
            return _noise(gamma, _half(gamma, d), design)
        case None, None, None, Epsilon() as privacy, Fraction() as goal:
            return _smallest(privacy, goal, rule, {**design, "delta": text(goal)})
    named = {"support": support, "variance": variance, "epsilon": at, "delta": delta}
    given = [name for name, value in named.items() if value is not None]
    given += [f"{name}={value!r}" for name, value in (("variant", variant), ("small", small)) if value is not None]
    raise ParameterError(f"given is {', '.join(given) or 'nothing'}; {COMBINATIONS}")


def of_variance(support: int, variance: Fraction) -> Fraction:
    """gamma of the noise on [-support, support] with that variance, by bisection down to neighbouring floats.

    Where the support is too narrow for the variance, the entropy is largest for the uniform law: gamma 0.
    """
    most = Fraction(support * (support + 1), 3)
    if variance > most:
        warnings.warn(
            f"variance is {text(variance)}; on [-{support}, {support}] it is at most {text(most)}, that of the uniform"
            " law, which is what this is: give a larger support for more",
            PrecisionWarning,
            stacklevel=4,
        )
    if variance >= most:
        return Fraction(0)
    goal = float(variance)
    low, high = 0.0, 1.0
    while _variance(high, support) > goal:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _variance(middle, support) > goal else (low, middle)
    return Fraction(high)


def best(at: Epsilon, support: int) -> Fraction:
    """The knot epsilon/(2j-1) of least delta: delta falls and then rises with j."""
    epsilon, low, high = float(at), 1, support

    def delta(j: int) -> float:
        return float_delta(epsilon / (2 * j - 1), epsilon, support)

    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if delta(middle + 1) < delta(middle) else (low, middle)
    return _exponent(at) / (2 * low - 1)


def interval(at: Epsilon, support: int) -> Fraction:
    """The paper's gamma: epsilon/(2D-1), less a tenth of the way to epsilon/(2D+1)."""
    right, left = _exponent(at) / (2 * support - 1), _exponent(at) / (2 * support + 1)
    return right - (right - left) / 10


def float_delta(gamma: float, epsilon: float, support: int) -> float:
    """delta(epsilon) in floats, a sum of positive terms: p(z) - E p(z+1) = p(z) (1 - exp(epsilon - gamma (2z+1)))."""
    z = np.arange(0.0, support + 1)
    weights = np.exp(-gamma * (z * z))
    first = support if 2 * gamma * support <= epsilon else int(epsilon / (2 * gamma))
    excess = np.clip(-np.expm1(epsilon - gamma * (2 * z[first:] + 1)), 0.0, None)
    excess[-1] = 1.0
    return float(weights[first:] @ excess / (2 * weights.sum() - 1))


def exact_delta(half: Sequence[int], at: Epsilon) -> Fraction:
    """The exact delta of the noise in proportion to half[|z|], falling in |z|, at the rational E <= e^epsilon."""
    up, down = at.exp.numerator, at.exp.denominator
    steps = zip(half, [*half[1:], 0], strict=True)
    excess = sum(gap for here, beyond in steps if (gap := down * here - up * beyond) > 0)
    return Fraction(excess, down * (2 * sum(half) - half[0]))


def paper_table(mechanism: Mechanism, bits: int) -> Mechanism:
    """The paper's lookup table of such noise, exactly: thresholds ceil(2**bits F(z)), F the distribution function.

    Its bias is exactly -D/2**bits, and its delta is at least the design's; `Mechanism.certify` of the noise itself has
    neither fault. Weights may be 0. Certify it at the same bits to have it as a table.
    """
    size = parameters.integer(bits, "bits", 8, 62, "a key of 32 bits suits most tables")
    noise = mechanism.interior[0] if len(mechanism.interior) == 1 and not mechanism.rows else None
    if noise is None or noise.numerators is None:
        raise ParameterError("the mechanism is not one row of exact noise; make it with maxent(...), small left out")
    thresholds, mass = [0], 0
    for weight in noise.numerators:
        mass += weight
        thresholds.append(-(-(mass << size) // noise.denominator))
    weights = [after - before for before, after in pairwise(thresholds)]
    design = {**mechanism.design, "variant": "paper table", "bits": size}
    return Mechanism(mechanism.domain, interior=(Row.exact(noise.first, weights, 1 << size),), design=design)


def _exponent(at: Epsilon) -> Fraction:
    """epsilon; where alpha was given, the float below its logarithm, so that no step of a knot passes 1/alpha."""
    return Fraction(math.nextafter(float(at), 0)) if at.exponent is None else at.exponent


def _variance(gamma: float, support: int) -> float:
    squares = np.arange(0.0, support + 1) ** 2
    weights = np.exp(-gamma * squares)
    return float(2 * (squares @ weights) / (2 * weights.sum() - 1))


def _half(gamma: Fraction, support: int) -> list[int]:
    """The noise of 0..support in integers."""
    if gamma * support**2 > FARTHEST:
        raise ParameterError(
            f"support is {support}; at gamma {float(gamma):.3g} noise beyond {math.isqrt(int(FARTHEST / gamma))} never"
            " occurs: give at most that as support"
        )
    return _gaussian_weights.half(gamma, support)


def _noise(gamma: Fraction, half: Sequence[int], design: dict[str, Any]) -> Mechanism:
    noise = parameters.symmetric_noise(half)
    return Mechanism(Counts(), interior=(noise,), design={**design, "support": len(half) - 1, "gamma": float(gamma)})


def _smallest(
    at: Epsilon, target: Fraction, rule: Callable[[Epsilon, int], Fraction], design: dict[str, Any]
) -> Mechanism:
    """The smallest support whose gamma meets the target: doubling and bisection in floats, then an exact check."""
    goal = float(target) * (1 + 1e-12)  # more than floats are wrong by: the exact check decides

    def meets(support: int) -> bool:
        if rule is best and float_delta(float(at) / (2 * support - 1), float(at), support) <= goal:
            return True  # the last knot does already
        return float_delta(float(rule(at, support)), float(at), support) <= goal

    low, high = 0, 1
    while not meets(high):
        low, high = high, 2 * high
        parameters.reach(high, "choose a larger epsilon or delta")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    while True:
        gamma = rule(at, high)
        half = _half(gamma, high)
        if exact_delta(half, at) <= target:
            return _noise(gamma, half, design)
        high += 1
