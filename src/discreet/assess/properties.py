"""The seven properties of Cormode 2019, and whether a mechanism derives from the geometric one.

With P[i, j] = Pr[output i | true j]:
RH P[i,i] >= P[i,j]; RM rows fall away from the diagonal; CH P[j,j] >= P[i,j]; CM columns fall away from it; F equal
diagonal; WH P[j,j] >= 1/(n+1); S P[i,j] = P[n-i,n-j].  RM => RH; CM => CH => WH.

They are written for counts 0..n. Without an upper end the rows and one period of the interior decide (the rest repeats
them), WH asks for more than 0, and S for every row to be symmetric about its own count. On a cycle "away" is along the
cycle in one dimension; in several, RM and CM are not defined.

This is the reading in floats, with a tolerance; `certify.table.properties` is the exact one.
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
"""What a solver leaves of an equality."""

LONG = 10_000


def held(mechanism: "Mechanism") -> frozenset[str]:
    """Which of the seven hold, to the precision of floats."""
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
        "RH": _least(own[:, None] - matrix) and _far_rows_honest(mechanism, mechanism.domain),
        "RM": _least(np.where((i <= j)[:, :-1], along, -along)),
        "CH": _least(truth[None, :] - matrix),
        "CM": _least(np.where((i >= j), matrix - down[2:], matrix - down[:-2]))
        and _least(np.where((i == j), matrix - down[:-2], 0)),
        "F": _least(truth.min() - truth),
        "WH": _least(truth - 1 / mechanism.domain.size) if mechanism.domain.size else bool((truth > 0).all()),
        "S": _symmetric(mechanism, mechanism.domain),
    }
    return frozenset(name for name, holds in tests.items() if holds)


def _far_rows_honest(mechanism: "Mechanism", domain: Counts) -> bool:
    """RH at counts so large that all outputs of the interior are counts; up to the upper end where there is one."""
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
    place = count - row.first
    return float(row.values[place]) if 0 <= place < len(row.values) else 0.0


def _symmetric(mechanism: "Mechanism", domain: Counts) -> bool:
    """P[i,j] = P[n-i,n-j]; without an upper end, or in a very long domain, every row symmetric about its own count."""
    if domain.upper is not None and domain.upper - domain.lower < LONG:
        ends = domain.lower + domain.upper
        half = range(domain.lower, domain.lower + (domain.upper - domain.lower) // 2 + 1)
        return all(_mirrored(mechanism.row(c), mechanism.row(ends - c), ends) for c in half)
    counts = range(domain.lower, domain.lower + len(mechanism.rows) + len(mechanism.interior))
    about = all(_mirrored(mechanism.row(c), mechanism.row(c), 2 * c) for c in counts)
    first = mechanism.row(counts[0])
    same = all(
        len(mechanism.row(c).values) == len(first.values) and _least(-abs(mechanism.row(c).values - first.values))
        for c in counts
    )
    return about and (domain.upper is None or same)


def _mirrored(row: "Row", mirror: "Row", ends: int) -> bool:
    """Whether the mirror image, y to ends - y, is the other row."""
    first = min(row.first, ends - (mirror.first + len(mirror.values) - 1))
    last = max(row.first + len(row.values), ends - mirror.first + 1)
    one, other = np.zeros(last - first), np.zeros(last - first)
    one[row.first - first :][: len(row.values)] = row.values
    start = ends - (mirror.first + len(mirror.values) - 1) - first
    other[start:][: len(mirror.values)] = mirror.values[::-1]
    return _least(-abs(one - other))


def section(mechanism: "Mechanism", counts: range) -> tuple[int, Floats]:
    """The smallest output, and P[i, j] for the given true counts and all outputs, of which these counts are some."""
    rows = [mechanism.row(count) for count in counts]
    first = min(counts[0], *(row.first for row in rows))
    last = max(counts[-1], *(row.first + len(row.values) - 1 for row in rows))
    matrix = np.zeros((last - first + 1, len(rows)))
    for place, row in enumerate(rows):
        matrix[row.first - first : row.first - first + len(row.values), place] = row.values
    return first, matrix


def derivable(mechanism: "Mechanism", epsilon: Number | None = None, alpha: Number | None = None) -> bool:
    """Gupte and Sundararajan: (1 + alpha^2) P[i,j] >= alpha (P[i,j-1] + P[i,j+1]), and P within E at the two ends."""
    if not isinstance(mechanism.domain, Counts) or mechanism.domain.upper is None:
        raise MechanismError("derivability is a question about mechanisms on counts 0..n; give one with an upper end")
    given = mechanism.design if epsilon is None and alpha is None else {"epsilon": epsilon, "alpha": alpha}
    if given.get("epsilon") is None and given.get("alpha") is None:
        raise MechanismError(
            "this design has no epsilon of its own; say from which geometric mechanism: epsilon= or alpha="
        )
    a = float(Epsilon.of(given.get("epsilon"), given.get("alpha")).alpha)
    matrix = mechanism.matrix()
    if matrix.shape[1] < 2:
        return True
    inner = (1 + a * a) * matrix[:, 1:-1] - a * (matrix[:, :-2] + matrix[:, 2:])
    ends = np.stack([matrix[:, 0] - a * matrix[:, 1], matrix[:, -1] - a * matrix[:, -2]])
    return _least(inner) and _least(ends)


def column_epsilon(mechanism: "Mechanism") -> float:
    """Return the largest |ln| of the ratio of two neighbouring outputs' chances, over all true counts.

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
    if not isinstance(mechanism.domain, Counts) or mechanism.domain.upper is None:
        raise MechanismError("column privacy is a question about mechanisms on counts 0..n; give one with an upper end")
    matrix = mechanism.matrix()
    one, other = matrix[:-1], matrix[1:]
    if ((one > 0) != (other > 0)).any():
        return math.inf
    both = one > 0
    return float(np.abs(np.log(one[both] / other[both])).max(initial=0.0))


