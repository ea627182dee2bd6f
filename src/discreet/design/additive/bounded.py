"""Bounded, unbiased noise with a fixed chance of the true count (Sadeghi, Asoodeh and Calmon 2020).

The noise Z lies in [-D, D] (`support`), is 0 with probability eta, and has mean 0. Here delta is always the exact
hockey-stick sum. The paper's delta is the delta of one output. The paper bounds the exact delta by (2D+1) times its own
delta, which is too large by a factor between (2D+1)/(D+1) and 2D+1.

`lowest` is a public promise that every count is at least `lowest`. Smaller counts are clamped up to it.

lowest >= support. Every count has room for the noise, and symmetric noise is optimal. With E = e^epsilon and C =
2 eta/(1-eta),

    delta = max{ (1-eta)/2 (E-1)/(E^D - 1),   eta - (E-1)(1-eta)/2 },

reached by a truncated geometric. In the first case p_j = delta E^(D-j). In the second case p_0 = eta and
p_j = min(p_(j-1)/E, the mass that is left). The formula holds for C >= E^(D-2)(E-1)/(E^D - 1); below that the optimum
is a small linear program over symmetric noise. variant="paper" is Theorem 3, which minimises the largest delta of a
single output. The theorem is refused for C < a_2. There its proof omits (1-eta)/2 a_1 <= E eta + delta, and its
claim is false (D = 8, epsilon = 2.2, eta = .02: claimed 1.35e-6, true .2552).

lowest < support. Counts below the support have no negative outputs, and pairs of such counts are neighbours too (D = 8,
epsilon = 2.2, eta = .8: delta 1.8e-8 becomes .0283). The linear program over all counts (`bounded_program`) minimises
the exact delta. At 0 there is no unbiased mechanism, so the bias condition is dropped at 0, and only there.

`upper` is a public promise that every count is at most `upper`, because no more people exist (the N of the paper). The
linear program then has one row for each count. Outputs may exceed `upper` by up to D, as in the paper's footnote 1.
Fewer counts are fewer pairs of neighbours: in the paper's Example 1 (N = 3, eta = 1/2, D = 2) at epsilon = .5, delta is
.3156, against .3378 for counts without end. variant="paper" with lowest=1 and `upper` is Proposition 2.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.design import parameters
from discreet.design.additive import bounded_program
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number, powers, text
from discreet.mechanism import Mechanism, Row

LARGEST_SUPPORT = 1000
LARGEST_SEARCH, LARGEST_PROGRAM = 1000, 64

LARGEST_ROWS = 8_000
"""Most probabilities in a linear program over the counts up to `upper`."""


def bounded(
    *,
    epsilon: Number | None = None,
    eta: Number | None = None,
    support: int | None = None,
    delta: Number | None = None,
    lowest: int = 0,
    upper: int | None = None,
    variant: str | None = None,
    alpha: Number | None = None,
    time_limit: float = 600.0,
) -> Mechanism:
    """Return unbiased noise in [-support, support] that is 0 with probability eta.

    Give three of epsilon, delta, eta and support. The fourth is found: the least delta or epsilon, the largest eta, the
    smallest support.

    Parameters
    ----------
    epsilon, alpha : Number, optional
        Privacy of one count: epsilon, or alpha = exp(-epsilon), which is then exact.
    eta : Number, optional
        Chance of the true count.
    support : int, optional
        Farthest noise.
    delta : Number, optional
        Largest delta at epsilon.
    lowest : int
        A public promise that no count is smaller. If lowest is at least the support, there is a closed form.
    upper : int, optional
        A public promise that no count is larger, because there are only so many people. None: no such promise.
    variant : str, optional
        None for the least exact delta; "paper" for the least delta of a single output.
    time_limit : float
        Seconds after which a linear program is given up.

    Returns
    -------
    Mechanism
        Noise on the counts from `lowest` to `upper`, unbiased at every count but 0.

    Raises
    ------
    ParameterError
        A parameter is outside its range, not three of the four are given, or no noise meets all three.
    SolverError
        The linear program was not solved in time.

    Examples
    --------
    >>> import discreet as dc
    >>> noise = dc.design.bounded(epsilon=1.5, eta=0.5, support=6, lowest=6)
    >>> round(noise.delta(1.5), 6)
    0.000107
    >>> dc.design.bounded(epsilon=1.5, eta=0.5, delta=0.001, lowest=6).design["support"]
    5
    """
    if variant not in (None, "paper"):
        raise ParameterError(f"variant is {variant!r}; give None for the exact delta or 'paper' for Sadeghi 2020's")
    counts = _counts(lowest, upper)
    family = _Family(counts, variant, parameters.seconds(time_limit))
    given = {"epsilon": epsilon if alpha is None else alpha, "delta": delta, "eta": eta, "support": support}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        raise ParameterError(
            f"{', '.join(missing) or 'nothing'} is left open; give three of epsilon, delta, eta and support,"
            " and the fourth is found"
        )
    target = None if delta is None else float(parameters.probability(delta, "delta"))
    chance = None if eta is None else parameters.probability(eta, "eta")
    width = None if support is None else _read_support(support)
    privacy = None if missing == ["epsilon"] else Epsilon.of(epsilon, alpha)
    match privacy, chance, width, target:
        case Epsilon(), Fraction(), int(), None:
            return family.noise(privacy, chance, width)
        case None, Fraction(), int(), float():
            return _smallest_epsilon(family, chance, width, target)
        case Epsilon(), None, int(), float():
            return _largest_eta(family, privacy, width, target)
        case Epsilon(), Fraction(), None, float():
            return _smallest_support(family, privacy, chance, target)
    raise AssertionError(missing)


def _counts(lowest: object, upper: object) -> Counts:
    """Return the counts from `lowest` to `upper`. Raise ParameterError if there are none."""
    least = parameters.integer(lowest, "lowest", 0, 2**62, "lowest is the smallest possible count")
    if upper is None:
        return Counts(least)
    return Counts(least, parameters.integer(upper, "upper", least + 1, 2**62, "upper is the largest possible count"))


def _read_support(support: object) -> int:
    return parameters.integer(support, "support", 1, LARGEST_SUPPORT, "a wider noise needs no bound")


@dataclass(frozen=True)
class _Family:
    """All noises on the same counts, one for each epsilon, eta and support."""

    counts: Counts
    variant: str | None
    time_limit: float

    def noise(self, privacy: Epsilon, eta: Fraction, support: int) -> Mechanism:
        """Return the noise of least delta. Raise ParameterError if `upper` is too large for a linear program."""
        lowest, upper = self.counts.lower, self.counts.upper
        design = {"name": "bounded", **privacy.parameters, "eta": text(eta), "support": support, "lowest": lowest}
        design |= {} if upper is None else {"upper": upper}
        design |= {} if self.variant is None else {"variant": self.variant}
        if upper is not None and (upper - lowest + 1) * (2 * support + 1) > LARGEST_ROWS:
            raise ParameterError(
                f"upper is {upper}; with lowest {lowest} and support {support} give at most"
                f" {lowest - 1 + LARGEST_ROWS // (2 * support + 1)}, or leave upper out: counts without end cost hardly"
                " more"
            )
        if upper is not None or lowest < support:
            problem = bounded_program.Problem(
                float(privacy.exp), eta, support, self.counts, self.variant == "paper", self.time_limit
            )
            return Mechanism(self.counts, *bounded_program.optimum(problem), design=design)
        return Mechanism(self.counts, interior=(self._shared_noise(privacy, eta, support),), design=design)

    def _shared_noise(self, privacy: Epsilon, eta: Fraction, support: int) -> Row:
        """Return the noise of counts that are all at least `support`."""
        if self.variant == "paper":
            return _noise_of_theorem_3(privacy, eta, support)
        if _closed_form_holds(privacy, eta, support):
            return _truncated_geometric(privacy, eta, support)
        return bounded_program.symmetric(float(privacy.exp), float(eta), support, self.time_limit)

    def delta(self, privacy: Epsilon, eta: Fraction, support: int) -> float:
        """Return the exact delta of the noise; 1 if there is no such noise."""
        try:
            return self.noise(privacy, eta, support).delta(privacy)
        except ParameterError:
            return 1.0


def _closed_form_holds(privacy: Epsilon, eta: Fraction, support: int) -> bool:
    """Return True if C >= E^(D-2)(E-1)/(E^D - 1). Numerator and denominator are taken times alpha^D."""
    alpha = float(privacy.alpha)
    odds = float(2 * eta / (1 - eta))
    return odds * (1 - alpha**support) >= alpha * (1 - alpha)


def _truncated_geometric(privacy: Epsilon, eta: Fraction, support: int) -> Row:
    """Return p_j in proportion to alpha^j. If eta is too large for that, p_j falls from eta until the mass is spent."""
    alpha = float(privacy.alpha)
    series = powers(privacy.alpha, support + 1)
    u, v = eta.numerator, eta.denominator
    if float(2 * eta / (1 - eta)) * (1 - alpha**support) * alpha <= 1 - alpha:
        return _symmetric(2 * u * sum(series[:support]), [(v - u) * w for w in series[:support]])
    half, left = [], (v - u) * series[0]
    for w in series[1:]:
        half.append(min(2 * u * w, left))
        left -= half[-1]
        if left == 0:
            break
    half[-1] += left
    return _symmetric(2 * u * series[0], half)


def _noise_of_theorem_3(privacy: Epsilon, eta: Fraction, support: int) -> Row:
    """Return the noise of Theorem 3, with the least delta of a single output.

    Raises
    ------
    ParameterError
        The theorem does not hold, because eta is too small.
    """
    _, _, a = theorem_3(float(privacy), float(eta), support)
    odds = float(2 * eta / (1 - eta))
    if len(a) > 1 and odds < a[1]:
        raise ParameterError(
            f"eta is {text(eta)}, too small for Theorem 3 of Sadeghi 2020 at epsilon {privacy} and support {support}:"
            " its proof omits (1-eta)/2 a_1 <= E eta + delta, which needs"
            f" eta >= {a[1] / (2 + a[1]):.6g}; leave variant out for the true optimum"
        )
    side = float(1 - eta) / 2
    half = [side * x for x in a]
    while half[-1] <= 0:
        half.pop()
    return Row.of(-len(half), [*reversed(half), 1 - 2 * math.fsum(half), *half])


def theorem_3(epsilon: float, eta: float, support: int) -> tuple[int, float, list[float]]:
    """Return the case k, the delta of one output, and a_1..a_D of Sadeghi 2020 for any eta; p(+-j) = (1-eta)/2 a_j.

    Sums of powers of E are taken times alpha^k, so that no sum overflows.
    """
    b, c, alpha = 2 / (1 - eta), 2 * eta / (1 - eta), math.exp(-epsilon)
    case = next((k for k in range(1, support + 1) if c > threshold(epsilon, k)), support + 1)
    delta = case_delta(epsilon, eta, support, case)
    if case == support + 1:
        a = [b * delta]
        while len(a) < support:
            a.append(a[-1] / alpha + b * delta)
        return case, delta, a[::-1]
    a = [(c - b * delta) * alpha]
    while len(a) < case:
        a.append((a[-1] - b * delta) * alpha)
    return case, delta, [max(x, 0.0) for x in a] + [0.0] * (support - case)


def threshold(epsilon: float, k: int) -> float:
    """Return C_k = sum_{j<=k} E^j / sum_{j<k} (k-j) E^j, which falls in k. Case k is C_k < C <= C_(k-1)."""
    alpha = math.exp(-epsilon)
    return math.fsum(alpha**j for j in range(k + 1)) / math.fsum(j * alpha**j for j in range(1, k + 1))


def case_delta(epsilon: float, eta: float, support: int, k: int) -> float:
    """Return delta_k of Sadeghi 2020, k = 1..D+1."""
    b, c, alpha = 2 / (1 - eta), 2 * eta / (1 - eta), math.exp(-epsilon)
    if k == support + 1:
        return alpha**support / (b * math.fsum(j * alpha**j for j in range(1, support + 1)))
    above = c * math.fsum(alpha**j for j in range(1, k + 1)) - 1
    return above / (b * math.fsum((k - j + 1) * alpha**j for j in range(1, k + 1)))


def _symmetric(centre: int, half: list[int]) -> Row:
    return Row.exact(-len(half), [*reversed(half), centre, *half])


def _smallest_epsilon(family: _Family, eta: Fraction, support: int, goal: float) -> Mechanism:
    """Return the noise of smallest epsilon, by bisection: delta falls as epsilon grows."""

    def meets(value: Fraction) -> bool:
        return family.delta(Epsilon.of(value), eta, support) <= goal

    low, high = Fraction(0), Fraction(1, 4)
    while not meets(high):
        low, high = high, 2 * high
        if high > 32:
            least = family.delta(Epsilon.of(32), eta, support)
            raise ParameterError(
                f"delta is {goal:g}; with eta {text(eta)} and support {support} no epsilon up to 32 reaches it:"
                f" the least is {least:.3g}; give a larger delta or support"
            )
    while high - low > Fraction(1, 10**7):
        middle = Fraction(round((low + high) / 2 * 10**9), 10**9)
        low, high = (low, middle) if meets(middle) else (middle, high)
    return family.noise(Epsilon.of(high), eta, support)


def _largest_eta(family: _Family, privacy: Epsilon, support: int, goal: float) -> Mechanism:
    """Return the noise of largest eta.

    delta is convex in eta. So golden section finds an eta that meets the goal, and bisection towards 1 the largest eta.
    """

    def delta(eta: float) -> float:
        return family.delta(privacy, _nine_digits(eta), support)

    golden = (math.sqrt(5) - 1) / 2
    left, right = 0.0, 1.0
    lower_eta, upper_eta = right - golden, left + golden
    low, high = delta(lower_eta), delta(upper_eta)
    while min(low, high) > goal and right - left > 1e-7:
        if low <= high:
            right, upper_eta, high = upper_eta, lower_eta, low
            lower_eta = right - golden * (right - left)
            low = delta(lower_eta)
        else:
            left, lower_eta, low = lower_eta, upper_eta, high
            upper_eta = left + golden * (right - left)
            high = delta(upper_eta)
    reached, least = (lower_eta, low) if low <= high else (upper_eta, high)
    if least > goal:
        raise ParameterError(
            f"delta is {goal:g}; at epsilon {privacy} and support {support} no eta reaches it: the least is"
            f" {least:.3g}, at eta about {reached:.3g}; give a larger delta, epsilon or support"
        )
    beyond = 1.0
    while beyond - reached > 1e-7:
        middle = (reached + beyond) / 2
        reached, beyond = (middle, beyond) if delta(middle) <= goal else (reached, middle)
    return family.noise(privacy, _nine_digits(reached), support)


def _nine_digits(eta: float) -> Fraction:
    """Return eta rounded down to nine digits, and kept inside (0, 1)."""
    return Fraction(min(max(math.floor(eta * 10**9), 1), 10**9 - 1), 10**9)


def _smallest_support(family: _Family, privacy: Epsilon, eta: Fraction, goal: float) -> Mechanism:
    """Return the noise of smallest support, by doubling and bisection: delta does not grow with the support."""
    low, high, before = 0, 1, math.inf
    while (least := family.delta(privacy, eta, high)) > goal:
        gain = before - least  # each doubling gains less than the one before
        further = 2 * high
        if least - gain > goal or further > LARGEST_SEARCH or further > max(family.counts.lower, LARGEST_PROGRAM):
            raise ParameterError(
                f"delta is {goal:g}; at epsilon {privacy} and eta {text(eta)} no support up to {high} reaches it:"
                f" the least is {least:.3g}; give a larger delta or epsilon, or another eta"
            )
        low, high, before = high, 2 * high, least
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if family.delta(privacy, eta, middle) <= goal else (middle, high)
    return family.noise(privacy, eta, high)
