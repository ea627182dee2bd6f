// A certificate: one table of integers, and the exact delta of the table. All arithmetic is in BigInt.

import { Failure, need } from "./failure.js";
import { compare, fraction, inWords } from "./fraction.js";
import { canonicalJson, field, parseJson } from "./json_text.js";
import { sha256 } from "./sha256.js";

const MOST_WORK = 50_000_000;

/**
 * Check a certificate. Return its table; throw a Failure that names what does not hold.
 *
 * The result has `bits`, `lower`, `upper`, `rows`, `interior`, `epsilon`, `E` and `delta` as fractions, and `digest`.
 * `rowOf(count)` is the row of a true count: the first output, and the weights as BigInt.
 */
export async function checkedCertificate(text) {
  need(/^[\n -~]*$/.test(text), "the file has characters beyond ASCII");
  const document = parseJson(text);
  need(document instanceof Map, "the file holds no JSON object");
  need(canonicalJson(document) === text, "the file is not in canonical form");
  need(document.get("format") === "discreet-certificate", "format is not discreet-certificate");
  need(document.get("version") === 1, "its version is not 1");
  const digest = field(document, "digest", "text", "the certificate");
  const rest = new Map(document);
  rest.delete("digest");
  const computed = `sha256:${await sha256(new TextEncoder().encode(canonicalJson(rest)))}`;
  need(digest === computed, "digest: the digest is not the digest of the contents");
  const table = tableOf(document);
  const guarantee = field(document, "guarantee", "map", "the certificate");
  const stated = statedLoss(guarantee);
  const delta = { top: exactDelta(table, stated.E), bottom: (1n << BigInt(table.bits)) * stated.E.bottom };
  const claimed = fraction(guarantee.get("delta"), "guarantee.delta");
  need(compare(claimed, delta) === 0, `delta is stated as ${inWords(claimed)} and is ${inWords(delta)}`);
  return { ...table, ...stated, delta, digest, work: table.work, design: document.get("design") ?? null };
}

function tableOf(document) {
  const bits = field(document, "bits", "integer", "the certificate");
  need(bits >= 8 && bits <= 62, `bits is ${bits}`);
  const domain = field(document, "domain", "map", "the certificate");
  const rows = field(document, "rows", "list", "the certificate").map((row) => rowFrom(row, bits));
  const interior = field(document, "interior", "list", "the certificate").map((row) => rowFrom(row, bits));
  const neighbours = document.get("neighbours");
  if (domain.get("kind") === "cycle") return cycleOf(domain, rows, interior, neighbours, bits);
  need(domain.get("kind") === "counts", "the domain is neither counts nor a cycle");
  const lower = field(domain, "lower", "integer", "the domain");
  const upper = field(domain, "upper", "integer?", "the domain");
  if (upper === null) need(interior.length > 0, "a domain without an end has no interior rows");
  else need(interior.length === 0 && rows.length === upper - lower + 1, `${rows.length} rows do not fit the domain`);
  need(
    Array.isArray(neighbours) && neighbours.length > 0 && neighbours.every((distance, index) => distance === index + 1),
    "the neighbours are not 1, 2, ... k",
  );
  const rowOf = (count) => {
    if (count - lower < rows.length) return rows[count - lower];
    const row = interior[(count - lower - rows.length) % interior.length];
    return { first: row.first + count, weights: row.weights };
  };
  const pairs = [];
  for (const distance of neighbours) pairs.push(...pairsAt(distance, lower, upper, rows.length, interior.length));
  return { kind: "counts", bits, lower, upper, rows, interior, neighbours, rowOf, pairs };
}

/** Return all pairs of counts at a distance, up to the period of the interior. */
export function pairsAt(distance, lower, upper, small, period) {
  const last = upper === null ? lower + small + period - 1 : upper - distance;
  const pairs = [];
  for (let count = lower; count <= last; count++) pairs.push([count, count + distance]);
  return pairs;
}

