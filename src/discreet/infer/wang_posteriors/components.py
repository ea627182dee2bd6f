"""What counts that were made to add up say about the true ones (Wang 2020).

Released are S non-negative integers k and their sum N: the noisy components and the noisy total went through
algorithm 2, a multinomial draw, or 3, its mode (`reconcile.wang`). The noise is two-sided geometric with ratio alpha on
every component and on the total, and every true table of counts from 0 is as likely as any other beforehand. Then

    Pr[x | k]  ~  alpha**|N - sum x|  sum over noisy b of Pr[k | b, N]  product of Pr[b_i | x_i],

where N above 0 was the noisy total itself. The paper sums this over a window for S = 2. It is exact for any S, because
Pr[k | b, N] is a mixture of products: over the quotient of the last seat for algorithm 3 (`wang_mode`), over the
variable of a Gamma integral for algorithm 2 (`wang_draw`). Given that variable only the total ties the components
together (`coupled`).

N = 0 says that the noisy total was 0 or less and nothing else, so Pr[x | k] ~ alpha**(sum x).

What is left out is bounded while the sum is taken, and is below ACCURACY of the whole: laws of noises and of their sums
are cut where a tail holds 1e-20 of the whole, and values of lambda are left out that together add less than that.
"""

import math
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number
from discreet.infer.posterior_value import Posterior
from discreet.infer.wang_posteriors import _multinomial_draw, _multinomial_mode
from discreet.infer.wang_posteriors._coupled import Part, Row, joint, laws, reach, trim
from discreet.reconcile.inputs import LARGEST

Algorithm = Literal["2", "3"]
Ties = Literal["first", "last", "random", "paper"]

ACCURACY = 1e-13
"""The part of the posterior that may be left out."""

LEAST = 0.05
"""Below this epsilon the noise reaches farther than can be followed in reasonable time."""


LARGEST_DRAW = 1_000_000
"""The largest total of algorithm 2: a draw spreads over ten times its root, and time grows with the square of that."""


def wang(
    released: npt.ArrayLike,
    *,
    epsilon: Number | None = None,
    algorithm: Algorithm = "3",
    ties: Ties = "first",
    alpha: Number | None = None,
) -> list[Posterior]:
    """The exact posterior of each true component, given released components that add up to the released total.

    Parameters
    ----------
    released
        Integers from 0: what `reconcile.wang` gave. The total is their sum.
    epsilon, alpha
        Of the noise of one count; give one of them, alpha being exp(-epsilon).
    algorithm
        By which they were made to add up: "2" or "3".
    ties
        Who got a unit that several had an equal claim to, in "3": the "first", the "last", or "random". Give the rule
        of the release: `reconcile.wang` and the `wang-3` of a release break ties at random unless they are told
        otherwise, so for those it is "random", which is not the default here. "paper" is "last" for two components,
        but for its rounding errors; for more it depends on those, and is refused.

    Returns
    -------
    One `Posterior` for each component.
    """
    rows, total, rate = _rows(released, epsilon, algorithm, ties, alpha)
    found, left_out, _ = laws(rows, total, rate)
    _check(left_out, rate)
    return found


def pair(
    released: npt.ArrayLike,
    *,
    epsilon: Number | None = None,
    algorithm: Algorithm = "3",
    ties: Ties = "first",
    alpha: Number | None = None,
) -> tuple[Integers, Integers, Floats]:
    """The exact posterior of two true components together, as in the paper's Tables 4 and 5.

    Parameters are those of `wang`; `released` has two components.

    Returns
    -------
    The values of the first component, those of the second, and the table of their probabilities: one row for each value
    of the first.
    """
    rows, total, rate = _rows(released, epsilon, algorithm, ties, alpha)
    if (count := sum(len(part.members) for part in rows[0].parts)) != 2:
        raise ParameterError(f"released has {count} components; a pair has 2: use wang for the law of each")
    one, other, table, left_out = joint(rows, total, rate)
    _check(left_out, rate)
    return one, other, table


def _check(left_out: float, epsilon: float) -> None:
    if not left_out < ACCURACY:
        raise ParameterError(
            f"up to {left_out:.1g} of the posterior would be left out at epsilon {epsilon:.6g}; use a larger epsilon"
        )


def _rows(released: Any, epsilon: Any, algorithm: Any, ties: Any, alpha: Any) -> tuple[list[Row], int, float]:
    counts = _counts(released)
    if algorithm not in get_args(Algorithm):
        raise ParameterError(
            f"algorithm is {algorithm!r}; choose '2' or '3', the one by which the counts were made to add up"
        )
    if ties not in get_args(Ties):
        raise ParameterError(f"ties is {ties!r}; choose from {', '.join(get_args(Ties))}")
    if ties == "paper":
        if algorithm == "3" and len(counts) > 2:
            raise ParameterError(
                f"ties is 'paper' with {len(counts)} components; the paper's rule depends on rounding errors beyond 2:"
                " release with ties 'first', 'last' or 'random' and give that"
            )
        ties = "last"
    rate = float(Epsilon.of(epsilon, alpha))
    if rate < LEAST:
        raise ParameterError(f"epsilon is {rate:.6g}; the posterior is computed from {LEAST} on: give a larger one")
    total = int(counts.sum())
    if algorithm == "2" and total > LARGEST_DRAW:
        raise ParameterError(
            f"released counts add up to {total}; for algorithm '2' the posterior is computed up to {LARGEST_DRAW}:"
            " release by '3', or infer from the measurements"
        )
    if total == 0:
        return [_nothing(len(counts), rate)], 0, rate
    return (
        (_multinomial_draw.rows(counts, rate) if algorithm == "2" else _multinomial_mode.rows(counts, rate, ties)),
        total,
        rate,
    )


def _nothing(count: int, epsilon: float) -> Row:
    """All counts alike, seen through a total of 0: with a tilt of epsilon that is all in the law, alpha**x."""
    law, _ = trim(-math.expm1(-epsilon) * np.exp(-epsilon * np.arange(reach(epsilon))))
    return Row(0.0, epsilon, (Part(law, np.arange(count), np.zeros(count, np.int64)),))


def _counts(released: Any) -> Integers:
    if np.ma.is_masked(released):
        raise ParameterError("released has masked values; give the released count of every component")
    try:
        given = np.asarray(released)
        if given.dtype == object:
            given = np.asarray(released, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("released is no list of numbers; give one released count for each component") from None
    if given.ndim != 1 or not given.size:
        raise ParameterError(f"released has the shape {given.shape}; give one table, a list of one count or more")
    if given.dtype.kind not in "iuf":
        raise ParameterError(f"released holds {given.dtype.name} values; give integers from 0")
    bad = ~np.isfinite(given) | (given < 0) | (given != np.rint(given))
    if bad.any():
        raise ParameterError(
            f"released holds {given[bad][0]:g}; released counts are integers from 0: give what was published, after"
            " the counts were made to add up"
        )
    if float(given.sum(dtype=np.float64)) > LARGEST:
        raise ParameterError("released counts add up to more than 2**42; give counts within it")
    return given.astype(np.int64)
