// Intervals from all measurements together, for tables without levels (docs/folder.md, "Joint intervals").

import { endsOfSum, noiseOf } from "./error_law.js";
import { eachCell } from "./layout.js";

/** Return true if every count has the same noise, 0 on average, without far outliers. */
export function hasOneLaw(certificate) {
  if (certificate.rows.length > 0 || certificate.interior.length !== 1 || certificate.upper !== null) return false;
  const noise = noiseOf(certificate);
  const reach = 25 * Math.sqrt(noise.variance);
  const far = noise.chances.reduce((sum, chance, index) => sum + (Math.abs(noise.first + index) > reach ? chance : 0), 0);
  return noise.centred && far <= 1e-9;
}

/** Return true if axes of the groupings divide a dimension in different ways. */
export function haveLevels(indices, layout) {
  const known = new Map();
  for (const axis of indices.flatMap((index) => sides(layout.groupings[index]))) {
    const groups = JSON.stringify(axis.groups.map((group) => group.leaves));
    if (known.has(axis.dimension) && known.get(axis.dimension) !== groups) return true;
    known.set(axis.dimension, groups);
  }
  return false;
}

function sides(grouping) {
  return grouping.axes.filter((axis) => axis.groups.length > 1);
}

/**
 * Return for groupings of one population the estimates of their cells, and the ends of the errors: a map by index.
 * Groupings that the measurements do not determine are left out.
 */
export function jointIntervals(indices, layout, noiseOf_, certificates, measurements) {
  const sizes = new Map();
  for (const axis of indices.flatMap((index) => sides(layout.groupings[index]))) sizes.set(axis.dimension, axis.groups.length);
  const size = (axes) => axes.reduce((product, axis) => product * sizes.get(axis), 1);
  const laws = certificates.map(noiseOf);
  const sources = new Map();
  for (const index of indices) {
    if (noiseOf_[index] === null) continue;
    const axes = sides(layout.groupings[index]).map((axis) => axis.dimension);
    const key = JSON.stringify([axes.toSorted(), noiseOf_[index]]);
    const law = laws[noiseOf_[index]];
    if (!sources.has(key)) sources.set(key, { axes, law, table: noiseOf_[index], index, values: measurements[index] });
  }
  const all = [...sources.values()];
  const without = (axes, part) => axes.filter((axis) => !part.includes(axis));
  const precision = (part) =>
    all.reduce((sum, g) => (part.every((axis) => g.axes.includes(axis)) ? sum + 1 / (g.law.variance * size(without(g.axes, part))) : sum), 0);
  const found = new Map();
  for (const index of indices) {
    const target = sides(layout.groupings[index]).map((axis) => axis.dimension);
    if (found.has(index) || subsets(target).some((part) => precision(part) === 0)) continue;
    const estimates = new Float64Array(layout.groupings[index].size);
    const counts = new Map();
    for (const source of all) {
      const shared = target.filter((axis) => source.axes.includes(axis));
      const weights = new Map(subsets(shared).map((part) => [part.join("\n"), { part, weight: 0 }]));
      for (const part of subsets(shared)) {
        const share = 1 / (precision(part) * size(without(source.axes, part)) * size(without(target, part)) * source.law.variance);
        for (const inner of subsets(part)) {
          weights.get(inner.join("\n")).weight += without(part, inner).reduce((product, axis) => product * (-1 / sizes.get(axis)), share);
        }
      }
      for (const { part, weight } of weights.values()) addSums(estimates, index, source, part, weight, layout);
      for (const agreed of subsets(shared)) {
        let value = 0;
        for (const { part, weight } of weights.values()) if (part.every((axis) => agreed.includes(axis))) value += weight;
        const times = without(shared, agreed).reduce((product, axis) => product * (sizes.get(axis) - 1), size(without(source.axes, target)));
        const key = `${source.table} ${value.toExponential(12)}`;
        if (Math.abs(value) > 1e-13) counts.set(key, { noise: source.law, value, times: (counts.get(key)?.times ?? 0) + times });
      }
    }
    found.set(index, { estimates, ...cachedEnds(counts) });
  }
  return found;
}

const known = new Map();

/** Return the ends of a sum; groupings with the same coefficients share them. */
function cachedEnds(counts) {
  const terms = [...counts.values()].filter((term) => term.times > 0);
  const key = JSON.stringify(terms.map(({ noise, value, times }) => [noise.variance, noise.chances.length, value.toExponential(12), times]).sort());
  if (!known.has(key)) known.set(key, endsOfSum(terms));
  return known.get(key);
}

function subsets(axes) {
  return axes.reduce((found, axis) => [...found, ...found.map((part) => [...part, axis])], [[]]);
}

/** Add to every cell of a grouping a multiple of the sum of the measurements that agree with the cell on some axes. */
function addSums(estimates, index, source, part, weight, layout) {
  const sums = new Map();
  const [target, from] = [layout.groupings[index], layout.groupings[source.index]];
  const places = (grouping) => part.map((name) => grouping.axes.findIndex((axis) => axis.dimension === name));
  const stride = (grouping) => {
    const own = places(grouping);
    return (position) => own.reduce((number, place) => number * grouping.axes[place].groups.length + position[place], 0);
  };
  const [at, of] = [stride(target), stride(from)];
  eachCell(from, (cell, position) => {
    const place = of(position);
    sums.set(place, (sums.get(place) ?? 0) + source.values[cell]);
  });
  eachCell(target, (cell, position) => {
    estimates[cell] += weight * sums.get(at(position));
  });
}

/** Return true if an interval is that of an estimate, widened to the published count, up to rounding. */
export function acceptsJoint({ estimates, lower, upper }, cell, count, low, high) {
  const x = estimates[cell];
  const slack = 1e-6 + 1e-9 * Math.abs(x);
  for (const first of [Math.ceil(x - upper - slack), Math.ceil(x - upper + slack)].map((end) => Math.max(0, end))) {
    for (const last of [Math.floor(x - lower - slack), Math.floor(x - lower + slack)]) {
      for (const half of [-1e-6, 1e-6].map((move) => Math.floor(Math.max(-lower, upper) + move))) {
        const widest = first === 0 ? Math.max(last, half) : last;
        if (low === Math.min(first, count) && high === Math.max(widest, count)) return true;
      }
    }
  }
  return false;
}
