"""The seven properties of Cormode 2019, and whether a mechanism derives from the geometric one.

With P[i, j] = Pr[output i | true j]:

    RH    P[i,i] >= P[i,j]
    RM    rows fall away from the diagonal
    CH    P[j,j] >= P[i,j]
    CM    columns fall away from the diagonal
    F     the diagonal has one value
    WH    P[j,j] >= 1/(n+1)
    S     P[i,j] = P[n-i,n-j]

RM implies RH. CM implies CH, and CH implies WH.

The definitions are for counts 0..n. Without an upper end, the rows and one period of the interior decide, because all
other rows repeat them; WH means P[j,j] > 0, and S means that every row is symmetric about its own count. On a cycle of
one dimension, "away" is along the cycle. On a cycle of several dimensions, RM and CM are not defined.

The properties are decided in floats here, with a tolerance. `certify.table.properties` decides them exactly.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats
from discreet.domain import Counts, Cycle
from discreet.errors import MechanismError
from discreet.exact import Epsilon, Number

if TYPE_CHECKING:
    from discreet.mechanism import Mechanism, Row


TOLERANCE = 1e-9
"""How far a solver may miss an equality."""

LONG = 10_000
"""Domains of this length or more count as long: symmetry is decided by the rows, not count by count."""


def properties_of(mechanism: "Mechanism") -> frozenset[str]:
    """Return which of the seven properties a mechanism has, to the precision of floats."""
    if isinstance(mechanism.domain, Cycle):
        return _on_cycle(mechanism.interior[0].values, mechanism.domain)
    if not mechanism.rows and len(mechanism.interior) == 1:
        return _of_noise(mechanism)
    lower, upper = mechanism.domain.lower, mechanism.domain.upper
    end = lower + len(mechanism.rows) + len(mechanism.interior) + 1
    counts = range(lower, end if upper is None else min(end, upper + 1))
    first, matrix = section(mechanism, counts)
    outputs = np.arange(first, first + len(matrix))
    i, j = outputs[:, None], np.arange(counts[0], counts[-1] + 1)[None, :]
    inside = (outputs >= lower) & (outputs <= (outputs[-1] if upper is None else upper))
    own = np.array(
        [_chance_of_truth(mechanism, int(y)) if there else 1.0 for y, there in zip(outputs, inside, strict=True)]
    )
    truth = matrix[np.arange(len(counts)) + counts[0] - first, np.arange(len(counts))]
    along, down = matrix[:, :-1] - matrix[:, 1:], np.pad(matrix, ((1, 1), (0, 0)))
    tests = {
        "RH": _all_hold(own[:, None] - matrix) and _far_rows_honest(mechanism, mechanism.domain),
        "RM": _all_hold(np.where((i <= j)[:, :-1], along, -along)),
        "CH": _all_hold(truth[None, :] - matrix),
        "CM": _all_hold(np.where((i >= j), matrix - down[2:], matrix - down[:-2]))
        and _all_hold(np.where((i == j), matrix - down[:-2], 0)),
        "F": _all_hold(truth.min() - truth),
        "WH": _all_hold(truth - 1 / mechanism.domain.size) if mechanism.domain.size else bool((truth > 0).all()),
        "S": _symmetric(mechanism, mechanism.domain),
    }
    return frozenset(name for name, holds in tests.items() if holds)


def _far_rows_honest(mechanism: "Mechanism", domain: Counts) -> bool:
    """Return True if RH holds at counts so large that all outputs of the interior are counts of the domain."""
    period, start = len(mechanism.interior), domain.lower + len(mechanism.rows)
    reach = max((max(0, -row.first) for row in mechanism.interior), default=0)
    first = start + -(-reach // period) * period if period else start
    far = range(first, first + period)
    if domain.upper is not None and first + period > domain.upper + 1:
        far = range(start, domain.upper + 1)
    for count in far:
        row = mechanism.row(count)
        for y, chance in zip(row.outputs.tolist(), row.values.tolist(), strict=True):
            inside = y >= domain.lower and (domain.upper is None or y <= domain.upper)
            if inside and _chance_of_truth(mechanism, y) < chance - TOLERANCE:
                return False
    return True


def _chance_of_truth(mechanism: "Mechanism", count: int) -> float:
    row = mechanism.row(count)
    index = count - row.first
    return float(row.values[index]) if 0 <= index < len(row.values) else 0.0


def _symmetric(mechanism: "Mechanism", domain: Counts) -> bool:
    """Return True if P[i,j] = P[n-i,n-j]; without an upper end, if every row is symmetric about its own count.

    A very long domain is symmetric if its rows are all alike, and symmetric about their own counts.
    """
    if domain.upper is not None and domain.upper - domain.lower < LONG:
        ends = domain.lower + domain.upper
        half = range(domain.lower, domain.lower + (domain.upper - domain.lower) // 2 + 1)
        return all(_mirrored(mechanism.row(c), mechanism.row(ends - c), ends) for c in half)
    counts = range(domain.lower, domain.lower + len(mechanism.rows) + len(mechanism.interior))
    about = all(_mirrored(mechanism.row(c), mechanism.row(c), 2 * c) for c in counts)
    first = mechanism.row(counts[0])
    same = all(
        len(mechanism.row(c).values) == len(first.values) and _all_hold(-abs(mechanism.row(c).values - first.values))
        for c in counts
    )
    return about and (domain.upper is None or same)


def _mirrored(row: "Row", mirror: "Row", ends: int) -> bool:
    """Return True if the mirror image of a row, y to ends - y, is the other row."""
    first = min(row.first, ends - (mirror.first + len(mirror.values) - 1))
    last = max(row.first + len(row.values), ends - mirror.first + 1)
    one, other = np.zeros(last - first), np.zeros(last - first)
    one[row.first - first :][: len(row.values)] = row.values
    start = ends - (mirror.first + len(mirror.values) - 1) - first
    other[start:][: len(mirror.values)] = mirror.values[::-1]
    return _all_hold(-abs(one - other))


def section(mechanism: "Mechanism", counts: range) -> tuple[int, Floats]:
    """Return the smallest output, and P[i, j] for the given true counts. The outputs contain all these counts."""
    rows = [mechanism.row(count) for count in counts]
    first = min(counts[0], *(row.first for row in rows))
    last = max(counts[-1], *(row.first + len(row.values) - 1 for row in rows))
    matrix = np.zeros((last - first + 1, len(rows)))
    for column, row in enumerate(rows):
        matrix[row.first - first : row.first - first + len(row.values), column] = row.values
    return first, matrix


def derivable(mechanism: "Mechanism", epsilon: Number | None = None, alpha: Number | None = None) -> bool:
    """Return True if a mechanism is the geometric mechanism followed by post-processing.

    The condition of Gupte and Sundararajan 2010 is (1 + alpha^2) P[i,j] >= alpha (P[i,j-1] + P[i,j+1]), and
    P[i,j] within the factor E of its neighbour at the two ends.

    Parameters
    ----------
    mechanism : Mechanism
        On counts with an upper end.
    epsilon, alpha : Number, optional
        The privacy of the geometric mechanism. Default: as in the design.

    Returns
    -------
    bool
        True if the condition holds, to the precision of floats.

    Raises
    ------
    MechanismError
        The mechanism is not on counts with an upper end, or there is no epsilon.

    Examples
    --------
    >>> from discreet import design
    >>> from discreet.assess.properties import derivable
    >>> mechanism = design.geometric(epsilon=1, upper=8)
    >>> derivable(mechanism), derivable(mechanism, epsilon="0.5")
    (True, False)
    """
    matrix = _matrix_with_an_end(mechanism, "derivability")
    given = mechanism.design if epsilon is None and alpha is None else {"epsilon": epsilon, "alpha": alpha}
    if given.get("epsilon") is None and given.get("alpha") is None:
        raise MechanismError(
            "this design has no epsilon of its own; give the epsilon= or alpha= of the geometric mechanism"
        )
    a = float(Epsilon.of(given.get("epsilon"), given.get("alpha")).alpha)
    if matrix.shape[1] < 2:
        return True
    inner = (1 + a * a) * matrix[:, 1:-1] - a * (matrix[:, :-2] + matrix[:, 2:])
    ends = np.stack([matrix[:, 0] - a * matrix[:, 1], matrix[:, -1] - a * matrix[:, -2]])
    return _all_hold(inner) and _all_hold(ends)


def column_epsilon(mechanism: "Mechanism") -> float:
    """Return the largest |log| of the ratio of the chances of two neighbouring outputs, over all true counts.

    A mechanism has column privacy (Cormode 2019, section 8) at epsilon if this is at most epsilon.

    Parameters
    ----------
    mechanism : Mechanism
        On counts 0..n.

    Returns
    -------
    float
        math.inf if an output has chance 0 and a neighbouring output has not.

    Raises
    ------
    MechanismError
        The mechanism is not on counts with an upper end.

    Examples
    --------
    >>> from discreet import design
    >>> from discreet.assess.properties import column_epsilon
    >>> round(column_epsilon(design.fair(n=8, epsilon=1, variant="paper")), 9)
    1.0
    """
    matrix = _matrix_with_an_end(mechanism, "column privacy")
    one, other = matrix[:-1], matrix[1:]
    if ((one > 0) != (other > 0)).any():
        return math.inf
    both = one > 0
    return float(np.abs(np.log(one[both] / other[both])).max(initial=0.0))


def _matrix_with_an_end(mechanism: "Mechanism", notion: str) -> Floats:
    """Return the matrix of a mechanism. Raise MechanismError if its domain is not counts with an upper end."""
    if not isinstance(mechanism.domain, Counts) or mechanism.domain.upper is None:
        raise MechanismError(
            f"the domain is {mechanism.domain}; {notion} is defined for counts with an upper end: give such a mechanism"
        )
    return mechanism.matrix()


def _all_hold(slack: Floats) -> bool:
    """Return True if no slack is below 0, to the precision of floats."""
    return bool(slack.size == 0 or slack.min() >= -TOLERANCE)


def _of_noise(mechanism: "Mechanism") -> frozenset[str]:
    """Return the properties of additive noise. Rows and columns of its matrix have the same numbers."""
    row, size = mechanism.interior[0], mechanism.domain.size
    reach = max(-row.first, row.first + len(row.values) - 1, 0)
    noise = np.zeros(2 * reach + 1)
    noise[row.first + reach : row.first + reach + len(row.values)] = row.values
    names = {"F"}
    if _all_hold(noise[reach] - noise):
        names |= {"RH", "CH"}
    if _all_hold(noise[reach:-1] - noise[reach + 1 :]) and _all_hold(noise[1 : reach + 1] - noise[:reach]):
        names |= {"RM", "CM"}
    if noise[reach] >= 1 / size - TOLERANCE if size else noise[reach] > 0:
        names.add("WH")
    if _all_hold(-abs(noise - noise[::-1])):
        names.add("S")
    return frozenset(names)


def _on_cycle(noise: Floats, domain: Cycle) -> frozenset[str]:
    """Return the properties of noise on a cycle."""
    shaped = noise.reshape(domain.shape)
    axes = tuple(range(shaped.ndim))
    mirror = np.roll(np.flip(shaped), 1, axis=axes).ravel()
    names = {"F"}
    if _all_hold(noise[0] - noise):
        names |= {"RH", "CH"}
    if noise[0] >= 1 / domain.size - TOLERANCE:
        names.add("WH")
    if _all_hold(-abs(noise - mirror)):
        names.add("S")
    half = domain.size // 2 + 1
    if len(axes) == 1 and all(_all_hold(-np.diff(side[:half])) for side in (noise, mirror)):
        names |= {"RM", "CM"}
    return frozenset(names)
