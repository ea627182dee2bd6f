"""The posterior distribution of a true count, given its measurement and a prior.

    Pr[count | y] is proportional to prior(count) Pr[y | count],

where Pr[y | count] is given by the certified integers (`_likelihood`). The measurement is the noisy integer as it was
drawn. A number that was clamped at 0 or reconciled does not have these probabilities.

If the domain ends at `upper`, larger counts are measured like `upper`, and a measurement near the end leaves all of
them possible. A flat prior is flat on the domain, so its last value then means "upper or more", and the posterior has
`open_end` set. Any other prior covers all counts, and distinguishes the larger ones.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from discreet import arrays
from discreet.arrays import Booleans, Floats, Integers
from discreet.certify.ptable import PTable
from discreet.domain import LARGEST, Cycle
from discreet.errors import InputError, ParameterError
from discreet.infer._likelihood import Likelihood
from discreet.infer.posterior_value import Posterior
from discreet.infer.prior import (
    Flat,
    ListedWeights,
    NegativeBinomial,
    Poisson,
    Prior,
    consecutive_weights,
    last_relevant_count,
    read_prior,
)

SMALLEST_LOG = -746.0
"""exp(x) is 0 as a float for x below this."""

NEGLIGIBLE_END = 1e-6
"""The end of the domain may have this probability without `open_end`: integer weights leave every count some."""


def posterior(ptable: PTable, observed: npt.ArrayLike, prior: Any = None) -> Any:
    """Return the posterior distribution of the true count behind each measurement.

    Parameters
    ----------
    ptable : PTable
        The certified table that the noise was drawn from.
    observed : array of int
        Measurements, not clamped and not reconciled. On a cycle: residues. On a cycle of several dimensions the last
        axis holds the coordinates.
    prior : None, str, Poisson, NegativeBinomial, list or mapping
        None or "uniform" for a flat prior, `Poisson(rate)`, `NegativeBinomial(mean, dispersion)`, the same as text
        ("poisson:3", "negative-binomial:3:0.5"), or weights of the counts 0, 1, 2, ... as a list or a mapping.

    Returns
    -------
    Posterior or list of Posterior
        One posterior for a single number, else a list in the order of the flattened measurements. Equal measurements
        share one object. On a cycle the values are residues, flattened in C order. If `open_end` is set, the last
        value means "this value or more".

    Raises
    ------
    ParameterError
        `ptable` is not certified, the prior cannot be read, no count can give a measurement, or the prior gives weight
        0 to all counts that can.
    InputError
        A measurement is not an integer.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> dc.infer.posterior(table, 2)
    Posterior(mode 2, mean 2.14, 95% within 0..5)
    >>> dc.infer.posterior(table, 2, prior="poisson:8")
    Posterior(mode 2, mean 3.45, 95% within 1..7)
    >>> [count.interval("0.99") for count in dc.infer.posterior(table, [31, -2])]
    [(27, 35), (0, 5)]
    """
    domain, known_prior = require_certified(ptable).domain, read_prior(prior)
    measurements = integer_measurements(observed)
    if isinstance(domain, Cycle):
        return _on_cycle(ptable, domain, measurements, known_prior)
    likelihood = Likelihood.of(ptable.table)
    distinct, inverse = np.unique(measurements, return_inverse=True)
    posteriors = [_of_count(likelihood, np.array([measurement]), known_prior) for measurement in distinct]
    return posteriors[0] if measurements.ndim == 0 else [posteriors[index] for index in inverse.ravel()]


def _of_count(likelihood: Likelihood, measurement: Integers, prior: Prior) -> Posterior:
    """Return the posterior of one measurement, an array of length 1."""
    first, probabilities = posterior_rows(likelihood, measurement, prior)
    positive = np.flatnonzero(probabilities[0])
    require_possible(likelihood, measurement, np.array([positive.size > 0]))
    counts, chances = first[0] + positive, probabilities[0, positive]
    at_end = isinstance(prior, Flat) and likelihood.upper < LARGEST and counts[-1] == likelihood.upper
    return Posterior(counts, chances, bool(at_end and chances[-1] > NEGLIGIBLE_END))


def require_certified(ptable: Any) -> PTable:
    """Return the table. Raise ParameterError if it is not a certified one."""
    if not isinstance(ptable, PTable):
        raise ParameterError(
            f"ptable is {ptable!r:.60}; give a certified table, from load(...) or from the certify() of a mechanism"
        )
    return ptable


def integer_measurements(observed: npt.ArrayLike) -> Integers:
    """Return measurements as integers. Floats are accepted if they are whole. Raise InputError for anything else."""
    return arrays.integers(observed, "measurements", LARGEST)


def posterior_rows(likelihood: Likelihood, observed: Integers, prior: Prior) -> tuple[Integers, Floats]:
    """Return, for every measurement, the first count of its row and a row of probabilities of consecutive counts.

    Measurements increase. Either all or none of them may be of a count at the upper end of the domain
    (`may_be_at_end`). The row of a measurement that no count can give is all zeros.
    """
    first = observed - likelihood.most
    size = likelihood.width
    if not isinstance(prior, Flat):
        if likelihood.lower:
            first, size = np.where(first <= likelihood.lower, 0, first), size + likelihood.lower
        if may_be_at_end(likelihood, observed).any():
            size = last_relevant_count(prior, likelihood.upper) - int(first.min()) + 1
    weights = _likelihoods(likelihood, observed, first, size)
    if isinstance(prior, Flat):
        counts = first[:, None] + np.arange(size)
        weights = np.where((counts < likelihood.lower) | (counts > likelihood.upper), 0, weights)
    else:
        weights = _times_prior(prior, first, weights)
    sums = weights.sum(axis=1, keepdims=True)
    weights /= np.where(sums > 0, sums, 1)
    return first, weights


def _likelihoods(likelihood: Likelihood, observed: Integers, first: Integers, size: int) -> Floats:
    """Return the weight of each measurement under `size` counts from `first` on.

    All rows are equal, and stored once, if every count has the same noise and no row touches an end of the domain.
    """
    same_noise = len(likelihood.weights) == 1 and size == likelihood.width
    if same_noise and first[0] >= likelihood.lower and first[-1] + size - 1 <= likelihood.upper:
        return np.broadcast_to(likelihood.weights[0, ::-1].astype(np.float64), (len(first), size))
    counts = first[:, None] + np.arange(size)
    return likelihood.at(observed[:, None], counts).astype(np.float64)


def _times_prior(prior: Poisson | NegativeBinomial | ListedWeights, first: Integers, weights: Floats) -> Floats:
    """Return the weights times those of the prior, every row up to a factor."""
    rows, size = weights.shape
    length = int(first[-1] - first[0]) + size
    if length > weights.size:
        return _times_exponentials(prior.logs(first[:, None] + np.arange(size)), weights)
    counts = first[0] + np.arange(length)  # every count once, because rows overlap
    prior_weights = consecutive_weights(prior, counts)
    if prior_weights is not None:
        products: Floats = sliding_window_view(prior_weights, size)[first - first[0]]
        products *= weights
        return products
    if rows > 1 and all(consecutive_weights(prior, start + np.arange(size)) is not None for start in first[[0, -1]]):
        halves = slice(rows // 2), slice(rows // 2, rows)
        return np.concatenate([_times_prior(prior, first[half], weights[half]) for half in halves])
    return _times_exponentials(sliding_window_view(prior.logs(counts), size)[first - first[0]], weights)


def _times_exponentials(logs: Floats, weights: Floats) -> Floats:
    """Return e**logs times the weights, every row up to a factor. Products too small for a float are 0."""
    with np.errstate(divide="ignore"):
        logs += np.log(weights[:1]) if weights.strides[0] == 0 else np.log(weights)
    largest = logs.max(axis=1, keepdims=True)
    logs -= np.where(np.isfinite(largest), largest, 0)
    columns = np.flatnonzero(logs.max(axis=0) > SMALLEST_LOG)
    products = np.zeros_like(logs)
    if columns.size:
        used = slice(columns[0], columns[-1] + 1)
        np.exp(logs[:, used], out=products[:, used])
    return products


def may_be_at_end(likelihood: Likelihood, observed: Integers) -> Booleans:
    """Return True for each measurement that a count at the upper end of the domain can give."""
    return (observed - likelihood.least >= likelihood.upper) & (observed - likelihood.most <= likelihood.upper)


def require_possible(likelihood: Likelihood, observed: Integers, possible: Booleans) -> None:
    """Raise ParameterError for the first measurement that is not possible, and say why."""
    impossible = observed[~possible][:1]
    if not impossible.size:
        return
    first, probabilities = posterior_rows(likelihood, impossible, Flat())
    counts = first[0] + np.flatnonzero(probabilities[0])
    if counts.size:
        raise ParameterError(
            f"the measurement {impossible[0]} can only be of a count from {counts.min()} to {counts.max()}, and the"
            " prior gives all of these counts the weight 0; give them a weight, or check that the measurement is of"
            " this table"
        )
    raise ParameterError(
        f"no true count can be measured as {impossible[0]} by this table; give the certificate of the measurement, and"
        " the measurement as it was drawn, not clamped and not reconciled"
    )


def _on_cycle(ptable: PTable, domain: Cycle, observed: Integers, prior: Prior) -> Any:
    """Return the posteriors of residues. Pr[y | x] is the noise at y - x."""
    dimensions = len(domain.shape)
    if dimensions > 1 and (observed.ndim == 0 or observed.shape[-1] != dimensions):
        raise InputError(
            f"the measurements have the shape {observed.shape}; for {domain} give arrays whose last axis has the length"
            f" {dimensions}"
        )
    residues = observed.reshape(-1, dimensions)
    outside = ((residues < 0) | (residues >= np.array(domain.shape))).any(axis=1)
    if outside.any():
        raise ParameterError(
            f"the measurement {residues[outside][0].tolist()} is not a residue of {domain};"
            f" give numbers from 0, below {', '.join(map(str, domain.shape))}"
        )
    prior_weights = _residue_weights(domain, prior)
    noise = np.array(ptable.interior[0].weights, dtype=np.float64)
    posteriors: dict[int, Posterior] = {}
    codes = [int(code) for code in np.atleast_1d(np.ravel_multi_index(tuple(residues.T), domain.shape))]
    for code, residue in zip(codes, residues, strict=True):
        if code not in posteriors:
            posteriors[code] = _of_residue(domain, noise, prior_weights, residue)
    single = observed.ndim == (0 if dimensions == 1 else 1)
    return posteriors[codes[0]] if single else [posteriors[code] for code in codes]


def _residue_weights(domain: Cycle, prior: Prior) -> Floats:
    """Return the prior weight of every residue, the largest being 1."""
    if isinstance(prior, ListedWeights) and len(prior.weights) == domain.size:
        return np.asarray(prior.weights / prior.weights.max())
    if isinstance(prior, Flat):
        return np.ones(domain.size)
    raise ParameterError(f"the prior is {prior}; for {domain} give None or {domain.size} weights, one for each residue")


def _of_residue(domain: Cycle, noise: Floats, prior_weights: Floats, measurement: Integers) -> Posterior:
    """Return the posterior of one residue."""
    true = np.stack(np.unravel_index(np.arange(domain.size), domain.shape), axis=-1)
    shift = np.ravel_multi_index(tuple(((measurement - true) % np.array(domain.shape)).T), domain.shape)
    weights = noise[shift] * prior_weights
    if not weights.any():
        raise ParameterError(
            f"the prior gives the weight 0 to every residue that can be measured as {measurement.tolist()};"
            " give one of them a weight, or check that the measurement is of this table"
        )
    positive = weights > 0
    return Posterior(np.flatnonzero(positive), weights[positive] / weights.sum(), residues=True)
