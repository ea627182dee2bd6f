"""The command line as a person uses it: what it prints, what it writes, how it refuses."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SDC = ("--epsilon", "1", "--small", "sdc")


def test_design_then_verify(discreet) -> None:  # type: ignore[no-untyped-def]
    made = discreet("design", "geometric", "--epsilon", "1", "--upper", "20", "-o", "m.json")
    assert made.code == 0
    for part in (
        "counts 0, 1, ... 20",
        "epsilon = 1, delta = 0, recomputed in integers",
        "RH RM CH CM WH S",
        "variance",
        "bias",
        "█",
        "m.json",
    ):
        assert part in made.out
    checked = discreet("verify", "m.json")
    assert checked.code == 0
    assert "every claim holds" in checked.out


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
def test_maximum_entropy_noise(discreet, options: list[str], delta: str) -> None:  # type: ignore[no-untyped-def]
    made = discreet("design", "maxent", *options, "-o", "m.json")
    assert made.code == 0
    assert f"delta = {delta}" in made.out
    assert "every claim holds" in discreet("verify", "m.json").out


def test_a_changed_weight_is_refused_and_named(discreet) -> None:  # type: ignore[no-untyped-def]
    discreet("design", "geometric", "--epsilon", "1", "--upper", "20", "-o", "m.json")
    claims = json.loads(Path("m.json").read_text())
    claims["rows"][7]["weights"][3] = "1"
    Path("m.json").write_text(json.dumps(claims, indent=1, sort_keys=True) + "\n")
    refused = discreet("verify", "m.json")
    assert refused.code == 2
    assert "the row of count 7" in refused.err
    assert refused.out == ""


def test_every_design_has_a_command(discreet) -> None:  # type: ignore[no-untyped-def]
    listed = discreet("design", "--help").out
    for name, options in {
        "geometric": ["--alpha", "9/10"],
        "gaussian": ["--sigma2", "4", "--epsilon", "1"],
        "staircase": ["--epsilon", "1", "--sensitivity", "3"],
        "uniform": ["--n", "5", "--epsilon", "0.5"],
        "randomized-response": ["--epsilon", "1", "--categories", "4"],
        "exponential": ["--n", "6", "--epsilon", "1"],
    }.items():
        assert name in listed
        result = discreet("design", name, *options, "--bits", "24", "-o", f"{name}.json")
        assert result.code == 0, result.err
        assert discreet("verify", f"{name}.json").code == 0


def test_a_design_without_epsilon_is_shown_but_not_written(discreet) -> None:  # type: ignore[no-untyped-def]
    shown = discreet("design", "gaussian", "--sigma2", "4")
    assert shown.code == 0
    assert "give --epsilon" in shown.out
    refused = discreet("design", "gaussian", "--sigma2", "4", "-o", "g.json")
    assert refused.code == 2
    assert not Path("g.json").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["design", "geometric", "--epsilon", "0"], "above 0"),
        (["design", "geometric", "--epsilon", "nan"], "finite"),
        (["design", "geometric", "--epsilon", "-1"], "above 0"),
        (["design", "geometric"], "give one of them"),
        (["design", "geometric", "--epsilon", "1", "--bits", "7"], "8 to 62"),
        (["design", "geometric", "--epsilon", "0.01", "--upper", "60", "--bits", "8", "-o", "x.json"], "would do"),
        (["design", "geometric", "--epsilon", "1", "-o", "no/such/folder/x.json"], "cannot be written"),
        (["design", "maxent"], "give support and variance, or epsilon and delta"),
        (["design", "maxent", "--epsilon", "1", "--delta", "1"], "between 0 and 1"),
        (
            ["design", "maxent", "--support", "3", "--variance", "1", "--small", "sdc", "--mono", "maybe"],
            "true or false",
        ),
        (["design", "maxent", "--support", "3", "--variance", "1", "-o", "x.json"], "no epsilon of its own"),
        (["verify", "none.json"], "none.json does not exist"),
        (["verify", "x" * 300], "does not exist"),
        (["design", "geometric", "--epsilon", "1", "-o", "x" * 300], "cannot be written"),
        (["design", "gaussian", "--sigma2", "4", "--bits", "7"], "8 to 62"),
        (["demo", "-o", "x" * 300], "cannot be written"),
        (["papers", "wang1850"], "choose from cormode2019"),
        (["papers", "cormode2019", "--adult", "none.csv"], "adult"),
        (["compare", "geometric", "--delta", "2"], "probability"),
        (["compare", "laplace"], "choose from"),
        (["compare", "geometric", "--plot", "x.jpeg"], ".png"),
        (["demo", "-o", "."], "exists already"),
        (["demo", "--epsilon", "x"], "epsilon"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(discreet, arguments: list[str], complaint: str) -> None:  # type: ignore[no-untyped-def]
    result = discreet(*arguments)
    assert result.code == 2
    assert complaint in result.err
    assert "Traceback" not in result.err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["design", "geometric", "--upper", "x"], ["nonsense"], ["verify"], ["design", "uniform"]]
)
def test_what_the_command_line_cannot_parse_is_exit_code_2(discreet, arguments: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert discreet(*arguments).code == 2


def test_a_table_far_from_its_design_warns(discreet) -> None:  # type: ignore[no-untyped-def]
    result = discreet("design", "geometric", "--epsilon", "0.01", "--bits", "16")
    assert result.code == 0
    assert re.search(r"warning: .* bits=\d+ is closer", result.err.replace("\n", " "))


def test_compare_prints_a_table_and_draws_a_figure(discreet) -> None:  # type: ignore[no-untyped-def]
    result = discreet("compare", "geometric", "gaussian", "--delta", "1e-6", "--plot", "c.png")
    assert result.code == 0
    assert "sigma2" in result.out
    assert Path("c.png").read_bytes()[:4] == b"\x89PNG"
    assert discreet("compare", "geometric", "uniform", "--n", "6", "--variance", "2", "--plot", "c.svg").code == 0
    assert "<svg" in Path("c.svg").read_text()


def test_the_demo_leaves_a_folder_that_verifies(discreet) -> None:  # type: ignore[no-untyped-def]
    result = discreet("demo", "-o", "town")
    assert result.code == 0
    assert "Lighthouse" in result.out
    assert "town/report.html" in result.out
    tables = [f"{name}.{kind}" for name in ("people", "work") for kind in ("csv", "json", "parquet")]
    others = ["certificate.json", "manifest.json", "measurements.csv", "report.html"]
    assert sorted(path.name for path in Path("town").iterdir()) == sorted([*tables, *others])
    checked = discreet("verify", "town")
    assert checked.code == 0
    assert "epsilon = 1," in checked.out
    rows = [line.split(",") for line in Path("town/people.csv").read_text().splitlines()[1:]]
    assert len(rows) == 13 * 7 + 13 + 7 + 1  # with _other, and all margins
    assert min(int(row[2]) for row in rows) >= 0
    assert abs(int(next(row[2] for row in rows if row[:2] == ["_total", "_total"])) - 100_000) < 200
    assert "Abbey" in Path("town/report.html").read_text()
    again = discreet("demo", "-o", "town")
    assert again.code == 2
    assert "exists already" in again.err


def test_the_demo_without_a_folder_leaves_none(discreet) -> None:  # type: ignore[no-untyped-def]
    result = discreet("demo", "--epsilon", "2")
    assert result.code == 0
    assert "epsilon = 2, delta" in result.out
    assert list(Path().iterdir()) == []


def test_the_printed_delta_is_never_below_the_certified_one(discreet) -> None:  # type: ignore[no-untyped-def]
    import discreet as library

    for sigma2 in ("1", "3", "7", "20"):
        printed = discreet("design", "gaussian", "--sigma2", sigma2, "--epsilon", "0.7", "-o", f"{sigma2}.json").out
        shown = float(re.search(r"delta = ([0-9.e-]+)", printed)[1])  # type: ignore[index]
        assert shown >= library.load(f"{sigma2}.json").guarantee.delta
        assert shown <= float(library.load(f"{sigma2}.json").guarantee.delta) * 1.00002


def test_a_terminal_without_unicode_still_gets_a_chart() -> None:
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


def test_a_cycle_by_name_and_in_two_dimensions(discreet) -> None:  # type: ignore[no-untyped-def]
    named = discreet("design", "cyclic", "--categories", "red, green, blue", "--epsilon", "1", "-o", "c.json")
    assert named.code == 0
    assert "true value of red" in named.out
    assert "green" in named.out
    assert discreet("verify", "c.json").code == 0
    week = discreet("design", "cyclic", "--shape", "7,24", "--epsilon", "1", "--neighbours", "1,0;0,1")
    assert week.code == 0
    assert "(1, 0)" in week.out
    assert "7 x 24 categories" in week.out


def test_a_cycle_says_what_its_delta_means_and_which_neighbours_connect(discreet) -> None:  # type: ignore[no-untyped-def]
    warned = discreet("design", "cyclic", "--size", "24", "--epsilon", "1", "--delta", "0.05")
    assert warned.code == 0
    assert "published as it is" in warned.err
    refused = discreet("design", "cyclic", "--size", "8", "--epsilon", "1", "--neighbours", "2")
    assert refused.code == 2
    assert "connect only 4 of the 8" in refused.err


def test_advise_ranks_designs_and_writes_the_best(discreet) -> None:  # type: ignore[no-untyped-def]
    advised = discreet("advise", "--epsilon", "0.5", "--delta", "1e-4", "-o", "best.json")
    assert advised.code == 0
    assert advised.out.index("geometric") < advised.out.index("maxent")
    assert "support 16" in advised.out
    assert "upper bounds" in advised.out
    assert "epsilon = 0.5" in discreet("verify", "best.json").out


def test_advise_says_what_would_do(discreet) -> None:  # type: ignore[no-untyped-def]
    assert "give --delta or --upper" in discreet("advise", "--epsilon", "1").err
    both = discreet("advise", "--epsilon", "1", "--categories", "5", "--upper", "9")
    assert both.code == 2
    assert "not both" in both.err
