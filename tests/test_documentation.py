"""The examples in README.md and docs run, and print what the pages show.

Every block of code in a page is fenced and names its language:

    ```python               is run; with >>> prompts, results are compared as in a doctest
    ```console              every line after `$ ` is run; output below the line, if any, is compared
    ```console other-noise  the same, but numbers in the output may differ: the noise of a demo is drawn anew
    ```console fails        every line after `$ ` is run, and exits with 2
    ```console not-run      is not run (also `python not-run`, `r not-run`); NOT_RUN below says why
    ```yaml release.yaml    is written to that file, for the commands of the page
    ```yaml                 is a part of a specification; its fields are compared with those that exist
    ```text                 is not code

The blocks of one page run from top to bottom, in one temporary folder and one Python namespace.
`...` in a shown output stands for any text.
"""

import contextlib
import doctest
import inspect
import io
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

import discreet as dc
from discreet import cli, errors
from discreet.plan.spec import ReleaseSpec
from tests.servers import PASSWORD, Postgres

ROOT = Path(__file__).parents[1]
PAGES = [path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]]

KINDS = {
    "python",
    "python not-run",
    "console",
    "console other-noise",
    "console fails",
    "console not-run",
    "r not-run",
    "text",
    "yaml",
}

NOT_RUN = {
    ("README.md", "$ pip install uv && uv run discreet demo"): "installs; the demo is run further down the page",
    ("README.md", "$ uv run pytest"): "runs all tests, this one among them",
    ("docs/howto/workbench.md", "$ discreet workbench people.csv"): "serves until it is ended",
    ("docs/engines.md", "$ pip install 'discreet[postgres]'"): "installs, and needs a PostgreSQL server",
    ("docs/engines.md", "$ pip install 'discreet[spark]'"): "installs",
    ("docs/howto/explore.md", "$ discreet serve town"): "serves until it is ended; tests/browser runs it",
    ("docs/howto/explore.md", "$ discreet serve town --name tables.example.org"): "serves until it is ended",
    (
        "docs/howto/explore.md",
        '$ curl "http://127.0.0.1:8000/api/releases/town/table?rows=age&columns=sex"',
    ): "needs a server; tests/web/explorer asks for tables",
    ("docs/howto/from_r.md", "people <- data.frame(person_id = as.character(1:1000),"): "needs R",
    ("docs/howto/from_r.md", 'discreet <- function(...) stopifnot(system2("discreet", c(...)) == 0)'): "needs R",
    ("docs/howto/from_r.md", 'published <- read.csv("published/people.intervals.csv")'): "needs R",
    (
        "docs/howto/postgresql.md",
        """$ export TOWN="host=db.example dbname=census user=publisher password='change me' sslmode=verify-full\"""",
    ): "names a server; the test sets TOWN",
    ("docs/infer.md", "$ discreet infer later --minus town"): "needs two versions of the data of one town",
    ("docs/ledger.md", "$ discreet ledger verify town.ledger --secret secret --head 17:4be2..."): "needs a release",
    ("docs/papers/cormode2019.md", "$ discreet papers cormode2019"): "takes minutes; tests/papers checks the claims",
    ("docs/papers/kadam2024.md", "$ discreet papers kadam2024"): "takes minutes; tests/papers checks the claims",
    ("docs/papers/sadeghi2020.md", "$ discreet papers sadeghi2020"): "takes minutes; tests/papers checks the claims",
    ("docs/papers/sadeghi2023.md", "$ discreet papers sadeghi2023"): "takes minutes; tests/papers checks the claims",
    ("docs/papers/wang2020.md", "$ discreet papers wang2020"): "takes minutes; tests/papers checks the claims",
}
"""Page and first command (or line) of every block that is not run, and the reason."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: the words after the fence, the number of its first line, and its lines."""

    page: str
    kind: str
    line: int
    lines: list[str]

    @property
    def key(self) -> tuple[str, str]:
        return self.page, self.lines[0].split("  #")[0].strip()


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page. Raise AssertionError if a block is indented or its fence is not closed."""
    lines = (ROOT / page).read_text().split("\n")
    start = None
    for number, line in enumerate(lines, start=1):
        if line.startswith("```"):
            if start is None:
                start = number
                assert line != "```", f"{page}:{number}: the block does not name its language"
            else:
                yield Block(page, lines[start - 1][3:], start + 1, lines[start : number - 1])
                start = None
        elif start is None and line.startswith("    ") and lines[number - 2] == "":
            raise AssertionError(f"{page}:{number}: indented block; write it between fences that name the language")
    assert start is None, f"{page}:{start}: the fence is not closed"


def people(folder: Path) -> None:
    """Write the file of people that docs/release.md describes."""
    rows = [f"{i},{('Abbey', 'Bridge', 'Castle', 'Docks')[i % 4]},{i % 90},{'fm'[i % 7 % 2]}\n" for i in range(400)]
    (folder / "people.csv").write_text("person_id,district,age,sex\n" + "".join(rows))


def other_office_table(folder: Path) -> None:
    """Write a table of another tool under the name that the pages use."""
    shutil.copy(ROOT / "tests/formats/data/ptable_D5_V3_js2.csv", folder / "ptable.csv")


def people_of_r(folder: Path) -> None:
    """Write the file of people that the code of R writes."""
    rows = [f'"{i}","{("female", "male")[i % 2]}",{i % 96}\n' for i in range(1, 1001)]
    (folder / "people.csv").write_text('"person_id","sex","age"\n' + "".join(rows))


def checkout(folder: Path) -> None:
    """Let the page use files of a checkout."""
    for name in ("examples", "src"):
        (folder / name).symlink_to(ROOT / name)


READERS_FILES = {
    "README.md": other_office_table,
    "docs/formats.md": other_office_table,
    "docs/frames.md": people,
    "docs/howto/from_r.md": people_of_r,
    "docs/howto/plan_measurements.md": checkout,
    "docs/howto/verify_folder.md": checkout,
    "docs/release.md": people,
    "docs/tutorial.md": checkout,
}
"""What a reader of the page has in the folder before the first example."""

POSTGRES_PAGE = "docs/howto/postgresql.md"


def serve_people(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put people into the server, and set the variables that the page needs."""
    postgres.execute(
        "DROP SCHEMA IF EXISTS census CASCADE",
        "DROP ROLE IF EXISTS publisher",
        "CREATE SCHEMA census",
        "CREATE TABLE census.people AS SELECT i AS person_id, (ARRAY['female', 'male'])[1 + i % 2] AS sex,"
        " i % 96 AS age FROM generate_series(1, 1000) AS i",
    )
    address = {"PGHOST": "127.0.0.1", "PGPORT": f"{postgres.port}", "PGDATABASE": "postgres", "PGUSER": "steward"}
    for name, value in (address | {"PGPASSWORD": PASSWORD}).items():
        monkeypatch.setenv(name, value)
    reader = f"host=127.0.0.1 port={postgres.port} dbname=postgres user=publisher password='change me'"
    monkeypatch.setenv("TOWN", reader)


