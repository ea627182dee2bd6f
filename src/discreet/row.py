"""A row of a mechanism: the probabilities of consecutive outputs, or of consecutive noise values; its checks."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.domain import Cycle, Domain
from discreet.errors import MechanismError

SUM_TOLERANCE = 1e-9
"""How far the sum of the floats of a row may be from one, for the tolerance of solvers."""


@dataclass(frozen=True, eq=False)
class Row:
    """Probabilities of the consecutive outputs first, first + 1, ...; in the interior, of consecutive noise values.

    Attributes
    ----------
    first : int
        The first output, or the first noise value.
    values : numpy.ndarray
        The probabilities as floats.
    numerators, denominator
        The exact probabilities, values[y] = numerators[y] / denominator. `numerators` is None if they are not known.

    Examples
    --------
    >>> import discreet as dc
    >>> row = dc.Row.exact(-1, [1, 2, 1])
    >>> row.values.tolist(), row.denominator
    ([0.25, 0.5, 0.25], 4)
    >>> dc.Row.from_logs(0, [-0.6931471805599453] * 2).values.round(12).tolist()
    [0.5, 0.5]
    """

    first: int
    values: Floats
    numerators: tuple[int, ...] | None = None
    denominator: int = 1

    @classmethod
    def of(cls, first: int, probabilities: Iterable[float | Fraction]) -> "Row":
        """Return a row from floats, or from Fractions, which stay exact.

        Parameters
        ----------
        first
            The first output, or the first noise value.
        probabilities
            Floats or Fractions.

        Examples
        --------
        >>> from fractions import Fraction
        >>> Row.of(-1, [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]).numerators
        (1, 2, 1)
        """
        values = list(probabilities) if isinstance(probabilities, Iterable) else [probabilities]
        if values and all(isinstance(p, (Fraction, int)) for p in values):
            denominator = math.lcm(*(Fraction(p).denominator for p in values))
            return cls.exact(first, [int(p * denominator) for p in values], denominator)
        return cls(first, values)  # type: ignore[arg-type]

    @classmethod
    def exact(cls, first: int, numerators: Sequence[int], denominator: int | None = None) -> "Row":
        """Return a row from integers over one denominator.

        Parameters
        ----------
        first
            The first output, or the first noise value.
        numerators
            One integer for each output.
        denominator
            The denominator. None: the sum of the numerators.

        Raises
        ------
        MechanismError
            The denominator is not above 0.
        """
        total = sum(numerators) if denominator is None else denominator
        if total <= 0:
            raise MechanismError(f"a row has the denominator {total}; give weights that are not all 0")
        floats = {numerator: numerator / total for numerator in set(numerators)}
        return cls(first, np.array([floats[numerator] for numerator in numerators]), tuple(numerators), total)

    @classmethod
    def from_logs(cls, first: int, logs: npt.ArrayLike, values: Floats | None = None) -> "Row":
        """Return a row from the logarithms of its probabilities, some of which may be too small for a float.

        Parameters
        ----------
        first
            The first output, or the first noise value.
        logs
            One logarithm for each output.
        values
            The probabilities, if they are known more precisely than their logarithms.
        """
        logarithms = np.array(logs, dtype=np.float64)
        logarithms.setflags(write=False)
        row = cls(first, np.exp(logarithms) if values is None else values)
        row.__dict__["logs"] = logarithms
        return row

    def __post_init__(self) -> None:
        if isinstance(self.first, bool) or not hasattr(self.first, "__index__"):
            raise MechanismError(f"a row starts at {self.first!r}; give the integer of its first output")
        try:
            values = np.array(self.values, dtype=np.float64)  # a copy, which nobody else can change
        except (TypeError, ValueError):
            raise MechanismError(f"a row holds {self.values!r:.80}; give a sequence of probabilities") from None
        if values.ndim == 1 and self.numerators is None:
            total = math.fsum(values.tolist())  # a list is summed faster than an array
            values = values / total if 0 < abs(total - 1) <= SUM_TOLERANCE else values
        values.setflags(write=False)
        object.__setattr__(self, "first", int(self.first))
        object.__setattr__(self, "values", values)

    @property
    def outputs(self) -> Integers:
        """The outputs, in the order of the values."""
        return np.arange(self.first, self.first + len(self.values))

    @cached_property
    def logs(self) -> Floats:
        """Natural logarithms of the probabilities, right even if the float underflows and the row is exact."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.values)
        if self.numerators is not None:
            for index in np.flatnonzero(self.values < 1e-290):
                if numerator := self.numerators[index]:
                    logs[index] = math.log(numerator) - math.log(self.denominator)
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


def exact_rows(columns: Sequence[Sequence[int]], denominator: int) -> tuple[Row, ...]:
    """Return rows that start at 0, from integers over one denominator. Integers that columns share are divided once.

    Parameters
    ----------
    columns
        The numerators of each row. The same number counts as shared only if it is the same Python object: to compare
        large integers would take as long as to divide them.
    denominator
        The denominator of all rows.
    """
    shares: dict[int, float] = {}
    rows = []
    for column in columns:
        for numerator in column:
            if id(numerator) not in shares:
                shares[id(numerator)] = numerator / denominator
        values = np.array([shares[id(numerator)] for numerator in column])
        rows.append(Row(0, values, tuple(column), denominator))
    return tuple(rows)


def check_row(row: Row, name: str) -> None:
    """Raise MechanismError if a row is not probabilities that sum to one. `name` names the row in the message."""
    if not isinstance(row, Row):
        raise MechanismError(f"{name} is {row!r:.60}; make it with Row.of(first, probabilities)")
    if row.values.ndim != 1 or not len(row.values):
        raise MechanismError(f"{name} has shape {row.values.shape}; give a list of probabilities")
    if not np.isfinite(row.values).all() or (row.values < 0).any():
        worst = row.values[~(np.isfinite(row.values) & (row.values >= 0))][0]
        raise MechanismError(f"{name} holds {worst}; probabilities are finite and not negative")
    total = math.fsum(row.values.tolist())
    if abs(total - 1) > SUM_TOLERANCE:
        raise MechanismError(f"{name} sums to {total:.12g}; probabilities must sum to one")
    if row.numerators is not None and sum(row.numerators) != row.denominator:
        raise MechanismError(f"{name} has numerators that do not sum to their denominator; they must, exactly")


def check_shape(domain: Domain, rows: Sequence[Row], interior: Sequence[Row]) -> None:
    """Raise MechanismError if rows and interior do not fit the domain."""
    if isinstance(domain, Cycle):
        if rows or len(interior) != 1 or interior[0].first or len(interior[0].values) != domain.size:
            raise MechanismError(
                f"{domain} needs one interior row of {domain.size} probabilities from residue 0, and no other rows"
            )
    elif domain.upper is None:
        if not interior:
            first = domain.lower + len(rows)
            raise MechanismError(f"{domain} has no end: give an interior for the counts from {first} on")
    elif not interior and len(rows) != domain.size:
        raise MechanismError(
            f"{domain} has {domain.size} counts, but there are {len(rows)} rows: give one each, or an interior"
        )
    elif interior and domain.size is not None and len(rows) >= domain.size:
        raise MechanismError(
            f"{domain} has {domain.size} counts and {len(rows)} rows: no count is left for the interior; leave it out"
        )
