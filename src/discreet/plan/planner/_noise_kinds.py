"""Kinds of noise, and the budget that noises of one kind must meet together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import Floats
from discreet.design import parameters
from discreet.domain import Counts
from discreet.exact import Epsilon
from discreet.plan._noise_families import SHARES_BETWEEN, Family, between, families
from discreet.plan.planner.ledger_units import LedgerUnits

WIDEST_BETWEEN = 2_000
"""Largest support of noise between geometric and bell-shaped noise, whose tables take long to compute."""

Persons = Sequence[tuple[int, ...]]
"""For every kind of person, the number of cells of each noise that hold the person."""


@dataclass(frozen=True)
class Budget:
    """The most that one person may lose in all.

    Attributes
    ----------
    epsilon, delta
        The budget.
    contributions
        Most rows of one person in a grouping.
    bits
        Bits of every table; None: as many as the budget needs.
    units
        The units of a ledger that the noises may cost together. None: the release has no ledger.
    """

    epsilon: Epsilon
    delta: Fraction
    contributions: int
    bits: int | None
    units: LedgerUnits | None = None

    @property
    def end_delta(self) -> float:
        """Delta that all ends of the noises may take together."""
        return float(self.delta) if self.units is None else min(float(self.delta), self.units.floor)

    @property
    def loss(self) -> float:
        """Epsilon, a little less, so that its rounding is on the safe side."""
        return float(self.epsilon) * (1 - 2.0**-50)


@dataclass(frozen=True)
class Kind:
    """A kind of noise.

    Attributes
    ----------
    name
        The name of its family (`_noise_families`).
    power
        p of exp(-|x / s|^p): 1 for geometric noise, 2 for a bell.
    end_shares
        Shares of delta that the ends of the noise may take.
    loss_power
        What one person loses is about the sum of (1 / standard deviation)^loss_power, for the search (`_shares`). The
        same as `power` at both ends. Between them either may find the better plan.
    """

    name: str
    power: float
    end_shares: tuple[float, ...]
    loss_power: float

    @property
    def family(self) -> Family:
        """The designs of this kind."""
        if self.power not in (1, 2):
            return between(self.power)
        return next(family for family in families(Counts(), Fraction(1, 2), 1) if family.name == self.name)

    def scale(self, precision: float) -> float:
        """Return the scale of the family for a precision: 1/epsilon for geometric noise, else about a deviation."""
        return 0.5 / math.asinh(math.sqrt(precision / 2)) if self.power == 1 else 1 / math.sqrt(precision)

    def logs(self, scale: float, end_delta: float) -> Floats | None:
        """Return the logarithms, up to a constant, of the probabilities of 0, 1, ... up to the end of the noise.

        The end has about the probability `end_delta`. Return None if no table holds the noise.
        """
        p = self.power
        unit = scale if p == 1 else scale / math.sqrt(math.gamma(3 / p) / math.gamma(1 / p))
        whole = 1 / math.tanh(0.5 / scale) if p == 1 else 2 * unit * math.gamma(1 + 1 / p)
        reach = unit * max(-math.log(end_delta * whole), 1.0) ** (1 / p)
        if reach > (parameters.LARGEST_SUPPORT if p in (1, 2) else WIDEST_BETWEEN):
            return None
        return np.asarray(-((np.arange(max(math.ceil(reach), 1) + 1.0) / unit) ** p))


GEOMETRIC = Kind("geometric", 1.0, (0.9999, 0.5, 0.1), 1.0)
GAUSSIAN = Kind("gaussian", 2.0, (0.01,), 2.0)


def power_kind(power: float, loss_power: float) -> Kind:
    """Return the kind of noise of a power between 1 and 2."""
    return Kind("power", power, SHARES_BETWEEN, loss_power)
