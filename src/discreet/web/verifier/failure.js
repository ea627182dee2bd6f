// What a check says: a claim is proved, fails, or is not shown; and some things are only stated.

import { inLanguage } from "./texts.js";

/** A claim that does not hold. */
export class Failure extends Error {}

/** Throw a Failure with this text if `condition` is false. */
export function need(condition, text) {
  if (!condition) throw new Failure(text);
}

/** The findings of a check, in order. `state` is "proved", "fails", "not shown" or "stated". */
export class Findings {
  constructor() {
    this.list = [];
  }

  /** Add what does not fail, by the name of its text and the values in it. `text` is the text in English. */
  add(state, claim, name, values = {}) {
    this.list.push({ state, claim, name, values, text: inLanguage("en", name, values) });
  }

  /** Add a claim that does not hold, and why, in English. */
  addFailure(claim, text) {
    this.list.push({ state: "fails", claim, text });
  }

  /** Run a check. Return its result; a Failure becomes a finding and gives undefined. */
  attempt(claim, check) {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Failure || error instanceof RangeError)) throw error;
      this.addFailure(claim, error.message);
      return undefined;
    }
  }

  get failures() {
    return this.list.filter((finding) => finding.state === "fails");
  }

  get verdict() {
    if (this.failures.length > 0) return "fails";
    return this.list.some((finding) => finding.state === "not shown") ? "not shown" : "proved";
  }
}
