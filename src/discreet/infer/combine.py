"""Sums, differences, ratios and shares of counts whose beliefs are independent.

Beliefs are independent where the counts are of different people and were measured with noise of their own: the cells of
one table, or the same cell in two versions of the data. A cell and its margin are not (the margin is at least the
cell), nor is a cell and itself. A release folder knows which cells overlap and refuses those (`infer.folder`); these
functions cannot know.

Counts are not below 0, so a flat prior on each of many empty cells makes their sum large: thirteen empty cells measured
with a standard deviation of 13 came out as 97 to 220. `measured_total` puts the prior on the sum instead. The
measurements of n cells with plain noise add up to the sum of the counts plus the sum of n noises, whose law is a
convolution, and that is all it uses.

Sums and differences are convolutions, added up term by term with no term below 0, so every probability keeps its
digits. A belief whose last value means "that or more" (`open_end`) has no sum, difference or ratio, and is refused.
Ends of a sum that weigh less than 1e-18 are left out. A ratio or share is a finite number of pairs; where these
are too many it is sampled, and the result says how far its mean may be off.

A belief about a count that was measured near 0 is mostly above it, and by tails of equal size the change from 100 to a
true 0 would be held in 91% of cases under noise of standard deviation 13. So the interval of a difference a - b has 0 -
(the end of b's interval) where the interval of a has 0, and (the end of a's) - 0 where that of b has it.

The interval of a ratio a / b or share a / (a + b) leaves out tails of equal size, but no more of the small counts than
the intervals of a and b do (`belief.credible`). Where that of a, given that the ratio is defined, reaches down to the
least value because it is no less likely than the last one taken, as 0 is for a part that was measured below it, the
interval of the ratio reaches down to what it is there; and up, where that of b does. So a true part of 0 is held by the
interval of its share wherever it is held by its own.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.domain import LARGEST, Counts, Cycle
from discreet.errors import ParameterError
from discreet.exact import Number, exact
from discreet.infer import prior as priors
from discreet.infer._likelihood import Likelihood
from discreet.infer.posterior_value import Posterior, credible, ends
from discreet.infer.posteriors import certified, integers
from discreet.reconcile import tie_breaking

PAIRS = 4_000_000
"""Pairs of values up to which a ratio is enumerated."""

SAMPLES = 1_000_000

_END = 1e-18
_KEPT = 4096
"""Values up to which no end is left out."""

_LONGEST = 1 << 24
_MOST_TERMS = 4e10


@dataclass(frozen=True)
class Estimate:
    """A number that is not a count: a ratio or a share.

    Attributes
    ----------
    mean
        What it is on average.
    low, high
        It lies between them with a probability of at least `level`.
    undefined
        The probability that the denominator is 0; these cases are left out of all the others.
    error
        None where the pairs were enumerated. Else one standard error of the sampled mean; low and high were then
        moved outward by three standard errors of their ranks.
    """

    mean: float
    low: float
    high: float
    level: float
    undefined: float
    error: float | None


def total(beliefs: Sequence[Posterior]) -> Posterior:
    """The sum of counts whose beliefs are independent."""
    if isinstance(beliefs, Posterior) or not isinstance(beliefs, Iterable):
        raise ParameterError(f"the beliefs are {beliefs!r:.60}; give a list of what posterior(...) returns")
    given = list(beliefs)
    if len(given) == 1 and not _posterior(given[0]).residues:
        return _posterior(given[0])
    parts = [_dense(belief) for belief in given]
    if not parts:
        raise ParameterError("there is nothing to add up; give at least one posterior")
    while len(parts) > 1:  # neighbours first, so that the factors stay short
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [_convolved(one, other) for one, other in pairs] + (parts[-1:] if len(parts) % 2 else [])
    return _belief(*parts[0])


def measured_total(ptable: PTable, observed: npt.ArrayLike, prior: Any = None) -> Posterior:
    """What the measurements of several cells say of their sum, `prior` being about the sum, not about each cell.

    Raises
    ------
    ParameterError
        The noise depends on the count (see `plain`), so that the measurements' sum does not tell enough.
    """
    if not plain(ptable):
        raise ParameterError("the noise of this table depends on the count; use total(posterior(ptable, observed))")
    measured, believed = integers(observed).ravel(), priors.read(prior)
    if not measured.size:
        raise ParameterError("there is nothing to add up; give at least one measurement")
    row = ptable.interior[0]
    first, chances = _power((row.first, np.array(row.weights, dtype=np.float64) / ptable.table.total), measured.size)
    if abs(sum(measured.tolist())) > LARGEST:
        raise ParameterError(f"the measurements add up to {sum(measured.tolist())}; give sums within +-2**62")
    counts = int(sum(measured.tolist())) - first - np.arange(len(chances))[::-1]
    with np.errstate(divide="ignore"):
        logs = np.where(counts >= 0, np.log(chances[::-1]) + believed.logs(counts), -np.inf)
    there = np.isfinite(logs)
    if not there.any():
        raise ParameterError(
            f"no sum that the prior allows can have been measured as {sum(measured.tolist())} in all; give a wider"
            " prior, and the measurements as they were drawn, not clamped and not reconciled"
        )
    weights = np.exp(logs[there] - logs[there].max())
    return Posterior(counts[there], weights / weights.sum())


def plain(ptable: PTable) -> bool:
    """Whether every count gets the same noise: one row, and no end at which counts are clamped."""
    domain = certified(ptable).domain
    return (
        isinstance(domain, Counts)
        and (domain.lower, domain.upper) == (0, None)
        and (len(ptable.rows), len(ptable.interior)) == (0, 1)
    )


def difference(one: Posterior, other: Posterior) -> Posterior:
    """One minus the other, their beliefs being independent."""
    first, chances = _dense(other)
    found = _belief(*_convolved(_dense(one), (1 - first - len(chances), chances[::-1])))
    counts = min(one.support[0], other.support[0]) >= 0
    return replace(found, of=(one, other)) if counts else found


def ratio(one: Posterior, other: Posterior, level: Number = 0.95, seed: int | None = 0) -> Estimate:
    """One divided by the other, their beliefs being independent, given that the other is not 0."""
    _not_negative(other)
    return _estimate(one, other, lambda a, b: (a, b), level, seed)


def share(
    part: Posterior, rest: Posterior | Sequence[Posterior], level: Number = 0.95, seed: int | None = 0
) -> Estimate:
    """The share of a part in the whole, given that the whole is not 0.

    `rest` is the whole without the part: a posterior, or those of all other parts.
    """
    others = rest if isinstance(rest, Posterior) else total(rest)
    _not_negative(part)
    _not_negative(others)
    return _estimate(part, others, lambda a, b: (a, a + b), level, seed)


def update(belief: Posterior, ptable: PTable, observed: int) -> Posterior:
    """The belief after one more measurement of the same number, with noise of its own.

    A margin that was measured besides its parts: `update(total(parts), ptable, measured)`. What was believed of the
    parts before then holds for the margin; a flat prior on each of many small parts is a strong one on their sum.
    """
    if isinstance(certified(ptable).domain, Cycle):
        raise ParameterError(f"the table is of residues of {ptable.domain}; give a table of counts")
    _closed(belief)
    measured = integers(observed)
    if measured.ndim:
        raise ParameterError(f"the measurement has shape {measured.shape}; give one integer")
    weights = Likelihood.of(ptable.table).at(measured, belief.support).astype(np.float64) * belief.probabilities
    there = weights > 0
    if not there.any():
        raise ParameterError(
            f"no number that is believed in can have been measured as {measured}; give a measurement of the same cell"
        )
    return Posterior(belief.support[there], weights[there] / weights.sum())


Dense = tuple[int, Floats]


def _posterior(given: object) -> Posterior:
    if not isinstance(given, Posterior):
        raise ParameterError(f"a belief is {given!r:.60}; give what posterior(...) returns")
    return given


def _closed(belief: object) -> Posterior:
    known = _posterior(belief)
    if known.residues:
        raise ParameterError("a belief is about residues of a cycle, which have no sums and ratios; give counts")
    if known.open_end:
        end = int(known.support[-1])
        raise ParameterError(
            f"a count may be {end} or more: the table measures all counts from {end} on alike, so sums, differences and"
            " ratios with it have no end; give a prior that says how likely larger counts are, such as poisson:RATE, or"
            f" {end + 1} weights where there are none"
        )
    return known


def _not_negative(belief: Posterior) -> None:
    if _posterior(belief).support[0] < 0:
        raise ParameterError(f"a part or denominator may be {belief.support[0]}; give beliefs about counts")


def _dense(belief: Posterior) -> Dense:
    """The first value, and the probabilities of all from it on."""
    support = _closed(belief).support
    first, span = int(support[0]), int(support[-1]) - int(support[0]) + 1
    if span > _LONGEST:
        raise ParameterError(f"a belief spreads over {span} values, too many to add up; give narrower ones")
    chances = np.zeros(span)
    chances[support - first] = belief.probabilities
    return first, chances


def _convolved(one: Dense, other: Dense) -> Dense:
    if len(one[1]) * len(other[1]) > _MOST_TERMS:
        raise ParameterError("the beliefs spread over too many values to add up; give narrower ones")
    first, chances = one[0] + other[0], np.convolve(one[1], other[1])
    if len(chances) <= _KEPT:
        return first, chances
    low = int(np.count_nonzero(np.cumsum(chances) <= _END))
    high = len(chances) - int(np.count_nonzero(np.cumsum(chances[::-1]) <= _END))
    return first + low, chances[low:high]


def _power(one: Dense, times: int) -> Dense:
    """The sum of so many independent numbers of one law, by doubling."""
    found: Dense | None = None
    while times:
        if times & 1:
            found = one if found is None else _convolved(found, one)
        times >>= 1
        if times:
            one = _convolved(one, one)
    assert found is not None
    return found


def _belief(first: int, chances: Floats) -> Posterior:
    if max(abs(first), abs(first + len(chances))) > LARGEST:
        raise ParameterError(f"a sum may be {first}; give counts whose sums are within +-2**62")
    there = np.flatnonzero(chances)
    return Posterior(first + there, chances[there] / chances.sum())


Parts = Callable[[npt.NDArray[Any], npt.NDArray[Any]], tuple[npt.NDArray[Any], npt.NDArray[Any]]]


def _estimate(one: Posterior, other: Posterior, parts: Parts, level: Number, seed: int | None) -> Estimate:
    """Numerator over denominator, by all pairs or by a sample of them."""
    key = tie_breaking.key(seed)
    a, b = _closed(one).support.astype(np.float64), _closed(other).support.astype(np.float64)
    enumerated = len(a) * len(b) <= PAIRS
    if enumerated:
        top, bottom = (np.broadcast_to(x, (len(a), len(b))).ravel() for x in parts(a[:, None], b[None, :]))
        chances = np.outer(one.probabilities, other.probabilities).ravel()
    else:
        rng = np.random.default_rng(key)
        top, bottom = parts(
            *(rng.choice(x.support, SAMPLES, p=x.probabilities).astype(np.float64) for x in (one, other))
        )
        chances = np.full(SAMPLES, 1 / SAMPLES)
    there = bottom > 0
    undefined = float(chances[~there].sum())
    if not there.any():
        raise ParameterError("the denominator is surely 0, so there is no ratio; take a larger whole")
    values = top[there] / bottom[there]
    chances = chances[there] / chances[there].sum()
    order = np.argsort(values, kind="stable")
    values, chances = values[order], chances[order]
    low, high = (int(place) for place in ends(chances, level))
    mean, error = float(values @ chances), None
    if not enumerated:
        error = float(values.std()) / math.sqrt(len(values))
        tail = float(1 - exact(level, "level")) / 2
        further = math.ceil(3 * math.sqrt(len(values) * tail * (1 - tail)))
        low, high = max(0, low - further), min(len(values) - 1, high + further)
    least, most = _reached(one, other, parts, level)
    least, most = min(float(values[low]), least), max(float(values[high]), most)
    return Estimate(mean, least, most, float(exact(level, "level")), undefined, error)


def _reached(one: Posterior, other: Posterior, parts: Parts, level: Number) -> tuple[float, float]:
    """What an interval reaches at least, low and high, so as to hold the small counts that those of a and b do."""
    least, most = math.inf, -math.inf
    if one.support[0] < 0:
        return least, most
    (a, down_a, high_a), (b, down_b, high_b) = (_ends(belief, level) for belief in _defined(one, other, parts))
    if down_a:
        least = _first(*parts(a[:1], b[[high_b, -1]]))
    if down_b:
        most = _first(*parts(a[[high_a, -1]], b[:1]))
    return least, most


def _defined(one: Posterior, other: Posterior, parts: Parts) -> Iterator[Posterior]:
    """Both beliefs, given that the denominator is not 0; it can be only where the second number is."""
    zero = other.support == 0
    fine = parts(one.support, np.zeros_like(one.support))[1] > 0
    kept = np.where(fine, 1, 1 - other.probabilities[zero].sum()), np.where(zero, one.probabilities[fine].sum(), 1)
    for belief, share_kept in zip((one, other), kept, strict=True):
        chances = belief.probabilities * share_kept
        there = chances > 0
        yield Posterior(belief.support[there], chances[there] / chances.sum())


def _ends(belief: Posterior, level: Number) -> tuple[Floats, bool, int]:
    """The values; whether an interval starts at the least one, though tails of equal size leave it out; its last."""
    low, high = credible(belief.probabilities, level)
    return belief.support.astype(np.float64), bool(low < ends(belief.probabilities, level)[0]), int(high)


def _first(top: Floats, bottom: Floats) -> float:
    """The first ratio that there is."""
    top, bottom = np.broadcast_arrays(top, bottom)
    return float((top[bottom > 0] / bottom[bottom > 0])[0])