function cycleOf(domain, rows, interior, neighbours, bits) {
  const shape = field(domain, "shape", "list", "the domain");
  need(shape.every((side) => Number.isInteger(side) && side > 0), "the shape of the cycle has a side that is no size");
  const size = shape.reduce((product, side) => product * side, 1);
  need(rows.length === 0 && interior.length === 1 && interior[0].first === 0, "a cycle has one interior row");
  need(interior[0].weights.length === size, `the noise has ${interior[0].weights.length} weights for ${size} residues`);
  need(Array.isArray(neighbours) && neighbours.length > 0, "a cycle has no neighbours");
  const steps = neighbours.map((step) => (Array.isArray(step) ? step : [step]));
  const residues = (step) => step.map((part, axis) => ((part % shape[axis]) + shape[axis]) % shape[axis]).join();
  const known = new Set(steps.map(residues));
  for (const step of steps) {
    need(step.length === shape.length && step.every(Number.isInteger), "a neighbour has not one number for each side");
    need(known.has(residues(step.map((part) => -part))), "the neighbours are not closed under negation");
  }
  const rowOf = (step) => ({ first: 0, weights: moved(interior[0].weights, shape, step) });
  const still = shape.map(() => 0);
  return { kind: "cycle", bits, lower: 0, upper: null, rows, interior, neighbours, rowOf, pairs: steps.map((s) => [still, s]) };
}

/** Return the weights of a cycle after every residue moved by a step. */
function moved(weights, shape, step) {
  return weights.map((_, index) => {
    let rest = index;
    let from = 0;
    let stride = 1;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const place = (((rest % shape[axis]) - step[axis]) % shape[axis] + shape[axis]) % shape[axis];
      from += place * stride;
      stride *= shape[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    return weights[from];
  });
}

function rowFrom(row, bits) {
  const first = field(row, "first", "integer", "a row");
  const texts = field(row, "weights", "list", "a row");
  const weights = texts.map((weight) => {
    need(typeof weight === "string" && /^-?[0-9]{1,19}$/.test(weight), "a weight is no integer as text");
    need(!weight.startsWith("-"), `a row has the negative weight ${weight}`);
    return BigInt(weight);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  need(sum === 1n << BigInt(bits), `a row sums to ${sum}, and not to 2**${bits}`);
  return { first, weights };
}

function statedLoss(guarantee) {
  if (guarantee.has("alpha")) {
    const alpha = fraction(guarantee.get("alpha"), "guarantee.alpha");
    need(alpha.top > 0n && alpha.top < alpha.bottom, "alpha is not between 0 and 1");
    const E = { top: alpha.bottom, bottom: alpha.top };
    if (guarantee.has("exp_epsilon")) {
      need(compare(fraction(guarantee.get("exp_epsilon"), "exp_epsilon"), E) === 0, "exp_epsilon is not 1 / alpha");
    }
    return { E, alpha, epsilon: null };
  }
  const epsilon = fraction(guarantee.get("epsilon"), "guarantee.epsilon");
  const E = fraction(guarantee.get("exp_epsilon"), "guarantee.exp_epsilon");
  need(epsilon.top > 0n, "epsilon is not above 0");
  need(!exceedsExponential(E, epsilon), "exp_epsilon is above e**epsilon");
  return { E, epsilon, alpha: null };
}

/** Return true unless a partial sum of the Taylor series of e^epsilon, rounded down, reaches E. */
function exceedsExponential(E, epsilon) {
  if (epsilon.top > epsilon.bottom * 10_000n) throw new RangeError("epsilon is above 10000");
  const unit = 1n << 640n;
  let term = unit;
  let sum = 0n;
  for (let order = 1n; term > 0n; order++) {
    sum += term;
    term = (term * epsilon.top) / (epsilon.bottom * order);
  }
  return E.top * unit > sum * E.bottom;
}

/** Return the exact delta, times 2^bits and the denominator of E. */
function exactDelta(table, E) {
  const rows = new Map();
  const row = (count) => {
    const name = String(count);
    if (!rows.has(name)) rows.set(name, table.rowOf(count));
    return rows.get(name);
  };
  let worst = 0n;
  let work = 0;
  for (const [one, other] of table.pairs) {
    work += row(one).weights.length + row(other).weights.length;
    if (work > MOST_WORK) throw new Failure("the table is too large for this page; use discreet verify");
    for (const [p, q] of [[row(one), row(other)], [row(other), row(one)]]) {
      const excess = hockeyStick(p, q, E);
      if (excess > worst) worst = excess;
    }
  }
  return worst;
}

/** Return the sum of max(0, p - E q), times the denominator of E. */
export function hockeyStick(p, q, E) {
  const shift = p.first - q.first;
  let sum = 0n;
  for (let index = 0; index < p.weights.length; index++) {
    const excess = p.weights[index] * E.bottom - (q.weights[index + shift] ?? 0n) * E.top;
    if (excess > 0n) sum += excess;
  }
  return sum;
}

/** Return the weight of outputs that p can give and q cannot. */
export function weightOnlyIn(p, q) {
  const shift = p.first - q.first;
  return p.weights.reduce((sum, weight, index) => ((q.weights[index + shift] ?? 0n) === 0n ? sum + weight : sum), 0n);
}
