"""Weighted least squares over several groupings that must agree, between bounds, with a certificate.

Each **block** is a grouping with its measurements y, their variances v and bounds. The largest blocks are the tables
that are published; the others are margins. No table of all axes is ever made.

    minimise  f(x) = sum over blocks b of |x_b - y_b|**2 / (2 v_b)    subject to  low_b <= x_b <= high_b,

and subject to all blocks agreeing: if two blocks b, b' refine a grouping s, both have the same sums over s. v = 0 marks
a number that is known. Agreement is stated by **components** (`stacks`): the sums over s, minus, along every axis, the
mean of the groups that lie in one group of the next coarser level. So no agreement is stated twice.

**Dual.** Let t_{b,s} be multipliers for the components; over the blocks of each s they add up to 0. Let S_b take the
components of a block. The best block is x_b = clip(y_b + v_b S_b' t_b, low_b, high_b). There are far fewer multipliers
than cells. The dual g(t) = sum_b |x_b - y_b|**2 / (2 v_b) - <t_b, S_b x_b> is concave and piecewise quadratic, and its
gradient is the disagreement of the blocks. Newton's method maximises g in some ten steps,

    S_b D_b S_b' step_b = h - S_b x_b,     D_b = v_b where x_b is between its bounds and nearly 0 elsewhere,

each by conjugate gradients among the multipliers that add up to 0. The preconditioner replaces S_b D_b S_b' by its
diagonal, the sums of D_b. Then h is the mean of the components of the blocks, each weighted by its precision.

Problems of few cells take the same steps by elimination (`dense`).

**Certificate.** Whatever the multipliers are, g(t) is at most the least f. Take f at the tables found, with margins as
sums of their cells: f exceeds the minimum by at most gap = f - g(t), and every number is within sqrt(2 gap) of its own
least-squares standard deviations of the exact minimum. A result beyond the limits of `fit_problem` is an error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import ThreadpoolController

from discreet.arrays import Floats
from discreet.errors import SolverError
from discreet.reconcile import dense
from discreet.reconcile.axes import Array, Axes, Key
from discreet.reconcile.fit_problem import Block, Fit, Limits, close_empty_sums
from discreet.reconcile.stacks import SINGLE, Family

AIM, AIM_IF_LARGE = 1e-6, 1e-4
"""The disagreement at which the search ends, in standard deviations of the least noise; if large: a block has
`SINGLE` cells or more."""

FINEST = 1e-9
"""The least disagreement to aim at if the certificate does not hold at `AIM`."""

STEPS = 200
"""Most Newton steps."""

INNER = 300
"""Most conjugate gradient steps in one Newton step."""

HALVINGS = 30
"""Most halvings of one Newton step."""

CLAMPED = 1e-8
"""D of a cell at a bound, as a share of its variance."""

FLAT = 1e-12
"""Curvature, relative to the preconditioner's, below which a direction is not followed."""

_BLAS = ThreadpoolController()
"""Limits BLAS to one thread: more are slower on vectors of this size, and the last digits depend on their number."""


def fit(axes: Axes, blocks: Sequence[Block], aim: float | None = None) -> Fit:
    """Return the least-squares numbers of all blocks.

    Parameters
    ----------
    axes, blocks
        The problem.
    aim
        The disagreement at which the search ends. None takes AIM, or AIM_IF_LARGE; simulations need less.

    Raises
    ------
    SolverError
        The search did not end within the limits of the certificate.
    """
    if aim is None:
        aim = AIM if max(block.values.size for block in blocks) < SINGLE else AIM_IF_LARGE
    with _BLAS.limit(limits=1):
        closed = close_empty_sums(axes, blocks)
        return _fit_by_elimination(axes, closed, aim) or _Search(Family(axes, closed), aim).run()


