"""A small hostile dataset, count plans for it, and their results by a plain loop over the rows."""

import csv
import datetime
import hashlib
import math
import random
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.count.recode import CountPlan
from discreet.plan.codebook import Recode

SCHEMA = pa.schema(
    [
        ("person", pa.int64()),
        ("visitor", pa.float64()),
        ("name", pa.string()),
        ("age", pa.int32()),
        ("income", pa.float64()),
        ("region", pa.string()),
        ("level", pa.float64()),
        ("member", pa.bool_()),
        ("born", pa.date32()),
        ("seen", pa.timestamp("us")),
        ("price", pa.decimal128(12, 3)),
        ("key", pa.int64()),
        ("Région %s \"x\"", pa.string()),
    ]
)  # fmt: skip
REGIONS = [
    "North",
    " South",
    "East\t",
    "West, far",
    'the "Hill"',
    "Élan",
    "two\nlines",
    "north",
    "",
    "  ",
    "O'Neil",
    "\\n",
    "n/a",
]
LATE = datetime.datetime(2024, 5, 31, 8, 30)

Row = dict[str, Any]


def rows(seed: int, size: int) -> list[Row]:
    """Return random rows with missing values, NaN, infinities, blanks, quotes and other unusual values."""
    rng = random.Random(seed)

    def maybe(value: Any) -> Any:
        return None if rng.random() < 0.1 else value

    random_rows = []
    for _ in range(size):
        person = maybe(rng.choice([1, 2, 3, rng.randrange(4, 400), -5, 2**53 - 1]))
        random_rows.append(
            {
                "person": person,
                "visitor": rng.choice([None, math.nan, math.inf, -0.0, 0.0, 7.0, 7.25, float(rng.randrange(50))]),
                "name": maybe(
                    rng.choice(["a", " a", "a ", "A", "", " ", "ü", "00", "0", "x'y", str(rng.randrange(90))])
                ),
                "age": maybe(rng.choice([-1, 0, 15, 16, 17, 64, 65, 66, 120, 2**31 - 1])),
                "income": rng.choice(
                    [
                        None,
                        math.nan,
                        math.inf,
                        -math.inf,
                        -0.0,
                        0.1,
                        0.3,
                        0.1 + 0.2,
                        1e300,
                        1.7e308,
                        -5e-324,
                        999.5,
                        1000.0,
                    ]
                ),
                "region": maybe(rng.choice(REGIONS)),
                "level": rng.choice([None, math.nan, -0.0, 0.0, 1.0, 2.0, 2.5, 1e-7, 1e16, math.inf]),
                "member": maybe(rng.random() < 0.5),
                "born": maybe(datetime.date(1900, 1, 1) + datetime.timedelta(days=rng.randrange(3))),
                "seen": maybe(LATE + datetime.timedelta(microseconds=rng.choice([0, 500_000, 1]))),
                "price": maybe(Decimal(rng.choice(["0.000", "1.500", "-2.000", "100.000", "0.125"]))),
                "key": maybe(rng.choice([0, 1, -1, 255, 256, 2**40])),
                'Région %s "x"': maybe(rng.choice(["%s", "100%", "b"])),
            }
        )
    return random_rows


def plans() -> dict[str, CountPlan]:
    """Return plans that recode every kind of column, by values and by ranges, with and without a unit."""
    region = Recode("region", 7, values={"North": 0, "South": 1, "East": 2, "West, far": 3, 'the "Hill"': 3, "Élan": 4,
                                         "two\nlines": 5, "O'Neil": 6, "\\n": 0})  # fmt: skip
    age = Recode("age", 3, ranges=((None, 0, 2), (0, 16, 0), (16, 64.5, 1), (65, None, 1)))
    income = Recode("income", 3, ranges=((None, 0, 2), (0, 0.3, 0), (0.3, 1000, 1)))
    level = Recode("level", 5, values={"0": 0, "1": 1, "2": 1, "2.5": 2, "1e-07": 3, "10000000000000000": 4, "x": 4})
    many_regions = Recode("region", 1, values={"North": 0} | {f"Village {i}": 0 for i in range(100)})
    ages = Recode("age", 3, values={"16": 0, "017": 1, "65": 2, "-1": 1} | {str(i): 0 for i in range(1000, 1100)})
    levels = Recode("level", 2, values={"0": 0, "2.5": 1} | {f"{i}.5": 0 for i in range(100, 200)})
    member = Recode("member", 2, values={"true": 0, "false": 1, "True": 1})
    born = Recode("born", 2, values={"1900-01-01": 0, "1900-01-02": 1, "1900-1-3": 1})
    seen = Recode(
        "seen", 3, values={"2024-05-31T08:30:00": 0, "2024-05-31T08:30:00.5": 1, "2024-05-31T08:30:00.000001": 2}
    )
    price = Recode("price", 4, values={"0": 0, "1.5": 1, "-2": 2, "100": 3, "0.1250": 3})
    prices = Recode("price", 2, ranges=((-2, 0, 0), (0.125, 1.5, 1)))
    odd_name = Recode('Région %s "x"', 2, values={"%s": 0, "100%": 1})
    dates = Recode("born", 1, ranges=((None, None, 0),))
    gap = Recode("age", 1, ranges=((-1e20, 1e20, 0),))
    return {
        "rows": CountPlan((region, age, income)),
        "people": CountPlan((region, age), unit="person"),
        "float ids": CountPlan((age,), unit="visitor"),
        "text ids": CountPlan((income, region), unit="name"),
        "every kind": CountPlan((level, member, born, seen, price), unit="person"),
        "long lists": CountPlan((many_regions, ages, levels)),
        "ranges": CountPlan((prices, dates, gap, odd_name)),
        "no dimension": CountPlan((), unit="person"),
        "nothing at all": CountPlan(),
    }  # fmt: skip


