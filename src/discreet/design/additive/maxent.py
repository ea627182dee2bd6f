"""Maximum-entropy noise on [-D, D] (Sadeghi and Chien 2023, the method of the Australian Bureau of Statistics).

Of all noise on [-D, D] (`support`) with mean 0 and variance V, the noise of largest entropy is

    p(z) = c exp(-gamma z^2),      sum z^2 p(z) = V.

V falls as gamma grows, from D(D+1)/3 at gamma = 0, the uniform distribution. There are three ways to choose gamma
(`maxent_gamma` has the mathematics):

    support and variance    the gamma that has the variance
    epsilon and support     the gamma of least delta, or with variant="paper" the paper's gamma
    epsilon and delta       the same for the smallest D that meets delta. Doubling and bisection in floats find D; the
                            noise is computed in integers (`_gaussian_weights`), and its exact delta is compared with
                            the target

Counts below D. By default all counts have the same noise, so outputs may be negative, and the guarantee of the
noise holds. Two alternatives keep outputs at 0 or more: small="sdc" (`_small_counts_ptable`), the tables of the R
package ptable, whose delta is large; and small="joint" (`_small_counts_joint`), one program over all small counts that
holds delta to a target.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from discreet.design import parameters
from discreet.design.additive import _gaussian_weights, _small_counts_joint, _small_counts_ptable, maxent_gamma
from discreet.design.additive._small_counts_ptable import PtableOptions
from discreet.domain import Counts
from discreet.errors import ParameterError, PrecisionWarning
from discreet.exact import Epsilon, Number, text
from discreet.mechanism import Mechanism, Row

FARTHEST = 700
"""Noise z with gamma z^2 above this has probability 0 in every sense that matters."""

SMALLEST_DELTA = Fraction(1, 10**200)
"""Below this no table holds the noise, and no float holds its delta."""

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
    """Return maximum-entropy noise on unbounded counts.

    Give support and variance, or epsilon and delta (for the smallest support), or epsilon and support (for the least
    delta).

    Parameters
    ----------
    support : int, optional
        Farthest noise.
    variance : Number, optional
        Variance of the noise.
    epsilon : Number, optional
        Privacy of one count. Beside support and variance, the epsilon at which to certify.
    delta : Number, optional
        Delta at epsilon, at most.
    variant : str, optional
        None for the gamma of least delta; "paper" for the gamma of Sadeghi 2023.
    small : str, optional
        None: every count has the same noise. "sdc": a count of 0 stays 0, and outputs are 0 or more, as in the tables
        of the R package ptable. "joint": outputs are 0 or more, unbiased from count 1 on, and delta is met.
    js : int
        With small="sdc": no output from 1 to js.
    pstay : Number or sequence of Number, optional
        With small="sdc": least chance of the true count; one number, or one for each row from count 1 on.
    mono : bool or sequence of bool
        With small="sdc": True if probabilities rise towards the true count from below; one value, or one for each row.
    fixed : bool
        With small="sdc": True if every row from count 1 on has exactly the variance, instead of at most the variance.
    bias : Number, optional
        With small="joint": largest bias of a count of 0. None: any bias.
    alpha : Number, optional
        exp(-epsilon), instead of epsilon; it is then exact.
    time_limit : float
        With small="joint": seconds after which the program is given up.

    Returns
    -------
    Mechanism
        The noise. `design["support"]` and `design["gamma"]` are what was chosen.

    Raises
    ------
    ParameterError
        A parameter is outside its range, the parameters are none of the combinations above, or no noise meets them.
    SolverError
        With small="joint": Clarabel is not installed, or the program was not solved in time.

    Warns
    -----
    PrecisionWarning
        The support is too narrow for the variance. The noise is then uniform.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.design.maxent(epsilon="0.5", delta="1e-4").design["support"]
    24
    >>> round(dc.design.maxent(support=11, variance=4).variance(100), 9)
    4.0
    """
    request = _Request.read(support, variance, epsilon, alpha, delta, variant, small)
    options = PtableOptions(js, pstay, mono, fixed)
    if small != "sdc" and options.given():
        raise ParameterError(f"js, pstay, mono and fixed are for small='sdc', and small is {small!r}; leave them out")
    if small != "joint" and bias is not None:
        raise ParameterError(f"bias is {bias!r} and small is {small!r}; bias is for small='joint': leave it out")
    if small == "sdc":
        return _ptable_rows(request, options)
    if small == "joint":
        return _joint_rows(request, None if bias is None else parameters.positive(bias, "bias"), time_limit)
    return _same_noise(request)


@dataclass(frozen=True)
class _Request:
    """The parameters of the noise, each checked. None: not given."""

    support: int | None
    variance: Fraction | None
    privacy: Epsilon | None
    delta: Fraction | None
    variant: str | None
    small: str | None

    @classmethod
    def read(
        cls,
        support: int | None,
        variance: Number | None,
        epsilon: Number | None,
        alpha: Number | None,
        delta: Number | None,
        variant: str | None,
        small: str | None,
    ) -> "_Request":
        """Check each parameter alone, and the variant with small counts. Raise ParameterError if one is wrong."""
        if variant not in (None, "paper"):
            raise ParameterError(f"variant is {variant!r}; give None for the best gamma or 'paper' for Sadeghi 2023's")
        if small not in (None, "sdc", "joint"):
            raise ParameterError(f"small is {small!r}; give None, 'sdc' or 'joint'")
        if small is not None and variant is not None:
            raise ParameterError(
                f"variant is {variant!r} and small is {small!r}; the paper has no rule for small counts: leave one out"
            )
        target = None if delta is None else parameters.probability(delta, "delta")
        if target is not None and target < SMALLEST_DELTA:
            raise ParameterError(f"delta is {delta!r}; below 1e-200 no table can hold it: give a larger one")
        return cls(
            None if support is None else parameters.support(support),
            None if variance is None else parameters.positive(variance, "variance"),
            None if epsilon is None and alpha is None else Epsilon.of(epsilon, alpha),
            target,
            variant,
            small,
        )

    @property
    def design(self) -> dict[str, Any]:
        """The entries that every way to design the noise has."""
        return {
            "name": "maxent",
            **(self.privacy.parameters if self.privacy else {}),
            **({"variant": self.variant} if self.variant else {}),
        }

    def rule(self, privacy: Epsilon, support: int) -> Fraction:
        """Return gamma for a support: the best knot, or the paper's gamma."""
        rule = maxent_gamma.best_knot if self.variant is None else maxent_gamma.paper_rule
        return rule(privacy, support)

    def refused(self) -> ParameterError:
        """Return the error for parameters that are no combination."""
        values = {"support": self.support, "variance": self.variance, "epsilon": self.privacy, "delta": self.delta}
        given = [name for name, value in values.items() if value is not None]
        options = {"variant": self.variant, "small": self.small}
        given += [f"{name}={value!r}" for name, value in options.items() if value is not None]
        return ParameterError(f"given is {', '.join(given) or 'nothing'}; {COMBINATIONS}")