def run_python(block: Block, namespace: dict[str, Any]) -> str:
    """Run a block of Python. Return what went wrong, or an empty text."""
    source = "\n".join(block.lines) + "\n"
    if block.lines[0].startswith(">>>"):
        report: list[str] = []
        test = doctest.DocTestParser().get_doctest(source, namespace, block.page, block.page, block.line - 1)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(test, out=report.append, clear_globs=False)
        namespace.update(test.globs)
        return "".join(report)
    try:
        exec(compile("\n" * (block.line - 1) + source, block.page, "exec"), namespace)
    except Exception as error:
        steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == block.page]
        return f"{block.page}:{steps[-1].lineno if steps else block.line}: {type(error).__name__}: {error}"
    return ""


def run_command(command: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """Run a line of a terminal. Return its exit code, its output and its messages."""
    words = shlex.split(command.removeprefix("uv run "), comments=True)
    if words[0] == "python":
        words[0] = sys.executable
    if words[0] != "discreet":
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr
    monkeypatch.setattr(sys, "argv", words)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


def run_console(block: Block, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the commands of a block. Return what went wrong, or an empty text."""
    starts = [i for i, line in enumerate(block.lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(block.lines)], strict=True):
        command, shown = block.lines[start][2:], "\n".join(block.lines[start + 1 : end]).strip("\n")
        code, out, err = run_command(command, monkeypatch)
        location = f"{block.page}:{block.line + start}: {command}\n"
        if code != (2 if block.kind == "console fails" else 0):
            return f"{location}exits with {code}:\n{out}{err}"
        printed = "\n".join(line.rstrip() for line in out.split("\n")).strip("\n")
        want, got = shown, printed
        if block.kind == "console other-noise":
            want, got = (re.sub(r"-?\d+(\.\d+)?", "#", text) for text in (shown, printed))
        if shown and not doctest.OutputChecker().check_output(want + "\n", got + "\n", doctest.ELLIPSIS):
            return f"{location}the page shows:\n{shown}\n\nthe command prints:\n{printed}"
    return ""


def run_yaml(block: Block) -> str:
    """Return the fields of a part of a specification that do not exist, as a text."""
    unknown = set(yaml.safe_load("\n".join(block.lines))) - set(ReleaseSpec.model_fields)
    return f"{block.page}:{block.line}: a specification has no {sorted(unknown)}" if unknown else ""


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")  # some examples show what is warned of
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    if page == POSTGRES_PAGE:
        serve_people(request.getfixturevalue("postgres"), monkeypatch)
    READERS_FILES.get(page, lambda _: None)(tmp_path)
    examples = list(blocks(page))
    for block in examples:
        language, *name = block.kind.split()
        if language == "yaml" and name:
            (tmp_path / name[0]).write_text("\n".join(block.lines) + "\n")
    namespace: dict[str, Any] = {}
    for block in examples:
        failure = ""
        if block.kind == "python":
            failure = run_python(block, namespace)
        elif block.kind in ("console", "console other-noise", "console fails"):
            failure = run_console(block, monkeypatch)
        elif block.kind.startswith("yaml"):
            failure = run_yaml(block)
        if failure:
            pytest.fail(failure, pytrace=False)


@pytest.mark.parametrize("page", PAGES)
def test_a_block_has_a_known_kind(page: str) -> None:
    for block in blocks(page):
        assert block.kind in KINDS or re.fullmatch(r"yaml [\w.-]+\.yaml", block.kind), f"{page}:{block.line - 1}"


def test_what_is_not_run_is_listed_with_a_reason() -> None:
    not_run = {block.key for page in PAGES for block in blocks(page) if block.kind.endswith(" not-run")}
    assert not_run == set(NOT_RUN)


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md", "CHANGELOG.md"])
def test_a_link_leads_to_a_file(page: str) -> None:
    text = (ROOT / page).read_text()
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if ":" not in target]
    assert [target for target in targets if target and not (ROOT / page).parent.joinpath(target).exists()] == []


def test_the_reference_describes_every_public_name() -> None:
    text = "\n".join(page.read_text() for page in (ROOT / "docs/reference/api").glob("*.md"))
    described = set(re.findall(r"^::: discreet\.(\S+)$", text, re.MULTILINE))
    public = {name for name in dc.__all__ if not inspect.ismodule(getattr(dc, name))} - {"DiscreetError"}
    for module in (dc.account, dc.design, dc.formats, dc.infer, dc.reconcile, dc.release):
        names = [name for name in module.__all__ if not name.isupper()]
        public |= {f"{module.__name__.removeprefix('discreet.')}.{name}" for name in names}
    public |= {f"errors.{name}" for name, value in vars(errors).items() if inspect.isclass(value)}
    assert described == public | {"testing.check_mechanism"}
