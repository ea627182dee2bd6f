"""Rows beyond a person's contributions: the arrays drop what the rule, written as a loop, drops."""

import hmac
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.count import contributions as tabulate
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.measure import keys
from discreet.plan import contributor_keys
from discreet.plan.codebook import Recode

SECRET = b"\1" * 32
ORDER = keys.keyed_order(SECRET)
LEAVES = 3
Row = tuple[str | None, int, int]


def rule(rows: list[Row], sides: int, contributions: int) -> Counter[tuple[str, tuple[int, ...]]]:
    """A person's leaf combinations in order of HMAC(length of id, id, codes); what comes after so many rows goes."""
    people: dict[str, Counter[tuple[int, ...]]] = defaultdict(Counter)
    for person, *codes in rows:
        if person is not None:
            people[person][tuple(min(code, LEAVES) for code in codes[:sides])] += 1
    key = hmac.digest(SECRET, b"discreet rows of a person", "sha256")
    gone: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for person, lines in people.items():
        name = person.encode()
        start = len(name).to_bytes(4, "big") + name

        def place(codes: tuple[int, ...], start: bytes = start) -> bytes:
            return hmac.digest(key, start + repr(codes).encode(), "sha256")

        each = [codes for codes in sorted(lines, key=place) for _ in range(lines[codes])]
        gone.update((person, codes) for codes in each[contributions:])
    return gone


def plan_of(sides: int) -> CountPlan:
    """Two dimensions at most."""
    return CountPlan(tuple(Recode(name, LEAVES, values={"0": 0, "1": 1, "2": 2}) for name in "ab"[:sides]), unit="id")


@pytest.mark.parametrize("sides", [0, 1, 2])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(st.none() | st.sampled_from(["p", "q", "pé", "p0"]), st.integers(0, 4), st.integers(0, 4)),
        min_size=1,
        max_size=40,
    ),
    contributions=st.integers(1, 4),
)
def test_what_is_dropped_is_what_the_rule_drops(
    sides: int, rows: list[Row], contributions: int, tmp_path: Path
) -> None:
    columns = zip(*rows, strict=True)
    types = (pa.string(), pa.int64(), pa.int64())
    table = pa.table({name: pa.array(x, kind) for name, x, kind in zip(("id", "a", "b"), columns, types, strict=True)})
    pq.write_table(table, tmp_path / "x.parquet")
    plan, gone = plan_of(sides), rule(rows, sides, contributions)
    left = Counter(tuple(min(code, LEAVES) for code in codes[:sides]) for person, *codes in rows if person is not None)
    for (_, codes), times in gone.items():
        left[codes] -= times
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        lines = [line for part in tabulate._dropped(engine, plan, contributions, ORDER) for line in part.to_pylist()]
        assert Counter({(line["id"], tuple(line[c] for c in plan.codes)): line["times"] for line in lines}) == gone
        assert len(lines) == len(gone)
        for found in (
            tabulate.leaves(engine, plan, contributions, ORDER),
            tabulate.leaves_with_made_keys(
                engine, plan, contributions, ORDER, keys.record_keys(SECRET), contributor_keys.PRIMES[8]
            ),
        ):
            counted: Counter[tuple[int, ...]] = Counter()
            for *line, count in zip(*(part.tolist() for part in found.codes), found.counts.tolist(), strict=True):
                counted[tuple(line)] += count
            assert +counted == +left


def test_dropped_rows_are_folded_by_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many people have too many rows, what is subtracted has one line for a leaf combination."""
    monkeypatch.setattr("discreet.count.arrow_batches.BATCH", 100)
    size = 6000
    rng = np.random.default_rng(1)
    table = {"id": np.arange(size) // 3, "a": rng.integers(0, 3, size), "b": rng.integers(0, 3, size)}
    pq.write_table(pa.table(table), tmp_path / "x.parquet")
    plan = plan_of(2)
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        batches = list(tabulate._dropped(engine, plan, 1, ORDER))
        assert len(batches) > 1
        found = tabulate.leaves(engine, plan, 1, ORDER)
    assert found.counts.sum() == size // 3
    assert len(found.counts) <= 2 * 9
    rows: list[Row] = list(zip(*(map(str, table["id"]), table["a"].tolist(), table["b"].tolist()), strict=True))
    lines = [line for part in batches for line in part.to_pylist()]
    assert Counter({(x["id"], (x["c0"], x["c1"])): x["times"] for x in lines}) == rule(rows, 2, 1)
