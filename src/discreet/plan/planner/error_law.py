"""The law of the error of a least-squares estimate, and intervals from all measurements.

The least-squares estimate of a cell c of grouping t is linear in independent noises e_gj of measured cells j:

    estimate = truth + sum over g, j of a_gj e_gj.

With equal groups a_gj depends on d alone, where d_i is the deepest level of axis i at which c and j agree, from 0 to
m_i = min(t_i, g_i). With tau, lambda and N of `workload`:

    a_g(d)    = tau_g / (N_t N_g) . sum over s <= m of (1 / lambda_s) prod_i k_i(s_i, d_i),
    k_i(l, d) = n_i(l) [d >= l] - n_i(l - 1) [d >= l - 1],
    mult_g(d) = prod_i (n_i(g_i) / n_i(d_i) - [d_i < m_i] n_i(g_i) / n_i(d_i + 1))      cells j with this coefficient.

The coefficients of all measured cells that hold a finest cell x add up to 1 if x is in c, else to 0, and the sum of
mult a^2 / tau is var_t. With unequal groups multiplicities are not whole numbers, and the law is that of no cell: then
`is_exact` is False, and the law serves planning only.

The characteristic function of the error is the product of phi_g(a t)^mult, phi_g that of the certified integers. The
law is discrete. Inverted bare, one geometric noise of epsilon .5 has the quantile 5.9998 instead of 6, which covers
93.8% instead of 95%. So normal noise of deviation sigma is added to the error first, the quantile is taken at
1 - a/2 + 3e-7, and 5 sigma are added to the quantile: more normal noise than 5 sigma has the probability 2.9e-7.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.certify.ptable import PTable
from discreet.errors import ParameterError, UndeterminedError
from discreet.plan.planner._certified_noise import variance
from discreet.plan.planner._characteristic import characteristic, noise_of_all_counts
from discreet.plan.planner.workload import Workload

Complex = npt.NDArray[np.complex128]

SMOOTHING, RELATIVE_SMOOTHING = 0.01, 1e-3
"""Sigma of the added normal noise: at least .01, and at least a thousandth of the deviation of the error."""

ADDED = 5.0
"""Sigmas that are added to a quantile."""

BEYOND = 3e-7
"""The probability of more normal noise than that, and the error of the inversion."""

PERIODS = 60.0
"""The inverted law repeats after so many deviations of the error."""

NEGLIGIBLE = 1e-18

DISTINCT = 1e-13
"""Coefficients that differ by less, as a share of the largest, count as equal."""


@dataclass(frozen=True)
class Coefficients:
    """The coefficients of one measured grouping in the estimate of a cell.

    Attributes
    ----------
    grouping
        Index of the measured grouping.
    values
        The coefficient for every d, in C order.
    multiplicities
        The number of cells with this coefficient. Not whole if groups are unequal.
    """

    grouping: int
    values: Floats
    multiplicities: Floats


def coefficients(workload: Workload, tau: Any, grouping: int) -> list[Coefficients]:
    """Return the coefficients of the least-squares estimate of a cell, for every measured grouping.

    Parameters
    ----------
    workload
        The axes and groupings.
    tau
        For every grouping the precision of its noise; 0 if it is not measured.
    grouping
        Index of the grouping that is estimated.

    Raises
    ------
    UndeterminedError
        The measured groupings do not determine the grouping.
    """
    precisions = np.asarray(tau, dtype=np.float64)
    levels = workload.groupings[grouping]
    if math.isinf(workload.variances(precisions)[grouping]):
        raise UndeterminedError(
            f"the measured groupings do not determine grouping {grouping}, {levels}; measure a finer one", grouping
        )
    box = _inverse_precisions(workload, precisions, grouping)
    result = []
    population = np.array(workload.population_of) == workload.population_of[grouping]
    for other in np.flatnonzero((precisions > 0) & population).tolist():
        shared = tuple(min(pair) for pair in zip(levels, workload.groupings[other], strict=True))
        values = box[tuple(slice(level + 1) for level in shared)]
        multiplicities = np.ones(())
        for axis, (sizes, level) in enumerate(zip(workload.axes, shared, strict=True)):
            kernel, counts = _along_axis(sizes, level, workload.groupings[other][axis])
            values = np.moveaxis(np.tensordot(kernel, values, axes=(0, axis)), 0, axis)
            multiplicities = np.multiply.outer(multiplicities, counts)
        scale = precisions[other] / (workload.cells[grouping] * workload.cells[other])
        result.append(Coefficients(other, scale * values.reshape(-1), multiplicities.reshape(-1)))
    return result


def _inverse_precisions(workload: Workload, tau: Floats, grouping: int) -> Floats:
    """Return 1 / lambda_s for every s <= t as an array with an axis for every axis; 0 for spaces of dimension 0."""
    shape = tuple(level + 1 for level in workload.groupings[grouping])
    start = int(workload.spaces.box_starts[grouping])
    spaces = workload.spaces.boxes[start : start + math.prod(shape)]
    with np.errstate(divide="ignore"):
        inverse = 1 / workload.precisions(tau)
    return np.where(spaces >= 0, inverse[spaces], 0.0).reshape(shape)


def _along_axis(sizes: tuple[int, ...], shared: int, measured: int) -> tuple[Floats, Floats]:
    """Return k(l, d) for all l and d up to the shared level, and the multiplicity of each d."""
    level, depth = np.arange(shared + 1)[:, None], np.arange(shared + 1)[None, :]
    size: Floats = np.array(sizes, dtype=np.float64)
    coarser = np.append(0.0, size)[: shared + 1, None]
    kernel = size[: shared + 1, None] * (depth >= level) - coarser * (depth >= level - 1)
    within = size[measured] / size[: shared + 1]
    return kernel, within - np.append(within[1:], 0.0)


@dataclass(frozen=True, eq=False)
class ErrorLaw:
    """The law of the error of a least-squares estimate. Made by `error_law`.

    Attributes
    ----------
    deviation
        The standard deviation of the error.
    is_exact
        True if the law is that of every cell: all groups of a level have equal sizes.
    terms
        For every table: the table, and the coefficients and multiplicities of its noise.
    """

    deviation: float
    is_exact: bool
    terms: tuple[tuple[PTable, Floats, Floats], ...]

    def quantile(self, level: float) -> float:
        """Return a half width q: the error is within +-q with at least this probability.

        Parameters
        ----------
        level
            A probability from 0.5 to 0.9999.

        Raises
        ------
        ParameterError
            The level is out of range.
        """
        lower, upper = self.ends(level)
        return max(-lower, upper)

    def interval(self, estimate: npt.ArrayLike, level: float) -> tuple[Integers, Integers]:
        """Return the least and the largest true count of an interval, for every least-squares estimate.

        Parameters
        ----------
        estimate
            Least-squares estimates, not rounded and not made non-negative.
        level
            The probability, from 0.5 to 0.9999, with which the interval holds the true count.

        Returns
        -------
        numpy.ndarray, numpy.ndarray
            Whole numbers of 0 or more. An interval that begins at 0 is not shorter than the half width.

        Raises
        ------
        ParameterError
            The level is out of range.
        """
        lower, upper = self.ends(level)
        return interval_around(np.asarray(estimate, dtype=np.float64), np.asarray(lower), np.asarray(upper))

    def ends(self, level: float) -> tuple[float, float]:
        """Return ends of the error: below the first and above the second end with at most (1 - level) / 2 each."""
        if not 0.5 <= level <= 0.9999:
            raise ParameterError(f"level is {level!r}; give a probability from 0.5 to 0.9999")
        tail = (1 - level) / 2 - BEYOND
        added = ADDED * self._sigma
        upper = self._crossing(1 - tail) + added
        return (-upper if self._is_symmetric else self._crossing(tail) - added), upper

    def smoothed_cdf(self, x: float) -> float:
        """Return the probability that the error plus a little normal noise is at most x."""
        frequencies, heights = self._heights
        turned = (heights * np.exp(-1j * frequencies * x)).imag / frequencies
        return 0.5 - self._spacing / math.pi * float(turned.sum())

    def density(self, x: Floats, smoothing: float) -> Floats:
        """Return the density of the error plus normal noise of a standard deviation of .01 or more, at some points."""
        frequencies, heights = self._heights
        more = max(smoothing**2 - self._sigma**2, 0.0)
        heights = heights * np.exp(-more * frequencies**2 / 2)
        present = np.abs(heights) > NEGLIGIBLE
        frequencies, heights = frequencies[present], heights[present]
        turned = np.exp(-1j * np.multiply.outer(np.asarray(x, dtype=np.float64), frequencies)) @ heights
        return np.asarray(self._spacing / math.pi * turned.real)

    @cached_property
    def _sigma(self) -> float:
        return max(SMOOTHING, RELATIVE_SMOOTHING * self.deviation)

    @cached_property
    def _spacing(self) -> float:
        return 2 * math.pi / (PERIODS * max(self.deviation, self._sigma))

    @cached_property
    def _is_symmetric(self) -> bool:
        return all(noise_of_all_counts(table)[0] == noise_of_all_counts(table)[0][::-1] for table, _, _ in self.terms)

    @cached_property
    def _heights(self) -> tuple[Floats, Complex]:
        """Frequencies, and the characteristic function of the smoothed error where it is not negligible."""
        count = math.ceil(8 / self._sigma / self._spacing)
        frequencies: Floats = np.asarray((np.arange(count) + 0.5) * self._spacing, dtype=np.float64)
        heights: Complex = np.exp(-((self._sigma * frequencies) ** 2) / 2).astype(np.complex128)
        alone = [
            (function, float(value), float(multiplicity))
            for table, values, multiplicities in self.terms
            for function in [characteristic(table)]
            for value, multiplicity in zip(values, multiplicities, strict=True)
        ]
        alone.sort(key=lambda term: -abs(term[1]) * math.sqrt(term[2]))
        for function, value, multiplicity in alone:
            heights *= function.power(value * frequencies, multiplicity)
            present = np.abs(heights) > NEGLIGIBLE
            frequencies, heights = frequencies[present], heights[present]
        return frequencies, heights

    def _crossing(self, probability: float) -> float:
        """Return the x at which the smoothed distribution function has a value."""
        reach = max(self.deviation, self._sigma)
        low, high = -PERIODS / 4 * reach, PERIODS / 4 * reach
        while high - low > 1e-9 * reach:
            middle = (low + high) / 2
            low, high = (middle, high) if self.smoothed_cdf(middle) < probability else (low, middle)
        return high


def interval_around(estimates: Floats, lower: Floats, upper: Floats) -> tuple[Integers, Integers]:
    """Return the whole numbers from 0 on that are at least estimate - upper and at most estimate - lower.

    Parameters
    ----------
    estimates
        Least-squares estimates.
    lower, upper
        Ends of their errors, as `ErrorLaw.ends` returns. They are broadcast against the estimates.
    """
    rounding = 1e-9 * (1 + np.abs(estimates))
    first = np.maximum(np.ceil(estimates - upper - rounding), 0).astype(np.int64)
    last = np.floor(estimates - lower + rounding).astype(np.int64)
    half = np.floor(np.maximum(-lower, upper)).astype(np.int64)
    return first, np.where(first == 0, np.maximum(last, half), last)


def error_law(
    workload: Workload, tables: tuple[PTable, ...], noise_of: tuple[int | None, ...], grouping: int
) -> ErrorLaw:
    """Return the law of the error of the least-squares estimate of a cell of a grouping, measured or not.

    Parameters
    ----------
    workload
        The axes and groupings.
    tables
        The certified tables of noise.
    noise_of
        For every grouping the index of its table; None if it is not measured.
    grouping
        Index of the grouping that is estimated.

    Returns
    -------
    ErrorLaw
        The law, with quantiles and intervals.

    Raises
    ------
    ParameterError
        The noise of a table depends on the count, or the indices do not fit.
    UndeterminedError
        The measured groupings do not determine the grouping.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.plan.planner import Workload
    >>> from discreet.plan.planner.error_law import error_law
    >>> workload = Workload(axes=((1, 4),), groupings=((1,), (0,)))
    >>> table = dc.design.geometric(epsilon="0.5").certify()
    >>> law = error_law(workload, (table,), (0, None), 0)
    >>> round(law.quantile(0.95), 2)
    6.05
    >>> [end.tolist() for end in law.interval([20, -9], 0.95)]
    [[14, 0], [26, 6]]
    >>> round(error_law(workload, (table,), (0, 0), 1).deviation, 3)
    2.504
    """
    _check(workload, tables, noise_of, grouping)
    for table in tables:
        noise_of_all_counts(table)
    tau = [0.0 if index is None else 1 / variance(tables[index]) for index in noise_of]
    parts = coefficients(workload, tau, grouping)
    terms = []
    for part in parts:
        index = noise_of[part.grouping]
        assert index is not None
        terms.append((tables[index], part.values, part.multiplicities))
    whole = all(bool((part.multiplicities == np.rint(part.multiplicities)).all()) for part in parts)
    return law_of_terms(terms, is_exact=whole)


def law_of_terms(terms: Iterable[tuple[PTable, Floats, Floats | None]], *, is_exact: bool = True) -> ErrorLaw:
    """Return the law of a sum of independent noises, each times a coefficient.

    Parameters
    ----------
    terms
        Tables of noise, each with coefficients, and with the number of noises that have each coefficient. None: one.
    is_exact
        As in `ErrorLaw`.

    Raises
    ------
    ParameterError
        The noise of a table depends on the count.

    Examples
    --------
    >>> import numpy as np
    >>> import discreet as dc
    >>> from discreet.plan.planner import law_of_terms
    >>> table = dc.design.geometric(epsilon="0.5").certify()
    >>> law = law_of_terms([(table, np.array([0.5, 0.5, 0.0]), None)])
    >>> round(law.deviation, 3), round(law.quantile(0.95), 2)
    (1.979, 4.05)
    """
    by_table: dict[int, tuple[PTable, list[Floats], list[Floats]]] = {}
    for table, values, multiplicities in terms:
        noise_of_all_counts(table)
        _, all_values, all_multiplicities = by_table.setdefault(id(table), (table, [], []))
        all_values.append(np.ravel(values))
        all_multiplicities.append(np.ones(np.size(values)) if multiplicities is None else np.ravel(multiplicities))
    largest = max(
        (float(np.abs(part).max(initial=0.0)) for _, parts, _ in by_table.values() for part in parts), default=0
    )
    collected, square = [], 0.0
    for table, parts, counts in by_table.values():
        rounded = np.rint(np.concatenate(parts) / (largest * DISTINCT or 1.0))
        distinct, inverse = np.unique(rounded, return_inverse=True)
        number = np.bincount(inverse.reshape(-1), np.concatenate(counts))
        present = (distinct != 0) & (number > 0)
        values = distinct[present] * (largest * DISTINCT)
        collected.append((table, values, number[present]))
        square += float(values**2 @ number[present]) * variance(table)
    return ErrorLaw(math.sqrt(square), is_exact, tuple(collected))


def _check(workload: Workload, tables: tuple[PTable, ...], noise_of: tuple[int | None, ...], grouping: int) -> None:
    if len(noise_of) != len(workload.groupings):
        raise ParameterError(f"noise_of has {len(noise_of)} entries; give one for each of {len(workload.groupings)}")
    if any(index is not None and not 0 <= index < len(tables) for index in noise_of):
        raise ParameterError(f"noise_of is {noise_of!r:.60}; give indices of {len(tables)} tables, or None")
    if not 0 <= grouping < len(workload.groupings):
        raise ParameterError(f"grouping is {grouping}; give an index below {len(workload.groupings)}")
