// The law of a sum of independent noises, each times a coefficient, plus a little normal noise (docs/folder.md, "Intervals").

const NORMAL = 0.01; // the least standard deviation of the normal noise
const SHARE = 1e-3; // its least share of the standard deviation of the sum
const REACH = 30; // the inverted law repeats after so many standard deviations
const NEGLIGIBLE = 1e-18;

/** Return a table's noise for `endsOfSum`: chances, the first noise, the variance, and whether it is symmetric. */
export function noiseOf(certificate) {
  const [row] = certificate.interior;
  const scale = 2 ** certificate.bits;
  const chances = Float64Array.from(row.weights, (weight) => Number(weight) / scale);
  const last = row.weights.length - 1;
  const symmetric = 2 * row.first === -last && row.weights.every((weight, index) => weight === row.weights[last - index]);
  const mean = row.weights.reduce((sum, weight, index) => sum + weight * BigInt(row.first + index), 0n);
  const variance = chances.reduce((sum, chance, index) => sum + chance * (row.first + index) ** 2, 0);
  return { first: row.first, chances, variance, symmetric, centred: mean === 0n };
}

/** Return the characteristic function of noise at a frequency: real and imaginary part. */
function characteristic(noise, frequency) {
  const c = Math.cos(frequency);
  const s = Math.sin(frequency);
  let re = 0;
  let im = 0;
  for (let index = noise.chances.length - 1; index >= 0; index--) {
    [re, im] = [re * c - im * s + noise.chances[index], re * s + im * c];
  }
  const turn = frequency * noise.first;
  return [re * Math.cos(turn) - im * Math.sin(turn), re * Math.sin(turn) + im * Math.cos(turn)];
}

/**
 * Return the ends of a sum: with at most 2.5% below the first and above the second end.
 *
 * `terms` are noises, each with a coefficient `value` and the number `times` of independent noises that have it.
 */
export function endsOfSum(terms) {
  const deviation = Math.sqrt(terms.reduce((sum, { noise, value, times }) => sum + noise.variance * value ** 2 * times, 0));
  const sigma = Math.max(NORMAL, SHARE * deviation);
  const spacing = (2 * Math.PI) / (REACH * Math.max(deviation, sigma));
  const heights = heightsOf(terms, sigma, spacing);
  const below = (x) => {
    let sum = 0;
    for (const [t, re, im] of heights) sum += (im * Math.cos(t * x) - re * Math.sin(t * x)) / t;
    return 0.5 - (spacing / Math.PI) * sum;
  };
  const crossing = (chance) => {
    let [low, high] = [-15 * Math.max(deviation, sigma), 15 * Math.max(deviation, sigma)];
    while (high - low > 1e-8 * Math.max(deviation, sigma)) {
      const middle = (low + high) / 2;
      if (below(middle) < chance) low = middle;
      else high = middle;
    }
    return high;
  };
  const upper = crossing(0.975 + 3e-7) + 5 * sigma;
  const lower = terms.every(({ noise }) => noise.symmetric) ? -upper : crossing(0.025 - 3e-7) - 5 * sigma;
  return { lower, upper };
}

/** Return frequencies with the characteristic function of the sum, where it is not negligible. */
function heightsOf(terms, sigma, spacing) {
  const ordered = terms.toSorted((one, other) => weightOf(other) - weightOf(one));
  const heights = [];
  for (let t = spacing / 2; t * sigma < 6.6; t += spacing) {
    let [re, im] = [Math.exp(-((sigma * t) ** 2) / 2), 0];
    for (const { noise, value, times } of ordered) {
      const [a, b] = characteristic(noise, value * t);
      const size = Math.hypot(a, b) ** times;
      const angle = Math.atan2(b, a) * times;
      [re, im] = [(re * Math.cos(angle) - im * Math.sin(angle)) * size, (re * Math.sin(angle) + im * Math.cos(angle)) * size];
      if (Math.hypot(re, im) < NEGLIGIBLE) break;
    }
    if (Math.hypot(re, im) >= NEGLIGIBLE) heights.push([t, re, im]);
  }
  return heights;
}

function weightOf({ value, times }) {
  return Math.abs(value) * Math.sqrt(times);
}
