"""Arguments that cannot be composed are refused by name."""

import math

import pytest

from discreet import Cycle, Mechanism, Row
from discreet.account import compose
from discreet.errors import ParameterError
from tests.account.examples import EXAMPLE


@pytest.mark.parametrize("cells", [0, -1, 1.0, 2.5, "3", None, True, 10**7])
def test_cells_are_integers_from_1_to_a_million(cells: object) -> None:
    with pytest.raises(ParameterError, match="cells"):
        compose(EXAMPLE, cells)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ([], "nothing to compose"),
        ((), "nothing to compose"),
        ("geometric", "parts"),
        (3, "parts"),
        (None, "parts"),
        ([EXAMPLE, 3], "a part"),
        ([(EXAMPLE, 0)], "times"),
        ([(EXAMPLE, 1.5)], "times"),
        ([(EXAMPLE, 2, 3)], "a part"),
        ([(2, EXAMPLE)], "a part"),
    ],
)
def test_parts_must_have_a_profile(parts: object, named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        compose(parts)


@pytest.mark.parametrize("contributions", [0, -2, 1.5, "2", True, 10**6 + 1, 10**9])
def test_contributions_are_integers_from_1_to_a_million(contributions: object) -> None:
    with pytest.raises(ParameterError, match="contributions"):
        compose(EXAMPLE, contributions=contributions)  # type: ignore[arg-type]


def test_contributions_need_counts() -> None:
    cycle = Mechanism(Cycle(3), interior=(Row.of(0, [0.5, 0.25, 0.25]),))
    for contributions in (2, 50):
        with pytest.raises(ParameterError, match="cycle"):
            compose(cycle, contributions=contributions)
        with pytest.raises(ParameterError, match="composition"):
            compose(compose(EXAMPLE), contributions=contributions)


@pytest.mark.parametrize("step", [0, -0.1, math.nan, 1e-9, 1000])
def test_a_step_must_be_usable(step: float) -> None:
    with pytest.raises(ParameterError, match="step"):
        compose(EXAMPLE, step=step)


@pytest.mark.parametrize("epsilon", [-1, -1e-300, math.nan, math.inf, "x", [0.1, -0.1], None, True])
def test_epsilon_must_be_a_number_of_0_or_more(epsilon: object) -> None:
    composition = compose(EXAMPLE)
    for method in (composition.delta, composition.error):
        with pytest.raises(ParameterError, match="epsilon"):
            method(epsilon)


@pytest.mark.parametrize("delta", [-0.1, 1, 2, math.nan, "x", True])
def test_delta_must_be_a_probability(delta: object) -> None:
    with pytest.raises(ParameterError, match="delta"):
        compose(EXAMPLE).epsilon(delta)  # type: ignore[arg-type]
