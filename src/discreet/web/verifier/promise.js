// The promise of a release: what one person may lose in all cells together.

import { need } from "./failure.js";
import * as fractions from "./fraction.js";
import { field, fieldsAre } from "./json_text.js";
import { hockeyStick, pairsAt, weightOnlyIn } from "./certificate.js";
import { groupLosses } from "./group_lines.js";
import * as losses from "./losses.js";

const GRIDS = [2 ** 15, 2 ** 18, 2 ** 20];
const MOST_SPLIT = 10;
const HOPE = 0.05; // a finer grid is tried if the last one took this share of the way to the stated delta

/** Check the field `privacy` of a manifest. */
export function checkPromise(findings, manifest, certificates, touches) {
  const spec = manifest.get("spec");
  const privacy = field(manifest, "privacy", "map", "the manifest");
  fieldsAre(privacy, ["unit", "contributions", "touches", "cell", "composed", "no_guarantee"], "privacy");
  const rows = spec.get("unit").get("contributions");
  need(privacy.get("unit") === (spec.get("unit").get("id") === null ? "one row" : "one person"), "privacy.unit is another");
  need(privacy.get("contributions") === rows, `privacy.contributions is ${privacy.get("contributions")}, and not ${rows}`);
  checkTouches(findings, privacy, certificates, touches, manifest);
  const reason = reasonForNone(manifest);
  const stated = privacy.get("no_guarantee");
  const composed = privacy.get("composed");
  if (reason !== null || spec.get("key") === "contributors") {
    const expected = reason ?? "contributor keys do not compose";
    need(composed === null && stated === expected, `privacy.no_guarantee is '${stated}', and not '${expected}'`);
    if (reason !== null) need(privacy.get("cell") === null, "privacy.cell is stated, and there is no guarantee");
    findings.add("stated", "promise", "no_guarantee", { reason: expected });
  } else {
    need(stated === null || composed === null, `privacy.no_guarantee is '${stated}', and there is a composed guarantee`);
  }
  if (privacy.get("cell") !== null) checkCell(findings, privacy.get("cell"), spec, certificates, rows);
  if (composed !== null) checkComposed(findings, composed, spec, certificates, touches, rows);
  else if (reason === null && spec.get("key") !== "contributors") {
    need(stated !== null && spec.get("budget") === null, "the release has a budget, and states no composed guarantee");
    findings.add("stated", "promise", "no_guarantee", { reason: stated });
  }
}

function reasonForNone(manifest) {
  const spec = manifest.get("spec");
  if (manifest.get("key").get("came_with_the_data")) return "the record keys came with the data";
  const dimensions = [...spec.get("dimensions").values()];
  if (dimensions.some((dimension) => dimension.get("from_data"))) return "categories were taken from the data";
  if (dimensions.some((dimension) => dimension.has("found"))) return "categories or ranges were found in the data";
  if (spec.get("unit").has("found")) return "the unit and its contributions were found in the data";
  return null;
}

function checkTouches(findings, privacy, certificates, touches, manifest) {
  const most = Math.max(...touches.vectors.map((vector) => vector.reduce((sum, times) => sum + times, 0)));
  need(privacy.get("touches") === most, `touches: ${privacy.get("touches")} is stated, and one person is in ${most}`);
  findings.add("proved", "touches", "touches", { count: most });
  (manifest.get("certificates") ?? []).forEach((entry, table) => {
    const own = Math.max(...touches.vectors.map((vector) => vector[table]));
    need(entry.get("touches") === own, `touches of ${entry.get("file")}: ${entry.get("touches")} stated, ${own} counted`);
  });
}

function pairsOf(certificate, distance) {
  const { lower, upper, rows, interior } = certificate;
  const pairs = pairsAt(distance, lower, upper, rows.length, interior.length);
  if (upper !== null) {
    for (let count = Math.max(lower, upper - distance + 1); count < upper; count++) pairs.push([count, upper]);
  }
  return pairs.map(([one, other]) => [certificate.rowOf(one), certificate.rowOf(other)]);
}

/** Return the largest exact delta of a table at its own E, for one person in one cell with a number of rows. */
function exactOneCell(certificate, rows) {
  const width = Math.max(...[...certificate.rows, ...certificate.interior].map((row) => row.weights.length));
  let worst = 0n;
  for (let distance = 1; distance <= Math.min(rows, width + certificate.rows.length + 1); distance++) {
    const excess = worstExcess(certificate, distance, certificate.E);
    if (excess > worst) worst = excess;
  }
  return { top: worst, bottom: (1n << BigInt(certificate.bits)) * certificate.E.bottom };
}

