"""Constrained mechanisms: against an independent solver, against Cormode 2019, and exactly in integers."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sparse
from scipy.optimize import linprog

from discreet import Mechanism, design
from discreet.assess.properties import column_epsilon
from discreet.certify.table import PROPERTIES
from discreet.design.matrix import _matrix_program
from discreet.design.matrix._requested_properties import closure
from discreet.errors import ParameterError, SolverError
from discreet.linear_program import Program
from discreet.testing import check_mechanism

Matrix = npt.NDArray[np.float64]
Cell = tuple[int, int]


def ordered_pairs(n: int, alpha: float, properties: frozenset[str]) -> Iterator[tuple[Cell, Cell, float]]:
    """Yield (x, y, factor) for each constraint p[x] >= factor p[y] of privacy, RH, CH, RM, CM and CP."""
    for i, j in itertools.product(range(n + 1), repeat=2):
        for neighbour in [(i, j + 1)] * (j < n) + [(i + 1, j)] * (i < n and "CP" in properties):
            yield (i, j), neighbour, alpha
            yield neighbour, (i, j), alpha
        if "RH" in properties:
            yield (i, i), (i, j), 1.0
        if "CH" in properties:
            yield (j, j), (i, j), 1.0
        if "RM" in properties and j < n:
            yield ((i, j), (i, j + 1), 1.0) if i <= j else ((i, j + 1), (i, j), 1.0)
        if "CM" in properties and i < n:
            yield ((i, j), (i + 1, j), 1.0) if i >= j else ((i + 1, j), (i, j), 1.0)


def independent(n: int, alpha: float, properties: frozenset[str], cost: Matrix, largest: bool = False) -> float:
    """Return the optimum of the program as the paper writes it, row by row, by scipy. `cost` includes the weights."""
    size = n + 1
    indices = range(size)

    def variable(i: int, j: int) -> int:
        return i * size + j

    upper = [  # sum <= bound
        ({variable(*small): factor, variable(*big): -1.0}, 0.0)
        for big, small, factor in ordered_pairs(n, alpha, properties)
        if big != small
    ]
    equal: list[tuple[dict[int, float], float]] = []
    if "S" in properties:
        mirrored = [(i, j) for i in indices for j in indices if (i, j) < (n - i, n - j)]
        equal += [({variable(i, j): 1.0, variable(n - i, n - j): -1.0}, 0.0) for i, j in mirrored]
    for j in indices:
        equal.append(({variable(i, j): 1.0 for i in indices}, 1.0))
        if "F" in properties and j:
            equal.append(({variable(j, j): 1.0, variable(0, 0): -1.0}, 0.0))
        if "WH" in properties:
            upper.append(({variable(j, j): -1.0}, -1 / size))
        if largest:
            upper.append(({**{variable(i, j): float(cost[i, j]) for i in indices}, size * size: -1.0}, 0.0))
    width = size * size + largest

    def matrix(rows: list[tuple[dict[int, float], float]]) -> tuple[sparse.csr_matrix, list[float]]:
        entries = [(k, v, c) for k, (row, _) in enumerate(rows) for v, c in row.items()]
        k, v, c = zip(*entries, strict=True)
        return sparse.csr_matrix((c, (k, v)), shape=(len(rows), width)), [bound for _, bound in rows]

    objective = np.concatenate([np.zeros(size * size), [1.0]]) if largest else cost.ravel()
    result = linprog(objective, *matrix(upper), *matrix(equal), method="highs")
    assert result.status == 0
    return float(result.fun)


def loss_matrix(n: int, power: int) -> Matrix:
    distance = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1))).astype(float)
    return distance**power if power else (distance > 0).astype(float)


SUBSETS = [frozenset(s) for k in range(8) for s in itertools.combinations(PROPERTIES, k)]


@pytest.mark.filterwarnings("ignore::discreet.errors.PrecisionWarning")
@pytest.mark.parametrize("alpha", ["1/2", "2/3", "9/10", "99/100"])
@pytest.mark.parametrize("n", [2, 3, 7, 12])
def test_every_subset_of_properties_has_the_loss_of_an_independent_program(n: int, alpha: str) -> None:
    """All 128 subsets, L0: certified, requested properties exact, objective that of an independent solver."""
    cost = loss_matrix(n, 0) / n  # L0 rescales the mean by (n+1)/n
    optima: dict[frozenset[str], float] = {}
    for requested in SUBSETS:
        implied = closure(requested)
        if implied not in optima:
            optima[implied] = independent(n, float(Fraction(alpha)), implied, cost)
        mechanism = design.constrained(n=n, alpha=alpha, properties=sorted(requested))
        assert mechanism.loss("L0") == pytest.approx(optima[implied], abs=1e-6)
        table = mechanism.certify()
        assert table.guarantee.delta == 0
        assert table.guarantee.exp_epsilon == 1 / Fraction(alpha)
        assert requested <= table.properties
        again = Mechanism.from_table(table.table)
        assert again.loss("L0") == pytest.approx(optima[implied], abs=1e-5)
        chosen = design.select(n=n, alpha=alpha, properties=sorted(requested))
        assert chosen.loss("L0") == pytest.approx(optima[implied], abs=1e-6)
        assert requested <= chosen.properties()
        assert chosen.design["reason"]


@pytest.mark.parametrize("objective", ["L1", "L2", ("L0", 1)])
@pytest.mark.parametrize(("n", "alpha"), [(4, 0.76), (7, 0.9), (6, 0.99)])
@pytest.mark.parametrize(
    "properties", [(), ("S",), ("WH",), ("RM",), ("CM",), ("RH", "CH"), ("F",), ("F", "RM"), "all"]
)
def test_other_objectives_have_the_loss_of_an_independent_program(
    n: int, alpha: float, properties: tuple[str, ...] | str, objective: str | tuple[str, int]
) -> None:
    mechanism = design.constrained(n=n, alpha=alpha, properties=properties, objective=objective)
    requested = frozenset(PROPERTIES if properties == "all" else properties)
    cost = (loss_matrix(n, 1) > 1) * 1.0 if isinstance(objective, tuple) else loss_matrix(n, int(objective[1]))
    assert mechanism.loss(objective) == pytest.approx(independent(n, alpha, requested, cost / (n + 1)), abs=1e-6)
    table = check_mechanism(mechanism, draws=5000)
    assert requested <= table.properties


@pytest.mark.parametrize("objective", ["L0", "L1", "L2"])
@pytest.mark.parametrize(("n", "alpha"), [(1, "1/2"), (4, "1/2"), (5, "2/3"), (8, "9/10")])
@pytest.mark.parametrize("others", [(), ("WH",), ("RM", "CM"), ("F",), PROPERTIES])
def test_column_privacy_bounds_neighbouring_outputs(
    n: int, alpha: str, others: tuple[str, ...], objective: str
) -> None:
    """CP: the optimum of an independent solver, and every step down a column within E in the certified integers."""
    requested = frozenset({*others, "CP"})
    mechanism = design.constrained(n=n, alpha=alpha, properties=sorted(requested), objective=objective)
    scale = n if objective == "L0" else n + 1
    expected = independent(n, float(Fraction(alpha)), requested, loss_matrix(n, int(objective[1])) / scale)
    assert mechanism.loss(objective) == pytest.approx(expected, abs=1e-6)
    assert column_epsilon(mechanism) <= -math.log(Fraction(alpha)) + 1e-6
    assert mechanism.design["properties"][-1] == "CP"
    table = mechanism.certify()
    assert frozenset(others) <= table.properties
    steps = [(a, b) for row in table.table.rows for a, b in itertools.pairwise(row.weights)]
    assert all(a * Fraction(alpha) <= b and b * Fraction(alpha) <= a for a, b in steps)


def test_the_flowchart_does_not_know_column_privacy() -> None:
    with pytest.raises(ParameterError, match="CP"):
        design.select(n=4, epsilon=1, properties=("CP",))


@pytest.mark.parametrize("properties", [(), ("WH",), ("F", "RM"), "all"])
@pytest.mark.parametrize("objective", ["L0", "L1", "L2"])
def test_the_largest_loss_is_that_of_an_independent_program(objective: str, properties: tuple[str, ...] | str) -> None:
    mechanism = design.constrained(n=5, alpha="0.8", properties=properties, objective=objective, aggregate="max")
    requested = frozenset(PROPERTIES if properties == "all" else properties)
    expected = independent(5, 0.8, requested, loss_matrix(5, int(objective[1])), largest=True)
    assert mechanism.loss(objective, aggregate="max") == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_any_prior_has_the_loss_of_an_independent_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, alpha = int(rng.integers(2, 8)), float(rng.choice([0.4, 0.7, 0.9]))
    prior = rng.dirichlet(np.full(n + 1, 0.7))
    prior /= prior.sum()
    for objective, power in (("L0", 0), ("L1", 1), ("L2", 2)):
        for requested in (frozenset[str](), frozenset({"RM"}), frozenset({"WH", "S"})):
            mechanism = design.constrained(
                n=n, alpha=alpha, properties=sorted(requested), objective=objective, weights=prior
            )
            scale = (n + 1) / n if objective == "L0" else 1.0
            expected = scale * independent(n, alpha, requested, loss_matrix(n, power) * prior)
            assert mechanism.loss(objective, weights=prior) == pytest.approx(expected, abs=1e-6)
            assert (mechanism.design["method"] == "Bayes remap") is (not requested)


def test_symmetry_is_free_only_for_symmetric_weights() -> None:
    """Theorem 1 of Cormode 2019 needs them: n = 3, alpha = .9, w = (.7, .1, .1, .1) costs .3 without S, .5411 with."""
    weights = [0.7, 0.1, 0.1, 0.1]
    free = design.constrained(n=3, alpha="0.9", weights=weights)
    mirrored = design.constrained(n=3, alpha="0.9", weights=weights, properties=["S"])
    assert free.loss("L0", weights=weights) == pytest.approx(0.3 * 4 / 3, abs=1e-9)
    assert mirrored.loss("L0", weights=weights) == pytest.approx(0.5410526315789473 * 4 / 3, abs=1e-8)


def test_a_matrix_of_losses_is_minimised() -> None:
    """Overcounting costs three times as much as undercounting: no closed form is assumed."""
    n, alpha = 5, 0.8
    signed = np.subtract.outer(np.arange(n + 1), np.arange(n + 1))
    loss = np.where(signed > 0, 3.0 * signed, -signed)
    mechanism = design.constrained(n=n, alpha=alpha, objective=loss, properties=["WH"])
    expected_loss = float((mechanism.matrix() * loss).sum() / (n + 1))
    assert expected_loss == pytest.approx(independent(n, alpha, frozenset({"WH"}), loss / (n + 1)), abs=1e-6)
    assert mechanism.design["method"] == "linear program"
    assert mechanism.design["objective"] == "matrix"


@pytest.mark.parametrize(
    ("objective", "n", "alpha", "none", "honest", "fair", "all_seven"),
    [
        ("L1", 5, "0.91", 1.4348465968586386, 1.7049257647085778, 1.7447024217312066, 1.7674700590841672),
        ("L1", 12, "0.67", 1.764240376847339, 1.7762367038451476, 1.8150922956089157, 1.8627846433445472),
        ("L2", 7, "0.91", 5.065759459424084, 7.7744365120983305, 8.265563701633246, 8.523407957834149),
        ("L2", 12, "0.76", 8.265246983398558, 8.882878548193302, 9.629797643863698, 10.06554239633646),
    ],
)
def test_optima_are_those_of_section_7(
    objective: str, n: int, alpha: str, none: float, honest: float, fair: float, all_seven: float
) -> None:
    """Values of the unconstrained, WH, F and all-seven programs, recomputed for Cormode 2019, section 7.4."""
    for properties, value in (((), none), (("WH",), honest), (("F",), fair), ("all", all_seven)):
        mechanism = design.constrained(n=n, alpha=alpha, properties=properties, objective=objective)
        assert mechanism.loss(objective) == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize(("power", "value"), [(1, 6.946078925257714), (2, 86.60566601756878)])
def test_the_bayes_remap_is_the_optimum(power: int, value: float) -> None:
    mechanism = design.constrained(n=50, alpha="0.9", objective=f"L{power}")
    assert mechanism.design["method"] == "Bayes remap"
    assert mechanism.loss(f"L{power}") == pytest.approx(value, abs=1e-9)


def test_no_program_is_solved_if_the_optimum_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """L0 at n = 60: of the 128 subsets only those with CH or CM and without F reach the solver."""
    solved: list[frozenset[str]] = []

    def instead(problem: _matrix_program.Problem, time_limit: float) -> Matrix:
        solved.append(problem.properties)
        return np.full((problem.n + 1, problem.n + 1), 1 / (problem.n + 1))

    monkeypatch.setattr(_matrix_program, "solve", instead)
    for properties in SUBSETS:
        design.constrained(n=60, alpha="0.9", properties=sorted(properties))
    assert set(solved) == {subset for subset in SUBSETS if subset & {"CH", "CM"} and "F" not in subset}


def test_an_l2_optimum_is_taken_as_it_is_and_others_get_a_second_program(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[bool] = []
    solve = Program.solve

    def counted(self: Program, time_limit: float, vertex: Matrix | None = None) -> Matrix:
        solved.append(vertex is not None)
        return solve(self, time_limit, vertex)

    monkeypatch.setattr(Program, "solve", counted)
    design.constrained(n=10, alpha="0.9", properties="all", objective="L2")
    assert solved == [True]  # from EM*
    solved.clear()
    design.constrained(n=10, alpha="0.9", properties="all", objective="L1")
    assert solved == [True, False]


def test_a_known_vertex_is_a_basis() -> None:
    """EM* and the geometric mechanism define a basis, so that the solver starts where the answer nearly is."""
    for properties, start in (
        ("all", design.fair(n=9, alpha="0.9")),
        (("RM",), design.geometric(alpha="0.9", upper=9)),
    ):
        names = frozenset(PROPERTIES if properties == "all" else properties)
        variables, size = _matrix_program.number_entries(9, folded=True, is_fair="F" in names)
        program = Program(size)
        _matrix_program.add_privacy_and_properties(program, variables, 0.9, names)
        program.rows(variables.T[:5], 1.0, 1.0, 1.0)
        vertex = np.zeros(size)
        vertex[variables.ravel()] = start.matrix().ravel()
        assert program._basis(vertex, *program.entries()) is not None


def test_the_answer_does_not_depend_on_the_vertex() -> None:
    """The secondary objective takes the L0 optimum of least L2: n = 8, alpha = .67, RM and CM."""
    mechanism = design.constrained(n=8, alpha="0.67", properties=("RM", "CM", "S"))
    assert mechanism.loss("L2") == pytest.approx(5.1941086465123885, abs=1e-5)


def test_the_flowchart_gives_its_reason() -> None:
    chosen = {
        (): "geometric",
        ("S", "RM"): "geometric",
        ("WH",): "weakly_honest",
        ("CH",): "constrained",
        ("F",): "fair",
    }
    for properties, name in chosen.items():
        assert design.select(n=6, alpha="9/10", properties=properties).design["chosen"] == name
    assert design.select(n=6, alpha="1/2", properties=("CM",)).design["chosen"] == "geometric"
    assert design.select(n=30, alpha="9/10", properties=("WH",)).design["chosen"] == "geometric"


def test_a_large_program_is_solved_and_certified() -> None:
    mechanism = design.constrained(n=60, alpha="0.9", properties="all", objective="L2")
    table = mechanism.certify()
    assert table.properties == set(PROPERTIES)
    assert table.guarantee.delta == 0
    assert mechanism.loss("L2") == pytest.approx(design.fair(n=60, alpha="0.9").loss("L2"), rel=2e-3)


def test_a_program_that_exceeds_its_time_limit_is_given_up() -> None:
    with pytest.raises(SolverError, match=r"0.001 s.*time_limit"):
        design.constrained(n=40, alpha="0.9", properties=["CM"], objective="L2", time_limit=0.001)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"n": 0}, "n is 0"),
        ({"n": 2.5}, "n is 2.5"),
        ({"alpha": 1}, "alpha is 1"),
        ({"alpha": 0}, "alpha is 0"),
        ({"alpha": None}, "epsilon is None, alpha is None;"),
        ({"properties": ["XX"]}, "'XX'"),
        ({"properties": "some"}, "'some'"),
        ({"objective": "L3"}, "objective is 'L3';"),
        ({"objective": ("L0", 9)}, r"objective is \('L0', 9\);"),
        ({"objective": [[1.0, 2.0]]}, r"objective is \[\[1.0, 2.0\]\];"),
        ({"objective": np.full((4, 4), math.nan)}, "objective is array"),
        ({"weights": [0.5, 0.5, 0.5, 0.5]}, "weights sum to 2;"),
        ({"weights": [2, -1, 0, 0]}, "weights hold a negative"),
        ({"weights": [1]}, r"weights have shape \(1,\); give 4"),
        ({"aggregate": "mean"}, "aggregate is 'mean';"),
        ({"time_limit": 0}, "time_limit is 0;"),
    ],
)
def test_parameters_that_are_no_design_are_refused_by_name(options: dict[str, object], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        design.constrained(**{"n": 3, "alpha": "1/2", **options})  # type: ignore[arg-type]


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ParameterError, match="variant is 'other';"):
        design.fair(n=3, alpha="1/2", variant="other")
