"""The posterior of a true count, given its measurement and what was believed before.

    Pr[count | y] is proportional to prior(count) Pr[y | count],

Pr[y | count] being the certified integers (`likelihood`). The measurement is the noisy integer as it was drawn: one
that was clamped at 0 or made to add up has lost what these probabilities rest on.

Where the domain ends at `upper`, larger counts are measured as `upper` is, and a measurement near the end leaves all of
them possible. A flat prior is flat on the domain, and its last value then stands for "upper or more": the posterior is
marked with `open_end`. Any other prior is on all counts, and tells the larger ones apart.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from discreet import arrays
from discreet.arrays import Floats, Integers
from discreet.certify.ptable import PTable
from discreet.domain import LARGEST, Cycle
from discreet.errors import InputError, ParameterError
from discreet.infer import prior as priors
from discreet.infer._likelihood import Likelihood
from discreet.infer.posterior_value import Posterior
from discreet.infer.prior import Flat, Given, NegativeBinomial, Poisson, Prior

SMALLEST = -746.0
"""Below it e**x is 0 as a float."""

NOTHING = 1e-6
"""A probability of the domain's end up to which a belief is not called open; integer weights leave every count some."""


def posterior(ptable: PTable, observed: npt.ArrayLike, prior: Any = None) -> Any:
    """What each measurement says of its true count.

    Parameters
    ----------
    ptable
        The certified table that the noise was drawn from.
    observed
        Measurements: integers, not clamped and not reconciled. On a cycle residues; on one of several dimensions
        the last axis holds their parts.
    prior
        None or "uniform" for a flat one, `Poisson(rate)`, `NegativeBinomial(mean, dispersion)`, the same as text
        ("poisson:3", "negative-binomial:3:0.5"), or weights of the counts 0, 1, 2, ... as a list or a mapping.

    Returns
    -------
    Posterior or list of Posterior
        One for a single number, else a list in the order of the flattened measurements. Equal measurements share
        one object. On a cycle the values are residues, flattened in C order. Where `open_end` is set, the last
        value means "that or more": the table measures all larger counts alike, and a flat prior says nothing of them.

    Raises
    ------
    ParameterError
        No count can have given a measurement, or the prior excludes all those that can.
    """
    domain, believed, given = certified(ptable).domain, priors.read(prior), integers(observed)
    if isinstance(domain, Cycle):
        return _on_cycle(ptable, domain, given, believed)
    likelihood = Likelihood.of(ptable.table)
    distinct, inverse = np.unique(given, return_inverse=True)
    found = []
    for value in distinct:
        first, chances = beliefs(likelihood, np.array([value]), believed)
        there = np.flatnonzero(chances[0])
        require(likelihood, np.array([value]), np.array([there.size > 0]))
        counts, chance = first[0] + there, chances[0, there]
        end = isinstance(believed, Flat) and likelihood.upper < LARGEST and counts[-1] == likelihood.upper
        found.append(Posterior(counts, chance, bool(end and chance[-1] > NOTHING)))
    return found[0] if given.ndim == 0 else [found[place] for place in inverse.ravel()]


def certified(ptable: Any) -> PTable:
    """The table, where it is one."""
    if not isinstance(ptable, PTable):
        raise ParameterError(
            f"the table is {ptable!r:.60}; give a certified one: load(...) of a certificate, or what certify() returns"
        )
    return ptable


def beliefs(likelihood: Likelihood, observed: Integers, prior: Prior) -> tuple[Integers, Floats]:
    """For every measurement the first count looked at, and the probabilities of it and of those that follow, in a row.

    The measurements increase, and either all reach the upper end of the domain or none does: see `reaching`. A row is
    zeros where no count can have given its measurement.
    """
    first = observed - likelihood.most
    size = likelihood.width
    if not isinstance(prior, Flat):
        if likelihood.lower:
            first, size = np.where(first <= likelihood.lower, 0, first), size + likelihood.lower
        if reaching(likelihood, observed).any():
            size = priors.last(prior, likelihood.upper) - int(first.min()) + 1
    weights = _weights(likelihood, observed, first, size)
    if isinstance(prior, Flat):
        counts = first[:, None] + np.arange(size)
        weights = np.where((counts < likelihood.lower) | (counts > likelihood.upper), 0, weights)
    else:
        weights = _weighted(prior, first, weights)
    sums = weights.sum(axis=1, keepdims=True)
    weights /= np.where(sums > 0, sums, 1)
    return first, weights


def _weights(likelihood: Likelihood, observed: Integers, first: Integers, size: int) -> Floats:
    """How likely each measurement is from `size` counts; rows are alike where there is only noise, far from any end."""
    alike = len(likelihood.weights) == 1 and size == likelihood.width
    if alike and first[0] >= likelihood.lower and first[-1] + size - 1 <= likelihood.upper:
        return np.broadcast_to(likelihood.weights[0, ::-1].astype(np.float64), (len(first), size))
    counts = first[:, None] + np.arange(size)
    return likelihood.at(observed[:, None], counts).astype(np.float64)


