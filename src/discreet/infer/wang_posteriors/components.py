"""Posteriors of true counts, given counts that were made to add up (Wang 2020).

Released are S non-negative integers k and their sum N. Noisy components and a noisy total went through algorithm 2, a
multinomial draw, or 3, its mode (`reconcile.wang`). The noise is two-sided geometric with ratio alpha, on every
component and on the total. The prior is flat: every true table of counts from 0 is equally likely. Then

    Pr[x | k]  ~  alpha**|N - sum x|  sum over noisy b of Pr[k | b, N]  product of Pr[b_i | x_i],

where N above 0 was the noisy total itself. The paper sums this over a window for S = 2. Here it is exact for any S,
because Pr[k | b, N] is a mixture of products: over the quotient of the last seat for algorithm 3
(`_multinomial_mode`), over the variable of a Gamma integral for algorithm 2 (`_multinomial_draw`). Given that variable
only the total couples the components (`_coupled`).

N = 0 says that the noisy total was 0 or less and nothing else, so Pr[x | k] ~ alpha**(sum x).

The part that is left out is bounded during the computation, and is below ACCURACY of the whole. Distributions of noises
and of their sums are cut at tails of mass 1e-20, and values of lambda are left out that together add less than that.
"""

import math
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from discreet.arrays import LARGEST_SUM, Floats, Integers
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number
from discreet.infer.posterior_value import Posterior
from discreet.infer.wang_posteriors._coupled import Part, Row, joint_posterior, marginal_posteriors, reach, trim
from discreet.infer.wang_posteriors._multinomial_draw import draw_rows
from discreet.infer.wang_posteriors._multinomial_mode import mode_rows

Algorithm = Literal["2", "3"]
Ties = Literal["first", "last", "random", "paper"]

ACCURACY = 1e-13
"""Largest part of the posterior that may be left out."""

SMALLEST_EPSILON = 0.05
"""Below this epsilon the noise reaches too far for a result in reasonable time."""

LARGEST_SUM_DRAW = 1_000_000
"""Largest total of algorithm 2. A draw spreads over ten times the root of the total, and time grows with its square."""


def wang(
    released: npt.ArrayLike,
    *,
    epsilon: Number | None = None,
    algorithm: Algorithm = "3",
    ties: Ties = "first",
    alpha: Number | None = None,
) -> list[Posterior]:
    """Return the exact posterior of each true component, given released components that add up to the released total.

    Parameters
    ----------
    released : array of int
        Integers from 0: the result of `reconcile.wang`. The total is their sum.
    epsilon, alpha
        Of the noise of one count; alpha is exp(-epsilon). Give one of them.
    algorithm
        The algorithm that made the components add up: "2" or "3".
    ties
        For algorithm "3": which component got a unit that several had an equal claim to. "first", "last" or "random".
        Give the rule of the release. `reconcile.wang` and the `wang-3` of a release break ties at random by default,
        so give "random" for them; it is not the default here. "paper" is "last" for two components, up to the rounding
        errors of the paper's rule. For more components "paper" depends on these errors, and is refused.

    Returns
    -------
    list of Posterior
        One for each component.

    Raises
    ------
    ParameterError
        The released counts are not integers from 0 or are too large, epsilon is below 0.05, or an option is unknown.

    Examples
    --------
    >>> import discreet as dc
    >>> for component in dc.infer.wang([3, 12, 0], epsilon=1, ties="random"):
    ...     print(component)
    Posterior(mode 3, mean 3.10, 95% within 1..5)
    Posterior(mode 12, mean 11.62, 95% within 8..15)
    Posterior(mode 0, mean 0.56, 95% within 0..3)
    """
    rows, total, rate = _rows(released, epsilon, algorithm, ties, alpha)
    posteriors, left_out, _ = marginal_posteriors(rows, total, rate)
    _require_accuracy(left_out, rate)
    return posteriors


