"""Exact numbers: what is read, what is bounded, what is refused."""

from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.exact import Epsilon, exact, exp_lower, powers, text


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=90, max_denominator=10**6))
def test_the_bound_of_e_is_below_and_close(x: Fraction) -> None:
    getcontext().prec = 200
    true = (Decimal(x.numerator) / Decimal(x.denominator)).exp()
    bound = exp_lower(x)
    below = Decimal(bound.numerator) / Decimal(bound.denominator)
    assert below <= true
    assert (true - below) / true < Decimal(2) ** -250


def test_more_precision_gives_no_smaller_bound() -> None:
    for x in (Fraction(1, 100), Fraction(1), Fraction(218, 100), Fraction(50)):
        assert exp_lower(x, 256) <= exp_lower(x, 512) <= exp_lower(x, 1024)


@given(st.fractions())
def test_text_says_the_same_number(value: Fraction) -> None:
    assert Fraction(text(value)) == value


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        (1, "1"),
        (np.int64(3), "3"),
        (np.float64(0.1), "0.1"),
        (0.1, "0.1"),
        ("0.1", "0.1"),
        (Fraction(1, 3), "1/3"),
        ("1/3", "1/3"),
        (Decimal("2.5"), "2.5"),
        ("1e-3", "0.001"),
    ],
)
def test_a_number_is_read_as_it_was_written(given_: object, meant: str) -> None:
    assert text(exact(given_, "it")) == meant  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bad",
    [
        0,
        -1,
        0.0,
        float("nan"),
        float("inf"),
        "nan",
        "inf",
        "",
        "one",
        True,
        None,
        "1e999999999",
        "9" * 500,
        101,
        [1],
        1j,
    ],
)
def test_an_epsilon_that_cannot_be_is_refused(bad: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        Epsilon.of(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [0, 1, -0.5, 2, "1/0", float("nan"), "1e-60", Fraction(1, 3**400)])
def test_an_alpha_that_cannot_be_is_refused(bad: object) -> None:
    with pytest.raises(ParameterError, match="alpha"):
        Epsilon.of(alpha=bad)  # type: ignore[arg-type]


def test_epsilon_and_alpha_together_are_refused() -> None:
    with pytest.raises(ParameterError, match="give one of them"):
        Epsilon.of(1, Fraction(1, 2))


def test_alpha_is_exact_and_its_epsilon_is_not_understated() -> None:
    half = Epsilon.of(alpha="1/2")
    assert half.exp == 2
    assert exp_lower(Fraction(half.number)) >= 2


def test_epsilon_is_given_back_as_it_was_written() -> None:
    assert Epsilon.of(1).number == 1
    assert Epsilon.of(0.1).number == 0.1
    assert Epsilon.of("0.1").number == 0.1
    assert Epsilon.of(Fraction(1, 3)).number == Fraction(1, 3)


@pytest.mark.parametrize(
    ("base", "length"), [(Fraction(9, 10), 50), (Fraction(9, 10), 10_000), (Fraction(1, 148), 3000)]
)
def test_powers_are_in_proportion(base: Fraction, length: int) -> None:
    series = powers(base, length)
    assert min(series) > 0
    for k in (1, length // 2, length - 1):
        ratio = Fraction(series[k], series[k - 1])
        assert abs(ratio / base - 1) < Fraction(1, 2**200)
