"""`discreet reconcile` as a person uses it."""

import csv
import random
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run

TREE = """name,parent,count,fixed
country,,100,
north,country,41,
south,country,55,60
n1,north,20,
n2,north,-3,
n3,north,20,
s1,south,30,
s2,south,28,
"""

CUBE = """sex,age,count,variance
f,young,12,1
f,old,-2,1
m,young,9,1
m,old,4,1
f,_total,13,2
m,,12,2
,young,20,2
,old,3,2
_total,_total,25,0.5
"""


@pytest.fixture
def run(discreet: Run) -> Run:
    """Return a function that writes a table to a file and reconciles it."""

    def reconcile(table: str, *options: str, output: str = "out.csv") -> Result:
        Path("in.csv").write_text(table)
        return discreet("reconcile", "in.csv", "-o", output, *options)

    return reconcile


def counts(*labels: str) -> dict[tuple[str, ...], int]:
    """Return the counts of the output, by labels."""
    rows = csv.DictReader(Path("out.csv").read_text().splitlines())
    return {tuple(row[label] for label in labels): int(row["count"]) for row in rows}


def test_a_hierarchy_adds_up(run: Run) -> None:
    result = run(TREE, "--seed", "3")
    assert result.code == 0
    assert "out.csv" in result.out
    count = counts("name")
    assert count["country",] == count["north",] + count["south",]
    assert count["south",] == count["s1",] + count["s2",] == 60
    assert count["north",] == count["n1",] + count["n2",] + count["n3",]
    assert min(count.values()) >= 0
    assert [line.split(",")[0] for line in Path("out.csv").read_text().splitlines()] == [
        line.split(",")[0] for line in TREE.splitlines()
    ]


def test_a_crossed_table_adds_up(run: Run) -> None:
    result = run(CUBE)
    assert result.code == 0
    assert "sex by age" in result.out
    count = counts("sex", "age")
    assert count["f", "_total"] == count["f", "young"] + count["f", "old"]
    assert count["m", ""] == count["m", "young"] + count["m", "old"]
    assert count["", "young"] == count["f", "young"] + count["m", "young"]
    assert count["_total", "_total"] == count["", "young"] + count["", "old"]
    assert min(count.values()) >= 0


@pytest.mark.parametrize(("table", "labels"), [(TREE, ("name",)), (CUBE, ("sex", "age"))])
def test_the_order_of_rows_does_not_matter(run: Run, table: str, labels: tuple[str, ...]) -> None:
    run(table)
    first = counts(*labels)
    head, *rows = table.splitlines()
    random.Random(1).shuffle(rows)
    run("\n".join([head, *rows]) + "\n")
    assert counts(*labels) == first


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("", "'count'"),
        ("name,parent\na,\n", "'count'"),
        ("name,parent,count\na,,1\na,,2\n", "the node 'a'"),
        ("name,parent,count\na,,1\nb,c,2\n", "parent 'c', which has no row"),
        ("name,parent,count\na,b,1\nb,a,2\n", "circle"),
        ("parent,count\n,1\n", "column 'name'"),
        ("name,parent,count\na,,1.5\n", "'1.5' in row 2"),
        ("name,parent,count\na,,nan\n", "'nan' in row 2"),
        ("name,parent,count\na,\n", "row 2"),
        ("name,parent,count,fixed\na,,5,3\nb,a,5,4\n", "fixed"),
        ("name,parent,count,variance\na,,5,0\n", "variance"),
        ("name,parent,count,variance\na,,5,x\n", "variance is 'x'"),
        ("sex,count\nf,1\nf,2\n", "2 rows for sex f"),
        ("sex,age,count\nf,young,1\nm,young,2\nf,old,2\n", "0 rows for sex m, age old"),
        ("sex,count\n,1\n", "total"),
        ("count,count\n1,2\n", "count"),
        (
            "sex,count,fixed\nf,3,5\nm,3,\n,5,4\n",
            "the total is fixed at 4",
        ),
        (
            "sex,age,count,fixed\nf,a,3,\nm,a,3,\nf,,3,5\nm,,3,5\n,,5,9\n",
            "total is fixed at 9",
        ),
        ("name,parent,count,fixed\nz,,5,5\nb,z,5,6\na,z,1,\n", "node 'z' is fixed at 5"),
        ("name,parent,count,fixed\nz,,5,5\n\nb,z,5,-6\n", "fixed is -6 in row 4"),
        ("name,parent,count,variance\nz,,5,1\nb,z,5,inf\n", "'b'"),
        ("sex,count,variance\nf,5,1\nm,5,inf\n", "variance is 'inf' in row 3"),
        ("name,parent,count\na,,+-3\n", "'+-3' in row 2"),
        ("name,parent,count\na,,--3\n", "'--3' in row 2"),
        ("name,parent,count\na,,900000000000000\n", "2**42"),
        (f"name,parent,count\n{'a' * 131_073},,3\n", "CSV"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(run: Run, table: str, named: str) -> None:
    refused = run(table)
    assert refused.code == 2
    assert named in refused.err
    assert "Traceback" not in refused.err
    assert not Path("out.csv").exists()


def test_a_file_that_cannot_be_written_is_named(run: Run) -> None:
    refused = run(TREE, output="no/such/out.csv")
    assert refused.code == 2
    assert "no/such/out.csv" in refused.err


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", None])
def test_a_file_that_cannot_be_read_is_named(discreet: Run, content: bytes | None) -> None:
    if content is not None:
        Path("in.csv").write_bytes(content)
    refused = discreet("reconcile", "in.csv", "-o", "out.csv")
    assert refused.code == 2
    assert "in.csv" in refused.err
