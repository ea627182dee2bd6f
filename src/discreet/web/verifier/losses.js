// What one person may lose in many cells: bounds of delta, by distributions of losses on a grid.
//
// A pair of rows p, q has the loss log(p/q) at an output, with the chance p. An upper bound puts the chance of a loss on
// the two points of the grid beside the loss, so that both sums, of p and of q, stay as they are: the curve of delta is
// then the curve of the pair at the points of the grid, and its chords between them, which lie above it. A lower bound
// moves every loss down to the grid. Chances of outputs that q cannot give are kept apart; no epsilon pays for them.
// For many pairs, the upper bound is the lower convex hull of their largest curve at the points of the grid.

import { convolved } from "./fourier.js";

const SLACK = 1e-9;

/** A distribution of losses: `masses[i]` is the chance of the loss (first + i) * step, `infinite` that of no bound. */
export class Losses {
  constructor(first, masses, infinite, step) {
    this.first = first;
    this.masses = masses;
    this.infinite = infinite;
    this.step = step;
  }
}

/** Return the chances of a row as floats: the first output, and an array. */
export function chances(row, bits) {
  return { first: row.first, values: Float64Array.from(row.weights, (weight) => Number(weight) / 2 ** bits) };
}

/** Return the largest absolute finite loss of pairs of rows. */
export function largestLoss(pairs) {
  let most = 0;
  for (const [p, q] of pairs) {
    const shift = p.first - q.first;
    p.values.forEach((chance, index) => {
      const other = q.values[index + shift] ?? 0;
      if (chance > 0 && other > 0) most = Math.max(most, Math.abs(Math.log(chance / other)));
    });
  }
  return most;
}

/** Return the losses of one pair, split between the two points of the grid beside each, or moved down to the grid. */
export function ofPair([p, q], step, down = false) {
  const shift = p.first - q.first;
  const reach = Math.ceil(largestLoss([[p, q]]) / step) + 1;
  const masses = new Float64Array(2 * reach + 2);
  let infinite = 0;
  p.values.forEach((chance, index) => {
    const other = q.values[index + shift] ?? 0;
    if (chance === 0) return;
    if (other === 0) {
      infinite += chance;
      return;
    }
    const loss = Math.log(chance / other);
    const point = Math.floor(loss / step);
    const share = down ? 0 : Math.min(1, Math.max(0, Math.expm1(point * step - loss) / Math.expm1(-step)));
    masses[point + reach] += chance * (1 - share);
    masses[point + reach + 1] += chance * share;
  });
  return new Losses(-reach, masses, infinite, step);
}

/** Return losses whose curve of delta is nowhere below the curves of all pairs. */
export function ofPairs(pairs, step) {
  if (pairs.length === 1) return ofPair(pairs[0], step);
  const reach = Math.ceil(largestLoss(pairs) / step) + 1;
  const curve = new Float64Array(2 * reach + 1);
  let infinite = 0;
  for (const pair of pairs) infinite = Math.max(infinite, addCurve(pair, curve, reach, step));
  return ofCurve(curve, reach, infinite, step);
}

/** Raise a curve to the curve of a pair. Return the chance of outputs that the second row cannot give. */
function addCurve([p, q], curve, reach, step) {
  const shift = p.first - q.first;
  const points = [];
  let sumP = 0;
  p.values.forEach((chance, index) => {
    const other = q.values[index + shift] ?? 0;
    if (chance > 0 && other === 0) sumP += chance;
    else if (chance > 0) points.push([Math.log(chance / other), chance, other]);
  });
  points.sort(([one], [other]) => other - one);
  const infinite = sumP;
  let sumQ = 0;
  let next = 0;
  for (let i = curve.length - 1; i >= 0; i--) {
    const loss = (i - reach) * step;
    for (; next < points.length && points[next][0] > loss; next++) {
      sumP += points[next][1];
      sumQ += points[next][2];
    }
    curve[i] = Math.max(curve[i], sumP - Math.exp(loss) * sumQ + 1e-15 * sumP);
  }
  return infinite;
}

/** Return losses whose curve is the lower convex hull of a curve on the grid from -reach to reach. */
export function ofCurve(curve, reach, infinite, step) {
  const last = curve.length - 1;
  const a = (i) => Math.exp((i - reach) * step);
  const hull = [{ x: 0, y: 1, at: -1 }];
  const slope = (one, other) => (other.y - one.y) / (other.x - one.x);
  for (let i = 0; i <= last; i++) {
    const point = { x: a(i), y: Math.min(1, Math.max(curve[i], infinite)), at: i };
    while (hull.length > 1 && slope(hull.at(-2), hull.at(-1)) >= slope(hull.at(-1), point)) hull.pop();
    hull.push(point);
  }
  const masses = new Float64Array(curve.length + 1);
  for (let i = 1; i < hull.length; i++) {
    const right = i + 1 < hull.length ? Math.min(0, slope(hull[i], hull[i + 1])) : 0;
    const left = Math.min(0, slope(hull[i - 1], hull[i]));
    masses[hull[i].at] += hull[i].x * Math.max(0, right - left);
  }
  return new Losses(-reach, masses, hull.at(-1).y, step);
}

