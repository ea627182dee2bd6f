"""Weakly honest mechanisms: closed forms, and both readings of WM."""

from fractions import Fraction

import pytest

from discreet import design
from discreet.exact import Epsilon
from tests.design.matrix.mechanisms import fractions


@pytest.mark.parametrize(
    ("n", "alpha", "l0"),
    [
        (3, "3/5", "3/4"),
        (4, "9/10", "781/810"),
        (8, "76/100", "19/22"),
        (12, "9/10", "13223143/13817466"),
        (17, "99/100", "280158144863224293946/280948077112468832847"),
    ],
)
def test_the_closed_form_of_wh_has_the_exact_l0(n: int, alpha: str, l0: str) -> None:
    mechanism = design.weakly_honest(n=n, alpha=alpha)
    trace = sum(line[k] for k, line in enumerate(fractions(mechanism)))
    assert Fraction(n + 1, n) - trace / n == Fraction(l0)
    assert {"WH", "RM", "RH", "S"} <= mechanism.properties()
    assert mechanism.delta(Epsilon.of(alpha=alpha)) == 0


@pytest.mark.parametrize(
    ("n", "alpha", "wh", "columns"),
    [
        (10, "2/3", 0.8, 0.8100000000000002),
        (6, "10/11", 0.9674761904761905, 0.9694761904761905),
        (10, "99/100", 0.9971701273537258, 0.9972077948848177),
    ],
)
def test_wm_costs_more_with_row_and_column_monotonicity(n: int, alpha: str, wh: float, columns: float) -> None:
    """Cormode 2019, Figure 9: WH < CM < EM strictly, whatever the paper says of (c)."""
    assert design.weakly_honest(n=n, alpha=alpha).loss("L0") == pytest.approx(wh, abs=1e-8)
    both = design.weakly_honest(n=n, alpha=alpha, columns=True)
    assert both.loss("L0") == pytest.approx(columns, abs=1e-8)
    assert {"WH", "RM", "CM"} <= both.properties()
    assert both.loss("L0") < design.fair(n=n, alpha=alpha).loss("L0") - 1e-9


def test_wh_rm_and_cm_have_a_closed_form_for_small_n() -> None:
    """Cormode 2019, Figure 7's WM at n = 4, alpha = 9/10, exactly; and no program up to n = 17."""
    expected = [
        ["20/81", "2/9", "1/5", "9/50", "81/500"],
        ["2/9", "2/9", "1/5", "9/50", "7019/40500"],
        ["44/225", "44/225", "1/5", "44/225", "44/225"],
        ["7019/40500", "9/50", "1/5", "2/9", "2/9"],
        ["81/500", "9/50", "1/5", "2/9", "20/81"],
    ]
    mechanism = design.weakly_honest(n=4, alpha="9/10", columns=True)
    assert fractions(mechanism) == [[Fraction(x) for x in line] for line in expected]
    for n in range(2, 18):
        mechanism = design.constrained(n=n, alpha="9/10", properties=["CM"])
        assert mechanism.design["method"] == "transport"
        assert {"RM", "CM", "S"} <= mechanism.properties()
    assert design.constrained(n=18, alpha="9/10", properties=["CM"]).design["method"] == "linear program"
