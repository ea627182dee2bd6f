"""A table is written exactly or refused, unless a change is allowed; the change is then stated."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet import design, formats
from discreet.domain import Counts, Cycle
from discreet.errors import FormatError
from discreet.mechanism import Mechanism, Row
from tests.formats.conftest import DATA, Write, ons_lines

TOOLS = tuple(formats.FORMATS)
UNPERTURBED = Row.exact(0, [1])


def noise(weights: Sequence[int], first: int = -1, rows: int = 3) -> Mechanism:
    """Return a mechanism that keeps counts below `rows` and adds the same noise to all others."""
    small = tuple(Row.exact(count, [1]) for count in range(rows))
    return Mechanism(Counts(), small, (Row.exact(first, weights),))


@pytest.mark.parametrize("kind", TOOLS)
def test_a_table_that_fits_everywhere_is_written_exactly_in_every_format(tmp_path: Path, kind: str) -> None:
    mechanism = noise([3, 250, 3])
    written = formats.write(mechanism, tmp_path / "t", kind)
    assert formats.same(written, mechanism)
    assert formats.same(formats.read(tmp_path / "t", kind), mechanism)
    assert written.design["changes"] == "none"


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*_*.*")))
def test_a_published_table_is_written_exactly_in_its_own_format(tmp_path: Path, name: str) -> None:
    mechanism = formats.read(DATA / name)
    formats.write(mechanism, tmp_path / "t", mechanism.design["name"])
    assert formats.same(formats.read(tmp_path / "t"), mechanism)


def test_a_table_of_ons_is_written_exactly_for_ons_and_cantabular_only(write: Write, tmp_path: Path) -> None:
    mechanism = formats.read(write("\n".join(ons_lines())))
    for kind in ("ons", "cantabular"):
        formats.write(mechanism, tmp_path / kind, kind)
        assert formats.same(formats.read(tmp_path / kind), mechanism)
    with pytest.raises(FormatError, match=r"period 10\b.* 2"):
        formats.write(mechanism, tmp_path / "x", "ptable")
    assert not (tmp_path / "x").exists()


def test_an_exact_file_of_ons_has_one_line_for_each_pair(tmp_path: Path) -> None:
    written = formats.write(noise([1, 4094, 1]), tmp_path / "t", "ons")
    lines = (tmp_path / "t").read_text().splitlines()
    assert lines[0] == "pcv,ckey,pvalue"
    assert len(lines) == 1 + 750 * 4096
    assert lines[-1] == "750,4095,1"
    assert written.row(3).numerators == (1, 4094, 1)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_table_of_the_right_weights_is_written_exactly(tmp_path: Path, data: st.DataObject) -> None:
    kind, total = data.draw(
        st.sampled_from([("ptable", 10**8), ("argus", 10**10), ("ssb", 10**8), ("cantabular", 256)])
    )
    start, period = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 2))

    def row(first: int) -> Row:
        cuts = sorted(data.draw(st.lists(st.integers(0, total), max_size=5)))
        weights = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
        return Row.exact(first, weights, total)

    rows = [UNPERTURBED, *(row(data.draw(st.integers(0, count + 2))) for count in range(1, start))]
    mechanism = Mechanism(Counts(), rows, [row(data.draw(st.integers(-start, 3))) for _ in range(period)])  # type: ignore[arg-type]
    written = formats.write(mechanism, tmp_path / "t", kind)
    read_back = formats.read(tmp_path / "t", kind)
    assert formats.same(written, mechanism)
    assert formats.same(read_back, mechanism)
    assert formats.table_privacy(read_back, [1]) == formats.table_privacy(mechanism, [1])


@pytest.mark.parametrize("kind", TOOLS)
@pytest.mark.parametrize(
    ("mechanism", "named"),
    [
        (Mechanism(Cycle(4), interior=(Row.exact(0, [1, 1, 1, 1]),)), r"Cycle\(4\)"),
        (design.geometric(epsilon=1, upper=5), "floats|5"),
        (noise([1, 6, 1], first=-3, rows=2), "count 2 .*-1"),
        (noise([1] * 7, first=-3, rows=3), "1/"),
        (Mechanism(Counts(), (Row.exact(0, [1, 1]),), (Row.exact(0, [1]),)), "count 0"),
        (Mechanism(Counts(), (UNPERTURBED,), tuple(Row.exact(0, [k, 256 - k]) for k in (1, 2, 3))), "period 3"),
        (Mechanism.from_matrix([[0.3, 0.7], [0.7, 0.3]]), "floats"),
    ],
)  # fmt: skip
def test_a_table_that_a_format_cannot_hold_is_refused(
    tmp_path: Path, kind: str, mechanism: Mechanism, named: str
) -> None:
    if kind == "cantabular" and named == "count 0":  # it can perturb empty cells
        assert formats.same(formats.write(mechanism, tmp_path / "t", kind), mechanism)
        return
    with pytest.raises(FormatError, match=named):
        formats.write(mechanism, tmp_path / "t", kind)
    assert list(tmp_path.iterdir()) == []


def test_rows_beyond_five_hundred_do_not_fit_into_ons(tmp_path: Path) -> None:
    rows = [Row.exact(count, [1]) for count in range(502)]
    mechanism = Mechanism(Counts(), rows, (Row.exact(-1, [1, 6, 1]),))  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="501"):
        formats.write(mechanism, tmp_path / "t", "ons")
    assert formats.same(formats.write(mechanism, tmp_path / "t", "argus"), mechanism)


@pytest.mark.parametrize("kind", ["cantabular", "ptable", "ssb", "argus"])
def test_noise_that_reaches_below_zero_is_clamped_only_if_that_is_allowed(tmp_path: Path, kind: str) -> None:
    mechanism = design.geometric(epsilon=1).certify()
    with pytest.raises(FormatError, match="clamp"):
        formats.write(mechanism, tmp_path / "t", kind)
    if kind != "cantabular":
        with pytest.raises(FormatError, match="leave-zeros"):
            formats.write(mechanism, tmp_path / "t", kind, clamp=True)
    with pytest.raises(FormatError, match="round"):
        formats.write(mechanism, tmp_path / "t", kind, clamp=True, leave_zeros=True)
    written = formats.write(mechanism, tmp_path / "t", kind, clamp=True, leave_zeros=True, round=True)
    assert formats.same(formats.read(tmp_path / "t", kind), written)
    for count in range(40):
        outputs, probabilities = written.pmf(count)
        assert outputs[0] >= 0
        if count:
            unclamped, exact = Mechanism.from_table(mechanism.table).pmf(count)
            assert probabilities[0] == pytest.approx(exact[unclamped <= outputs[0]].sum(), abs=0.01)


def test_clamping_costs_no_privacy_and_leaving_zeros_does(tmp_path: Path) -> None:
    mechanism = design.gaussian(sigma2=4, support=4).certify(1, bits=8)
    before = formats.table_privacy(mechanism, [1]).deltas[0].delta
    clamped = formats.write(mechanism, tmp_path / "t", "cantabular", clamp=True)
    assert formats.table_privacy(clamped, [1]).deltas[0].delta <= before
    zeros_kept = formats.write(mechanism, tmp_path / "t", "ons", clamp=True, leave_zeros=True)
    after = formats.table_privacy(zeros_kept, [1]).deltas[0]
    assert after.pair == "counts 0 and 1"
    assert after.delta > before
    assert zeros_kept.design["changes"] == "outputs below 0 are written as 0; the count 0 is left alone"


def test_rounding_changes_the_privacy_a_little(tmp_path: Path) -> None:
    mechanism = formats.read(DATA / "argus_testW.txt")
    with pytest.raises(FormatError, match="100000000"):
        formats.write(mechanism, tmp_path / "t", "ptable")
    written = formats.write(mechanism, tmp_path / "t", "ptable", round=True)
    assert not formats.same(written, mechanism)
    assert "rounded" in written.design["changes"]
    after, before = (formats.table_privacy(table, [1]).deltas[0].delta for table in (written, mechanism))
    assert 0 < abs(after - before) < Fraction(1, 10**7)
    for count in range(20):
        exact, rounded = mechanism.row(count), written.row(count)
        assert exact.outputs.tolist() == rounded.outputs.tolist()
        assert max(abs(exact.values - rounded.values)) <= 1e-8


def test_counts_below_a_lower_end_are_written_as_the_lower_end(tmp_path: Path) -> None:
    mechanism = Mechanism(Counts(3), (), (Row.exact(-3, [1, 2, 2, 2, 1]),))
    with pytest.raises(FormatError, match="count 0"):
        formats.write(mechanism, tmp_path / "t", "ptable")
    written = formats.write(mechanism, tmp_path / "t", "ptable", leave_zeros=True)
    for count in (1, 2, 3, 4, 50):
        assert written.pmf(count)[0].tolist() == mechanism.pmf(count)[0].tolist()


def test_a_certificate_needs_an_epsilon(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="epsilon"):
        formats.write(noise([1, 2, 1]), tmp_path / "t", "discreet")


@pytest.mark.parametrize(("weights", "bits"), [([3, 250, 3], 8), ([1, 4094, 1], 12), ([1, 2, 1], 8), ([1, 1, 1], 32)])
def test_keys_that_are_a_power_of_two_are_certified_exactly(weights: list[int], bits: int) -> None:
    mechanism = noise(weights)
    assert formats.exact_bits(mechanism) == bits
    assert formats.same(mechanism.certify(1, bits), mechanism) == (bits != 32)
