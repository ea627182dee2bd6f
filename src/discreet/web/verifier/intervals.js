// The interval beside each count (docs/folder.md, "Intervals").

import { need } from "./failure.js";
import { eachCell } from "./layout.js";
import { acceptsJoint, hasOneLaw, haveLevels, jointIntervals } from "./joint.js";

const JOINT_SINCE = 4;
const FILTERS_SINCE = 6;

/** Check all intervals. Return how many were computed again, and how many only hold their count. */
export function checkIntervals(manifest, layout, noiseOf, certificates, measurements, published, together, cells) {
  const spec = manifest.get("spec");
  const joint = jointOf(manifest, layout, noiseOf, certificates, measurements, together);
  const shared = manifest.get("version") >= FILTERS_SINCE ? sharedCells(joint, cells) : new Map();
  const rules = certificates.map(ownRule);
  const result = { computed: 0, held: 0 };
  published.forEach((table, number) => {
    if (table === null || table[0].low === undefined) return;
    layout.tables[number].margins.forEach(({ index }, margin) => {
      const { counts, low, high } = table[margin];
      const fixed = fixedCells(layout.groupings[index], layout, spec);
      counts.forEach((count, cell) => {
        const where = `intervals: table ${layout.tables[number].name}: the interval of ${count} is ${low[cell]} to ${high[cell]}`;
        need(low[cell] <= count && count <= high[cell], `${where}, without the count`);
        const own = joint.get(index);
        const candidates = shared.get(cells[index][cell]) ?? [{ own, cell }];
        const known = candidates.every((candidate) => candidate.own !== undefined && candidate.own !== null);
        if (known) {
          const accepted = narrowest(candidates).some((one) => acceptsJoint(one.own, one.cell, count, low[cell], high[cell]));
          need(accepted, `${where}, and least squares gives another one`);
        } else if (fixed.has(cell)) {
          need(low[cell] === count && high[cell] === count, `${where}, and the count is fixed`);
        } else if (own !== undefined || noiseOf[index] === null) {
          result.held++;
          return;
        } else {
          const [first, last] = rules[noiseOf[index]](measurements[index][cell]);
          const right = low[cell] === Math.min(first, count) && high[cell] === Math.max(last, count);
          need(right, `${where}, and its measurement gives ${first} to ${last}`);
        }
        result.computed++;
      });
    });
  });
  return result;
}

/** Return every cell that is in several groupings: a map from the cell to joint intervals, each with its position. */
function sharedCells(joint, cells) {
  const found = new Map();
  for (const [index, own] of joint) {
    cells[index].forEach((name, cell) => {
      if (!found.has(name)) found.set(name, []);
      found.get(name).push({ own, cell });
    });
  }
  return new Map([...found].filter(([, candidates]) => candidates.length > 1));
}

/** Return the candidates whose errors have the least distance between their ends, up to rounding. */
function narrowest(candidates) {
  const width = ({ own }) => own.upper - own.lower;
  const least = Math.min(...candidates.map(width));
  return candidates.filter((candidate) => width(candidate) <= least * (1 + 1e-6));
}

/** Return for groupings the joint intervals; null for those that this page does not compute. */
function jointOf(manifest, layout, noiseOf, certificates, measurements, together) {
  const spec = manifest.get("spec");
  const found = new Map();
  if (manifest.get("version") < JOINT_SINCE || spec.get("fixed").length > 0) return found;
  if (spec.get("key") === "contributors" || !certificates.every(hasOneLaw)) return found;
  for (const numbers of together) {
    const indices = numbers.flatMap((number) => layout.tables[number].margins.map((margin) => margin.index));
    if (haveLevels(indices, layout)) {
      for (const index of indices) if (!found.has(index)) found.set(index, null);
      continue;
    }
    for (const [index, own] of jointIntervals(indices, layout, noiseOf, certificates, measurements)) {
      if (!found.has(index)) found.set(index, own);
    }
  }
  return found;
}

/** Return a function from a measurement to the ends of its own interval. */
function ownRule(table) {
  const bottom = Math.min(...[...table.rows.map((row, count) => row.first - count), ...table.interior.map((row) => row.first)]);
  const period = table.interior.length;
  const small = table.rows.length;
  const known = new Map();
  const plain = (y) => {
    let most = y - bottom;
    if (table.upper !== null) most = Math.min(most, table.upper);
    const weights = [];
    let sum = 0n;
    for (let count = 0; count <= most; count++) {
      const row = table.rowOf(count);
      const weight = row.weights[y - row.first] ?? 0n;
      weights.push(weight);
      sum += weight;
    }
    let running = 0n;
    let [low, high] = [-1, -1];
    weights.forEach((weight, count) => {
      running += weight;
      if (low === -1 && 40n * running > sum) low = count;
      if (high === -1 && 40n * running >= 39n * sum) high = count;
    });
    const first = weights.findIndex((weight) => weight > 0n);
    return [first !== -1 && weights[first] >= weights[high] ? first : low, high];
  };
  let half = 0;
  const widest = Math.max(0, ...table.interior.map((row) => row.weights.length));
  const far = small + period + 2 * widest - Math.min(0, bottom) + Math.max(0, ...table.rows.map((row) => row.first + row.weights.length));
  const shifts = [];
  for (let step = 0; step < period; step++) {
    const [low, high] = plain(far + step);
    shifts[(far + step) % period] = [low - far - step, high - far - step];
    half = Math.max(half, Math.ceil((high - low) / 2));
  }
  const ends = (y) => {
    if (y >= far && table.upper === null) return shifts[y % period].map((shift) => y + shift);
    let [low, high] = plain(y);
    if (low === 0) high = Math.max(high, half);
    if (table.upper !== null && high >= table.upper) high = Number.POSITIVE_INFINITY;
    return [low, high];
  };
  return (y) => {
    if (!known.has(y)) known.set(y, ends(y));
    return known.get(y);
  };
}

/** Return the cells of a grouping that are exactly the population of a fixed count, or inside one that is fixed at 0. */
function fixedCells(grouping, layout, spec) {
  const found = new Set();
  for (const literal of spec.get("fixed")) {
    const where = new Map();
    for (const [dimension, name] of literal.get("where")) {
      const book = layout.books.get(dimension);
      const group = [...book.levels.values()].flat().find((one) => one.label === name);
      where.set(dimension, new Set(book.numbers.has(name) ? [book.numbers.get(name)] : group.leaves));
    }
    eachCell(grouping, (cell, position) => {
      const leaves = new Map(grouping.within);
      grouping.axes.forEach((axis, place) => leaves.set(axis.dimension, axis.groups[position[place]].leaves));
      const inside = [...where].every(([dimension, set]) => (leaves.get(dimension) ?? all(layout, dimension)).every((leaf) => set.has(leaf)));
      const exact = [...leaves].every(([dimension, own]) => own.length === (where.get(dimension)?.size ?? all(layout, dimension).length));
      if (inside && (literal.get("count") === 0 || exact)) found.add(cell);
    });
  }
  return found;
}

function all(layout, dimension) {
  return layout.books.get(dimension).leaves.map((_, leaf) => leaf);
}