function checkCell(findings, cell, spec, certificates, rows) {
  fieldsAre(cell, ["epsilon", "delta"], "privacy.cell");
  const epsilon = fractions.fraction(cell.get("epsilon"), "privacy.cell.epsilon");
  const delta = fractions.fraction(cell.get("delta"), "privacy.cell.delta");
  for (const certificate of certificates) {
    const enough =
      certificate.epsilon === null
        ? fractions.toFloat(epsilon) >= -Math.log(fractions.toFloat(certificate.alpha)) * (1 - 1e-14)
        : fractions.compare(epsilon, certificate.epsilon) >= 0;
    need(enough, "privacy.cell.epsilon is below the epsilon of a certificate");
    let own = exactOneCell(certificate, rows);
    if (spec.get("key") === "contributors") own = fractions.add(own, unevenKeys(certificate));
    need(
      fractions.compare(delta, own) >= 0,
      `privacy.cell.delta is ${fractions.inWords(delta)}, and delta of one cell is ${fractions.inWords(own)}`,
    );
  }
  const same = certificates.some((one) => one.epsilon === null || fractions.compare(epsilon, one.epsilon) === 0);
  need(same, "privacy.cell.epsilon is no certificate's epsilon");
  findings.add("proved", "one cell", "one_cell", { epsilon: cell.get("epsilon"), delta: fractions.inWords(delta) });
}

/** Return what keys of contributors add to delta, because they are not quite uniform. Rounded up. */
function unevenKeys(certificate) {
  const size = 2 ** certificate.bits;
  const prime = largestPrimeBelow(size);
  const c = (size - prime) / prime + (2 * (2 ** 32 % prime)) / 2 ** 32;
  const u = c ** 4 * 2 ** (Math.ceil(certificate.bits / 2) - 1);
  return fractions.ofFloat((1 + fractions.toFloat(certificate.E)) * u * (1 + 1e-12));
}

function largestPrimeBelow(size) {
  for (let candidate = size - 1; ; candidate--) {
    let prime = true;
    for (let divisor = 2; prime && divisor * divisor <= candidate; divisor++) prime = candidate % divisor !== 0;
    if (prime) return candidate;
  }
}

function checkComposed(findings, composed, spec, certificates, touches, rows) {
  fieldsAre(composed, ["epsilon", "delta", "floor"], "privacy.composed");
  const budget = spec.get("budget");
  need(budget !== null, "promise: a composed guarantee is stated, and there is no budget");
  need(
    composed.get("epsilon") === budget.get("epsilon"),
    `promise: the composed epsilon is '${composed.get("epsilon")}', and the budget's '${budget.get("epsilon")}'`,
  );
  const epsilon = fractions.fraction(composed.get("epsilon"), "privacy.composed.epsilon");
  const delta = fractions.fraction(composed.get("delta"), "privacy.composed.delta");
  const most = fractions.fraction(budget.get("delta"), "spec.budget.delta");
  need(delta.top >= 0n, "privacy.composed.delta is below 0");
  need(fractions.compare(delta, most) <= 0, "promise: the composed delta is above the delta of the budget");
  checkFloor(findings, composed, certificates, touches, rows);
  const figures = { epsilon: composed.get("epsilon"), delta: composed.get("delta") };
  const state = provedOrRefuted(epsilon, delta, certificates, touches, rows);
  if (state.proved) {
    findings.add("proved", "promise", "promise", { ...figures, upper: state.upper });
  } else {
    need(
      !state.refuted,
      `promise: epsilon = ${figures.epsilon} and delta = ${figures.delta} is stated, and delta is at least ${state.lower}`,
    );
    findings.add("not shown", "promise", "undecided", { ...figures, lower: state.lower, upper: state.upper });
  }
}

function provedOrRefuted(epsilon, delta, certificates, touches, rows) {
  const exact = rows > MOST_SPLIT ? null : basicBound(epsilon, certificates, touches.vectors, rows);
  if (exact !== null && fractions.compare(exact, delta) <= 0) return { proved: true, upper: fractions.inWords(exact) };
  const limit = fractions.toFloat(delta);
  const at = fractions.toFloat(epsilon) * (1 - 1e-15);
  let upper = exact === null ? 1 : fractions.toFloat(exact);
  for (const grid of GRIDS) {
    const before = upper;
    upper = Math.min(upper, upperBound(at, certificates, touches.vectors, rows, grid));
    if (upper <= limit * (1 - 1e-12)) return { proved: true, upper: upper.toPrecision(6) };
    if (before - upper < HOPE * (upper - limit)) break;
  }
  const lower = lowerBound(fractions.toFloat(epsilon) * (1 + 1e-15), certificates, touches.cells.vectors, rows);
  return { proved: false, refuted: lower > limit * (1 + 1e-12), lower: lower.toPrecision(6), upper: upper.toPrecision(6) };
}

