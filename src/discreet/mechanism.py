"""What a mechanism is: for every true value, a probability mass function over outputs.

One representation serves every design. A mechanism on counts has rows for the smallest counts, written as outputs, and
an optional interior, a periodic tuple of rows shared by all larger counts and written as noise:

    a matrix on 0..n                rows only
    additive noise                  interior of one row
    noise with small counts apart   both
    other tools' tables             both, the interior of period 2 (parity) or 250 (ONS)
    noise on a cycle                interior of one row, over the residues flattened in C order

Probabilities are floats. If the design knows them exactly, they are also integers over one denominator, and a
certificate is made from the integers.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet import categories
from discreet.arrays import Floats
from discreet.assess import privacy, properties, utility
from discreet.certify import issue
from discreet.certify.table import IntegerRow, Table
from discreet.domain import LARGEST, Counts, Cycle, Domain
from discreet.errors import MechanismError
from discreet.exact import Epsilon, Number
from discreet.row import Row as Row
from discreet.row import check_row, check_shape

if TYPE_CHECKING:
    from discreet.certify.ptable import PTable


@lru_cache(maxsize=2)  # a wide row takes a while, and one plan needs the row of its table several times
def _exact_row(row: IntegerRow, total: int) -> Row:
    return Row.exact(row.first, row.weights, total)


@dataclass(frozen=True)
class Mechanism:
    """A domain, its neighbours, and a row for every true value. A mechanism is immutable.

    Parameters
    ----------
    domain : Counts or Cycle
        The true values.
    rows : tuple of Row
        A row for each of the smallest counts, from the domain's lower end, written as outputs.
    interior : tuple of Row
        Rows for all larger counts, written as noise. They repeat, with their number as the period.
    neighbours : int or sequence, optional
        For counts: k, or the distances 1..k; by default 1. For a cycle: differences, to which their negatives are
        added; by default all differences.
    design : Mapping
        The design's name and parameters, as plain values. Its `epsilon` or `alpha` is the design's own.

    Raises
    ------
    MechanismError
        Rows are not probabilities, or rows, domain and neighbours do not make a mechanism.

    Examples
    --------
    >>> import discreet as dc
    >>> noise = dc.Mechanism(dc.Counts(), interior=(dc.Row.of(-1, [0.25, 0.5, 0.25]),))
    >>> noise.pmf(7)[0].tolist(), noise.variance(7)
    ([6, 7, 8], 0.5)
    """

    domain: Domain
    rows: tuple[Row, ...] = ()
    interior: tuple[Row, ...] = ()
    neighbours: Any = None
    design: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.domain, (Counts, Cycle)):
            raise MechanismError(f"domain is {self.domain!r}; give Counts(lower, upper) or Cycle(size)")
        for name in ("rows", "interior"):
            rows = getattr(self, name)
            if not isinstance(rows, Iterable):
                raise MechanismError(f"{name} is {rows!r}; give a sequence of rows")
            object.__setattr__(self, name, tuple(rows))
        object.__setattr__(self, "neighbours", self.domain.neighbours(self.neighbours))
        object.__setattr__(self, "design", MappingProxyType({"name": "custom", **self.design}))
        for index, row in enumerate(self.rows + self.interior):
            check_row(row, f"row {index}" if index < len(self.rows) else f"interior row {index - len(self.rows)}")
        check_shape(self.domain, self.rows, self.interior)

    @classmethod
    def from_matrix(
        cls, matrix: npt.ArrayLike, lower: int = 0, neighbours: Any = None, design: Mapping[str, Any] | None = None
    ) -> "Mechanism":
        """Return a mechanism on lower..lower+n from P[i, j] = Pr[output lower+i | true lower+j].

        Parameters
        ----------
        matrix : array of float
            P. Each column sums to 1.
        lower
            The smallest count, and the smallest output.
        neighbours, design
            As for `Mechanism`.

        Raises
        ------
        MechanismError
            The matrix is not square, or a column is not probabilities that sum to one.

        Examples
        --------
        >>> import discreet as dc
        >>> dc.Mechanism.from_matrix([[0.75, 0.25], [0.25, 0.75]]).epsilon()
        1.0986122886681098
        """
        try:
            square = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise MechanismError(f"the matrix is {matrix!r:.60}; give a square array of probabilities") from None
        if square.ndim != 2 or square.shape[0] != square.shape[1] or not square.size:
            raise MechanismError(
                f"the matrix has shape {square.shape}; give a square one, outputs down and true counts across"
            )
        rows = tuple(Row(lower, np.array(column)) for column in square.T)
        return cls(
            Counts(lower, lower + len(rows) - 1), rows, neighbours=neighbours, design=design or {"name": "matrix"}
        )

    @classmethod
    def from_table(cls, table: Table, design: Mapping[str, Any] | None = None) -> "Mechanism":
        """Return the mechanism of an integer table, with exactly the same probabilities.

        Parameters
        ----------
        table : Table
            Integer weights.
        design
            As for `Mechanism`.
        """
        rows, interior = (tuple(_exact_row(row, table.total) for row in part) for part in (table.rows, table.interior))
        return cls(table.domain, rows, interior, table.neighbours, design or {"name": "table"})

    def __reduce__(self) -> tuple[Any, ...]:
        return Mechanism, (self.domain, self.rows, self.interior, self.neighbours, dict(self.design))

    def __hash__(self) -> int:
        return hash((self.domain, self.rows, self.interior, self.neighbours))

    def __repr__(self) -> str:
        design = ", ".join(f"{key}={value!r}" for key, value in self.design.items())
        return f"Mechanism({self.domain}, {len(self.rows)} rows, interior of {len(self.interior)}, {design})"

    # Rows, outputs and probabilities

    def row(self, count: int) -> Row:
        """Return the row of one count, written as outputs. A count outside the domain is clamped into it.

        Raises
        ------
        MechanismError
            The domain is a cycle.
        """
        if isinstance(self.domain, Cycle):
            raise MechanismError("a cycle has one row of noise, interior[0]; use pmf for one value")
        lower, upper = self.domain.lower, LARGEST if self.domain.upper is None else self.domain.upper
        index = min(max(count, lower), upper) - lower
        if index < len(self.rows):
            return self.rows[index]
        noise = self.interior[(index - len(self.rows)) % len(self.interior)]
        return Row(lower + index + noise.first, noise.values, noise.numerators, noise.denominator)

    def pmf(self, count: int | str | Sequence[int]) -> tuple[npt.NDArray[Any], Floats]:
        """Return the outputs and their probabilities for one true value, which is clamped into the domain.

        Parameters
        ----------
        count : int, str or sequence of int
            A count; on a cycle of several dimensions a vector. If the design names its categories, also a name.

        Returns
        -------
        tuple of numpy.ndarray
            Outputs and probabilities. On a cycle of several dimensions, outputs have a column for each dimension. For a
            name, outputs are names.

        Raises
        ------
        MechanismError
            The value is not an integer, or does not have one integer for each dimension.
        InputError
            The name is not a category.

        Examples
        --------
        >>> import discreet as dc
        >>> outputs, probabilities = dc.design.geometric(alpha="1/2", upper=2).pmf(0)
        >>> outputs.tolist(), probabilities.round(3).tolist()
        ([0, 1, 2], [0.667, 0.167, 0.167])
        """
        if isinstance(count, str):
            known = categories.names(self.design, self.domain.size)
            outputs, values = self.pmf(int(categories.codes(count, known)))
            return np.array(known)[outputs], values
        if isinstance(self.domain, Counts):
            row = self.row(_integer(count))
            return row.outputs, row.values
        vector = np.atleast_1d(np.asarray(count))
        if vector.shape != (len(self.domain.shape),) or vector.dtype.kind not in "iu":
            raise MechanismError(
                f"the value is {count!r}; {self.domain} needs {len(self.domain.shape)} integers: give one a dimension"
            )
        true = np.clip(vector, 0, np.array(self.domain.shape) - 1)
        noise = self.interior[0].values.reshape(self.domain.shape)
        shifted = np.roll(noise, tuple(true), axis=tuple(range(noise.ndim)))
        outputs = np.indices(self.domain.shape).reshape(noise.ndim, -1).T
        return outputs[:, 0] if noise.ndim == 1 else outputs, shifted.ravel()

    def matrix(self) -> Floats:
        """Return P[i, j] = Pr[output i | true j] of a finite domain.

        Outputs are the domain, and as far beyond it on both sides as the noise reaches. The values of a cycle are
        flattened.

        Raises
        ------
        MechanismError
            The domain has no upper end.

        Examples
        --------
        >>> import discreet as dc
        >>> dc.design.randomized_response(alpha="1/3").matrix().tolist()
        [[0.75, 0.25], [0.25, 0.75]]
        """
        if isinstance(self.domain, Cycle):
            noise = self.interior[0].values.reshape(self.domain.shape)
            axes = tuple(range(noise.ndim))
            return np.stack([np.roll(noise, at, axis=axes).ravel() for at in np.ndindex(*self.domain.shape)], axis=1)
        if self.domain.upper is None:
            raise MechanismError("the domain has no upper end, so there is no matrix; use pmf(count), or give upper=")
        return properties.section(self, range(self.domain.lower, self.domain.upper + 1))[1]

    # Privacy, properties and errors

    def delta(self, epsilon: Number | Epsilon, kind: str = "dp") -> float:
        """Return the exact delta at epsilon: the largest hockey-stick sum over all neighbours, in both directions.

        Parameters
        ----------
        epsilon : Number
            A number of 0 or more.
        kind : str
            "dp", or "pdp": the largest chance of an output whose probability is more than E times its neighbour's.

        Raises
        ------
        ParameterError
            Epsilon is outside its range, or the kind is not known.

        Examples
        --------
        >>> import discreet as dc
        >>> dc.design.geometric(epsilon=1, upper=9).delta(1)
        0.0
        """
        return privacy.delta(self, epsilon, kind)

    def deltas(self, epsilons: npt.ArrayLike) -> Floats:
        """Return delta at every epsilon of an array: the privacy curve. See `assess.privacy.curve`."""
        return privacy.curve(self, epsilons)

    def epsilon(self, delta: Number = 0) -> float:
        """Return the smallest epsilon with delta(epsilon) <= delta; math.inf if there is none.

        `assess.privacy.epsilon` lists parameters and errors.

        Examples
        --------
        >>> import discreet as dc
        >>> dc.design.uniform(n=4).epsilon()
        0.0
        """
        return privacy.epsilon(self, delta)

    def properties(self) -> frozenset[str]:
        """Return which of RH, RM, CH, CM, F, WH, S the mechanism has, to the precision of floats.

        Examples
        --------
        >>> import discreet as dc
        >>> sorted(dc.design.geometric(epsilon=1, upper=9).properties())
        ['CH', 'CM', 'RH', 'RM', 'S', 'WH']
        """
        return properties.properties_of(self)

    def derivable(self, epsilon: Number | None = None, alpha: Number | None = None) -> bool:
        """Return True if this is a geometric mechanism with post-processing; see `assess.properties.derivable`.

        Parameters
        ----------
        epsilon, alpha : Number, optional
            The privacy of the geometric mechanism. Default: as in the design.
        """
        return properties.derivable(self, epsilon, alpha)

    def loss(self, kind: str | tuple[str, int], weights: npt.ArrayLike | None = None, aggregate: str = "sum") -> float:
        """Return the expected loss over the true counts.

        Parameters
        ----------
        kind : str or tuple
            "L0", "L1", "L2", or ("L0", d), also written "L0,d": the chance of an error above d.
        weights : array of float, optional
            A prior over the true counts. By default all counts have the same weight.
        aggregate : str
            "sum" over the true counts, or "max".

        Returns
        -------
        float
            The loss.

        Raises
        ------
        ParameterError
            The loss or the aggregate is not known, or the weights do not fit the counts.

        Examples
        --------
        >>> import discreet as dc
        >>> dc.design.uniform(n=3).loss("L0")
        1.0
        """
        return utility.loss(self, kind, weights, aggregate)

    def bias(self, count: int) -> float:
        """Return the mean of the output minus the count. Raise MechanismError on a cycle."""
        return utility.moments(self, count)[0]

    def variance(self, count: int) -> float:
        """Return the variance of the output. Raise MechanismError on a cycle."""
        return utility.moments(self, count)[1]

    def rmse(self, count: int) -> float:
        """Return the root of the mean squared difference between output and count. Raise MechanismError on a cycle."""
        bias, variance = utility.moments(self, count)
        return math.sqrt(bias * bias + variance)

    def entropy(self, count: int | Sequence[int]) -> float:
        """Return the Shannon entropy of the output, in bits."""
        return utility.entropy(self.pmf(count)[1])

    def certify(self, epsilon: Number | None = None, bits: int = 32) -> "PTable":
        """Return the mechanism as integers, with an exact promise at epsilon.

        Parameters
        ----------
        epsilon : Number, optional
            The epsilon of the promise. Default: the epsilon of the design.
        bits : int
            Every row of the table sums to 2**bits.

        Returns
        -------
        PTable
            The perturbation table, with its guarantee.

        Raises
        ------
        EpsilonError
            No epsilon is given, and the design has none.
        CertifyError
            The mechanism does not fit into `bits` bits. The message says which bits would do.

        Examples
        --------
        >>> import discreet as dc
        >>> dc.design.geometric(epsilon=1, upper=9).certify().guarantee.delta
        Fraction(0, 1)
        """
        return issue.certify(self, epsilon, bits)


def _integer(count: object) -> int:
    if isinstance(count, (bool, np.bool_)) or not hasattr(count, "__index__"):
        raise MechanismError(f"the count is {count!r}; give an integer")
    return int(count.__index__())