# The parameters of `wang` are written out again, so that help and editors show them.
def pair(
    released: npt.ArrayLike,
    *,
    epsilon: Number | None = None,
    algorithm: Algorithm = "3",
    ties: Ties = "first",
    alpha: Number | None = None,
) -> tuple[Integers, Integers, Floats]:
    """Return the exact joint posterior of two true components, as in the paper's Tables 4 and 5.

    Parameters
    ----------
    released : array of int
        Two released components.
    epsilon, algorithm, ties, alpha
        As in `wang`.

    Returns
    -------
    tuple of arrays
        The values of the first component, the values of the second, and the table of their probabilities, with one row
        for each value of the first component.

    Raises
    ------
    ParameterError
        There are not two components, or as in `wang`.

    Examples
    --------
    >>> import discreet as dc
    >>> first, second, table = dc.infer.wang_pair([250, 357], epsilon=1, ties="random")
    >>> round(float(table[first == 250, second == 357][0]), 4)
    0.2136
    """
    rows, total, rate = _rows(released, epsilon, algorithm, ties, alpha)
    if (count := sum(len(part.members) for part in rows[0].parts)) != 2:
        raise ParameterError(f"released has {count} components; give 2, or use wang for the posterior of each")
    first_values, second_values, table, left_out = joint_posterior(rows, total, rate)
    _require_accuracy(left_out, rate)
    return first_values, second_values, table


def _require_accuracy(left_out: float, epsilon: float) -> None:
    if not left_out < ACCURACY:
        raise ParameterError(
            f"up to {left_out:.1g} of the posterior would be left out at epsilon {epsilon:.6g}; use a larger epsilon"
        )


def _rows(released: Any, epsilon: Any, algorithm: Any, ties: Any, alpha: Any) -> tuple[list[Row], int, float]:
    """Return the rows of the mixture, the total, and epsilon. Raise ParameterError for arguments out of range."""
    counts = _require_counts(released)
    tie_rule = _require_rule(algorithm, ties, len(counts))
    rate = float(Epsilon.of(epsilon, alpha))
    if rate < SMALLEST_EPSILON:
        raise ParameterError(f"epsilon is {rate:.6g}; give {SMALLEST_EPSILON} or more")
    total = int(counts.sum())
    if algorithm == "2" and total > LARGEST_SUM_DRAW:
        raise ParameterError(
            f"released counts add up to {total}; algorithm '2' is supported up to {LARGEST_SUM_DRAW}: release by"
            " algorithm '3', or infer from the measurements"
        )
    if total == 0:
        return [_zero_total_row(len(counts), rate)], 0, rate
    rows = draw_rows(counts, rate) if algorithm == "2" else mode_rows(counts, rate, tie_rule)
    return rows, total, rate


def _require_rule(algorithm: Any, ties: Any, components: int) -> str:
    """Return the rule of ties: "first", "last" or "random"."""
    if algorithm not in get_args(Algorithm):
        raise ParameterError(
            f"algorithm is {algorithm!r}; choose '2' or '3', the algorithm that made the counts add up"
        )
    if ties not in get_args(Ties):
        raise ParameterError(f"ties is {ties!r}; choose from {', '.join(get_args(Ties))}")
    if ties != "paper":
        return str(ties)
    if algorithm == "3" and components > 2:
        raise ParameterError(
            f"ties is 'paper' with {components} components; beyond 2 components the paper's rule depends on rounding"
            " errors: release with ties 'first', 'last' or 'random', and give that rule"
        )
    return "last"


def _zero_total_row(count: int, epsilon: float) -> Row:
    """Return the row of a released total of 0. With a tilt of epsilon the distribution of each count is alpha**x."""
    distribution, _ = trim(-math.expm1(-epsilon) * np.exp(-epsilon * np.arange(reach(epsilon))))
    return Row(0.0, epsilon, (Part(distribution, np.arange(count), np.zeros(count, np.int64)),))


def _require_counts(released: Any) -> Integers:
    if np.ma.is_masked(released):
        raise ParameterError("released has masked values; give the released count of every component")
    try:
        counts = np.asarray(released)
        if counts.dtype == object:
            counts = np.asarray(released, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("released is not a list of numbers; give one released count for each component") from None
    if counts.ndim != 1 or not counts.size:
        raise ParameterError(f"released has the shape {counts.shape}; give a list of one count or more")
    if counts.dtype.kind not in "iuf":
        raise ParameterError(f"released holds {counts.dtype.name} values; give integers from 0")
    wrong = ~np.isfinite(counts) | (counts < 0) | (counts != np.rint(counts))
    if wrong.any():
        raise ParameterError(
            f"released holds {counts[wrong][0]:g}; give integers from 0, as they were published after the counts were"
            " made to add up"
        )
    if float(counts.sum(dtype=np.float64)) > LARGEST_SUM:
        raise ParameterError("released counts add up to more than 2**42; give counts with a sum of at most 2**42")
    return counts.astype(np.int64)