def _fit_by_elimination(axes: Axes, blocks: Sequence[Block], aim: float) -> Fit | None:
    """Return the fit of a problem of few cells; None if there are many, or if the certificate does not hold."""
    by_copy: dict[int, list[Block]] = {}
    for block in blocks:
        by_copy.setdefault(block.copy, []).append(block)
    fits: list[Fit] = []
    for copy in range(len(by_copy)):
        fitted = _fit_copy_by_elimination(axes, by_copy[copy], aim)
        if fitted is None:
            return None
        fits.append(fitted)
    return Fit(
        tuple(fitted.tables for fitted in fits),
        sum(fitted.gap for fitted in fits),
        max(fitted.residual for fitted in fits),
        sum(fitted.objective for fitted in fits),
        (sum(fitted.steps[0] for fitted in fits), 0),
    )


def _fit_copy_by_elimination(axes: Axes, blocks: Sequence[Block], aim: float) -> Fit | None:
    """Return the fit of one copy of a problem; None as for `_fit_by_elimination`."""
    if sum(block.values.size for block in blocks) > dense.MOST_CELLS:
        return None
    keys = axes.maximal([block.key for block in blocks])
    if len(keys) > dense.MOST_TABLES:
        return None
    equations = dense.Equations(axes, blocks, keys)
    if not equations.is_small:
        return None
    equations.prepare()
    variances = equations.cells.variance, equations.sums.variance
    least = min((float(np.min(v[v > 0])) for v in variances if (v > 0).any()), default=1.0)
    limits = Limits.of(blocks, math.sqrt(least), aim)
    searched = dense.search(equations, limits.unit, limits.aim)
    if searched is None:
        return None
    point, steps = searched
    sums = equations.add(point.cells)
    tables = {key: point.cells[span].reshape(axes.shape(key)) for key, span in equations.table_cells.items()}
    tables |= {key: sums[span].reshape(axes.shape(key)) for key, span in equations.margin_rows.items()}
    objective = equations.objective(point.cells, sums)
    apart = np.abs(point.residual)
    slack = 1e-9 * (1 + objective) + 2 * float(np.abs(point.multipliers) @ (apart + 1e-13 * np.abs(sums)))
    residual = float(apart.max(initial=0.0)) / limits.unit
    result = Fit((tables,), objective - point.dual, residual, objective, (steps, 0))
    return result if limits.hold(result, slack) else None


@dataclass(frozen=True)
class _Point:
    """Multipliers, and what follows from them.

    Attributes
    ----------
    unclipped, cells
        y + v S' t of every stack, and the same within the bounds.
    components
        The components of all blocks.
    distance
        sum of |x - y|**2 / (2 v).
    """

    multipliers: Floats
    unclipped: list[Floats]
    cells: list[Floats]
    components: Floats
    distance: float


