// Exact fractions: pairs of BigInt, the denominator above 0. They are not reduced; comparisons do not need it.

import { need } from "./failure.js";

const DECIMAL = /^([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/;
const RATIO = /^([+-]?[0-9]+)\/([0-9]+)$/;

/** Return the fraction that a text such as "3/8", "0.25" or "1e-6" states. */
export function fraction(text, where) {
  need(typeof text === "string" && text.length <= 4000, `${where} is no number as text`);
  const ratio = RATIO.exec(text);
  if (ratio !== null) {
    const denominator = BigInt(ratio[2]);
    need(denominator > 0n, `${where} has the denominator 0`);
    return { top: BigInt(ratio[1]), bottom: denominator };
  }
  const decimal = DECIMAL.exec(text);
  need(decimal !== null, `${where} is '${text.slice(0, 60)}', which is no number`);
  const digits = BigInt(`${decimal[1] === "-" ? "-" : ""}${decimal[2]}${decimal[3] ?? ""}`);
  const power = Number(decimal[4] ?? 0) - (decimal[3] ?? "").length;
  return power >= 0 ? { top: digits * 10n ** BigInt(power), bottom: 1n } : { top: digits, bottom: 10n ** BigInt(-power) };
}

/** Return -1, 0 or 1: how a compares with b. */
export function compare(a, b) {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function add(a, b) {
  return { top: a.top * b.bottom + b.top * a.bottom, bottom: a.bottom * b.bottom };
}

export function multiply(a, b) {
  return { top: a.top * b.top, bottom: a.bottom * b.bottom };
}

export function subtract(a, b) {
  return { top: a.top * b.bottom - b.top * a.bottom, bottom: a.bottom * b.bottom };
}

/** Return 1 - (1 - a)^times. */
export function chanceOfAny(a, times) {
  const none = { top: (a.bottom - a.top) ** BigInt(times), bottom: a.bottom ** BigInt(times) };
  return { top: none.bottom - none.top, bottom: none.bottom };
}

/** Return the float nearest to a fraction, up to two units in the last place. */
export function toFloat(a) {
  if (a.top === 0n) return 0;
  const size = (value) => value.toString(16).length * 4;
  const shift = 64 - (size(a.top < 0n ? -a.top : a.top) - size(a.bottom));
  const quotient = shift >= 0 ? (a.top << BigInt(shift)) / a.bottom : a.top / (a.bottom << BigInt(-shift));
  const half = Math.trunc(shift / 2); // 2^-shift alone may be below the smallest float
  return Number(quotient) * 2 ** -half * 2 ** -(shift - half);
}

/** Return the fraction that a float is. */
export function ofFloat(value) {
  let bottom = 1n;
  let number = value;
  while (!Number.isInteger(number)) {
    number *= 2;
    bottom *= 2n;
  }
  return { top: BigInt(number), bottom };
}

/** Return the fraction with six digits, as readers see it. */
export function inWords(a) {
  return a.top === 0n ? "0" : Number(toFloat(a).toPrecision(6)).toString();
}