def _least(slack: Floats) -> bool:
    """Whether no slack is below 0, to the precision of floats."""
    return bool(slack.size == 0 or slack.min() >= -TOLERANCE)


def _of_noise(mechanism: "Mechanism") -> frozenset[str]:
    """Additive noise: a row and a column of the matrix are the same numbers."""
    row, size = mechanism.interior[0], mechanism.domain.size
    reach = max(-row.first, row.first + len(row.values) - 1, 0)
    noise = np.zeros(2 * reach + 1)
    noise[row.first + reach : row.first + reach + len(row.values)] = row.values
    names = {"F"}
    if _least(noise[reach] - noise):
        names |= {"RH", "CH"}
    if _least(noise[reach:-1] - noise[reach + 1 :]) and _least(noise[1 : reach + 1] - noise[:reach]):
        names |= {"RM", "CM"}
    if noise[reach] >= 1 / size - TOLERANCE if size else noise[reach] > 0:
        names.add("WH")
    if _least(-abs(noise - noise[::-1])):
        names.add("S")
    return frozenset(names)


def _on_cycle(noise: Floats, domain: Cycle) -> frozenset[str]:
    shaped = noise.reshape(domain.shape)
    axes = tuple(range(shaped.ndim))
    mirror = np.roll(np.flip(shaped), 1, axis=axes).ravel()
    names = {"F"}
    if _least(noise[0] - noise):
        names |= {"RH", "CH"}
    if noise[0] >= 1 / domain.size - TOLERANCE:
        names.add("WH")
    if _least(-abs(noise - mirror)):
        names.add("S")
    half = domain.size // 2 + 1
    if len(axes) == 1 and all(_least(-np.diff(side[:half])) for side in (noise, mirror)):
        names |= {"RM", "CM"}
    return frozenset(names)
