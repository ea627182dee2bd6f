"""Discrete Gaussian noise: Pr[Z = z] proportional to exp(-z^2 / (2 sigma2)).

sigma2 is the parameter, not the variance. The variance is slightly smaller if sigma2 is below 1 (.2370 for sigma2 =
.2660). The noise has no pure privacy, so it has no epsilon of its own: certify it at the epsilon you need, and read
delta.

The noise is truncated to [-support, support], or cut where the mass beyond is at most `tail`. Probabilities are
computed in integers to 256 bits (`_gaussian_weights`), with gamma = 1/(2 sigma2).
"""

from fractions import Fraction
from itertools import islice, takewhile

from discreet.design import parameters
from discreet.design.additive import _gaussian_weights
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Number, text
from discreet.mechanism import Mechanism

SMALLEST, LARGEST = Fraction(1, 1000), 10**10


def gaussian(*, sigma2: Number, support: int | None = None, tail: Number = parameters.TAIL) -> Mechanism:
    """Return discrete Gaussian noise on unbounded counts.

    Parameters
    ----------
    sigma2 : Number
        The parameter of the noise, close to its variance.
    support : int, optional
        Farthest noise. None: the noise is cut by `tail`.
    tail : Number
        Largest mass beyond the cut, if `support` is not given.

    Returns
    -------
    Mechanism
        The noise, without an epsilon of its own.

    Raises
    ------
    ParameterError
        A parameter is outside its range.

    Examples
    --------
    >>> import discreet as dc
    >>> noise = dc.design.gaussian(sigma2=4)
    >>> noise.design["support"], round(noise.variance(0), 9)
    (14, 4.0)
    """
    parameter = parameters.positive(sigma2, "sigma2")
    if not SMALLEST <= parameter <= LARGEST:
        raise ParameterError(
            f"sigma2 is {sigma2!r}; give a number from {float(SMALLEST)} to {LARGEST:.0e}: less is no noise at all"
        )
    mass = parameters.tail(tail)
    design = {"name": "gaussian", "sigma2": text(parameter)}
    weights = _gaussian_weights.weights(1 / (2 * parameter))
    if support is None:
        half = parameters.cut(weights, _gaussian_weights.SHIFT, mass, "choose a smaller sigma2 or a larger tail")
        design |= {"tail": str(tail)}
    else:
        half = list(takewhile(bool, (weight for weight, _ in islice(weights, parameters.support(support) + 1))))
    noise = parameters.symmetric_noise(half)
    return Mechanism(Counts(), interior=(noise,), design={**design, "support": len(half) - 1})