def _same_noise(request: _Request) -> Mechanism:
    """Return the same noise for all counts, in one of the three ways of the module's docstring."""
    match request.support, request.variance, request.privacy, request.delta:
        case int(support), Fraction() as variance, _, None if request.variant is None:
            return _noise_of_variance(request, support, variance)
        case int(support), None, Epsilon() as privacy, None:
            gamma = request.rule(privacy, support)
            return _noise(gamma, _half(gamma, support), request.design)
        case None, None, Epsilon() as privacy, Fraction() as target:
            return _noise_of_smallest_support(request, privacy, target)
    raise request.refused()


def _noise_of_variance(request: _Request, support: int, variance: Fraction) -> Mechanism:
    most = maxent_gamma.largest_variance(support)
    if variance > most:
        warnings.warn(
            f"variance is {text(variance)}; on [-{support}, {support}] the variance is at most {text(most)}, that of"
            " the uniform distribution, which is returned: give a larger support for more variance",
            PrecisionWarning,
            stacklevel=4,
        )
    gamma = maxent_gamma.of_variance(support, variance)
    return _noise(gamma, _half(gamma, support), {**request.design, "variance": text(variance)})


def _noise_of_smallest_support(request: _Request, privacy: Epsilon, target: Fraction) -> Mechanism:
    """Return the noise of smallest support that meets the target: doubling and bisection in floats, an exact check."""
    epsilon = float(privacy)
    goal = float(target) * (1 + 1e-12)  # the margin exceeds the error of floats: the exact check decides

    def meets(support: int) -> bool:
        last_knot = epsilon / (2 * support - 1)
        if request.variant is None and maxent_gamma.float_delta(last_knot, epsilon, support) <= goal:
            return True  # the best knot is at least as good, and need not be searched
        return maxent_gamma.float_delta(float(request.rule(privacy, support)), epsilon, support) <= goal

    low, high = 0, 1
    while not meets(high):
        low, high = high, 2 * high
        parameters.reach(high, "choose a larger epsilon or delta")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    while True:
        gamma = request.rule(privacy, high)
        half = _half(gamma, high)
        if maxent_gamma.exact_delta(half, privacy) <= target:
            return _noise(gamma, half, {**request.design, "delta": text(target)})
        high += 1


