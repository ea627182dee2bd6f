"""Which measurements a perturbation table can give: the outputs that have a weight in the row of some count.

The rows of small counts hold outputs. The interior holds noise. Let s be its first count and p its period. Noise z of
its row r belongs to the counts s + r, s + r + p, s + r + 2p, ... up to the end of the domain, and gives the outputs

    s + r + z, s + r + z + p, ..., all in one class modulo p.

Such a run of outputs has a first and a last member. So a measurement can be given if a run of its class starts at or
before it and ends at or after it.
"""

import numpy as np

from discreet.arrays import Booleans, Integers
from discreet.certify.table import IntegerRow, Table
from discreet.domain import LARGEST, Counts


def is_reachable(table: Table, measurements: Integers) -> Booleans:
    """Return, for each measurement, True if some count of the table's domain can give it."""
    starts, ends = _runs(table)
    period = max(len(table.interior), 1)
    order = np.lexsort((starts, starts % period))
    starts, ends = starts[order], ends[order]
    residues = starts % period
    values, value_index = np.unique(measurements, return_inverse=True)
    reachable = np.zeros(values.shape, dtype=bool)
    for residue in np.unique(values % period):
        run_slice = slice(*np.searchsorted(residues, [residue, residue + 1]))
        members = np.flatnonzero(values % period == residue)
        runs_before = np.searchsorted(starts[run_slice], values[members], side="right")
        farthest_end = np.maximum.accumulate(ends[run_slice])
        reachable[members] = [
            number > 0 and farthest_end[number - 1] >= value
            for number, value in zip(runs_before, values[members], strict=True)
        ]
    return np.asarray(reachable[value_index].reshape(measurements.shape))


def _runs(table: Table) -> tuple[Integers, Integers]:
    """Return the first and the last output of each run."""
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
    """Return the outputs, or the noise, that have a weight in a row."""
    return row.first + np.flatnonzero(np.array(row.weights, dtype=np.int64))
