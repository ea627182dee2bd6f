"""Which measurements a perturbation table can give: the outputs of some count that have a weight.

The rows of small counts are outputs as they stand. Noise z of the interior's row r belongs to the counts s + r, s + r +
p, s + r + 2p, ... up to the domain's end, s being the first count of the interior and p its period, and gives

    s + r + z, s + r + z + p, ..., all in one class modulo p,

so a measurement is possible if a run of its class starts at or before it and ends at or after it.
"""

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.certify.table import IntegerRow, Table
from discreet.domain import LARGEST, Counts


def possible(table: Table, measurements: Integers) -> npt.NDArray[np.bool_]:
    """For every measurement whether some count of the table's domain can give it."""
    starts, ends = _runs(table)
    period = max(len(table.interior), 1)
    order = np.lexsort((starts, starts % period))
    starts, ends = starts[order], ends[order]
    classes = starts % period
    values, place = np.unique(measurements, return_inverse=True)
    found = np.zeros(values.shape, dtype=bool)
    for one in np.unique(values % period):
        here = slice(*np.searchsorted(classes, [one, one + 1]))
        mine = np.flatnonzero(values % period == one)
        before = np.searchsorted(starts[here], values[mine], side="right")
        farthest = np.maximum.accumulate(ends[here])
        found[mine] = [at > 0 and farthest[at - 1] >= value for at, value in zip(before, values[mine], strict=True)]
    return np.asarray(found[place].reshape(measurements.shape))


def _runs(table: Table) -> tuple[Integers, Integers]:
    """Where the runs of outputs start and end."""
    assert isinstance(table.domain, Counts)
    upper = LARGEST if table.domain.upper is None else table.domain.upper
    rows = [_outputs(row) for row in table.rows]
    starts, ends = list(rows), list(rows)
    for first, noise in enumerate(table.interior, table.start):
        if first <= upper:
            starts.append(first + _outputs(noise))
            ends.append(upper - (upper - first) % len(table.interior) + _outputs(noise))
    return np.concatenate(starts), np.concatenate(ends)


def _outputs(row: IntegerRow) -> Integers:
    return row.first + np.flatnonzero(np.array(row.weights, dtype=np.int64))