class _Search:
    """Newton's method on the dual."""

    def __init__(self, family: Family, aim: float) -> None:
        self.family = family
        self.products = 0
        self.unit = math.sqrt(family.least_variance)
        self.limits = Limits.of(family.stacks, self.unit, aim)
        self.aim = self.limits.aim

    def run(self) -> Fit:
        """Return the fit after Newton steps until the certificate holds.

        The certificate may need a smaller disagreement than was aimed at. Last digits of large counts may hide where to
        go: if steps no longer help, the best point so far is judged.
        """
        point, steps = self._evaluate(np.zeros(self.family.size)), 0
        best, least = point, math.inf
        while True:
            slopes = self._slopes(point)
            weights = self._weights(slopes)
            agreed = self._agreed(point.components, weights)
            rest = agreed[self.family.component_index] - point.components
            residual = float(np.abs(rest).max(initial=0.0)) / self.unit
            if residual < least:
                best, least = point, residual
            if residual <= self.aim:
                result = self._result(point, steps)
                if self.limits.hold(*result) or self.aim <= FINEST:
                    return self._certified(*result)
                self.aim /= 10
                continue
            step = self._newton_step(slopes, weights, rest, min(0.1, math.sqrt(residual)))
            after = self._line_search(point, step, agreed, rest, weights)
            if after is None or steps >= STEPS:
                return self._certified(*self._result(best, steps))
            point, steps = after, steps + 1

    def _evaluate(self, multipliers: Floats) -> _Point:
        all_unclipped, all_cells, distance = [], [], 0.0
        for number, stack in enumerate(self.family.stacks):
            unclipped = np.array(stack.values + stack.variance * self.family.spread(number, multipliers))
            cells = stack.clip(unclipped)
            all_unclipped.append(unclipped)
            all_cells.append(cells)
            distance += _squares(cells, stack.values, stack.variance)
        distance += self.family.folded_distance(multipliers)
        components = self.family.components(all_cells, multipliers)
        return _Point(multipliers, all_unclipped, all_cells, components, distance)

    def _slopes(self, point: _Point) -> list[Array]:
        """Return D of every stack."""
        slopes = []
        for stack, unclipped in zip(self.family.stacks, point.unclipped, strict=True):
            inside = stack.inside(unclipped)
            if inside is None:
                slopes.append(stack.variance.astype(stack.dtype))
            else:
                slopes.append(np.where(inside, stack.variance, CLAMPED * stack.variance).astype(stack.dtype))
        return slopes

    def _weights(self, slopes: Sequence[Array]) -> Floats:
        """Return the inverse of the preconditioner's diagonal."""
        diagonal = np.empty(self.family.size)
        for number, (stack, components) in enumerate(zip(self.family.stacks, self.family.slices, strict=True)):
            full = np.broadcast_to(slopes[number], stack.values.shape)
            least = 0.0 if stack.low is None and stack.high is None else 0.5 * float(np.mean(stack.variance))
            for component, sums in zip(components, stack.add(full), strict=True):
                diagonal[component.span] = sums.reshape(-1)
                diagonal[component.span] += least
        diagonal[self.family.stacked :] = self.family.folded_variances
        return 1 / np.maximum(diagonal, 1e-3 * self.family.least_variance)

    def _agreed(self, components: Floats, weights: Floats) -> Floats:
        """Return, for every component, the weighted mean over its blocks."""
        index, size = self.family.component_index, self.family.component_count
        total = np.bincount(index, weights, minlength=size)
        agreed: Floats = np.bincount(index, weights * components, minlength=size) / np.maximum(total, 1e-300)
        return agreed

    def _precondition(self, rest: Floats, weights: Floats) -> Floats:
        direction: Floats = weights * (rest - self._agreed(rest, weights)[self.family.component_index])
        for components in self.family.slices:
            for component in components:
                numbers = direction[component.span].reshape(component.shape)
                direction[component.span] = component.centred(numbers).reshape(-1)
        direction[self.family.stacked :] = self._folded_multipliers(direction)
        return direction

    def _folded_multipliers(self, direction: Floats) -> Floats:
        """Return multipliers of folded blocks with which the multipliers of every component add up to 0."""
        family = self.family
        index = family.component_index[: family.stacked]
        total = np.bincount(index, direction[: family.stacked], minlength=family.component_count)
        return np.asarray(-total[family.folded], dtype=np.float64)

    def _newton_step(self, slopes: Sequence[Array], weights: Floats, rest: Floats, tolerance: float) -> Floats:
        """Return the Newton step, by conjugate gradients."""
        step = np.zeros_like(rest)
        preconditioned = self._precondition(rest, weights)
        direction = preconditioned
        square = start = float(rest @ preconditioned)
        for _ in range(INNER):
            self.products += 1
            changes = [
                np.broadcast_to(self.family.spread(number, direction, stack.dtype) * slopes[number], stack.values.shape)
                for number, stack in enumerate(self.family.stacks)
            ]
            image = self.family.components(changes, direction, means=False)
            curvature = float(direction @ image)
            if curvature <= FLAT * float(direction @ (direction / weights)):
                break
            step += square / curvature * direction
            rest = rest - square / curvature * image
            preconditioned = self._precondition(rest, weights)
            last, square = square, float(rest @ preconditioned)
            if square <= tolerance**2 * start:
                break
            direction = preconditioned + square / last * direction
        return step

    def _line_search(self, point: _Point, step: Floats, agreed: Floats, rest: Floats, weights: Floats) -> _Point | None:
        """Return the first of ever shorter steps that raises the dual enough; None if none does.

        If the change of the dual is below its last digits, the blocks must agree better instead.
        """
        index = self.family.component_index
        slope = float(step @ rest)
        before = point.distance - float(point.multipliers @ (point.components - agreed[index]))
        squares_before = float(rest @ (weights * rest))
        length = 1.0
        for _ in range(HALVINGS):
            after = self._evaluate(point.multipliers + length * step)
            dual = after.distance - float(after.multipliers @ (after.components - agreed[index]))
            if dual >= before + 1e-4 * length * slope:
                return after
            left = self._agreed(after.components, weights)[index] - after.components
            level = abs(dual - before) <= 1e-9 * (1 + abs(before))
            if level and float(left @ (weights * left)) <= 0.9 * squares_before:
                return after
            length /= 2
        return None

    def _result(self, point: _Point, steps: int) -> tuple[Fit, float]:
        """Return the fit at a point, and how far below 0 last digits may put its gap."""
        family = self.family
        agreed = self._agreed(point.components, self._weights(self._slopes(point)))
        apart = point.components - agreed[family.component_index]
        residual = float(np.abs(apart).max(initial=0.0)) / self.unit
        copies = self._tables(point)
        objective = 0.0
        for block in family.blocks:
            numbers = copies[block.copy][block.key]
            objective += _squares(numbers, block.values, block.variance)
            missed = np.abs(numbers - block.values)[np.broadcast_to(block.variance == 0, block.values.shape)]
            residual = max(residual, float(missed.max(initial=0.0)) / self.unit)
        gap = objective - (point.distance - float(point.multipliers @ apart))
        largest = np.zeros(family.component_count)
        np.maximum.at(largest, family.component_index, np.abs(point.multipliers))
        digits = np.abs(apart) + 1e-13 * np.abs(point.components)
        slack = 1e-9 * (1 + objective) + 2 * float(largest[family.component_index] @ digits)
        return Fit(copies, gap, residual, objective, (steps, self.products)), slack

    def _tables(self, point: _Point) -> tuple[dict[Key, Floats], ...]:
        """Return, for every copy, the numbers of all blocks; margins are sums of the cells of a table."""
        family = self.family
        copies: tuple[dict[Key, Floats], ...] = tuple({} for _ in range(1 + max(block.copy for block in family.blocks)))
        for stack, cells in zip(family.stacks, point.cells, strict=True):
            for number, block in enumerate(stack.blocks):
                copies[block.copy][block.key] = cells[number]
        for block in family.blocks:
            if block.key not in family.tables:
                table = next(key for key in family.tables if family.axes.refines(key, block.key))
                copies[block.copy][block.key] = family.axes.add(copies[block.copy][table], table, block.key)
        return copies

    def _certified(self, result: Fit, slack: float) -> Fit:
        """Return the result; raise SolverError if it is not accepted."""
        if not self.limits.hold(result, slack):
            residual, gap = self.limits.largest(result)
            raise SolverError(
                f"least squares did not converge: tables disagree by {result.residual:.3g} standard deviations of the"
                f" noise (at most {residual:g}), and the objective {result.objective:.6g} is up to {result.gap:.3g}"
                f" above its minimum (at most {gap:g}); reconcile fewer tables at once"
            )
        return result


def _squares(cells: Floats, values: Floats, variance: Floats) -> float:
    """Return the sum of |x - y|**2 / (2 v) over the numbers that are not known."""
    return float(np.sum((cells - values) ** 2 * dense.halved_precision(variance)))
