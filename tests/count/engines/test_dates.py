"""Ranges of dates: every engine, and Python's calendar, give the same counts."""

import datetime
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.count.frame_rows import FrameRows
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.plan.codebook import Recode

RANGES = [(None, 19000301, 0), (19000301, 20000229, 1), (20000229, 20240531, 2), (20240531, 20240601, 3)]
DAYS = [(year, month, day) for year in (1, 1900, 1999, 2000, 2024, 9999) for month in range(14) for day in range(33)]
ODD = (
    "", " ", "2024-05-31 ", "\t2024-05-31T08:30:00", "2024-05-31 23:59:59.9", "2024-05-31T23:30:00-05:00",
    "2024-05-31T",
    "2024-5-31", "24-05-31", "12024-05-31", "2024-05-310", "2024/05/31", "20240531", "31.5.24", "31.05.2024 08:30",
    "5/31/2024 8:30:00 PM", "1.2.2000", "1-2-2000", "1/2.2000", "31.05.2024x", "2024-05-31\n", "2024-05-31\nx",
    "infinity",
    "today", "null", "\u0662\u0660\u0662\u0664-05-31", "2024\u201305\u201331", "0000-01-01", "-2024-05-31",
)  # fmt: skip
TEXTS = [
    *(f"{year:04}-{month:02}-{day:02}" for year, month, day in DAYS),
    *(f"{day:02}.{month:02}.{year:04}" for year, month, day in DAYS),
    *(f"{month}/{day}/{year:04}" for year, month, day in DAYS),
    *ODD,
]


def expected_code(text: str, order: str) -> int:
    """Return the code of a text, with Python's calendar; 4 if it is no date or in no range."""
    text = text.strip(" \t\n\r\v\f")
    time = "([T ][0-9][0-9:.,+ AaPpMmZz-]*)?"
    year_first = re.fullmatch(f"([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}}){time}", text)
    other = re.fullmatch(f"([0-9]{{1,2}})[./-]([0-9]{{1,2}})[./-]([0-9]{{4}}){time}", text)
    if year_first:
        year, month, day = map(int, year_first.groups()[:3])
    elif other and order != "ymd":
        first, second, year = map(int, other.groups()[:3])
        day, month = (first, second) if order == "dmy" else (second, first)
    else:
        return 4
    if year == 0:  # a year that Python has not; it is as long as the year 2000
        return 0 if (month, day) == (1, 1) else 4
    try:
        number = int(datetime.date(year, month, day).strftime("%Y%m%d").zfill(8))
    except ValueError:
        return 4
    return next((code for low, high, code in RANGES if (low or 0) <= number < high), 4)


def counted(source: Any, plan: CountPlan, column_names: tuple[str, ...] | None = None) -> dict[int, int]:
    with open_engine(source, column_names=column_names) as engine:
        return {line["c0"]: line["count"] for line in engine.count(plan).to_pylist()}


def plan_of(column: str) -> CountPlan:
    return CountPlan((Recode(column, 4, ranges=RANGES, dates=True),))


@pytest.mark.parametrize("engine", ["csv", "spark"])
@pytest.mark.parametrize("order", ["ymd", "dmy", "mdy"])
def test_dates_in_a_csv_file_have_the_order_that_the_source_declares(
    engine: str, order: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if engine == "spark":
        request.getfixturevalue("spark")
    file = tmp_path / "dates.csv"
    quoted_rows = (f'"{text}","x"' for text in TEXTS)
    file.write_text("\n".join(["t,u", *quoted_rows, ""]), encoding="utf-8")
    expected = Counter(expected_code(text, order) for text in TEXTS)
    assert len(expected) == 5
    assert counted({engine: str(file), "dates": order}, plan_of("t")) == expected


@pytest.mark.parametrize("kind", ["parquet", "postgres", "spark", "frame"])
def test_texts_dates_and_timestamps_are_dates_with_every_engine(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    dates = [datetime.date(2024, 5, 30) + datetime.timedelta(days=i) for i in range(-9000, 3)]
    times = [datetime.datetime(date.year, date.month, date.day, 23, 59, 59, 999_999) for date in dates]
    size = len(TEXTS)
    repeated_dates = [dates[i % len(dates)] if i % 7 else None for i in range(size)]
    repeated_times = [times[i % len(dates)] if i % 5 else None for i in range(size)]
    table = pa.table(
        {"t": TEXTS, "d": repeated_dates, "s": repeated_times, "n": list(range(20_240_000, 20_240_000 + size))}
    )
    source: Any
    if kind == "postgres":
        source = request.getfixturevalue("postgres").load("dates", table)
    elif kind == "frame":
        source = FrameRows(table, table.schema.names)
    else:
        if kind == "spark":
            request.getfixturevalue("spark")
        pq.write_table(table, tmp_path / "dates.parquet")
        source = {kind: str(tmp_path / "dates.parquet")}
    for column, values in (("t", TEXTS), ("d", repeated_dates), ("s", repeated_times)):
        texts = ["" if value is None else value if isinstance(value, str) else value.isoformat() for value in values]
        assert counted(source, plan_of(column)) == Counter(expected_code(text, "ymd") for text in texts), column
    assert counted(source, plan_of("n")) == {4: size}  # a number is no date
