"""The mechanisms of Cormode 2019 and the programs over all of them, against exact fractions and enumeration."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from discreet import design
from discreet.certify.table import PROPERTIES
from discreet.mechanism import Mechanism
from discreet.papers.cormode2019.claims_explicit import exponents, figure_3
from discreet.papers.cormode2019.count_mechanisms import (
    COLUMNS,
    WEAK,
    binomial,
    error_histogram,
    least_wrong,
    mass_beyond,
    matrix,
    named,
    optimal,
    root_mean_square,
    tail_loss,
    value,
)
from discreet.papers.cormode2019.flowchart import follow
from discreet.papers.cormode2019.square_programs import (
    SquareProgram,
    largest_excess,
    some_optimum_derives,
    some_optimum_does_not,
)


@pytest.mark.parametrize(
    ("n", "alpha", "y"),
    [
        (1, "1/2", "2/3"),
        (1, "10/11", "11/21"),
        (2, "2/3", "3/7"),
        (2, "9/10", "5/14"),
        (3, "1/2", "4/9"),
        (4, "1/2", "2/5"),
        (4, "10/11", "121/541"),
        (5, "2/3", "27/95"),
        (5, "10/11", "1331/6951"),
    ],
)
def test_the_truth_in_em_for_odd_n_too(n: int, alpha: str, y: str) -> None:
    for name in ("EM", "EM*"):
        for count, row in enumerate(named(name, n, alpha).rows):
            assert row.numerators is not None
            assert Fraction(row.numerators[count], row.denominator) == Fraction(y)


@pytest.mark.parametrize(
    ("name", "n", "alpha", "cost"),
    [
        ("GM", 1, "10/11", "20/21"),
        ("GM", 4, "2/3", "4/5"),
        ("GM", 5, "9/10", "18/19"),
        ("EM", 2, "10/11", "30/31"),
        ("EM", 3, "9/10", "348/361"),
        ("EM", 4, "9/10", "855/884"),
        ("EM", 5, "2/3", "408/475"),
        ("EM", 7, "10/11", "662560/682227"),
        ("EM", 8, "2/3", "585/682"),
        (WEAK, 3, "0.76", "371/418"),
        (WEAK, 4, "9/10", "781/810"),
        (WEAK, 8, "99/100", "3448245137/3458145636"),
        (WEAK, 17, "9/10", "118775828656/125136817947"),
    ],
)
def test_exact_costs(name: str, n: int, alpha: str, cost: str) -> None:
    assert named(name, n, alpha).loss("L0") == pytest.approx(float(Fraction(cost)), abs=1e-14)


@pytest.mark.parametrize(
    ("kind", "n", "alpha", "costs"),
    [
        ("L1", 4, "0.76", (1.106863127, 1.195678948, 1.228006478, 1.252345424, 1.376404005, 1.252345424)),
        ("L1", 7, "0.91", (1.91589275, 2.215200841, 2.274931862, 2.315051201, 2.425605247, 2.315051201)),
        ("L1", 12, "0.62", (1.547768017, 1.555180029, 1.590436405, 1.628430197, 2.128596484, 1.628430197)),
        ("L2", 4, "0.91", (2.0, 3.314833202, 3.468693537, 3.518597942, 3.758563067, 3.518597942)),
        ("L2", 7, "0.91", (5.065759459, 7.774436512, 8.265563702, 8.523407958, 9.386572434, 8.537218942)),
        ("L2", 12, "0.76", (8.265246983, 8.882878548, 9.629797644, 10.065542396, 15.95598871, 10.065542396)),
    ],
)
def test_the_losses_of_section_7_4(kind: str, n: int, alpha: str, costs: tuple[float, ...]) -> None:
    """Optimal without properties, with WH, F and all seven; EM and EM*."""
    found = [optimal(n, alpha, kind, asked).loss(kind) for asked in ((), ("WH",), ("F",), PROPERTIES)]
    found += [named(name, n, alpha).loss(kind) for name in ("EM", "EM*")]
    assert found == pytest.approx(costs, abs=1e-7)


BINOMIAL = [
    (4, "0.91", 0.9, "GM", (0.640239790576, 0.454631235602, 0.375365156754, 2.351623532481)),
    (4, "0.91", 0.9, COLUMNS, (0.766917604154, 0.480389744813, 0.278319705253, 2.088167683128)),
    (4, "0.67", 0.3, WEAK, (0.702566709735, 0.3383508, 0.131395576, 1.606877533135)),
    (8, "0.91", 0.1, "EM", (0.864035134126, 0.669839938462, 0.531411031101, 3.956329502954)),
    (8, "0.91", 0.1, "EM*", (0.864035134126, 0.657788029079, 0.502242287337, 3.680187723502)),
    (8, "0.67", 0.5, "UM", (0.888888888889, 0.667534722222, 0.453125, 2.943920288776)),
    (8, "0.91", 0.5, COLUMNS, (0.87636703035, 0.640490301692, 0.420600829138, 2.813443626661)),
    (12, "0.67", 0.1, "EM", (0.786929860255, 0.541734664537, 0.400166802651, 4.014477095223)),
    (12, "0.67", 0.1, "EM*", (0.786929860255, 0.474809197275, 0.260759671046, 2.622145255792)),
]


@pytest.mark.parametrize(("n", "alpha", "p", "name", "values"), BINOMIAL)
def test_errors_on_binomial_counts(n: int, alpha: str, p: float, name: str, values: tuple[float, ...]) -> None:
    mechanism, counts = matrix(name, n, alpha), binomial(n, p)
    found = [mass_beyond(mechanism, d, counts) for d in range(3)]
    assert [*found, root_mean_square(mechanism, counts)] == pytest.approx(values, abs=1e-10)


def test_errors_by_enumeration() -> None:
    """All pairs of true count and output, one by one."""
    mechanism, counts = matrix("GM", 5, "0.8"), binomial(5, 0.3)
    histogram, tail = dict.fromkeys(range(-5, 6), 0.0), 0.0
    for i in range(6):
        for j in range(6):
            histogram[i - j] += mechanism[i, j] * counts[j]
            tail += (abs(i - j) > 2) * abs(i - j) ** 2 * mechanism[i, j] * counts[j]
    assert error_histogram(mechanism, counts) == pytest.approx(list(histogram.values()))
    assert tail_loss(mechanism, 2, 2, counts) == pytest.approx(tail)


def test_matrices_as_the_paper_prints_them() -> None:
    assert matrix("GM", 6, "0.7") == pytest.approx(figure_3(6, 0.7))
    powers = 0.7 ** exponents(6)
    assert matrix("EM", 6, "0.7") == pytest.approx(powers / powers.sum(axis=0))
    assert value("10/11") == pytest.approx(10 / 11)
    assert value("0.62") == 0.62


@pytest.mark.parametrize("properties", [(), ("WH",), ("RM", "CM"), ("F", "RH"), ("CH",), ("F", "CM")])
def test_square_programs_have_the_costs_of_the_design(properties: tuple[str, ...]) -> None:
    found = SquareProgram(5).private(0.8).having(*properties).least(1 - np.eye(6)) / 5
    assert found == pytest.approx(design.constrained(n=5, alpha="0.8", properties=properties).loss("L0"), abs=1e-7)
    assert found == pytest.approx(least_wrong(5, "0.8", "+".join(properties)), abs=1e-7)


def test_the_printed_constraints_of_rm_allow_what_is_not_row_monotone() -> None:
    """Theorem 2: P[0, 1] = 1 beside P[0, 0] = 0 satisfies every printed inequality."""
    swapped = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 1]])
    steps = [(j, i) for j in range(3) for i in range(1, 3)]
    assert all(swapped[j, i - 1] <= swapped[j, i] for j, i in steps if i < j)
    assert all(swapped[j, i] <= swapped[j, i - 1] for j, i in steps if j < i - 1)
    assert "RM" not in Mechanism.from_matrix(swapped).properties()
    assert largest_excess(2, ("printed RM",), (0, 1), (0, 0)) == pytest.approx(1)
    assert largest_excess(2, ("RM",), (0, 1), (0, 0)) == pytest.approx(0)


def test_optima_that_derive_from_gm_and_optima_that_do_not() -> None:
    """n = 2, alpha = .9, WH: Discreet's own optimum derives; EM, a fair optimum, does not."""
    assert named(WEAK, 2, "9/10").derivable()
    assert some_optimum_derives(2, 0.9, ("WH",))
    assert some_optimum_does_not(2, 0.9, ("WH",))
    assert not named("EM", 4, "9/10").derivable()
    assert some_optimum_does_not(4, 0.9, ("F", "RM", "CM"))
    assert not some_optimum_does_not(4, 0.62, ("WH",)), "n >= 2 alpha/(1-alpha): GM is the only optimum"


@pytest.mark.parametrize(("n", "alpha"), [(3, "2/3"), (4, "2/3"), (8, "9/10"), (18, "9/10")])
def test_the_chart_leads_where_select_leads(n: int, alpha: str) -> None:
    ends = {"EM": "fair", COLUMNS: "constrained", WEAK: "weakly_honest", "GM": "geometric"}
    for size in range(8):
        for asked in combinations(PROPERTIES, size):
            chosen = design.select(n=n, alpha=alpha, properties=asked).design["chosen"]
            assert ends[follow(frozenset(asked), n, Fraction(alpha))] == chosen
