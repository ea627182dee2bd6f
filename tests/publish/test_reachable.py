"""Which measurements a table can give, compared with enumeration."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.certify.table import IntegerRow, Table
from discreet.domain import Counts
from discreet.publish.reachable import is_reachable


@given(st.data())
def test_a_measurement_is_reachable_if_some_count_gives_it(data: st.DataObject) -> None:
    weights = st.lists(st.integers(0, 1), min_size=1, max_size=5).map(tuple)
    rows = st.builds(IntegerRow, st.integers(-6, 6), weights)
    small, interior = data.draw(st.lists(rows, max_size=3)), data.draw(st.lists(rows, max_size=3))
    size = len(small) + (data.draw(st.integers(1, 9)) if interior else 0)
    endless = bool(interior) and data.draw(st.booleans())
    upper = None if endless else size - 1
    if not small and not interior:
        return
    table = Table(8, Counts(0, upper), (1,), tuple(small), tuple(interior))
    last = 80 if upper is None else upper
    outputs = {y for count in range(last + 1) for y in range(-20, 40) if table.row(count).at(y)}
    measurements = np.arange(-20, 40).reshape(6, 10)
    assert set(measurements[is_reachable(table, measurements)].tolist()) == outputs
