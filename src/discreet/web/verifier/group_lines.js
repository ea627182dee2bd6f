// What many rows of one person reveal, by a line for each row.
//
// Let P and Q be the chances of all cells of a grouping with and without one row: P(S) <= a Q(S) + v for every set S of
// outputs, where v is the curve of delta at the ratio a. Call this the line (a, v) of one row. The line (b, w) of another
// row gives (a b, b v + w) for both rows. So any choice of lines, one for each row, gives a bound of delta at the product
// of their ratios. The lines that are lowest on the way of an event, from its chance without the rows, give a good one.
// The curve is convex in the ratio, so chords between such bounds lie above it.

import { deltaCurve, ofCurve } from "./losses.js";

const LEAST_START = 1e-25;
const STEPS = 2e7; // lines that are taken in all

/** Return losses whose curve is nowhere below that of so many rows. One row costs `up`, and `down` on the way back. */
export function groupLosses(up, down, rows) {
  const [there, back] = [up, down].map((losses) => boundOf(losses, rows));
  const step = up.step * rows;
  const reach = Math.max(-up.first, -down.first) + 1;
  const curve = new Float64Array(2 * reach + 1);
  for (let loss = 0; loss <= reach; loss++) {
    const ratio = Math.exp(-loss * step);
    curve[reach + loss] = there(loss * rows);
    curve[reach - loss] = 1 - ratio + ratio * back(loss * rows); // the complement of an event, the way back
  }
  return ofCurve(curve, reach, curve[2 * reach], step);
}

/** Return a function from a loss above 0, as a point of the grid, to a bound of delta. */
function boundOf(losses, rows) {
  const lines = linesOf(losses);
  const starts = Math.round(Math.min(2000, Math.max(20, STEPS / rows)));
  const points = [];
  for (let start = 0; start <= starts; start++) points.push(followed(lines, LEAST_START ** (1 - start / starts), rows));
  points.sort((one, other) => one.loss - other.loss);
  return (loss) => {
    const right = points.findIndex((point) => point.loss > loss);
    const before = right < 0 ? points : points.slice(0, right);
    const least = before.reduce((most, point) => Math.min(most, point.value), 1);
    return right < 1 ? least : Math.min(least, chord(points[right - 1], points[right], loss, losses.step));
  };
}

/** Return the loss, on the grid, and the value of the line of all rows that an event with this chance leads to. */
function followed(lines, start, rows) {
  let [chance, loss, value] = [start, 0, 0];
  for (let row = 0; row < rows; row++) {
    const index = lowest(lines.crossings, chance);
    value = (lines.ratios[index] * value + lines.values[index]) * (1 + 1e-15);
    chance = Math.min(1, lines.ratios[index] * chance + lines.values[index]);
    loss += lines.first + index;
  }
  return { loss, value };
}

/** Return the lines of one row, and the chance at which each meets the next, which has a larger ratio. */
function linesOf(losses) {
  const values = deltaCurve(losses);
  const ratios = values.map((_, index) => Math.exp((losses.first + index) * losses.step));
  const crossings = values.slice(0, -1).map((value, index) => (value - values[index + 1]) / (ratios[index + 1] - ratios[index]));
  return { first: losses.first, values, ratios, crossings };
}

/** Return the index of the line that is lowest at a chance. Crossings fall. */
function lowest(crossings, chance) {
  let [low, high] = [0, crossings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (crossings[middle] <= chance) high = middle;
    else low = middle + 1;
  }
  return low;
}

function chord(left, right, loss, step) {
  const share = Math.expm1((loss - left.loss) * step) / Math.expm1((right.loss - left.loss) * step);
  return (left.value + (right.value - left.value) * share) * (1 + 1e-12);
}
