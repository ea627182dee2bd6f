"""The second checker's bound for many rows of one person, against every outcome and against the code it checks."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import design
from discreet.account import compose, group_privacy
from discreet.certify.folder import group_lines
from discreet.certify.folder.group_lines import group_profile
from discreet.certify.folder.losses import Exposure, judge, partitions
from discreet.certify.folder.weights import ONE, Row, Table, exp_bounds
from discreet.certify.ptable import PTable
from tests.certify.test_losses import delta, tables


def checked(ptable: PTable) -> Table:
    """Return the table of a certificate as the second checker has it."""
    rows, interior = (
        tuple(Row(row.first, row.weights) for row in part) for part in (ptable.table.rows, ptable.table.interior)
    )
    return Table(ptable.bits, None, 1, rows, interior)


@settings(deadline=None, max_examples=60)
@given(tables(), st.integers(1, 3), st.fractions("1/10", 3, max_denominator=10))
def test_the_bound_holds_for_every_split_of_every_total(table: Table, rows: int, epsilon: Fraction) -> None:
    bound = group_profile(table, rows).at(exp_bounds(epsilon)[0]) / ONE
    for total in range(1, rows + 1):
        for split in partitions(total, total):
            for pairs in itertools.product(*(table.pairs(distance) for distance in split)):
                assert bound >= delta(pairs, float(epsilon)) - 1e-12


@pytest.mark.parametrize("sixteenths", [17, 20, 32, 128, 4096])
@pytest.mark.parametrize("rows", [2, 5, 8, 9, 12])
def test_the_bound_holds_if_steep_lines_are_left_out(
    rows: int, sixteenths: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows in one cell are a pair of counts at a distance, whose delta is exact."""
    monkeypatch.setattr(group_lines, "LARGEST", ONE * sixteenths // 16)
    for epsilon, support in (("2", 6), ("3", 5), ("0.5", 12)):
        table = checked(design.geometric(epsilon=epsilon, support=support).certify())
        bound = group_profile.__wrapped__(table, rows)
        for asked in map(Fraction, ("1/10", "1", "2")):
            low, high = exp_bounds(asked)
            ratio = Fraction(high, ONE)
            exact = max((pair.exactly(ratio) for pair in table.pairs(rows)), default=Fraction(0)) / (1 << table.bits)
            assert Fraction(bound.at(low), ONE) >= exact


def test_the_bound_of_rows_that_reveal_everything_is_one() -> None:
    table = Table(8, None, 1, (), (Row(-1, (1, 254, 1)),))
    profile = group_profile(table, 2000)
    assert profile.at(exp_bounds(Fraction(700))[0]) == ONE


@pytest.mark.parametrize("rows", [11, 50, 1000])
@pytest.mark.parametrize(
    "ptable",
    [
        design.geometric(epsilon="0.01", support=2500).certify(bits=48),
        design.gaussian(sigma2=4000, support=500).certify(epsilon="0.1", bits=62),
    ],
    ids=["geometric", "gaussian"],
)
def test_both_checks_find_the_same_bound(ptable: PTable, rows: int) -> None:
    ours, other = group_profile(checked(ptable), rows), group_privacy.group_profile(ptable, rows)
    for epsilon in ("1/10", "1", "3"):
        bound = ours.at(exp_bounds(Fraction(epsilon))[0]) / ONE
        assert bound == pytest.approx(float(other.delta(float(Fraction(epsilon)))), rel=1e-4, abs=1e-12)
    assert float(ours.floor) == pytest.approx(other.floor, rel=1e-4)


@pytest.mark.parametrize("rows", [11, 40])
def test_a_true_promise_is_proved_and_a_smaller_one_is_refuted(rows: int) -> None:
    ptable = design.gaussian(sigma2=4000, support=450).certify(epsilon="0.1", bits=62)
    exposure = Exposure(4, rows, 4)
    bound = compose(ptable, 4, contributions=rows).delta(3)
    for share, verdict in ((1.001, "proved"), (0.9, "fails")):
        judged = judge(checked(ptable), Fraction(bound * share), Fraction(3), exposure)
        assert judged.verdict == verdict
        assert math.isclose(float(judged.upper), bound, rel_tol=1e-2) or verdict == "fails"
