"""Fair mechanisms: EM as printed, and EM*."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from discreet import design
from discreet.certify.table import PROPERTIES
from discreet.design.matrix.fair import exponent
from discreet.errors import PrecisionWarning
from discreet.exact import Epsilon
from tests.design.matrix.mechanisms import fractions


def test_em_star_is_that_of_figure_7() -> None:
    expected = [
        ["50/221", "45/221", "81/442", "729/4420", "6561/44200"],
        ["50/221", "50/221", "45/221", "81/442", "7829/44200"],
        ["981/4420", "981/4420", "50/221", "981/4420", "981/4420"],
        ["7829/44200", "81/442", "45/221", "50/221", "50/221"],
        ["6561/44200", "729/4420", "81/442", "45/221", "50/221"],
    ]
    assert fractions(design.fair(n=4, alpha="9/10")) == [[Fraction(x) for x in line] for line in expected]


def test_em_has_the_exponents_of_figure_4_and_the_corrected_diagonal() -> None:
    """Figure 4's exponents at n = 7, and (16) corrected for odd n: y = 4/9 at n = 3, alpha = 1/2."""
    first = [exponent(i, 0, 7) for i in range(8)]
    assert first == [0, 1, 1, 2, 2, 3, 3, 4]
    for n, alpha, y in (
        (1, "1/2", "2/3"),
        (3, "1/2", "4/9"),
        (4, "10/11", "121/541"),
        (5, "2/3", "27/95"),
        (2, "9/10", "5/14"),
    ):
        for variant in (None, "paper"):
            diagonal = {line[k] for k, line in enumerate(fractions(design.fair(n=n, alpha=alpha, variant=variant)))}
            assert diagonal == {Fraction(y)}


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9, 20, 33])
@pytest.mark.parametrize("alpha", ["1/2", "2/3", "9/10", "99/100"])
def test_em_star_is_never_worse_than_em(n: int, alpha: str) -> None:
    """For every true count and every distance, the mass beyond it is at most EM's; both have all seven properties."""
    star, paper = design.fair(n=n, alpha=alpha), design.fair(n=n, alpha=alpha, variant="paper")
    distance = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    for d in range(n + 1):
        beyond = [np.where(distance > d, mechanism.matrix(), 0).sum(axis=0) for mechanism in (star, paper)]
        assert (beyond[0] <= beyond[1] + 1e-12).all()
    for mechanism in (star, paper):
        assert mechanism.properties() == set(PROPERTIES)
        assert mechanism.delta(Epsilon.of(alpha=alpha)) == 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrecisionWarning)
            assert mechanism.certify().properties == set(PROPERTIES)
