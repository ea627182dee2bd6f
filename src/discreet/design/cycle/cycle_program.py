"""Optimal noise on a cycle by linear programs, under true (epsilon, delta)-DP and under probabilistic DP.

f(x) is the chance of the noise x, M is the set of differences between neighbours (M = -M), and alpha = e**-epsilon. The
cost of f is the largest of several expected costs, sum_x c_q(x) f(x). Most objectives have one expected cost.

True DP. With slacks y for the positive parts, all conditions are linear:

    alpha f(x) - f(x + mu) <= y[mu, x],     sum_x y[mu, x] <= alpha delta      for every mu in M.

If the set of costs does not change when x and -x are exchanged, the mean of f and its mirror image is as good and as
private as f. Then f is taken symmetric, which halves the variables and M.

Probabilistic DP counts the whole mass of the outputs with f(x) > E f(x + mu). Each output may be chosen to exceed
(u = 1), or not to exceed (u = 0):

    f(x) - E f(x + mu) <= y[mu, x] <= u[mu, x],   y[mu, x] >= f(x) + u[mu, x] - 1,   sum_x y[mu, x] <= delta.

y and u belong to mu and x. (Kadam 2024 (13) prints one y for all mu, which is not its Definition 2.) Once the outputs
are chosen, the rest is a linear program. It is solved again as a linear program, because the tolerance of an integer
program would break the equalities f(x) = E f(x + mu), on which the mass depends.

Two constraints may be added (Kadam 2024, footnote 4): the signed noise has mean 0, and residues of one class share one
probability, which is then one variable.

A solver's answer is off by the solver's tolerance, so the answer is repaired. With delta 0, f is raised to the least
g >= f with alpha g(x) <= g(x + mu), by g(x + mu) = max(f(x + mu), alpha g(x)); g is exactly private. With delta above
0, f is mixed with the purely private optimum until its delta is the target.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.errors import SolverError
from discreet.linear_program import Program

MARGIN = 1e-12
"""The mass of the chosen outputs stays below the target by this much, so that rounding does not carry it above."""

RESOLUTION = 1e-12
"""Probabilities below this count as 0: a solver leaves them where it means 0."""

TIGHTER = 1e-7
"""Share by which the limit of the cost is lowered when outputs are chosen for the second time."""

TIE = 2.0**-47
"""Relative excess over E that is due to the rounding of floats, and no loss."""


@dataclass(frozen=True)
class Problem:
    """What to minimise, on which cycle, and under which privacy.

    Attributes
    ----------
    costs
        A line for each cost, over the flattened residues. The largest expected cost is minimised.
    moved
        A line for each difference mu: the flattened index of x + mu.
    mirror
        The flattened index of -x.
    delta
        The largest delta. None: minimise delta, and keep the cost within `limit`.
    signed
        A line for each dimension, over the flattened residues: the signed noise whose mean must be 0.
        None: any mean.
    classes
        The class of every residue, numbered from 0. Residues of one class have one probability. None: each residue
        is a class of its own.
    """

    costs: Floats
    moved: Integers
    mirror: Integers
    alpha: float
    delta: float | None
    limit: float
    time_limit: float
    signed: Floats | None = None
    classes: Integers | None = None

    def cost(self, noise: Floats) -> float:
        """Return the largest expected cost."""
        return float((self.costs @ noise).max())

    def excess(self, noise: Floats, whole: bool = False) -> float:
        """Return the exact delta of the noise; if `whole`, the whole mass of the outputs that exceed E."""
        over = noise - noise[self.moved] / self.alpha
        return float(np.where(over > TIE * noise, noise if whole else over, 0).sum(axis=1).max())

    def symmetric(self) -> bool:
        """Return True if nothing changes when x and -x are exchanged."""
        if self.classes is not None:
            return False
        reflected = self.costs[:, self.mirror]
        return bool(np.allclose(np.sort(self.costs, axis=0), np.sort(reflected, axis=0), rtol=1e-12, atol=0))


def private(problem: Problem) -> Floats:
    """Return the logarithms of the noise of least cost, or of least delta, under true DP. Delta is kept exactly."""
    fold = problem.symmetric()
    moved = problem.moved[_half(problem.moved, problem.mirror)] if fold else problem.moved
    model = _Model(problem, fold, 0 if problem.delta == 0 else moved.size)
    own_noise, moved_noise = np.broadcast_to(model.noise, moved.shape), model.noise[moved]
    if problem.delta == 0:
        model.program.order(moved_noise, own_noise, problem.alpha)
        return _raised(problem, model.solve(), np.ones(problem.moved.shape, dtype=bool))
    slack = model.extra.reshape(moved.shape)
    model.each((own_noise, moved_noise, slack), [problem.alpha, -1.0, -1.0], -np.inf, 0.0)
    for line in slack:
        model.within(line, problem.alpha)
    noise = model.solve()
    reached = problem.excess(noise)
    if problem.delta is not None and reached > problem.delta * (1 + RESOLUTION):
        share = 1 - problem.delta / reached
        noise = (1 - share) * noise + share * np.exp(private(replace(problem, delta=0.0)))
    return _log(noise)


def probabilistic(problem: Problem) -> Floats:
    """Return the logarithms of the noise of least cost, or of least delta, under probabilistic DP.

    Where the least delta jumps, the integer program is degenerate, and a solver may stop at a choice that is not the
    best. So the outputs are chosen twice, the second time with a slightly smaller limit, and the better noise is kept.
    """
    if problem.delta is not None:
        return _with_choice(problem, _choice(problem))
    limits = [problem.limit, problem.limit * (1 - TIGHTER)]
    candidates = [_with_choice(problem, _choice(replace(problem, limit=limit))) for limit in limits]
    return min(candidates, key=lambda logs: problem.excess(np.exp(logs), whole=True))


def _with_choice(problem: Problem, exceeding: Booleans) -> Floats:
    """Return the logarithms of the best noise in which the chosen outputs may exceed E, for every mu."""
    model = _Model(problem, False, 0)
    own_noise, moved_noise = np.broadcast_to(model.noise, problem.moved.shape), model.noise[problem.moved]
    model.program.order(moved_noise[~exceeding], own_noise[~exceeding], problem.alpha)
    for line in exceeding:
        if line.any():
            model.within(model.noise[line], 1.0, MARGIN)
    return _raised(problem, model.solve(), ~exceeding)


def _choice(problem: Problem) -> Booleans:
    """Return the outputs that exceed E at the optimum of the integer program, for every mu."""
    moved = problem.moved
    model = _Model(problem, False, 2 * moved.size)
    own_noise, moved_noise = np.broadcast_to(model.noise, moved.shape), model.noise[moved]
    mass, chosen = (part.reshape(moved.shape) for part in np.split(model.extra, 2))
    model.program.binary = chosen.ravel()
    model.each((own_noise, moved_noise, mass), [1.0, -1 / problem.alpha, -1.0], -np.inf, 0.0)
    model.each((mass, chosen), [1.0, -1.0 if problem.delta is None else -problem.delta], -np.inf, 0.0)
    model.each((mass, own_noise, chosen), [1.0, -1.0, -1.0], -1.0, np.inf)
    for line in mass:
        model.within(line, 1.0)
    return np.asarray(model.program.solve(problem.time_limit)[chosen] > 0.5)


class _Model:
    """A program under construction: the variables of f, their sum, and the cost.

    Attributes
    ----------
    noise
        The number of the variable f(x), for every x. x and -x share a variable if the program is folded. Residues of
        one class share a variable.
    extra
        The numbers of further variables.
    """

    def __init__(self, problem: Problem, fold: bool, extra: int) -> None:
        size = len(problem.mirror)
        self.problem = problem
        self.noise: Integers = np.arange(size)
        if problem.classes is not None:
            self.noise = problem.classes
        if fold:
            self.noise = np.unique(np.minimum(self.noise, problem.mirror), return_inverse=True)[1]
        first = int(self.noise.max()) + 1
        self.extra: Integers = first + np.arange(extra)
        largest, self._delta = first + extra, first + extra + 1
        self.program = Program(first + extra + 2)
        self.program.rows(self.noise[None], 1.0, 1.0, 1.0)
        if problem.signed is not None and not fold:
            self.program.rows(np.broadcast_to(self.noise, problem.signed.shape), problem.signed, 0.0, 0.0)
        scale = float(problem.costs.max())
        costs = problem.costs / scale
        if problem.delta is None:
            self.program.cost[self._delta] = 1
            self.program.rows(np.broadcast_to(self.noise, costs.shape), costs, -np.inf, problem.limit / scale)
        elif len(costs) == 1:
            np.add.at(self.program.cost, self.noise, costs[0])
        else:
            self.program.cost[largest] = 1
            below = np.concatenate([self.noise, [largest]])
            factors = np.concatenate([costs, np.full((len(costs), 1), -1.0)], axis=1)
            self.program.rows(np.broadcast_to(below, factors.shape), factors, -np.inf, 0.0)

    def each(self, variables: Sequence[Integers], coefficients: list[float], lower: float, upper: float) -> None:
        """Add a row for every mu and x."""
        self.program.rows(np.stack([part.ravel() for part in variables], axis=1), coefficients, lower, upper)

    def within(self, variables: Integers, factor: float, margin: float = 0.0) -> None:
        """Add the row: the sum of the variables is at most delta times the factor."""
        if self.problem.delta is None:
            row, factors = np.append(variables, self._delta), np.append(np.ones(len(variables)), -factor)
            self.program.rows(row[None], factors[None], -np.inf, 0.0)
        else:
            self.program.rows(variables[None], 1.0, -np.inf, factor * max(self.problem.delta - margin, 0.0))

    def solve(self) -> Floats:
        """Return f at the optimum. f sums to one, and probabilities below a solver's resolution are 0."""
        noise = self.program.solve(self.problem.time_limit, first="simplex")[self.noise]
        noise = np.where(noise < RESOLUTION, 0, noise)
        return noise / math.fsum(noise)


def _half(moved: Integers, mirror: Integers) -> Integers:
    """Return the indices of one difference of each pair mu and -mu."""
    difference = moved[:, 0]
    return np.flatnonzero(difference <= mirror[difference])


def _raised(problem: Problem, noise: Floats, kept: Booleans) -> Floats:
    """Return the logarithms of the least g >= f with alpha g(x) <= g(x + mu) wherever `kept`, scaled to sum to one.

    Raises
    ------
    SolverError
        No such g exists.
    """
    raised, step = _log(noise), math.log(problem.alpha)
    for _ in range(len(noise)):
        before = raised.copy()
        for to, keep in zip(problem.moved, kept, strict=True):
            np.maximum.at(raised, to[keep], raised[keep] + step)
        if problem.classes is not None:
            highest = np.full(int(problem.classes.max()) + 1, -np.inf)
            np.maximum.at(highest, problem.classes, raised)
            raised = highest[problem.classes]
        if np.array_equal(before, raised):
            return raised - math.log(math.fsum(np.exp(raised)))
    raise SolverError("the solver's noise cannot be made private; give another objective or a larger delta")


def _log(noise: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(noise)
