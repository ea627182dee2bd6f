"""The currency of a ledger: whole units of one certificate U.

Budgets of curves do not add: to recompose everything that was released so far, and to go on while it fits, is not a
valid rule if the last answer decides the next question. Powers of one pair do add. With V a fixed dominating pair of
one touch of U,

    capacity    K = the largest k with delta(V^k, epsilon) <= delta,
    cost        c = the least integer with H_release(a) <= H(V^c, a) for every a,

and grants may be given in any order while the sum of c is at most K. If V^c dominates a first release, and V^d
dominates a second release that was chosen after the first was seen, V^(c + d) dominates both together. So V^K dominates
all releases (Zhu, Dong and Wang 2022). A release that uses U alone costs as many units as one person touches cells.

V is made once, when the ledger is opened, and kept with the ledger, so that a cost is always a comparison with the same
pair. Of the two pairs below, the pair that gives more units is taken:

curve
    The pair of U's profile on a lattice (`dominating_pair`). The capacity follows from an upper bound of V^k.
promise
    Randomized response of U's (epsilon, delta), which dominates every mechanism that keeps the promise. Its k-th power
    has delta <= k delta_U at k epsilon_U, in exact fractions: a budget of delta 0, or a budget for one unit, is met to
    the last digit. The pair that is kept is in floats and nowhere above this one, which only makes costs higher.

How H_release <= H(V^c) is decided. Both are convex and piecewise linear in a, with knots on their own lattices of
losses. So it is enough to compare both at all knots of both, and at infinity; below 1 both follow from the values above
1. The release is rounded up (`Composition.delta`) and V^c down (`delta - error`). As both fall, H_release(x) <= H(V^c,
y) at x < y settles everything between x and y, which spares most knots.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.account.composition import MOST_CELLS, MOST_CONTRIBUTIONS, WIDEST_STEP, Composition, compose
from discreet.account.dominating_pair import ULP, Pair
from discreet.account.privacy_profile import profile
from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.domain import Cycle
from discreet.errors import BudgetError, ParameterError
from discreet.exact import Epsilon, Number, exact, is_integer, text

Parts = Sequence[tuple[PTable, int]]

FIRST_POINTS = 1 << 10
FINER = 8


@dataclass(frozen=True)
class Budget:
    """The epsilon and the delta that all releases of a ledger may cost one person together."""

    epsilon: Fraction
    delta: Fraction

    @classmethod
    def of(cls, epsilon: Number, delta: Number) -> "Budget":
        """Return the budget exactly as written. Raise ParameterError if epsilon or delta is out of range."""
        chance = exact(delta, "delta")
        if not 0 <= chance < 1:
            raise ParameterError(f"delta is {delta!r:.60}; it is a probability from 0 to below 1")
        size = Epsilon.of(epsilon).exponent
        assert size is not None
        return cls(size, chance)

    def __str__(self) -> str:
        return f"epsilon {text(self.epsilon)} and delta {text(self.delta)}"


@dataclass(frozen=True, eq=False)
class Unit:
    """One touch of a certified table, and the pair that stands for it in a ledger; immutable.

    Attributes
    ----------
    ptable
        The certified table.
    contributions
        Most rows that one person has in a grouping.
    rule
        "curve" or "promise": how the pair was made.
    pair
        The pair V.
    """

    ptable: PTable
    contributions: int
    rule: str
    pair: Pair

    def composed(self, units: int, budget: Budget) -> tuple[float, float]:
        """Return upper bounds for `units` units: epsilon at the budget's delta, and delta at the budget's epsilon."""
        if units == 0:
            return 0.0, 0.0
        if self.rule == "promise":
            promise = _promise(self.ptable, self.contributions)
            assert promise is not None
            return _up(units * promise[0]), _up(min(units * promise[1], Fraction(1)))
        together = compose(self.pair, units, step=self.pair.step)
        return together.epsilon(budget.delta), together.delta(budget.epsilon)

    def fitting(self, budget: Budget, most: int) -> int:
        """Return how many units, up to `most`, are within a budget."""
        return _most(lambda units: Fraction(self.composed(units, budget)[1]) <= budget.delta, most)

    def cost(self, parts: Parts, contributions: int, most: int) -> int | None:
        """Return the least number of units, up to `most`, that dominate a release; None if it takes more.

        Parameters
        ----------
        parts
            Tables, each with the number of cells drawn from it that contain one person.
        contributions
            Most rows that one person has in a grouping of this release.
        """
        used = [(ptable, _integer(times, "touches", 0)) for ptable, times in parts]
        used = [(ptable, times) for ptable, times in used if times]
        _check_contributions(contributions)
        cyclic = isinstance(self.ptable.domain, Cycle)
        if any(isinstance(ptable.domain, Cycle) != cyclic for ptable, _ in used):
            raise ParameterError(
                "a ledger holds counts, where one person is added or removed, or answers on a cycle, where one is"
                f" replaced, not both; its unit is on {self.ptable.domain}: open another ledger for the other kind"
            )
        if not used:
            return 0
        if contributions == self.contributions and all(ptable.table == self.ptable.table for ptable, _ in used):
            touches = sum(times for _, times in used)
            return touches if touches <= most else None
        bound = self._cost_by_promises(used, contributions)
        release = _release(used, contributions)
        highest = most if bound is None else min(most, bound - 1)
        least = _least(lambda units: dominated(release, self._power(units)), highest)
        if least is None and bound is not None and bound <= most:
            return bound
        return least

    def why_refused(self, parts: Parts, contributions: int, capacity: int) -> str:
        """Return why a release takes more units than a ledger has: it reveals the truth more often, or costs more."""
        own = "use the ledger's own table (design: {certificate: FILE}, with the certificate that it was opened with)"
        used = [(ptable, times) for ptable, times in parts if times]
        reveals, most = _release(used, contributions).floor, self._power(capacity).floor
        if reveals > most:
            return (
                f"the noise of the release is cut off, so its outputs reveal the truth with chance {reveals:.3g}. All"
                f" {capacity} units of the ledger together do so with chance {most:.3g}, so they do not cover that:"
                f" {own}"
            )
        return (
            f"the release costs more than all {capacity} units of the ledger: publish fewer cells, use more noise, or"
            f" {own}"
        )

    def _power(self, units: int) -> Composition:
        """Return V^units."""
        return compose(self.pair, units, step=self.pair.step)

    def _cost_by_promises(self, parts: Parts, contributions: int) -> int | None:
        """Return the units that cover the sums of the parts' promises; None if the unit is no promise or none covers.

        Touches whose promises add up to no more than the unit's promise fit into one unit.
        """
        own = _promise(self.ptable, self.contributions) if self.rule == "promise" else None
        if own is None:
            return None
        total = 0
        for ptable, times in parts:
            promise = _promise(ptable, contributions)
            touches_a_unit = None if promise is None else _times(promise, own)
            if not touches_a_unit:
                return None
            total += -(-times // touches_a_unit)
        return total


def choose_unit(ptable: PTable, budget: Budget, contributions: int = 1) -> tuple[Unit, int]:
    """Return the unit of a budget, and how many units the budget holds.

    Parameters
    ----------
    ptable
        The certified table that the budget is counted in.
    contributions
        Most rows that one person has in a grouping.

    Raises
    ------
    BudgetError
        Not even one unit fits.
    """
    _check_contributions(contributions)
    touch = _touch(ptable, contributions)

    def together(units: int) -> Composition:
        return compose(touch, units)

    guess = _most(lambda k: _fits(together(k), budget), MOST_CELLS)
    step = together(max(guess, 1)).step
    pair = _touch(ptable, contributions, step).pair(step)

    def fits(units: int) -> bool:
        return _fits(compose(pair, units, step=step), budget)

    by_curve = guess if guess and fits(guess) else _most(fits, guess)
    promise = _promise(ptable, contributions)
    by_promise = 0 if promise is None else min(_times(promise, (budget.epsilon, budget.delta)), MOST_CELLS)
    if max(by_curve, by_promise) == 0:
        raise _too_small(budget, compose(touch))
    if promise is not None and by_promise >= by_curve:
        return Unit(ptable, contributions, "promise", _randomized_response(*promise)), by_promise
    return Unit(ptable, contributions, "curve", pair), by_curve


def _too_small(budget: Budget, one_unit: Composition) -> BudgetError:
    epsilon = one_unit.epsilon(budget.delta)
    enough = "" if epsilon == math.inf else f"epsilon {epsilon:.4g} at that delta, or "
    return BudgetError(
        f"{budget} do not hold one unit, which needs {enough}delta {one_unit.delta(budget.epsilon):.4g} at that"
        " epsilon: give the ledger a larger budget, or a unit with more noise",
        requested=1,
        left=0,
    )


def unit_holds(unit: Unit, budget: Budget, capacity: int) -> bool:
    """Return True if `capacity` units are within the budget, and the unit's pair follows from its certificate."""
    pair = unit.pair
    if unit.rule == "promise":
        promise = _promise(unit.ptable, unit.contributions)
        return (
            promise is not None
            and capacity <= _times(promise, (budget.epsilon, budget.delta))
            and _same(_randomized_response(*promise), pair)
        )
    recomputed = _touch(unit.ptable, unit.contributions, pair.step).pair(pair.step)
    return _same(recomputed, pair) and _fits(compose(pair, capacity, step=pair.step), budget)


