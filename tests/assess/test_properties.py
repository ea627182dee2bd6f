"""The seven properties: definitions written out, the paper's lemmas, the implications."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Counts, Mechanism, Row, design
from discreet.assess.properties import column_epsilon
from discreet.certify import table as exactly
from discreet.certify.table import IntegerRow, Table
from discreet.errors import MechanismError

TOTAL = 256


def by_definition(matrix: np.ndarray) -> set[str]:
    """Cormode 2019, Definitions 5 to 11, for integer columns that sum to TOTAL."""
    n = len(matrix) - 1
    r = range(n + 1)
    tests = {
        "RH": all(matrix[i, i] >= matrix[i, j] for i in r for j in r),
        "RM": all(
            (matrix[i, j - 1] <= matrix[i, j] if j <= i else matrix[i, j] <= matrix[i, j - 1]) for i in r for j in r[1:]
        ),
        "CH": all(matrix[j, j] >= matrix[i, j] for i in r for j in r),
        "CM": all(
            (matrix[i - 1, j] <= matrix[i, j] if i <= j else matrix[i, j] <= matrix[i - 1, j]) for j in r for i in r[1:]
        ),
        "F": len({matrix[i, i] for i in r}) == 1,
        "WH": all(matrix[i, i] * (n + 1) >= matrix[:, i].sum() for i in r),
        "S": all(matrix[i, j] == matrix[n - i, n - j] for i in r for j in r),
    }
    return {name for name, holds in tests.items() if holds}


@st.composite
def matrices(draw: st.DrawFn) -> np.ndarray:
    """Columns of small integers that sum to TOTAL; often with structure, so that properties hold often."""
    size = draw(st.integers(2, 5))
    kind = draw(st.sampled_from(["any", "noise", "mirrored", "uniform"]))
    columns = []
    for j in range(size):
        weights = np.array(draw(st.lists(st.integers(0, 6), min_size=size, max_size=size)))
        if kind == "noise":
            weights = 6 - np.abs(np.arange(size) - j)
        if kind == "uniform":
            weights = np.ones(size, dtype=int)
        weights = weights + (np.arange(size) == j)
        column = weights * TOTAL // weights.sum()
        column[j] += TOTAL - column.sum()
        columns.append(column)
    matrix = np.array(columns).T
    if kind == "mirrored":
        for j in range(size // 2):
            matrix[:, size - 1 - j] = matrix[::-1, j]
    return matrix


@settings(max_examples=400)
@given(matrices())
def test_properties_are_their_definitions(matrix: np.ndarray) -> None:
    expected = by_definition(matrix)
    assert Mechanism.from_matrix(matrix / TOTAL).properties() == expected
    rows = tuple(IntegerRow(0, tuple(column)) for column in matrix.T.tolist())
    table = Table(8, Counts(0, len(matrix) - 1), (1,), rows, ())
    assert exactly.properties(table) == expected
    assert "RM" not in expected or "RH" in expected
    assert "CM" not in expected or {"CH", "WH"} <= expected


@settings(max_examples=200)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=6).filter(any), st.integers(-4, 1))
def test_noise_has_the_properties_of_its_matrix(weights: list[int], first: int) -> None:
    """On unbounded counts noise is judged by one row; the same noise, rows written out, must agree."""
    row = Row.of(first, [w / sum(weights) for w in weights])
    noise = Mechanism(Counts(20), interior=(row,))
    apart = Mechanism(Counts(20), (Row(20 + first, row.values),), (row,))
    assert noise.properties() - {"S"} == apart.properties() - {"S"}


@pytest.mark.parametrize(
    ("n", "alpha", "holds"),
    [
        (1, "9/10", True),
        (4, "2/3", True),
        (3, "2/3", False),
        (20, "10/11", True),
        (19, "10/11", False),
        (18, "9/10", True),
        (17, "9/10", False),
    ],
)
def test_gm_is_weakly_honest_from_lemma_3_on(n: int, alpha: str, holds: bool) -> None:
    """Cormode 2019, Lemma 3: iff n >= 2 alpha/(1 - alpha); at n = 1 always, which the lemma misses."""
    mechanism = design.geometric(alpha=alpha, upper=n)
    assert ("WH" in mechanism.properties()) is holds
    assert ("WH" in mechanism.certify(bits=62).properties) is holds


@pytest.mark.parametrize(("alpha", "holds"), [("49/100", True), ("1/2", True), ("51/100", False)])
def test_gm_is_column_monotone_up_to_a_half(alpha: str, holds: bool) -> None:
    """Cormode 2019, Lemma 4, n = 5."""
    mechanism = design.geometric(alpha=alpha, upper=5)
    assert ("CM" in mechanism.properties()) is holds
    assert ("CM" in mechanism.certify().properties) is holds


def test_gm_always_has_rh_rm_and_s() -> None:
    assert {"RH", "RM", "S"} <= design.geometric(epsilon="0.05", upper=30).properties()


def test_properties_on_a_cycle() -> None:
    assert design.randomized_response(epsilon=1, categories=5).properties() == set(exactly.PROPERTIES)


def test_symmetric_noise_has_all_seven() -> None:
    assert design.gaussian(sigma2=3).properties() == set(exactly.PROPERTIES)


def test_gm_derives_from_itself_and_from_a_weaker_one_only() -> None:
    mechanism = design.geometric(alpha="1/2", upper=6)
    assert mechanism.derivable()
    assert mechanism.derivable(alpha="1/3")
    assert not mechanism.derivable(alpha="2/3")
    assert design.uniform(n=6).derivable(epsilon=1)


def test_derivability_needs_a_finite_domain_and_an_epsilon() -> None:
    with pytest.raises(MechanismError, match="upper end"):
        design.geometric(epsilon=1).derivable()
    with pytest.raises(MechanismError, match="epsilon"):
        design.uniform(n=3).derivable()


def test_the_column_epsilon_of_em_is_its_own_and_that_of_gm_is_not() -> None:
    """Steps down a column of EM are factors 1 or alpha. In GM the step from output 1 to 0 is 1/(alpha (1-alpha))."""
    for alpha in (0.5, 0.67, 0.9):
        assert column_epsilon(design.fair(n=8, alpha=alpha, variant="paper")) == pytest.approx(-math.log(alpha))
        assert column_epsilon(design.geometric(upper=8, alpha=alpha)) == pytest.approx(-math.log(alpha * (1 - alpha)))
    assert column_epsilon(design.uniform(n=8)) == 0


def test_the_column_epsilon_is_infinite_beside_an_output_that_never_comes() -> None:
    rows = (Row.of(0, [0.5, 0.5]), Row.of(0, [1.0, 0.0]))
    assert column_epsilon(Mechanism(Counts(0, 1), rows)) == math.inf
    never = (Row.of(0, [0.0, 0.0, 1.0]),) * 3
    assert column_epsilon(Mechanism(Counts(0, 2), never)) == math.inf


def test_column_privacy_is_defined_for_counts_with_an_upper_end() -> None:
    with pytest.raises(MechanismError, match="upper"):
        column_epsilon(design.geometric(epsilon=1))
