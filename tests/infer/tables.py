"""Small tables of every shape, and posteriors computed by plain fractions."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from discreet import Counts, Mechanism, PTable, Row, design


def random_table(seed: int, lower: int = 0, upper: int | None = None, small: int = 3, period: int = 2) -> PTable:
    """Return a table with rows for small counts and a periodic interior, with zeros in some places."""
    rng = np.random.default_rng(seed)

    def row(first: int) -> Row:
        weights = rng.integers(0, 20, 6) * rng.integers(0, 2, 6) + np.eye(6, dtype=int)[rng.integers(6)]
        return Row.exact(first, [int(w) for w in weights])

    rows = tuple(row(lower + int(rng.integers(-3, 3))) for _ in range(small))
    interior = tuple(row(int(rng.integers(-5, 1))) for _ in range(period))
    return Mechanism(Counts(lower, upper), rows, interior).certify(epsilon=50, bits=16)


TABLES: dict[str, PTable] = {
    "geometric": design.geometric(epsilon=1).certify(),
    "geometric, strict": design.geometric(epsilon="0.2").certify(bits=62),
    "gaussian": design.gaussian(sigma2=4, support=9).certify(epsilon=1),
    "geometric on 0..6": design.geometric(epsilon=1, upper=6).certify(),
    "fair on 0..5": design.fair(n=5, epsilon="0.8").certify(),
    "small rows": random_table(1),
    "period 3": random_table(2, small=0, period=3),
    "from 4 on": random_table(3, lower=4, small=1, period=1),
    "from 2 to 11": random_table(4, lower=2, upper=11, small=2, period=3),
}


def weight(table: PTable, measured: int, count: int) -> Fraction:
    """Return Pr[measured | count]."""
    domain = table.domain
    assert isinstance(domain, Counts)
    inside = max(count, domain.lower) if domain.upper is None else min(max(count, domain.lower), domain.upper)
    return Fraction(table.table.row(inside).at(measured), table.table.total)


def by_fractions(
    table: PTable, measured: int, prior: Callable[[int], Fraction | int], counts: range
) -> dict[int, Fraction]:
    """Return the exact posterior over these counts."""
    joint = {count: prior(count) * weight(table, measured, count) for count in counts}
    total = sum(joint.values())
    return {count: p / total for count, p in joint.items() if p} if total else {}


def flat(table: PTable) -> Callable[[int], int]:
    """Return a flat prior on the domain."""
    domain = table.domain
    assert isinstance(domain, Counts)
    return lambda count: int(domain.lower <= count and (domain.upper is None or count <= domain.upper))


def poisson(rate: Fraction) -> Callable[[int], Fraction]:
    """Return Poisson weights without their constant."""
    powers = [Fraction(1)]
    for count in range(1, 400):
        powers.append(powers[-1] * rate / count)
    return lambda count: powers[count]
