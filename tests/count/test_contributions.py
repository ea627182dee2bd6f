"""Rows beyond a person's contributions are dropped by the rule that a plain loop states."""

import hmac
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.count import contributions as contributions_module
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.measure import keys
from discreet.plan import contributor_keys
from discreet.plan.codebook import Recode

SECRET = b"\1" * 32
ORDER = keys.row_order(SECRET)
LEAVES = 3
Row = tuple[str | None, int, int]


def dropped_rows(rows: list[Row], dimensions: int, contributions: int) -> Counter[tuple[str, tuple[int, ...]]]:
    """Order a person's rows by HMAC(length of id, id, codes), and return the rows after the first `contributions`."""
    people: dict[str, Counter[tuple[int, ...]]] = defaultdict(Counter)
    for person, *codes in rows:
        if person is not None:
            people[person][tuple(min(code, LEAVES) for code in codes[:dimensions])] += 1
    key = hmac.digest(SECRET, b"discreet rows of a person", "sha256")
    dropped: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for person, lines in people.items():
        name = person.encode()
        start = len(name).to_bytes(4, "big") + name

        def digest(codes: tuple[int, ...], start: bytes = start) -> bytes:
            return hmac.digest(key, start + repr(codes).encode(), "sha256")

        ordered = [codes for codes in sorted(lines, key=digest) for _ in range(lines[codes])]
        dropped.update((person, codes) for codes in ordered[contributions:])
    return dropped


def plan_of(dimensions: int) -> CountPlan:
    """Return a plan of at most two dimensions."""
    recodes = (Recode(name, LEAVES, values={"0": 0, "1": 1, "2": 2}) for name in "ab"[:dimensions])
    return CountPlan(tuple(recodes), unit="id")


@pytest.mark.parametrize("dimensions", [0, 1, 2])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(st.none() | st.sampled_from(["p", "q", "pé", "p0"]), st.integers(0, 4), st.integers(0, 4)),
        min_size=1,
        max_size=40,
    ),
    contributions=st.integers(1, 4),
)
def test_rows_are_dropped_by_the_rule(dimensions: int, rows: list[Row], contributions: int, tmp_path: Path) -> None:
    columns = zip(*rows, strict=True)
    types = (pa.string(), pa.int64(), pa.int64())
    table = pa.table({name: pa.array(x, kind) for name, x, kind in zip(("id", "a", "b"), columns, types, strict=True)})
    pq.write_table(table, tmp_path / "x.parquet")
    plan, dropped = plan_of(dimensions), dropped_rows(rows, dimensions, contributions)
    kept = Counter(tuple(min(code, LEAVES) for code in codes[:dimensions]) for person, *codes in rows if person)
    for (_, codes), times in dropped.items():
        kept[codes] -= times
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        lines = [
            line
            for part in contributions_module._dropped(engine, plan, contributions, ORDER)
            for line in part.to_pylist()
        ]
        assert Counter({(line["id"], tuple(line[c] for c in plan.codes)): line["times"] for line in lines}) == dropped
        assert len(lines) == len(dropped)
        for leaves in (
            contributions_module.leaves(engine, plan, contributions, ORDER),
            contributions_module.leaves_with_made_keys(
                engine, plan, contributions, ORDER, keys.record_keys(SECRET), contributor_keys.largest_prime(8)
            ),
        ):
            counts: Counter[tuple[int, ...]] = Counter()
            for *line, count in zip(*(part.tolist() for part in leaves.codes), leaves.counts.tolist(), strict=True):
                counts[tuple(line)] += count
            assert +counts == +kept


def test_dropped_rows_are_folded_by_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many people have too many rows, one line for each leaf combination is subtracted."""
    monkeypatch.setattr("discreet.count.arrow_batches.BATCH", 100)
    size = 6000
    rng = np.random.default_rng(1)
    table = {"id": np.arange(size) // 3, "a": rng.integers(0, 3, size), "b": rng.integers(0, 3, size)}
    pq.write_table(pa.table(table), tmp_path / "x.parquet")
    plan = plan_of(2)
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        batches = list(contributions_module._dropped(engine, plan, 1, ORDER))
        assert len(batches) > 1
        leaves = contributions_module.leaves(engine, plan, 1, ORDER)
    assert leaves.counts.sum() == size // 3
    assert len(leaves.counts) <= 2 * 9
    rows: list[Row] = list(zip(*(map(str, table["id"]), table["a"].tolist(), table["b"].tolist()), strict=True))
    lines = [line for part in batches for line in part.to_pylist()]
    dropped = Counter({(line["id"], (line["c0"], line["c1"])): line["times"] for line in lines})
    assert dropped == dropped_rows(rows, 2, 1)
