"""The command line as a person uses it: what it prints, what it writes, what it refuses."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from discreet.cli import _commands, papers
from discreet.cli import _show as show
from discreet.papers.claim import Claim
from discreet.papers.register import Item
from tests.cli.conftest import Run

SDC = ("--epsilon", "1", "--small", "sdc")


def test_a_certificate_that_design_writes_verifies(discreet: Run) -> None:
    designed = discreet("design", "geometric", "--epsilon", "1", "--upper", "20", "-o", "m.json")
    assert designed.code == 0
    for part in (
        "counts 0, 1, ... 20",
        "epsilon = 1, delta = 0, recomputed in integers",
        "row honesty (RH), row monotonicity (RM), column honesty (CH)",
        "variance",
        "bias",
        "█",
        "m.json",
    ):
        assert part in designed.out
    verified = discreet("verify", "m.json")
    assert verified.code == 0
    assert "every claim holds" in verified.out


@pytest.mark.parametrize(
    ("options", "delta"),
    [
        (["--epsilon", "0.5", "--delta", "1e-4"], "7.70462e-5"),
        (["--epsilon", "0.5", "--delta", "1e-4", "--variant", "paper"], "9.912"),
        (["--epsilon", "1", "--support", "5", "--variance", "3"], "0.0172693"),
        (["--support", "5", "--variance", "3", *SDC, "--js", "2"], "0.26553"),
        (["--support", "2", "--variance", "1.05", *SDC, "--js", "1", "--mono", "true,true,false,true"], "0.491667"),
        (["--support", "4", "--variance", "1.5", *SDC, "--pstay", ".8,.9,.9,.9"], "0.757043"),
    ],
)
def test_maximum_entropy_noise_has_its_exact_delta(discreet: Run, options: list[str], delta: str) -> None:
    designed = discreet("design", "maxent", *options, "-o", "m.json")
    assert designed.code == 0
    assert f"delta = {delta}" in designed.out
    assert "every claim holds" in discreet("verify", "m.json").out


def test_a_changed_weight_is_refused_and_named(discreet: Run) -> None:
    discreet("design", "geometric", "--epsilon", "1", "--upper", "20", "-o", "m.json")
    certificate = json.loads(Path("m.json").read_text())
    certificate["rows"][7]["weights"][3] = "1"
    Path("m.json").write_text(json.dumps(certificate, indent=1, sort_keys=True) + "\n")
    refused = discreet("verify", "m.json")
    assert refused.code == 2
    assert "count 7" in refused.err
    assert refused.out == ""


def test_every_design_has_a_command(discreet: Run) -> None:
    help_text = discreet("design", "--help").out
    for name, options in {
        "geometric": ["--alpha", "9/10"],
        "gaussian": ["--sigma2", "4", "--epsilon", "1"],
        "power": ["--epsilon", "1", "--delta", "1e-4", "--shape", "1.5"],
        "staircase": ["--epsilon", "1", "--sensitivity", "3"],
        "uniform": ["--n", "5", "--epsilon", "0.5"],
        "randomized-response": ["--epsilon", "1", "--categories", "4"],
        "exponential": ["--n", "6", "--epsilon", "1"],
    }.items():
        assert name in help_text
        result = discreet("design", name, *options, "--bits", "24", "-o", f"{name}.json")
        assert result.code == 0, result.err
        assert discreet("verify", f"{name}.json").code == 0


def test_a_design_without_epsilon_is_shown_but_not_written(discreet: Run) -> None:
    shown = discreet("design", "gaussian", "--sigma2", "4")
    assert shown.code == 0
    assert "--epsilon" in shown.out
    refused = discreet("design", "gaussian", "--sigma2", "4", "-o", "g.json")
    assert refused.code == 2
    assert not Path("g.json").exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["design", "geometric", "--epsilon", "0"], "epsilon is '0'"),
        (["design", "geometric", "--epsilon", "nan"], "nan"),
        (["design", "geometric", "--epsilon", "-1"], "-1"),
        (["design", "geometric"], "epsilon"),
        (["design", "geometric", "--epsilon", "1", "--bits", "7"], "7"),
        (["design", "geometric", "--epsilon", "0.01", "--upper", "60", "--bits", "8", "-o", "x.json"], "bits"),
        (["design", "geometric", "--epsilon", "1", "-o", "no/such/folder/x.json"], "no/such/folder/x.json"),
        (["design", "maxent"], "support"),
        (["design", "maxent", "--epsilon", "1", "--delta", "1"], "delta"),
        (
            ["design", "maxent", "--support", "3", "--variance", "1", "--small", "sdc", "--mono", "maybe"],
            "mono is 'maybe'",
        ),
        (["design", "maxent", "--support", "3", "--variance", "1", "-o", "x.json"], "epsilon"),
        (["verify", "none.json"], "none.json"),
        (["verify", "x" * 300], "x" * 300),
        (["design", "geometric", "--epsilon", "1", "-o", "x" * 300], "x" * 100),
        (["design", "gaussian", "--sigma2", "4", "--bits", "7"], "7"),
        (["demo", "-o", "x" * 300], "x" * 100),
        (["papers", "wang1850"], "'wang1850'"),
        (["papers", "cormode2019", "--adult", "none.csv"], "none.csv"),
        (["papers", "wang2020", "--figures", "figures", "--figure", "9"], "'9'"),
        (["papers", "wang2020", "--figure", "table1"], "'table1'"),
        (["papers", "wang2020", "--figures", "", "--figure", "1"], "figures is ''"),
        (["compare", "geometric", "--delta", "2"], "delta"),
        (["compare", "laplace"], "laplace"),
        (["compare", "geometric", "--plot", "x.jpeg"], "'x.jpeg'"),
        (["demo", "-o", "."], ". exists"),
        (["demo", "--epsilon", "x"], "epsilon"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(discreet: Run, arguments: list[str], named: str) -> None:
    result = discreet(*arguments)
    assert result.code == 2
    assert named in result.err
    assert "Traceback" not in result.err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["design", "geometric", "--upper", "x"], ["nonsense"], ["verify"], ["design", "uniform"]]
)
def test_arguments_that_cannot_be_parsed_are_exit_code_2(discreet: Run, arguments: list[str]) -> None:
    assert discreet(*arguments).code == 2


def test_a_table_far_from_its_design_is_a_warning_that_names_better_bits(discreet: Run) -> None:
    result = discreet("design", "geometric", "--epsilon", "0.01", "--bits", "16")
    assert result.code == 0
    assert re.search(r"warning: .* bits=\d+", result.err.replace("\n", " "))


def test_a_figure_that_is_asked_for_twice_is_drawn_once(discreet: Run) -> None:
    result = discreet("papers", "wang2020", "-o", "figures", "--figure", "1", "--figure", "1")
    assert result.code == 0
    assert result.out.count("wang2020_figure_1.png") == 1
    assert {path.name for path in Path("figures").iterdir()} == {"wang2020_figure_1.png", "wang2020_figure_1.csv"}


def test_existing_figures_of_a_paper_are_kept_and_found_before_anything_is_computed(discreet: Run) -> None:
    Path("figures").mkdir()
    Path("figures/wang2020_figure_table3.csv").write_text("older")
    result = discreet("papers", "wang2020", "-o", "figures")
    assert result.code == 2
    assert "wang2020_figure_table3.csv exists already" in result.err.replace("\n", "")
    assert result.out == ""
    assert {path.name: path.read_text() for path in Path("figures").iterdir()} == {
        "wang2020_figure_table3.csv": "older"
    }


@pytest.mark.parametrize("width", [90, 200])
def test_the_register_of_a_paper_says_what_shows_an_item_and_cuts_no_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    """On a narrow and on a wide terminal."""
    monkeypatch.setattr(show.console, "_width", width)
    item = Item("Lemma 1", "2", "says", "holds", "papers.wang2020.claims_discussion.large_mean_of_counts", "shown")
    show.console.print(papers._register([item], [Claim("Lemma 1", "claim", 1, 1, True)]))
    printed = capsys.readouterr().out
    assert "shown by" in printed
    assert "1 claim below; shown" in printed
    assert item.api in printed
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= width


def test_compare_prints_a_table_and_draws_a_figure(discreet: Run) -> None:
    result = discreet("compare", "geometric", "gaussian", "--delta", "1e-6", "--plot", "c.png")
    assert result.code == 0
    assert "sigma2" in result.out
    between = discreet("compare", "power", "--delta", "1e-6").out
    assert "scale 3.13" in between
    assert "shape 1.5" in between
    assert Path("c.png").read_bytes()[:4] == b"\x89PNG"
    assert discreet("compare", "geometric", "uniform", "--n", "6", "--variance", "2", "--plot", "c.svg").code == 0
    assert "<svg" in Path("c.svg").read_text()


def test_the_demo_leaves_a_folder_that_verifies(discreet: Run) -> None:
    result = discreet("demo", "-o", "town")
    assert result.code == 0
    assert "Lighthouse" in result.out
    assert "town/report.html" in result.out
    tables = [f"{name}.{kind}" for name in ("people", "work") for kind in ("csv", "json", "parquet")]
    tables += [f"{name}.intervals.csv" for name in ("people", "work")]
    tables += [f"{name}.csv-metadata.json" for name in ("people", "people.intervals", "work", "work.intervals")]
    others = ["README.md", "certificates", "manifest.json", "measurements.csv", "report.html"]
    assert sorted(path.name for path in Path("town").iterdir()) == sorted([*tables, *others])
    verified = discreet("verify", "town")
    assert verified.code == 0
    assert "epsilon = 1," in verified.out
    rows = [line.split(",") for line in Path("town/people.csv").read_text().splitlines()[1:]]
    assert len(rows) == 13 * 7 + 13 + 7 + 1  # with _other, and all margins
    assert min(int(row[2]) for row in rows) >= 0
    assert abs(int(next(row[2] for row in rows if row[:2] == ["_total", "_total"])) - 100_000) < 200
    assert "Abbey" in Path("town/report.html").read_text()
    second = discreet("demo", "-o", "town")
    assert second.code == 2
    assert "town" in second.err


def test_the_demo_without_a_folder_leaves_none(discreet: Run) -> None:
    result = discreet("demo", "--epsilon", "2")
    assert result.code == 0
    assert "epsilon = 2, delta" in result.out
    assert list(Path().iterdir()) == []


def test_the_printed_delta_is_never_below_the_certified_one(discreet: Run) -> None:
    import discreet as library

    for sigma2 in ("1", "3", "7", "20"):
        printed = discreet("design", "gaussian", "--sigma2", sigma2, "--epsilon", "0.7", "-o", f"{sigma2}.json").out
        printed_delta = float(re.search(r"delta = ([0-9.e-]+)", printed)[1])  # type: ignore[index]
        assert printed_delta >= library.load(f"{sigma2}.json").guarantee.delta
        assert printed_delta <= float(library.load(f"{sigma2}.json").guarantee.delta) * 1.00002


def test_a_terminal_without_unicode_gets_a_chart_in_ascii() -> None:
    code = "from discreet.cli import main; main()"
    arguments = ["design", "geometric", "--epsilon", "1", "--upper", "5"]
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert b"####" in result.stdout


def test_the_installed_command_runs() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "from discreet.cli import main; main()", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    for command in ("design", "verify", "compare", "demo"):
        assert command in result.stdout


def test_a_cycle_may_have_names_or_two_dimensions(discreet: Run) -> None:
    named = discreet("design", "cyclic", "--categories", "red, green, blue", "--epsilon", "1", "-o", "c.json")
    assert named.code == 0
    assert "true value of red" in named.out
    assert "green" in named.out
    assert discreet("verify", "c.json").code == 0
    week = discreet("design", "cyclic", "--shape", "7,24", "--epsilon", "1", "--neighbours", "1,0;0,1")
    assert week.code == 0
    assert "(1, 0)" in week.out
    assert "7 x 24 categories" in week.out


def test_a_cycle_says_what_its_delta_means_and_which_neighbours_connect(discreet: Run) -> None:
    with_delta = discreet("design", "cyclic", "--size", "24", "--epsilon", "1", "--delta", "0.05")
    assert with_delta.code == 0
    assert "warning: " in with_delta.err
    assert "0.05" in with_delta.err
    refused = discreet("design", "cyclic", "--size", "8", "--epsilon", "1", "--neighbours", "2")
    assert refused.code == 2
    assert "4 of the 8" in refused.err


def test_advise_ranks_designs_and_writes_the_best(discreet: Run) -> None:
    advised = discreet("advise", "--epsilon", "0.5", "--delta", "1e-4", "-o", "best.json")
    assert advised.code == 0
    assert advised.out.index("geometric") < advised.out.index("maxent")
    assert "support 16" in advised.out
    assert "upper bounds" in advised.out
    assert "epsilon = 0.5" in discreet("verify", "best.json").out


def test_advise_refuses_options_that_do_not_go_together(discreet: Run) -> None:
    without_delta = discreet("advise", "--epsilon", "1")
    assert without_delta.code == 2
    assert "--delta" in without_delta.err
    counts_and_categories = discreet("advise", "--epsilon", "1", "--categories", "5", "--upper", "9")
    assert counts_and_categories.code == 2
    assert "--categories" in counts_and_categories.err


def commands(name: str, command: Any) -> list[tuple[str, Any]]:
    """Return a command and all its subcommands, with their names."""
    listed = [(name, command)]
    for subname, subcommand in getattr(command, "commands", {}).items():
        listed += commands(f"{name} {subname}", subcommand)
    return listed


@pytest.mark.parametrize("name", _commands.COMMANDS)
def test_every_command_and_option_has_a_help_text(name: str) -> None:
    for full_name, command in commands(name, _commands._load(name)):
        assert command.help, full_name
        assert [parameter.name for parameter in command.params if not parameter.help] == [], full_name