def _weighted(prior: Poisson | NegativeBinomial | Given, first: Integers, weights: Floats) -> Floats:
    """The weights times the prior's, every row up to a factor."""
    rows, size = weights.shape
    length = int(first[-1] - first[0]) + size
    if length > weights.size:
        return _exponentials(prior.logs(first[:, None] + np.arange(size)), weights)
    counts = first[0] + np.arange(length)  # each of them once: the rows overlap
    run = priors.run(prior, counts)
    if run is not None:
        found: Floats = sliding_window_view(run, size)[first - first[0]]
        found *= weights
        return found
    if rows > 1 and all(priors.run(prior, start + np.arange(size)) is not None for start in first[[0, -1]]):
        parts = slice(rows // 2), slice(rows // 2, rows)
        return np.concatenate([_weighted(prior, first[part], weights[part]) for part in parts])
    return _exponentials(sliding_window_view(prior.logs(counts), size)[first - first[0]], weights)


def _exponentials(logs: Floats, weights: Floats) -> Floats:
    """e**logs times the weights, every row up to a factor; what is too small for a float is 0."""
    with np.errstate(divide="ignore"):
        logs += np.log(weights[:1]) if weights.strides[0] == 0 else np.log(weights)
    top = logs.max(axis=1, keepdims=True)
    logs -= np.where(np.isfinite(top), top, 0)
    there = np.flatnonzero(logs.max(axis=0) > SMALLEST)
    found = np.zeros_like(logs)
    if there.size:
        part = slice(there[0], there[-1] + 1)
        np.exp(logs[:, part], out=found[:, part])
    return found


def reaching(likelihood: Likelihood, observed: Integers) -> npt.NDArray[np.bool_]:
    """Which measurements may be of a count at the upper end of the domain."""
    return (observed - likelihood.least >= likelihood.upper) & (observed - likelihood.most <= likelihood.upper)


def require(likelihood: Likelihood, observed: Integers, possible: npt.NDArray[np.bool_]) -> None:
    """Refuse a measurement that no count can have given."""
    value = observed[~possible][:1]
    if not value.size:
        return
    first, chances = beliefs(likelihood, value, Flat())
    able = first[0] + np.flatnonzero(chances[0])
    if able.size:
        raise ParameterError(
            f"the measurement {value[0]} can only be of a count from {able.min()} to {able.max()}, and the prior gives"
            " all of these the weight 0; give them some, or check that the measurement is of this table"
        )
    raise ParameterError(
        f"no true count can have been measured as {value[0]} by this table; give its own certificate, and the"
        " measurement as it was drawn, not clamped and not reconciled"
    )


def integers(observed: npt.ArrayLike) -> Integers:
    """Return measurements as integers. Floats are taken if they are whole."""
    return arrays.integers(observed, "measurements", LARGEST)


def _on_cycle(ptable: PTable, domain: Cycle, observed: Integers, prior: Prior) -> Any:
    """Residues: Pr[y | x] is the noise at y - x."""
    dimensions = len(domain.shape)
    if dimensions > 1 and (observed.ndim == 0 or observed.shape[-1] != dimensions):
        raise InputError(f"the measurements have shape {observed.shape}; in {domain} their last axis has {dimensions}")
    parts = observed.reshape(-1, dimensions)
    sides = np.array(domain.shape)
    outside = ((parts < 0) | (parts >= sides)).any(axis=1)
    if outside.any():
        raise ParameterError(
            f"the measurement {parts[outside][0].tolist()} is not a residue of {domain}; give one that is"
        )
    if isinstance(prior, Given) and len(prior.weights) == domain.size:
        before = prior.weights
    elif isinstance(prior, Flat):
        before = np.ones(domain.size)
    else:
        raise ParameterError(f"the prior is {prior}; for {domain} give None or {domain.size} weights, one a residue")
    noise = np.array(ptable.interior[0].weights, dtype=np.float64)
    true = np.stack(np.unravel_index(np.arange(domain.size), domain.shape), axis=-1)
    known: dict[int, Posterior] = {}
    codes = [int(code) for code in np.atleast_1d(np.ravel_multi_index(tuple(parts.T), domain.shape))]
    for code, value in zip(codes, parts, strict=True):
        if code not in known:
            shift = np.ravel_multi_index(tuple(((value - true) % sides).T), domain.shape)
            weights = noise[shift] * (before / before.max())
            if not weights.any():
                raise ParameterError(
                    f"the prior gives the weight 0 to every residue that can be measured as {value.tolist()};"
                    " give some a weight, or check that the measurement is of this table"
                )
            there = weights > 0
            known[code] = Posterior(np.flatnonzero(there), weights[there] / weights.sum(), residues=True)
    found = [known[code] for code in codes]
    single = observed.ndim == (0 if dimensions == 1 else 1)
    return found[0] if single else found
