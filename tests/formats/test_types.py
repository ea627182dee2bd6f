"""The functions of `discreet.formats` refuse values of the wrong kind."""

import re
from pathlib import Path

import pytest

from discreet import design, formats
from discreet.errors import DiscreetError


@pytest.mark.parametrize("value", [None, 5, "table", [1]])
def test_a_value_that_is_not_a_table_is_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match=re.escape(repr(value))):
        formats.table_privacy(value)  # type: ignore[arg-type]
    with pytest.raises(DiscreetError, match=re.escape(repr(value))):
        formats.same(value, value)  # type: ignore[arg-type]
    with pytest.raises(DiscreetError, match=re.escape(repr(value))):
        formats.write(value, tmp_path / "t.csv", "ons")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("epsilons", [None, "1", 1])
def test_epsilons_are_a_list(epsilons: object) -> None:
    with pytest.raises(DiscreetError, match="epsilons"):
        formats.table_privacy(design.geometric(epsilon=1, upper=3).certify(), epsilons)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", ["a", 2.5, None, True])
def test_counts_of_a_lookup_are_integers(count: object) -> None:
    table = formats.table(Path(__file__).parent / "data" / "ptable_D2_V1.csv")
    with pytest.raises(DiscreetError, match="count"):
        table.value(count, 0)  # type: ignore[arg-type]