def name_of(value: Any) -> str | None:
    """Return the canonical text of a value, independently of `canonical_text`."""
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case float():
            return None if not math.isfinite(value) else str(int(value)) if value == int(value) else repr(value)
        case Decimal():
            return str(int(value)) if value == int(value) else str(value).rstrip("0")
        case datetime.datetime():
            return value.isoformat().rstrip("0") if value.microsecond else value.isoformat()
        case str():
            return value.strip(" \t\n\r\v\f") or None
    return str(value)


def code_of(recode: Recode, value: Any) -> int:
    """Return the leaf code of one value."""
    if recode.values is not None:
        return recode.values.get(name_of(value) or "", recode.leaves)
    if value is None or isinstance(value, (datetime.date, bool)):
        return recode.leaves
    number = float(value)
    if not abs(number) <= 1e300:
        return recode.leaves
    for lower, upper, code in recode.ranges or ():
        if (lower is None or lower <= number) and (upper is None or number < upper):
            return code
    return recode.leaves


def coded(plan: CountPlan, data: list[Row]) -> list[tuple[str | None, tuple[int, ...]]]:
    """Return id and codes of the rows that count."""
    lines = []
    for row in data:
        person = None if plan.unit is None else name_of(row[plan.unit])
        if plan.unit is None or person is not None:
            lines.append((person, tuple(code_of(recode, row[recode.column]) for recode in plan.recodes)))
    return lines


def keys(ids: pa.Array) -> tuple[npt.NDArray[np.uint32], ...]:
    """Return the four components of record keys of canonical ids."""
    blocks = b"".join(hashlib.sha256(name.encode()).digest()[:16] for name in ids.to_pylist())
    return tuple(np.frombuffer(blocks, "<u4").reshape(-1, 4).T)


@dataclass(frozen=True)
class Answers:
    """The results that every engine must give, as plain Python values."""

    counts: dict[tuple[int, ...], int]
    excess: dict[tuple[str, tuple[int, ...]], int]
    sums: dict[tuple[int, ...], tuple[int, ...]]
    key_sums: dict[tuple[int, ...], tuple[int, ...]]
    dropped: pa.Table | None


def answers(plan: CountPlan, data: list[Row], most: int = 3, modulus: int = 256) -> Answers:
    """Return the results of a loop over the rows. `dropped` keeps the first `most` rows of each id, by codes."""
    coded_rows = coded(plan, data)
    times = Counter(person for person, _ in coded_rows)
    excess = Counter((person, codes) for person, codes in coded_rows if plan.unit and times[person] > most)
    remaining: Counter[tuple[int, ...]] = Counter(codes for _, codes in coded_rows)
    sums = {codes: [0] * 4 for codes in remaining}
    if plan.unit:
        for person, codes in coded_rows:
            for i, part in enumerate(keys(pa.array([person]))):
                sums[codes][i] += int(part[0])
    kept: Counter[str | None] = Counter()
    lines = []
    for person, codes in sorted(excess, key=str):
        kept_rows = min(most - kept[person], excess[person, codes])
        kept[person] += kept_rows
        if (dropped_rows := excess[person, codes] - kept_rows) > 0:
            lines.append({"id": person, **{f"c{i}": code for i, code in enumerate(codes)}, "times": dropped_rows})
            remaining[codes] -= dropped_rows
            for i, part in enumerate(keys(pa.array([person]))):
                sums[codes][i] -= dropped_rows * int(part[0])
    key_sums: Counter[tuple[int, ...]] = Counter()
    rows_of: Counter[tuple[int, ...]] = Counter()
    for row in data:
        if plan.unit is None or name_of(row[plan.unit]) is not None:
            codes = tuple(code_of(recode, row[recode.column]) for recode in plan.recodes)
            rows_of[codes] += 1
            key_sums[codes] += 0 if row["key"] is None else row["key"] % modulus
    return Answers(
        dict(Counter(codes for _, codes in coded_rows)),
        dict(excess),  # type: ignore[arg-type]
        {codes: (count, *sums[codes]) for codes, count in remaining.items() if count},
        {codes: (rows_of[codes], key_sums[codes]) for codes in rows_of},
        pa.Table.from_pylist(lines) if lines else None,
    )


def table(data: list[Row]) -> pa.Table:
    """Return the rows as an Arrow table."""
    return pa.Table.from_pylist(data, SCHEMA)


def write_parquet(path: Path, data: list[Row]) -> Path:
    """Write the rows to a Parquet file of several row groups."""
    pq.write_table(table(data), path, row_group_size=97)
    return path


def write_csv(path: Path, data: list[Row]) -> Path:
    """Write the rows to a CSV file, as canonical texts; texts are not changed."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(SCHEMA.names)
        for row in data:
            writer.writerow([value if isinstance(value, str) else name_of(value) for value in row.values()])
    return path
