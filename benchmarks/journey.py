"""From a CSV file to a published folder: the processor time of each command, against pandas on the same file.

    uv run --group bench python -m benchmarks.journey [--rows 100000] [--repeats 3]

The file is made like Excel's: semicolons, decimal commas, CRLF; in cp1252, and with a byte order mark in UTF-8. The
commands are those of a newcomer: init, preview, plan, release, verify. The plan of 1,000 rows of one person and the
reading of the same rows from a workbook come after them. The peer is a process in which pandas reads the file and
groups the rows by two columns. For the workbook, the peer is openpyxl, which reads all rows in its mode for reading.

Each command runs once before it is timed, so that its modules are compiled and the file is in memory. The table shows
the least seconds of the processor, of the system's part too, and the ratio to the peer.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HEAD = ["Personen-Nr", "Geschlecht", "Größe", "Kanton", "Alter", "Einkommen"]
CANTONS = ["Zürich", "Bern", "Genève", "Tessin", "St. Gallen"]
PANDAS = (
    "import pandas as pd; pd.read_csv({file!r}, sep=';', decimal=',', encoding={encoding!r})"
    ".groupby(['Geschlecht', 'Kanton']).size()"
)
OPENPYXL = (
    "import openpyxl; sheet = openpyxl.load_workbook({file!r}, read_only=True).active;"
    " sum(1 for _ in sheet.iter_rows(values_only=True))"
)
OURS = (
    "import tempfile; from pathlib import Path; from discreet.count import excel_file;"
    " excel_file.prepare(Path({file!r}), Path(tempfile.mkdtemp(dir={folder!r})))"
)


def people(rows: int) -> Iterator[list[object]]:
    """Yield random people."""
    rng = random.Random(7)
    for number in range(rows):
        yield [
            100_000 + number,
            rng.choice(["weiblich", "männlich"]),
            round(rng.gauss(170, 10), 1),
            rng.choice(CANTONS),
            rng.randrange(100),
            round(rng.lognormvariate(11, 0.5), 2),
        ]


def write_csv(path: Path, rows: int, encoding: str) -> None:
    """Write people as Excel does in Switzerland and Germany."""
    lines = (";".join(str(value).replace(".", ",") if isinstance(value, float) else str(value) for value in row)
             for row in people(rows))  # fmt: skip
    path.write_bytes("\r\n".join([";".join(HEAD), *lines, ""]).encode(encoding))


def write_workbook(path: Path, rows: int) -> None:
    """Write people as a workbook."""
    import xlsxwriter

    workbook = xlsxwriter.Workbook(path)
    sheet = workbook.add_worksheet("People")
    sheet.write_row(0, 0, HEAD)
    for line, row in enumerate(people(rows), 1):
        sheet.write_row(line, 0, row)
    workbook.close()


def seconds(command: list[str], folder: Path) -> float:
    """Run a command. Return the seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    compiled = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=os.environ | compiled)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def journey(folder: Path, encoding: str, repeats: int) -> dict[str, float]:
    """Return the least seconds of each command and of the peer."""
    least: dict[str, float] = {}
    for repeat in range(repeats + 1):
        spec, output = folder / f"{encoding}{repeat}.yaml", f"{encoding}{repeat}"
        commands = {
            "init": ["init", f"{encoding}.csv", "-o", spec.name],
            "preview": ["preview", spec.name],
            "plan": ["plan", spec.name],
            "release": ["release", spec.name, "-o", output],
            "verify": ["verify", output],
            "plan of 1,000 rows": ["plan", "many.yaml"],
        }
        peer = PANDAS.format(file=f"{encoding}.csv", encoding=encoding)
        for name, arguments in commands.items():
            if name == "preview":
                checked = spec.read_text().replace("found: data  ", "source: questionnaire 2026  ")
                spec.write_text(checked)
                (folder / "many.yaml").write_text(checked.replace("contributions: 1 ", "contributions: 1000 "))
            taken = seconds([sys.executable, "-c", "from discreet.cli import main; main()", *arguments], folder)
            least[name] = min(taken, least.get(name, taken)) if repeat > 1 else taken
        taken = seconds([sys.executable, "-c", peer], folder)
        least["pandas"] = min(taken, least.get("pandas", taken)) if repeat > 1 else taken
    return least


def main() -> None:
    """Print the seconds of each command, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for encoding in ("cp1252", "utf-8-sig"):
            write_csv(folder / f"{encoding}.csv", arguments.rows, encoding)
            least = journey(folder, encoding, arguments.repeats)
            whole = sum(least[command] for command in ("init", "preview", "plan", "release", "verify"))
            print(f"{arguments.rows:,} rows, {encoding}, load {os.getloadavg()[0]:.1f}")
            for command, taken in (least | {"init to verify": whole}).items():
                print(f"  {command:20} {taken:7.2f} s   {taken / least['pandas']:6.2f} times pandas")
        file = folder / "people.xlsx"
        write_workbook(file, arguments.rows)
        ours = [sys.executable, "-c", OURS.format(file=str(file), folder=name)]
        peer = [sys.executable, "-c", OPENPYXL.format(file=str(file))]
        taken, of_peer = (
            min([seconds(command, folder) for _ in range(arguments.repeats + 1)][1:]) for command in (ours, peer)
        )
        print(f"  {'workbook':20} {taken:7.2f} s   {taken / of_peer:6.2f} times openpyxl")


if __name__ == "__main__":
    main()
