// JSON as the folder writes it: objects as Maps (in order, no key twice), integers exact, other numbers as floats.

import { Failure, need } from "./failure.js";

const DEEPEST = 100;

class Float {
  constructor(text) {
    this.text = text;
  }
}

/** Return the value of a JSON text. Integers beyond 2^53 become BigInt. Throw a Failure if the text is not JSON. */
export function parseJson(text) {
  let at = 0;
  const wrong = (what) => new Failure(`character ${at + 1}: ${what}`);
  const space = () => {
    while (at < text.length && " \n\r\t".includes(text[at])) at++;
  };
  const string = () => {
    const from = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    at++;
    try {
      return JSON.parse(text.slice(from, at));
    } catch {
      throw wrong("a text that is not JSON");
    }
  };
  const number = () => {
    const match = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
    match.lastIndex = at;
    const found = match.exec(text);
    if (found === null) throw wrong("no value of JSON");
    need(found[0].length <= 4000, "a number has more than 4,000 characters");
    at += found[0].length;
    if (found[2] !== undefined || found[3] !== undefined) return new Float(found[0]);
    const value = Number(found[0]);
    return Number.isSafeInteger(value) && found[0] !== "-0" ? value : BigInt(found[0]);
  };
  const value = (depth) => {
    need(depth < DEEPEST, "JSON is nested too deeply");
    space();
    const first = text[at];
    if (first === '"') return string();
    if (first === "[" || first === "{") return first === "[" ? list(depth) : object(depth);
    for (const [word, meaning] of [["true", true], ["false", false], ["null", null]]) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    return number();
  };
  const list = (depth) => {
    const found = [];
    at++;
    for (space(); text[at] !== "]"; space()) {
      if (found.length > 0) {
        if (text[at] !== ",") throw wrong("no comma between two values");
        at++;
      }
      found.push(value(depth + 1));
    }
    at++;
    return found;
  };
  const object = (depth) => {
    const found = new Map();
    at++;
    for (space(); text[at] !== "}"; space()) {
      if (found.size > 0) {
        if (text[at] !== ",") throw wrong("no comma between two fields");
        at++;
        space();
      }
      if (text[at] !== '"') throw wrong("no name of a field");
      const name = string();
      if (found.has(name)) throw wrong(`the field ${name} occurs twice`);
      space();
      if (text[at++] !== ":") throw wrong("no colon after the name of a field");
      found.set(name, value(depth + 1));
    }
    at++;
    return found;
  };
  const result = value(0);
  space();
  if (at < text.length) throw wrong("text after the end");
  return result;
}

/** Return the value with floats as numbers. */
export function withFloats(value) {
  if (value instanceof Float) return Number(value.text);
  if (Array.isArray(value)) return value.map(withFloats);
  if (value instanceof Map) return new Map([...value].map(([name, item]) => [name, withFloats(item)]));
  return value;
}

/** Return the canonical form of a certificate: sorted keys, one space of indent, ASCII, no floats. */
export function canonicalJson(value) {
  return `${written(value, "\n")}\n`;
}

function written(value, line) {
  if (value instanceof Float) throw new Failure(`the number ${value.text.slice(0, 40)} is no integer`);
  const inner = `${line} `;
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : `[${inner}${value.map((item) => written(item, inner)).join(`,${inner}`)}${line}]`;
  }
  if (value instanceof Map) {
    if (value.size === 0) return "{}";
    const fields = [...value.keys()].sort().map((name) => `${ascii(name)}: ${written(value.get(name), inner)}`);
    return `{${inner}${fields.join(`,${inner}`)}${line}}`;
  }
  return typeof value === "string" ? ascii(value) : String(value);
}

function ascii(text) {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (character) => (character === "\u007f" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

/** Return a field of a Map, of a given kind. Throw a Failure that names the field otherwise. */
export function field(map, name, kind, where) {
  need(map instanceof Map && map.has(name), `${where} has no field ${name}`);
  const value = map.get(name);
  const is = {
    text: typeof value === "string",
    integer: Number.isInteger(value),
    list: Array.isArray(value),
    map: value instanceof Map,
    boolean: typeof value === "boolean",
  };
  need(kind.endsWith("?") && value === null ? true : is[kind.replace("?", "")], `${where}: ${name} is no ${kind}`);
  return value;
}

/** Throw a Failure unless the fields of a Map are these, in this order. */
export function fieldsAre(map, names, where) {
  need(map instanceof Map, `${where} is no object`);
  need([...map.keys()].join() === names.join(), `${where}: its fields are ${[...map.keys()].join(", ").slice(0, 200)}`);
}
