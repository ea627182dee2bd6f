"""Small counts with outputs of 0 or more and a delta that is met: the program, its repair, its bound."""

import math
import re
import sys
from fractions import Fraction

import pytest

from discreet import Mechanism
from discreet.design import maxent
from discreet.errors import ParameterError, SolverError
from discreet.testing import check_mechanism


def joint(epsilon: float, delta: float, bias: float | None = None) -> Mechanism:
    return maxent(support=5, variance=3, epsilon=epsilon, delta=delta, small="joint", bias=bias)


# golden 003.dpme.LPmin, D = 5, V = 3: epsilon, largest bias at 0, the least delta there is
LEAST = [
    (0.5, None, 0.06588017527642778),
    (0.5, 0.1, 0.18888287893818337),
    (0.5, 0.3, 0.10498231486476009),
    (0.5, 0.5, 0.06588017527642778),
    (1.0, None, 0.0048074),
    (1.0, 0.1, 0.1451450715145939),
    (1.0, 0.2, 0.07605727238469846),
    (1.0, 0.3, 0.030752575243714424),
    (1.5, None, 0.0004511676020937066),
    (1.5, 0.3, 0.0004511676020937066),
    (2.0, 0.1, 0.04351573168448914),
    (2.0, 0.2, 3.998013182255858e-05),
]


@pytest.mark.parametrize(("epsilon", "bias", "least"), LEAST)
def test_a_delta_below_the_least_is_refused_and_a_delta_just_above_is_met(
    epsilon: float, bias: float | None, least: float
) -> None:
    with pytest.raises(ParameterError, match="the least is") as refused:
        joint(epsilon, least * 0.99, bias)
    stated = float(str(refused.value).split("the least is ")[1].split(":")[0])
    assert stated == pytest.approx(least, rel=1e-4)
    mechanism = joint(epsilon, least * 1.001, bias)
    assert mechanism.delta(epsilon) <= least * 1.001
    assert bias is None or mechanism.bias(0) <= bias


@pytest.mark.parametrize("delta", [0.005, 0.006, 0.01, 0.03])
def test_rows_keep_delta_variance_bias_and_support(delta: float) -> None:
    mechanism = joint(1, delta, bias=0.45)
    assert len(mechanism.rows) == 5
    assert mechanism.bias(0) <= 0.45
    for count in range(8):
        outputs, probabilities = mechanism.pmf(count)
        assert outputs[0] == max(0, count - 5)
        assert outputs[-1] == count + 5
        assert math.fsum((outputs - count) ** 2 * probabilities) <= 3 + 1e-12
        assert count == 0 or abs(mechanism.bias(count)) < 1e-15
    table = check_mechanism(mechanism, draws=20_000)
    assert table.guarantee.delta <= Fraction(delta)


def test_a_target_just_above_the_least_delta_is_met_though_the_solver_gives_up_on_it() -> None:
    mechanism = maxent(support=6, variance=1.65, epsilon=0.2, delta=0.22065, small="joint")
    assert 0.2205 < mechanism.delta(0.2) <= 0.22065
    assert all(abs(mechanism.bias(count)) < 1e-15 for count in range(1, 8))


def test_unused_conditions_leave_the_entropy_at_its_largest() -> None:
    """golden 003.dpme.maxentH.3xmin: the entropies of the counts 0..5, in nats, at three times the least delta."""
    mechanism = joint(0.5, 0.19764052582928335)
    total = sum(mechanism.entropy(count) for count in range(6)) * math.log(2)
    assert total == pytest.approx(10.54481024203725, abs=1e-6)


def test_more_delta_is_never_less_entropy() -> None:
    totals = [sum(joint(1, delta).entropy(count) for count in range(6)) for delta in (0.0049, 0.006, 0.02)]
    assert totals == sorted(totals)


def test_the_least_delta_keeps_the_bound_on_unbiased_outputs_of_0_or_more() -> None:
    """delta >= (n+1 - n E)/(n+1+D) where n and n+1 are unbiased: at every pair of counts from 1 on."""
    for epsilon in (0.05, 0.2):
        with pytest.raises(ParameterError) as refused:
            joint(epsilon, 1e-6)
        least = float(str(refused.value).split("the least is ")[1].split(":")[0])
        assert least >= max((n + 1 - n * math.exp(epsilon)) / (n + 1 + 5) for n in range(1, 5))
    with pytest.raises(ParameterError) as refused:
        joint(3, 1e-9, bias=1e-6)
    assert float(str(refused.value).split("the least is ")[1].split(":")[0]) >= (1 - 1e-5) / 6


def test_a_missing_solver_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(SolverError, match=r"clarabel.*discreet\[joint\]"):
        joint(1, 0.01)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"delta": None}, "given is support, variance, epsilon, small='joint';"),
        ({"support": 100}, "support is 100;"),
        ({"epsilon": 50}, "epsilon is 50;"),
        ({"bias": 0}, "bias is 0;"),
        ({"time_limit": 0}, "time_limit is 0;"),
    ],
)
def test_parameters_that_are_no_design_are_refused_by_name(parameters: dict[str, object], named: str) -> None:
    given: dict[str, object] = {"support": 5, "variance": 3, "epsilon": 1, "delta": 0.01, **parameters}
    with pytest.raises(ParameterError, match=re.escape(named)):
        maxent(small="joint", **given)  # type: ignore[arg-type]
