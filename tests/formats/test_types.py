"""Values of the wrong kind, given to the functions of `discreet.formats`."""

from pathlib import Path

import pytest

from discreet import design, formats
from discreet.errors import DiscreetError


@pytest.mark.parametrize("given", [None, 5, "table", [1]])
def test_what_is_no_table_is_refused(given: object, tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="mechanism"):
        formats.measure(given)  # type: ignore[arg-type]
    with pytest.raises(DiscreetError, match="mechanism"):
        formats.same(given, given)  # type: ignore[arg-type]
    with pytest.raises(DiscreetError, match="mechanism"):
        formats.write(given, tmp_path / "t.csv", "ons")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("epsilons", [None, "1", 1])
def test_epsilons_are_a_list(epsilons: object) -> None:
    with pytest.raises(DiscreetError, match="list of numbers"):
        formats.measure(design.geometric(epsilon=1, upper=3).certify(), epsilons)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", ["a", 2.5, None, True])
def test_counts_of_a_lookup_are_integers(count: object) -> None:
    table = formats.table(Path(__file__).parent / "data" / "ptable_D2_V1.csv")
    with pytest.raises(DiscreetError, match="count"):
        table.value(count, 0)  # type: ignore[arg-type]
