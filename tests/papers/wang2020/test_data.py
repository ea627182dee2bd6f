"""The data of Wang 2020, as sections 4.1.1 and 4.1.2 describe them."""

from collections import Counter

import numpy as np

from discreet.papers.wang2020.example_data import (
    EXAMPLE_1,
    EXAMPLE_2,
    EXAMPLES,
    SEATS_2010,
    TABLE_2,
    representatives,
)


def test_example_1_has_every_printed_property() -> None:
    """Section 4.1.1: three 0; 1, 2, 3; five between 15 and 60; the others between 60 and 1000; total 21249."""
    counts = EXAMPLE_1.tolist()
    assert len(counts) == 50
    assert counts == sorted(counts)
    assert counts[:6] == [0, 0, 0, 1, 2, 3]
    assert all(15 <= count <= 60 for count in counts[6:11])
    assert all(60 <= count <= 1000 for count in counts[11:])
    assert sum(counts) == 21249
    assert representatives(EXAMPLE_1).tolist() == [0, 60, 382, 736, 977]


def test_example_2_has_every_printed_property() -> None:
    """Section 4.1.2 and Table 2; 428 is the sum without the House."""
    assert (len(EXAMPLE_2), EXAMPLE_2.sum(), EXAMPLE_2[:-1].sum()) == (50, 863, 428)
    assert representatives(EXAMPLE_2).tolist() == [1, 2, 6, 11, 435]
    row_1 = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 16 18 27 36 53 435"
    row_2 = "7 5 3 6 3 2 2 4 4 1 1 1 1 2 1 2 2 1 1 1"
    assert [list(map(int, row.split())) for row in (row_1, row_2)] == [list(TABLE_2), list(TABLE_2.values())]


def test_table_2_is_the_seats_of_2010_without_alabama_and_with_the_house() -> None:
    seats = {state: count for count, states in SEATS_2010.items() for state in states.split()}
    assert (len(seats), sum(seats.values())) == (50, 435)
    listed = Counter([count for state, count in seats.items() if state != "AL"] + [435])
    assert listed == Counter(TABLE_2)


def test_examples_are_in_ascending_order() -> None:
    for counts in EXAMPLES.values():
        assert (np.diff(counts) >= 0).all()