/**
 * Return the exact delta of composition by sums, if the epsilons add up to at most epsilon for all vectors; else null.
 *
 * With k rows, the cells of one family change by d1, d2, ... with the sum k, and a change by d costs d epsilon, with the
 * exact delta of that distance.
 */
function basicBound(epsilon, certificates, vectors, rows) {
  const costs = certificates.map(({ epsilon: own, alpha }) => own ?? fractions.ofFloat(-Math.log(fractions.toFloat(alpha)) * (1 + 1e-14)));
  for (const vector of vectors) {
    const sum = vector.reduce(
      (total, times, table) => fractions.add(total, { top: costs[table].top * BigInt(times * rows), bottom: costs[table].bottom }),
      { top: 0n, bottom: 1n },
    );
    if (fractions.compare(sum, epsilon) > 0) return null;
  }
  const families = certificates.map((certificate) => {
    const deltas = distances(rows).map((distance) => exactDistance(certificate, distance));
    return largestOf(partitions(rows).map((parts) => anyOf(parts.map((distance) => deltas[distance - 1]))));
  });
  return largestOf(vectors.map((vector) => anyOf(vector.map((times, table) => fractions.chanceOfAny(families[table], times)))));
}

/** Return the exact delta of counts at a distance, at E to the power of the distance. */
function exactDistance(certificate, distance) {
  const E = { top: certificate.E.top ** BigInt(distance), bottom: certificate.E.bottom ** BigInt(distance) };
  return { top: worstExcess(certificate, distance, E), bottom: (1n << BigInt(certificate.bits)) * E.bottom };
}

/** Return the largest hockey-stick sum of rows at a distance, in both orders, times the denominator of E. */
function worstExcess(certificate, distance, E) {
  let worst = 0n;
  for (const [one, other] of pairsOf(certificate, distance)) {
    for (const [p, q] of [[one, other], [other, one]]) {
      const excess = hockeyStick(p, q, E);
      if (excess > worst) worst = excess;
    }
  }
  return worst;
}

function largestOf(some) {
  return some.reduce((most, one) => (fractions.compare(one, most) > 0 ? one : most));
}

function floatPairs(certificate, distance, direction) {
  return pairsOf(certificate, distance).map(([one, other]) => {
    const pair = [losses.chances(one, certificate.bits), losses.chances(other, certificate.bits)];
    return direction === "removed" ? [pair[1], pair[0]] : pair;
  });
}

/** Return an upper bound of delta over all vectors and both directions. */
function upperBound(epsilon, certificates, vectors, rows, grid) {
  let worst = 0;
  for (const direction of ["added", "removed"]) {
    const families = familyLosses(certificates, vectors, rows, grid, direction);
    for (const vector of vectors) worst = Math.max(worst, losses.deltaAt(epsilon, families, vector, "upper"));
  }
  return Math.min(1, worst);
}

/** Return for every table the losses of one family of disjoint cells, on one grid. */
function familyLosses(certificates, vectors, rows, grid, direction) {
  const most = certificates.map((_, table) => Math.max(...vectors.map((vector) => vector[table])));
  const one = certificates.map((certificate) => floatPairs(certificate, 1, direction));
  if (rows > MOST_SPLIT) return groups(certificates, most, one, rows, grid, direction);
  const furthest = certificates.map((certificate, table) =>
    Math.max(...distances(rows).map((d) => losses.largestLoss(d === 1 ? one[table] : floatPairs(certificate, d, direction)) / d)),
  );
  const range = furthest.reduce((sum, loss, table) => sum + 2 * loss * rows * most[table], 0);
  const step = Math.max(range / grid, 1e-9);
  return certificates.map((certificate, table) => {
    if (rows === 1) return losses.ofPairs(one[table], step);
    const byDistance = distances(rows).map((d) => losses.ofPairs(floatPairs(certificate, d, direction), step));
    return largest(partitions(rows).map((parts) => {
      const times = byDistance.map((_, index) => parts.filter((part) => part === index + 1).length);
      return losses.summed(byDistance, times);
    }), step);
  });
}

