"""Checks that every mechanism must pass. A new design needs one line in the tests.

Each check computes a result in another way than the code under test: sums over dictionaries instead of arrays,
definitions instead of implications, the lookup at its own thresholds, draws against weights.
"""

import math
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet.certify.ptable import PTable, load
from discreet.domain import Counts, Cycle
from discreet.errors import CertificateError, PrecisionWarning
from discreet.exact import Number
from discreet.mechanism import Mechanism

LEAST_EXPECTED = 10.0
"""Cells of a chi-square test that expect fewer draws are taken together."""


def check_mechanism(
    mechanism: Mechanism, epsilon: Number | None = None, bits: int = 32, draws: int = 100_000
) -> PTable:
    """Check a mechanism and its certificate.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    epsilon : Number, optional
        The epsilon to certify at. Default: the epsilon of the design.
    bits : int
        The bits of the certificate.
    draws : int
        How many times to draw at each of a few true values.

    Returns
    -------
    PTable
        The certified table.

    Raises
    ------
    AssertionError
        A check fails. The message says which.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.testing.check_mechanism(dc.design.geometric(epsilon=1, upper=3), draws=1000).bits
    32
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        ptable = mechanism.certify(epsilon, bits)
    certified = Mechanism.from_table(ptable.table)
    for subject in (mechanism, certified):
        _check_rows(subject)
        _check_privacy(subject, float(ptable.guarantee.epsilon))
    _check_certificate(mechanism, certified, ptable)
    _check_round_trip(ptable)
    _check_lookup(ptable)
    for value in _values(ptable)[:: max(1, len(_values(ptable)) // 3)]:
        p_value = chi_square(ptable, value, draws)
        assert p_value > 1e-9, f"{draws} draws at {value} do not follow the weights: p = {p_value:.2g}"
    return ptable


def chi_square(ptable: PTable, value: int | tuple[int, ...], draws: int, weights: npt.ArrayLike | None = None) -> float:
    """Return the p-value of draws at one true value.

    Parameters
    ----------
    ptable : PTable
        The table to draw from.
    value : int or tuple of int
        The true value.
    draws : int
        How many times to draw.
    weights : array, optional
        Expected weights, in the order of the outputs. Default: the weights of the table.

    Returns
    -------
    float
        The p-value of a chi-square test.

    Raises
    ------
    AssertionError
        An output is outside the row of the value.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.uniform(n=3).certify(epsilon=1)
    >>> dc.testing.chi_square(table, 0, draws=1000, weights=[1, 1, 1, 7]) < 1e-9
    True
    """
    multiple = isinstance(value, tuple)
    drawn = ptable.perturb(np.tile(value, (draws, 1)) if multiple else np.full(draws, value))
    certified = Mechanism.from_table(ptable.table)
    outputs, probabilities = certified.pmf(value)
    if weights is not None:
        probabilities = np.asarray(weights, dtype=np.float64) / np.sum(weights)
    if isinstance(ptable.domain, Cycle):
        indices = np.ravel_multi_index(tuple(drawn.T), ptable.domain.shape) if multiple else drawn
    else:
        indices = drawn - outputs[0]
    assert indices.min() >= 0, f"an output at {value} is below its row"
    assert indices.max() < len(probabilities), f"an output at {value} is above its row"
    observed = np.bincount(indices, minlength=len(probabilities))
    order = np.argsort(probabilities)
    expected, observed = draws * probabilities[order], observed[order]
    small = int(np.searchsorted(np.cumsum(expected), LEAST_EXPECTED)) + 1
    expected = np.concatenate([[expected[:small].sum()], expected[small:]])
    observed = np.concatenate([[observed[:small].sum()], observed[small:]])
    freedom = len(expected) - 1
    if freedom == 0:
        return 1.0
    statistic = float(((observed - expected) ** 2 / expected).sum())
    spread = 2 / (9 * freedom)  # Wilson and Hilferty: the cube root of chi-square is nearly normal
    return 0.5 * math.erfc(((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(2 * spread))


def _check_rows(mechanism: Mechanism) -> None:
    for row in mechanism.rows + mechanism.interior:
        assert (row.values >= 0).all(), "a probability is negative"
        assert abs(math.fsum(row.values) - 1) <= 1e-9, f"a row sums to {math.fsum(row.values)}"
    if mechanism.domain.size is not None and mechanism.domain.size <= 500:
        sums = mechanism.matrix().sum(axis=0)
        assert np.allclose(sums, 1, atol=1e-9), "a column of the matrix does not sum to one"


def _check_privacy(mechanism: Mechanism, epsilon: float) -> None:
    rows = _dictionaries(mechanism)
    for at in (epsilon / 2, epsilon, 2 * epsilon):
        worst = max((_hockey(p, q, math.exp(at)) for p, q in rows), default=0.0)
        claimed = mechanism.delta(at)
        assert abs(claimed - worst) <= 1e-12, f"delta({at}) is {claimed}, summed by hand {worst}"
        assert mechanism.delta(at, kind="pdp") >= claimed - 1e-12, f"delta({at}) is above its probabilistic bound"
        if claimed > 0:
            back = mechanism.epsilon(claimed)
            assert back <= at * (1 + 1e-9), f"epsilon({claimed}) is {back}, above {at}"
    pure = mechanism.epsilon()
    if pure < 100:
        assert pure == 0 or mechanism.delta(pure) <= 1e-12, (
            f"epsilon() is {pure}, where delta is {mechanism.delta(pure)}"
        )


def _check_certificate(mechanism: Mechanism, certified: Mechanism, ptable: PTable) -> None:
    epsilon, bound, delta = ptable.guarantee
    assert bound <= Fraction(math.exp(epsilon)) * (1 + Fraction(1, 2**50)), "E is above e**epsilon"
    assert abs(float(delta) - certified.delta(float(epsilon))) <= 1e-12, (
        "the certified delta is not that of the weights"
    )
    if mechanism.delta(epsilon) == 0:
        assert delta == 0, f"the design is pure and its integers are not: delta {float(delta)}"
    assert ptable.properties <= certified.properties(), (
        f"claimed {ptable.properties}, in floats {certified.properties()}"
    )
    for name, (least, greatest) in ptable.utility.items():
        assert least <= greatest, f"utility {name} is reversed"


def _check_round_trip(ptable: PTable) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        ptable.save(path)
        again = load(path)
        assert (again.table, again.guarantee, again.digest) == (ptable.table, ptable.guarantee, ptable.digest), (
            "saving changed it"
        )
        written = path.read_text()
        start = written.rindex('"weights"')
        digit = next(i for i in range(start, len(written)) if written[i].isdigit())
        changed = written[:digit] + str((int(written[digit]) + 1) % 10) + written[digit + 1 :]
        path.write_text(changed)
        try:
            load(path)
        except CertificateError:
            return
        raise AssertionError("a changed weight was not noticed")


def _check_lookup(ptable: PTable) -> None:
    """Check that the output changes by one at every threshold of a row, and that a count outside is clamped."""
    for value in _values(ptable)[:3]:
        row = (
            ptable.table.row(value)
            if isinstance(value, int) and isinstance(ptable.domain, Counts)
            else ptable.interior[0]
        )
        edges = np.cumsum(np.array([0, *row.weights], dtype=np.uint64))
        keys = np.unique(np.concatenate([edges[:-1], edges[1:] - np.uint64(1)])).clip(0, (1 << ptable.bits) - 1)
        indices = np.searchsorted(edges, keys, side="right") - 1
        counts = np.tile(value, (len(keys), 1)) if isinstance(value, tuple) else np.full(len(keys), value)
        outputs = ptable.perturb(counts, keys=keys)
        if isinstance(ptable.domain, Cycle):
            shape = np.array(ptable.domain.shape)
            expected = (
                np.stack(np.unravel_index(indices, ptable.domain.shape), axis=-1) + np.atleast_1d(value)
            ) % shape
            expected = expected if isinstance(value, tuple) else expected[:, 0]
        else:
            expected = row.first + indices
        assert np.array_equal(outputs, expected), f"at {value} a key does not choose the output its weight owns"
        single = [ptable.perturb(value, keys=int(key)) for key in keys[:50]]
        assert np.array_equal(single, outputs[:50]), f"at {value} one key at a time gives another output than many"
    if isinstance(ptable.domain, Counts):
        spread = [k * ((1 << ptable.bits) - 1) // 63 for k in range(64)]
        lowest = ptable.perturb(np.full(64, ptable.domain.lower), keys=spread)
        below = ptable.perturb(np.full(64, ptable.domain.lower - 5), keys=spread)
        assert np.array_equal(lowest, below), "a count below the domain was not clamped into it"


def _values(ptable: PTable) -> list[int] | list[tuple[int, ...]]:
    """Return a few true values, with every kind of row among them."""
    if isinstance(ptable.domain, Counts):
        return list(ptable.table.counts(0))
    corners = [tuple(min(value, side - 1) for side in ptable.domain.shape) for value in (0, 1, 10**9)]
    return [corner[0] for corner in corners] if len(ptable.domain.shape) == 1 else corners


def _dictionaries(mechanism: Mechanism) -> list[tuple[dict[int, float], dict[int, float]]]:
    """Return pairs of neighbouring rows in both directions, each row by output."""
    if isinstance(mechanism.domain, Cycle):
        first = dict(enumerate(mechanism.interior[0].values.tolist()))
        others = [dict(enumerate(mechanism.pmf(difference)[1].tolist())) for difference in mechanism.neighbours]
        return [pair for other in others for pair in ((first, other), (other, first))]
    lower, upper = mechanism.domain.lower, mechanism.domain.upper
    pairs = []
    for count in range(lower, lower + len(mechanism.rows) + len(mechanism.interior)):
        for distance in mechanism.neighbours:
            if upper is None or count + distance <= upper:
                one, other = (_dictionary(mechanism, c) for c in (count, count + distance))
                pairs += [(one, other), (other, one)]
    return pairs


def _dictionary(mechanism: Mechanism, count: int) -> dict[int, float]:
    outputs, probabilities = mechanism.pmf(count)
    return dict(zip(outputs.tolist(), probabilities.tolist(), strict=True))


def _hockey(p: dict[int, float], q: dict[int, float], exp_epsilon: float) -> float:
    return math.fsum(max(0.0, mass - exp_epsilon * q.get(output, 0.0)) for output, mass in p.items())