/** Return an upper bound of delta at every point of the grid, from the first loss on. */
export function deltaCurve(losses) {
  const curve = new Float64Array(losses.masses.length);
  let sumP = 0;
  let sumQ = 0;
  for (let i = curve.length - 1; i >= 0; i--) {
    const loss = (losses.first + i) * losses.step;
    curve[i] = losses.infinite + sumP - Math.exp(loss) * sumQ + 1e-14 * sumP;
    sumP += losses.masses[i];
    sumQ += losses.masses[i] * Math.exp(-loss);
  }
  return curve;
}

/** Return the sum of independent losses, each taken a number of times; errors of the sum are added to `infinite`. */
export function summed(parts, times) {
  const step = parts[0].step;
  let first = 0;
  let length = 1;
  let finite = 1;
  parts.forEach((part, index) => {
    first += part.first * times[index];
    length += (part.masses.length - 1) * times[index];
    finite *= (1 - part.infinite) ** times[index];
  });
  const { values, error } = convolved(parts.map((part) => part.masses), times, length);
  const masses = values.map((value) => Math.max(0, value));
  return new Losses(first, masses, Math.min(1, 1 - finite + error * Math.sqrt(length)), step);
}

/** Return a bound of delta at epsilon for the sum of losses, each taken a number of times. */
export function deltaAt(epsilon, parts, times, side) {
  const used = parts.map((part, index) => ({ part, times: times[index] })).filter((one) => one.times > 0);
  if (used.length === 0) return 0;
  const tilt = bestTilt(epsilon, used);
  let logarithm = -tilt * epsilon;
  let first = 0;
  let length = 1;
  let apart = 0;
  const arrays = used.map(({ part, times: often }) => {
    const moment = logMoment(part, tilt);
    logarithm += often * moment;
    first += often * part.first;
    length += often * (part.masses.length - 1);
    apart += often * Math.log1p(-part.infinite);
    return part.masses.map((mass, i) => (mass === 0 ? 0 : mass * Math.exp(tilt * (part.first + i) * part.step - moment)));
  });
  const step = used[0].part.step;
  const { values, error } = convolved(arrays, used.map((one) => one.times), length);
  let sum = 0;
  let squares = 0;
  for (let i = Math.max(0, Math.ceil(epsilon / step) - first); i < length; i++) {
    const over = (first + i) * step - epsilon;
    if (over <= 0) continue;
    const factor = -Math.expm1(-over) * Math.exp(-tilt * over);
    sum += factor * Math.max(0, values[i]);
    squares += factor * factor;
  }
  const scale = Math.exp(logarithm);
  const doubt = error * Math.sqrt(squares);
  if (side === "upper") return -Math.expm1(apart) * (1 + SLACK) + scale * (sum + doubt) * (1 + SLACK);
  return Math.max(0, -Math.expm1(apart) * (1 - SLACK) + scale * (sum - doubt) * (1 - SLACK));
}

function logMoment(part, tilt) {
  let most = Number.NEGATIVE_INFINITY;
  part.masses.forEach((mass, i) => {
    if (mass > 0) most = Math.max(most, tilt * (part.first + i) * part.step);
  });
  let sum = 0;
  part.masses.forEach((mass, i) => {
    if (mass > 0) sum += mass * Math.exp(tilt * (part.first + i) * part.step - most);
  });
  return most + Math.log(sum);
}

/** Return the tilt that makes the bound of Chernoff least: a convex function of the tilt. */
function bestTilt(epsilon, used) {
  const coarse = used.map(({ part, times }) => ({ part: coarser(part), times }));
  const bound = (tilt) => coarse.reduce((sum, { part, times }) => sum + times * logMoment(part, tilt), -tilt * epsilon);
  let low = 0;
  let high = 1;
  while (high < 1e6 && bound(2 * high) < bound(high)) high *= 2;
  high *= 2;
  for (let turn = 0; turn < 60; turn++) {
    const [one, other] = [low + (high - low) / 3, high - (high - low) / 3];
    if (bound(one) <= bound(other)) high = other;
    else low = one;
  }
  return (low + high) / 2;
}

/** Return losses on a grid of at most about 2,000 points; good enough to choose a tilt. */
function coarser(part) {
  const width = Math.ceil(part.masses.length / 2000);
  const masses = new Float64Array(Math.ceil(part.masses.length / width));
  part.masses.forEach((mass, i) => {
    masses[Math.floor(i / width)] += mass;
  });
  return new Losses(part.first / width, masses, part.infinite, part.step * width);
}
