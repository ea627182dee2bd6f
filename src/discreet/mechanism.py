"""What a mechanism is: for every true value, a probability mass function over outputs.

One representation serves every design. A mechanism on counts has rows for the smallest counts, written as outputs, and
an optional interior, a periodic tuple of rows shared by all larger counts and written as noise:

    a matrix on 0..n                rows only
    additive noise                  interior of one row
    noise with small counts apart   both
    other tools' tables             both, the interior of period 2 (parity) or 250 (ONS)
    noise on a cycle                interior of one row, over the residues flattened in C order

Probabilities are floats, or integers over one denominator where the design knows them exactly; a certificate
is then made from the exact ones.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet import categories
from discreet.arrays import Floats, Integers
from discreet.assess import privacy, properties, utility
from discreet.certify import issue
from discreet.certify.table import Table
from discreet.domain import LARGEST, Counts, Cycle, Domain
from discreet.errors import MechanismError
from discreet.exact import Epsilon, Number

if TYPE_CHECKING:
    from discreet.certify.ptable import PTable


SUM_TOLERANCE = 1e-9
"""How far the floats of a row may sum from one: what a solver leaves, not what a person forgets."""


@dataclass(frozen=True, eq=False)
class Row:
    """Probabilities of the consecutive outputs first, first + 1, ... (of the noise, in the interior).

    Attributes
    ----------
    values
        The probabilities as floats.
    numerators, denominator
        The same exactly, where they are known: values[y] = numerators[y] / denominator.
    """

    first: int
    values: Floats
    numerators: tuple[int, ...] | None = None
    denominator: int = 1

    @classmethod
    def of(cls, first: int, probabilities: Iterable[float | Fraction]) -> "Row":
        """A row from floats, or from Fractions, which stay exact."""
        given = list(probabilities) if isinstance(probabilities, Iterable) else [probabilities]
        if given and all(isinstance(p, (Fraction, int)) for p in given):
            denominator = math.lcm(*(Fraction(p).denominator for p in given))
            return cls.exact(first, [int(p * denominator) for p in given], denominator)
        return cls(first, given)  # type: ignore[arg-type]

    @classmethod
    def exact(cls, first: int, numerators: Sequence[int], denominator: int | None = None) -> "Row":
        """A row from integers over one denominator; over their sum unless given."""
        under = sum(numerators) if denominator is None else denominator
        if under <= 0:
            raise MechanismError(f"a row has the denominator {under}; give weights that are not all 0")
        floats = {numerator: numerator / under for numerator in set(numerators)}
        return cls(first, np.array([floats[numerator] for numerator in numerators]), tuple(numerators), under)

    @classmethod
    def from_logs(cls, first: int, logs: npt.ArrayLike, values: Floats | None = None) -> "Row":
        """A row from the logarithms of its probabilities, some of which may be too small for a float.

        `values` are the probabilities where they are known better than their logarithms tell.
        """
        given = np.array(logs, dtype=np.float64)
        given.setflags(write=False)
        row = cls(first, np.exp(given) if values is None else values)
        row.__dict__["logs"] = given
        return row

    def __post_init__(self) -> None:
        if isinstance(self.first, bool) or not hasattr(self.first, "__index__"):
            raise MechanismError(f"a row starts at {self.first!r}; give the integer of its first output")
        try:
            values = np.array(self.values, dtype=np.float64)  # a copy: nobody else can change it
        except (TypeError, ValueError):
            raise MechanismError(f"a row holds {self.values!r:.80}; give a sequence of probabilities") from None
        if values.ndim == 1 and self.numerators is None and 0 < abs(math.fsum(values) - 1) <= SUM_TOLERANCE:
            values = values / math.fsum(values)
        values.setflags(write=False)
        object.__setattr__(self, "first", int(self.first))
        object.__setattr__(self, "values", values)

    @property
    def outputs(self) -> Integers:
        """The outputs, in the order of the values."""
        return np.arange(self.first, self.first + len(self.values))

    @cached_property
    def logs(self) -> Floats:
        """Natural logarithms of the probabilities; right even where the float itself underflows."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.values)
        if self.numerators is not None:
            for place in np.flatnonzero(self.values < 1e-290):
                if numerator := self.numerators[place]:
                    logs[place] = math.log(numerator) - math.log(self.denominator)
        return logs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        return (self.first, self.numerators, self.denominator) == (
            other.first,
            other.numerators,
            other.denominator,
        ) and (np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash((self.first, self.values.tobytes()))


@dataclass(frozen=True)
class Mechanism:
    """A domain, its neighbours, and a row for every true value; immutable.

    Parameters
    ----------
    domain
        `Counts` or `Cycle`.
    rows
        One row for each of the smallest counts, from the domain's lower end; outputs absolute.
    interior
        Rows for all larger counts, repeated with their number as the period; outputs relative to the count.
    neighbours
        For counts k, or the distances 1..k; for a cycle the differences, closed under negation here. Unless
        given: 1, or all differences.
    design
        The design's name and parameters, plain values. `epsilon` or `alpha` in it is the design's own.
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
            given = getattr(self, name)
            if not isinstance(given, Iterable):
                raise MechanismError(f"{name} is {given!r}; give a sequence of rows")
            object.__setattr__(self, name, tuple(given))
        object.__setattr__(self, "neighbours", self.domain.neighbours(self.neighbours))
        object.__setattr__(self, "design", MappingProxyType({"name": "custom", **self.design}))
        for place, row in enumerate(self.rows + self.interior):
            _check_row(row, f"row {place}" if place < len(self.rows) else f"interior row {place - len(self.rows)}")
        _check_shape(self)

    @classmethod
    def from_matrix(
        cls, matrix: npt.ArrayLike, lower: int = 0, neighbours: Any = None, design: Mapping[str, Any] | None = None
    ) -> "Mechanism":
        """A mechanism on lower..lower+n from P[i, j] = Pr[output lower+i | true lower+j], columns summing to one."""
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
        """The mechanism that an integer table is, exactly."""
        rows, interior = (
            tuple(Row.exact(row.first, row.weights, table.total) for row in part)
            for part in (table.rows, table.interior)
        )
        return cls(table.domain, rows, interior, table.neighbours, design or {"name": "table"})

    def __reduce__(self) -> tuple[Any, ...]:
        return Mechanism, (self.domain, self.rows, self.interior, self.neighbours, dict(self.design))

    def __hash__(self) -> int:
        return hash((self.domain, self.rows, self.interior, self.neighbours))

    def __repr__(self) -> str:
        named = ", ".join(f"{key}={value!r}" for key, value in self.design.items())
        return f"Mechanism({self.domain}, {len(self.rows)} rows, interior of {len(self.interior)}, {named})"

    # What it is

    def row(self, count: int) -> Row:
        """The row of one count, its outputs absolute. A count outside the domain is clamped into it."""
        if isinstance(self.domain, Cycle):
            raise MechanismError("a cycle has one row of noise, interior[0]; use pmf for one value")
        lower, upper = self.domain.lower, LARGEST if self.domain.upper is None else self.domain.upper
        place = min(max(count, lower), upper) - lower
        if place < len(self.rows):
            return self.rows[place]
        noise = self.interior[(place - len(self.rows)) % len(self.interior)]
        return Row(lower + place + noise.first, noise.values, noise.numerators, noise.denominator)

    def pmf(self, count: int | str | Sequence[int]) -> tuple[npt.NDArray[Any], Floats]:
        """Outputs and their probabilities for one true value, clamped into the domain.

        On a cycle of several dimensions the value is a vector and the outputs have one column a dimension. Where
        the design named its categories the value may be a name, and the outputs are names.
        """
        if isinstance(count, str):
            known = categories.names(self.design, self.domain.size)
            outputs, values = self.pmf(int(categories.codes(count, known)))
            return np.array(known)[outputs], values
        if isinstance(self.domain, Counts):
            row = self.row(_integer(count))
            return row.outputs, row.values
        given = np.atleast_1d(np.asarray(count))
        if given.shape != (len(self.domain.shape),) or given.dtype.kind not in "iu":
            raise MechanismError(
                f"the value is {count!r}; in {self.domain} it has {len(self.domain.shape)} integer parts"
            )
        true = np.clip(given, 0, np.array(self.domain.shape) - 1)
        noise = self.interior[0].values.reshape(self.domain.shape)
        shifted = np.roll(noise, tuple(true), axis=tuple(range(noise.ndim)))
        outputs = np.indices(self.domain.shape).reshape(noise.ndim, -1).T
        return outputs[:, 0] if noise.ndim == 1 else outputs, shifted.ravel()

    def matrix(self) -> Floats:
        """P[i, j] = Pr[output i | true j] for a finite domain.

        Outputs run over the domain, 0..n, and as far beyond it on both sides as the noise can reach. A
        cycle's values are flattened.
        """
        if isinstance(self.domain, Cycle):
            noise = self.interior[0].values.reshape(self.domain.shape)
            axes = tuple(range(noise.ndim))
            return np.stack([np.roll(noise, at, axis=axes).ravel() for at in np.ndindex(*self.domain.shape)], axis=1)
        if self.domain.upper is None:
            raise MechanismError("the domain has no upper end, so there is no matrix; use pmf(count), or give upper=")
        return properties.section(self, range(self.domain.lower, self.domain.upper + 1))[1]

    # What it costs and gives

    def delta(self, epsilon: Number | Epsilon, kind: str = "dp") -> float:
        """The exact delta at epsilon: the largest hockey-stick sum over all neighbours, both directions.

        kind="pdp": the largest chance of an output whose probability is more than E times its neighbour's.
        """
        return privacy.delta(self, epsilon, kind)

    def deltas(self, epsilons: npt.ArrayLike) -> Floats:
        """delta at every epsilon of an array: the privacy curve."""
        return privacy.curve(self, epsilons)

    def epsilon(self, delta: Number = 0) -> float:
        """The smallest epsilon with delta(epsilon) <= delta; math.inf where there is none."""
        return privacy.epsilon(self, delta)

    def properties(self) -> frozenset[str]:
        """Which of RH, RM, CH, CM, F, WH, S it has, to the precision of floats."""
        return properties.held(self)

    def derivable(self, epsilon: Number | None = None, alpha: Number | None = None) -> bool:
        """Whether it is the geometric mechanism of that privacy (its own unless given) followed by post-processing."""
        return properties.derivable(self, epsilon, alpha)

    def loss(self, kind: str | tuple[str, int], weights: npt.ArrayLike | None = None, aggregate: str = "sum") -> float:
        """Expected loss: "L0", "L1", "L2" or ("L0", d), summed over true counts with weights, or the largest."""
        return utility.loss(self, kind, weights, aggregate)

    def bias(self, count: int) -> float:
        """Mean of the output minus the count."""
        return utility.moments(self, count)[0]

    def variance(self, count: int) -> float:
        """Variance of the output."""
        return utility.moments(self, count)[1]

    def rmse(self, count: int) -> float:
        """Root of the mean squared difference between output and count."""
        bias, variance = utility.moments(self, count)
        return math.sqrt(bias * bias + variance)

    def entropy(self, count: int | Sequence[int]) -> float:
        """Shannon entropy of the output, in bits."""
        return utility.entropy(self.pmf(count)[1])

    def certify(self, epsilon: Number | None = None, bits: int = 32) -> "PTable":
        """Integers with a promise at epsilon, the design's own unless given.

        Raises
        ------
        CertifyError
            The mechanism does not fit into `bits` bits; the message says which bits would do.
        """
        return issue.certify(self, epsilon, bits)


def _check_row(row: Row, name: str) -> None:
    if not isinstance(row, Row):
        raise MechanismError(f"{name} is {row!r:.60}; make it with Row.of(first, probabilities)")
    if row.values.ndim != 1 or not len(row.values):
        raise MechanismError(f"{name} has shape {row.values.shape}; give a list of probabilities")
    if not np.isfinite(row.values).all() or (row.values < 0).any():
        worst = row.values[~(np.isfinite(row.values) & (row.values >= 0))][0]
        raise MechanismError(f"{name} holds {worst}; probabilities are finite and not negative")
    if abs(math.fsum(row.values) - 1) > SUM_TOLERANCE:
        raise MechanismError(f"{name} sums to {math.fsum(row.values):.12g}; probabilities must sum to one")
    if row.numerators is not None and sum(row.numerators) != row.denominator:
        raise MechanismError(f"{name} has numerators that do not sum to their denominator; they must, exactly")


def _check_shape(mechanism: Mechanism) -> None:
    rows, interior, domain = len(mechanism.rows), len(mechanism.interior), mechanism.domain
    if isinstance(domain, Cycle):
        if rows or interior != 1 or mechanism.interior[0].first or len(mechanism.interior[0].values) != domain.size:
            raise MechanismError(
                f"{domain} needs one interior row of {domain.size} probabilities from residue 0, and no other rows"
            )
    elif domain.upper is None:
        if not interior:
            raise MechanismError(f"{domain} has no end: give an interior for the counts from {domain.lower + rows} on")
    elif not interior and rows != domain.size:
        raise MechanismError(
            f"{domain} has {domain.size} counts, but there are {rows} rows: give one each, or an interior"
        )
    elif interior and domain.size is not None and rows >= domain.size:
        raise MechanismError(
            f"{domain} has {domain.size} counts and {rows} rows: the interior serves none; leave it out"
        )


def _integer(count: object) -> int:
    if isinstance(count, (bool, np.bool_)) or not hasattr(count, "__index__"):
        raise MechanismError(f"the count is {count!r}; give an integer")
    return int(count.__index__())