def dominated(release: Composition, units: Composition) -> bool:
    """Return True if the profile of the release is proved to lie nowhere above the profile of the units."""

    def lower(x: Floats) -> Floats:
        bound, error = units.at(x)
        return np.asarray(np.maximum(bound - error, 0))

    def upper(x: Floats) -> Floats:
        return release.at(x)[0]

    end = max(release.largest, units.largest) * (1 + 8 * ULP) + 1
    if release.floor > float(lower(np.array([end]))[0]):
        return False
    edges = np.linspace(0, release.largest, FIRST_POINTS + 1)
    low, high = edges[:-1], edges[1:]
    finest = min(release.step, units.step)
    while low.size:
        if (upper(low) > lower(low)).any():
            return False
        unsettled = upper(low) > lower(high)
        low, high = low[unsettled], high[unsettled]
        if not low.size or (high - low).max() <= finest:
            break
        cuts = low[:, None] + (high - low)[:, None] * np.arange(FINER + 1) / FINER
        low, high = cuts[:, :-1].ravel(), cuts[:, 1:].ravel()
    for step in (release.step, units.step):
        knots = np.unique(np.floor(low / step)[:, None] + np.arange(-1, 4))
        x = np.asarray(step * knots[knots >= 0], dtype=np.float64)
        if (upper(x * (1 - 4 * ULP)) > lower(x * (1 + 4 * ULP))).any():
            return False
    return True