function groups(certificates, most, one, rows, grid, direction) {
  const range = one.reduce((sum, pairs, table) => sum + 2 * losses.largestLoss(pairs) * rows * most[table], 0);
  const step = Math.max(range / grid / rows, 1e-9);
  const back = certificates.map((certificate) => floatPairs(certificate, 1, direction === "added" ? "removed" : "added"));
  return one.map((pairs, table) => groupLosses(losses.ofPairs(pairs, step), losses.ofPairs(back[table], step), rows));
}

function distances(rows) {
  return Array.from({ length: rows }, (_, index) => index + 1);
}

/** Return the partitions of a number, as lists of parts. */
function partitions(number, most = number) {
  if (number === 0) return [[]];
  const found = [];
  for (let part = Math.min(number, most); part > 0; part--) {
    found.push(...partitions(number - part, part).map((rest) => [part, ...rest]));
  }
  return found;
}

/** Return losses whose curve is nowhere below the curves of all of these. */
function largest(all, step) {
  const reach = Math.max(...all.map((one) => Math.max(-one.first, one.first + one.masses.length)));
  const curve = new Float64Array(2 * reach + 1);
  let infinite = 0;
  for (const one of all) {
    const own = losses.deltaCurve(one);
    infinite = Math.max(infinite, one.infinite);
    for (let i = 0; i < curve.length; i++) {
      const at = i - reach - one.first;
      const below = own[0] + Math.exp(one.first * step) - Math.exp((i - reach) * step);
      curve[i] = Math.max(curve[i], at < 0 ? below : at < own.length ? own[at] : one.infinite);
    }
  }
  return losses.ofCurve(curve, reach, infinite, step);
}

/** Return a lower bound of delta: rows of one person in the combination of leaves that is in the most cells. */
function lowerBound(epsilon, certificates, vectors, rows) {
  let worst = 0;
  for (const direction of ["added", "removed"]) {
    for (const distance of rows > MOST_SPLIT ? [1, rows] : distances(rows)) {
      const pairs = certificates.map((certificate) => floatPairs(certificate, distance, direction));
      for (const count of [0, Math.floor(pairs[0].length / 2), pairs[0].length - 1]) {
        const chosen = pairs.map((some) => some[Math.min(count, some.length - 1)]);
        for (const vector of vectors) {
          const range = chosen.reduce((sum, pair, table) => sum + 2 * losses.largestLoss([pair]) * vector[table], 0);
          const step = Math.max(range / GRIDS[1], 1e-9);
          const parts = chosen.map((pair) => losses.ofPair(pair, step, true));
          worst = Math.max(worst, losses.deltaAt(epsilon, parts, vector, "lower"));
        }
      }
    }
  }
  return worst;
}

function checkFloor(findings, composed, certificates, touches, rows) {
  const stated = fractions.fraction(composed.get("floor"), "privacy.composed.floor");
  const ends = certificates.map((certificate) =>
    rows > MOST_SPLIT ? null : largestOf(partitions(rows).map((parts) => anyOf(parts.map((distance) => endOf(certificate, distance))))),
  );
  if (ends.includes(null)) {
    findings.add("stated", "floor", "floor_stated", { floor: composed.get("floor") });
    return;
  }
  const floor = largestOf(touches.vectors.map((vector) => anyOf(vector.map((times, table) => fractions.chanceOfAny(ends[table], times)))));
  need(fractions.compare(stated, floor) >= 0, `floor: delta never falls below ${fractions.inWords(floor)}, and ${composed.get("floor")} is stated`);
  findings.add("proved", "floor", "floor", { floor: composed.get("floor") });
}

function anyOf(parts) {
  const none = parts.reduce(
    (product, { top, bottom }) => ({ top: product.top * (bottom - top), bottom: product.bottom * bottom }),
    { top: 1n, bottom: 1n },
  );
  return { top: none.bottom - none.top, bottom: none.bottom };
}

/** Return the largest chance of an output that only one of two counts at a distance can have. */
function endOf(certificate, distance) {
  let most = 0n;
  for (const [one, other] of pairsOf(certificate, distance)) {
    for (const weight of [weightOnlyIn(one, other), weightOnlyIn(other, one)]) if (weight > most) most = weight;
  }
  return { top: most, bottom: 1n << BigInt(certificate.bits) };
}