def _ptable_rows(request: _Request, options: PtableOptions) -> Mechanism:
    """Return the tables of the R package ptable, each small count with a row of its own."""
    match request.support, request.variance, request.delta:
        case int(support), Fraction() as variance, None:
            rows, noise, chosen = _small_counts_ptable.table(support, variance, options)
            entries = {"support": support, "variance": text(variance), "small": "sdc", **chosen}
            return Mechanism(Counts(), rows, (noise,), design={**request.design, **entries})
    raise request.refused()


def _joint_rows(request: _Request, bias: Fraction | None, time_limit: float) -> Mechanism:
    """Return rows of all small counts together, with outputs of 0 or more and a delta that is met."""
    match request.support, request.variance, request.privacy, request.delta:
        case int(support), Fraction() as variance, Epsilon() as privacy, Fraction() as target:
            limits = _small_counts_joint.Limits(privacy, target, support, variance, bias)
            rows, noise = _small_counts_joint.table(limits, parameters.seconds(time_limit))
            entries = {"delta": text(target), "support": support, "variance": text(variance), "small": "joint"}
            entries |= {} if bias is None else {"bias": text(bias)}
            return Mechanism(Counts(), rows, (noise,), design={**request.design, **entries})
    raise request.refused()


def _half(gamma: Fraction, support: int) -> list[int]:
    """Return integers in proportion to p(0), ..., p(support). Raise ParameterError if the last never occurs."""
    if gamma * support**2 > FARTHEST:
        raise ParameterError(
            f"support is {support}; at gamma {float(gamma):.3g} noise beyond {math.isqrt(int(FARTHEST / gamma))} never"
            " occurs: give at most that as support"
        )
    return _gaussian_weights.half(gamma, support)


def _noise(gamma: Fraction, half: Sequence[int], design: dict[str, Any]) -> Mechanism:
    noise = parameters.symmetric_noise(half)
    return Mechanism(Counts(), interior=(noise,), design={**design, "support": len(half) - 1, "gamma": float(gamma)})


def paper_table(mechanism: Mechanism, bits: int) -> Mechanism:
    """Return the paper's lookup table of maximum-entropy noise: thresholds ceil(2**bits F(z)), exactly.

    F is the distribution function of the noise. The bias of the table is exactly -D/2**bits, and its delta is at least
    the design's. `Mechanism.certify` of the noise itself has neither fault. Weights may be 0. To have the table as
    a `PTable`, certify it at the same bits.

    Parameters
    ----------
    mechanism : Mechanism
        Noise made by `maxent` without `small`.
    bits : int
        From 8 to 62.

    Returns
    -------
    Mechanism
        The table, whose probabilities are multiples of 2**-bits.

    Raises
    ------
    ParameterError
        The mechanism is not one row of exact noise, or bits are outside the range.

    Examples
    --------
    >>> from discreet.design import maxent
    >>> from discreet.design.additive.maxent import paper_table
    >>> paper_table(maxent(support=8, variance=4), bits=16).bias(100) == -8 / 2**16
    True
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