def pack(pair: Pair) -> bytes:
    """Return a pair as bytes, to the last bit."""
    return np.concatenate([[pair.step, pair.infinite], pair.masses, pair.values]).astype("<f8").tobytes()


def unpack(data: bytes) -> Pair:
    """Return the pair that `pack` turned into bytes."""
    numbers = np.frombuffer(data, dtype="<f8").astype(np.float64)
    reach = (len(numbers) - 4) // 3
    return Pair(float(numbers[0]), numbers[2 : 2 * reach + 3], float(numbers[1]), numbers[2 * reach + 3 :])


def _touch(ptable: PTable, contributions: int, step: float | None = None) -> Any:
    """Return the curve of one grouping."""
    if contributions == 1:
        return profile(ptable, None if isinstance(ptable.domain, Cycle) else 1)
    return compose(ptable, contributions=contributions, step=step).parts[0].curve


def _release(parts: Parts, contributions: int) -> Composition:
    if contributions == 1:
        return compose([(_touch(ptable, 1), times) for ptable, times in parts])
    return compose(list(parts), contributions=contributions)


def _fits(together: Composition, budget: Budget) -> bool:
    return Fraction(together.delta(budget.epsilon)) <= budget.delta


def _promise(ptable: PTable, contributions: int) -> tuple[Fraction, Fraction] | None:
    """Return (epsilon, delta) of one grouping by the certificate; None for several rows with a delta above 0."""
    epsilon, delta = ptable.certificate.epsilon, ptable.guarantee.delta
    if delta and contributions > 1:
        return None
    exponent = Fraction(epsilon.number) if epsilon.exponent is None else epsilon.exponent
    return contributions * exponent, delta


def _times(promise: tuple[Fraction, Fraction], whole: tuple[Fraction, Fraction]) -> int:
    """Return how many times a promise fits into another promise."""
    return min(int(total // part) for part, total in zip(promise, whole, strict=True) if part)


def _randomized_response(epsilon: Fraction, delta: Fraction) -> Pair:
    """Return randomized response that reveals the truth with chance delta; its loss and masses are rounded down."""
    reach = math.ceil(epsilon / WIDEST_STEP)
    step = float(epsilon / reach)
    while reach * Fraction(step) > epsilon:
        step = math.nextafter(step, 0.0)
    finite = (1 - float(delta)) * (1 - 16 * ULP)
    masses = np.zeros(2 * reach + 1)
    masses[0], masses[-1] = finite / (1 + math.exp(reach * step)), finite / (1 + math.exp(-reach * step))
    infinite = float(delta) * (1 - 4 * ULP)
    a = np.exp(step * np.arange(reach + 1))
    values = infinite + np.maximum(masses[-1] - a * masses[0], 0)
    masses.flags.writeable = False
    return Pair(step, masses, infinite, values)


def _same(pair: Pair, other: Pair) -> bool:
    """Return True if two pairs are equal within the rounding of different machines."""
    return pair.step == other.step and all(
        len(a) == len(b) and np.allclose(a, b, rtol=1e-9, atol=1e-12)
        for a, b in ((pair.values, other.values), (pair.masses, other.masses))
    )


def _most(good: Callable[[int], bool], highest: int) -> int:
    """Return the largest k up to `highest` with good(k), where good is False from some k on; 0 if there is none."""
    low, high = 0, 1
    while high <= highest and good(high):
        low, high = high, 2 * high
    high = min(high, highest + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def _least(good: Callable[[int], bool], highest: int) -> int | None:
    """Return the least k from 1 to `highest` with good(k), where good is True from some k on; None if there is none."""
    least = _most(lambda k: not good(k), highest) + 1
    return least if least <= highest else None


def _up(value: Fraction) -> float:
    nearest = float(value)
    return math.nextafter(nearest, math.inf) if Fraction(nearest) < value else nearest


def _check_contributions(value: int) -> None:
    if _integer(value, "contributions", 1) > MOST_CONTRIBUTIONS:
        raise ParameterError(f"contributions are {value}; give at most {MOST_CONTRIBUTIONS} rows a person")


def _integer(value: int, name: str, least: int) -> int:
    if not is_integer(value) or int(value) < least:
        raise ParameterError(f"{name} are {value!r:.60}; give an integer of {least} or more")
    return int(value)
