// From the specification: codebooks, tables, groupings, and in how many cells one person is.

import { need } from "./failure.js";
import { field } from "./json_text.js";

export const OTHER = "_other";
export const TOTAL = "_total";
const MOST_CELLS = 20_000_000;
const MOST_COMBINATIONS = 5_000_000;

/**
 * Return the layout of a specification: `books` by name, `tables` (each with its groupings), and `groupings`.
 *
 * A grouping has `axes` (dimension, level, groups: each a label and a sorted list of leaf numbers), `within` (dimension
 * and the leaf numbers that a filter keeps), `kept` (dimension and the names in the filter of its first table), `size`,
 * `key` and `name`.
 */
export function layoutOf(spec) {
  const books = new Map();
  for (const [name, dimension] of field(spec, "dimensions", "map", "spec")) books.set(name, bookOf(name, dimension));
  const groupings = [];
  const indices = new Map();
  const tables = field(spec, "tables", "list", "spec").map((table) => {
    const shape = tableShape(table, books);
    const own = marginsOf(table, shape).map((chosen) => {
      const grouping = groupingOf(shape, chosen, books);
      if (!indices.has(grouping.key)) {
        indices.set(grouping.key, groupings.length);
        groupings.push(grouping);
      }
      return { index: indices.get(grouping.key), chosen };
    });
    return { ...shape, margins: own };
  });
  need(new Set(tables.map((table) => table.name)).size === tables.length, "two tables have one name");
  const cells = groupings.reduce((sum, grouping) => sum + grouping.size, 0);
  need(cells <= MOST_CELLS, `the release has ${cells} cells; this page checks at most ${MOST_CELLS}`);
  return { books, tables, groupings };
}

function bookOf(name, dimension) {
  const where = `dimension ${name}`;
  const categories = dimension.get("categories");
  const ranges = dimension.get("ranges");
  const fromData = dimension.get("from_data") === true;
  need((categories === null) !== (ranges === null) || fromData, `${where} has not one of categories and ranges`);
  const leaves = [];
  const raw = [];
  if (ranges) {
    for (const [label, bounds] of field(dimension, "ranges", "map", where)) {
      leaves.push(label);
      raw.push(JSON.stringify([bounds.map((bound) => bound?.text ?? bound), label]));
    }
  } else if (Array.isArray(categories)) {
    for (const value of categories) {
      leaves.push(value);
      raw.push(JSON.stringify([value, value]));
    }
  } else if (categories instanceof Map) {
    for (const [label, values] of categories) {
      leaves.push(label);
      for (const value of Array.isArray(values) ? values : [values]) raw.push(JSON.stringify([value, label]));
    }
  }
  if (!ranges) raw.sort();
  need(new Set(raw).size === raw.length, `${where}: a value is declared twice`);
  leaves.push(OTHER);
  need(leaves.every((leaf) => typeof leaf === "string"), `${where} has a label that is no text`);
  const numbers = new Map(leaves.map((leaf, number) => [leaf, number]));
  need(numbers.size === leaves.length, `${where}: a label occurs twice`);
  const levels = new Map([[null, leaves.map((leaf, number) => ({ label: leaf, leaves: [number] }))]]);
  for (const [level, groups] of field(dimension, "levels", "map", where)) {
    levels.set(level, levelGroups(name, level, groups, numbers));
  }
  const column = field(dimension, "column", "text", where);
  return { name, leaves, numbers, levels, codebook: JSON.stringify([column, ranges ? "ranges" : "values", raw]) };
}

function levelGroups(name, level, groups, numbers) {
  const seen = new Set();
  const found = [];
  for (const [label, members] of groups) {
    need(Array.isArray(members) && members.length > 0, `level ${level} of dimension ${name}: ${label} has no leaves`);
    const leaves = members.map((leaf) => {
      need(numbers.has(leaf), `level ${level} of dimension ${name} names ${leaf}, which is no leaf`);
      seen.add(numbers.get(leaf));
      return numbers.get(leaf);
    });
    found.push({ label, leaves: sorted(leaves) });
  }
  const rest = [...numbers.values()].filter((number) => !seen.has(number));
  if (rest.length > 0) found.push({ label: OTHER, leaves: rest });
  return found;
}

function sorted(numbers) {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Return the name, the axes and the kept leaves of a table. */
function tableShape(table, books) {
  const name = field(table, "name", "text", "a table");
  const kept = new Map();
  for (const [dimension, names] of field(table, "filter", "map", `table ${name}`)) {
    need(books.has(dimension), `the filter of table ${name} names ${dimension}, which is no dimension`);
    kept.set(dimension, keptLeaves(books.get(dimension), names, name));
  }
  const axes = field(table, "dimensions", "list", `table ${name}`).map((side) => {
    const dimension = field(side, "dimension", "text", `table ${name}`);
    const level = side.get("level");
    need(books.has(dimension), `table ${name} names ${dimension}, which is no dimension`);
    need(books.get(dimension).levels.has(level), `dimension ${dimension} has no level ${level}`);
    const groups = [];
    for (const group of books.get(dimension).levels.get(level)) {
      const leaves = kept.has(dimension) ? group.leaves.filter((leaf) => kept.get(dimension).has(leaf)) : group.leaves;
      if (leaves.length > 0) groups.push({ label: group.label, leaves });
    }
    return { dimension, level, groups };
  });
  need(new Set(axes.map((axis) => axis.dimension)).size === axes.length, `table ${name} has a dimension twice`);
  const filter = new Map([...table.get("filter")].map(([dimension, names]) => [dimension, [names].flat().join(" + ")]));
  return { name, axes, kept, filter };
}

function keptLeaves(book, names, table) {
  const kept = new Set();
  for (const name of Array.isArray(names) ? names : [names]) {
    let leaves = book.numbers.has(name) ? [book.numbers.get(name)] : undefined;
    for (const [level, groups] of book.levels) {
      const group = level === null || leaves !== undefined ? undefined : groups.find((one) => one.label === name);
      leaves ??= group?.leaves;
    }
    need(leaves !== undefined, `the filter of table ${table} names ${name}, which ${book.name} has not`);
    for (const leaf of leaves) kept.add(leaf);
  }
  return kept;
}

/** Return the margins of a table as lists of axis numbers, the table itself first. */
function marginsOf(table, shape) {
  const all = shape.axes.map((_, index) => index);
  const margins = table.get("margins");
  if (margins === "none") return [all];
  if (margins === "all") {
    const found = [];
    for (let size = all.length; size >= 0; size--) found.push(...subsets(all, size));
    return found;
  }
  need(Array.isArray(margins), `the margins of table ${shape.name} are neither all nor none nor a list`);
  const found = [all];
  for (const margin of margins) {
    const chosen = margin.map((name) => shape.axes.findIndex((axis) => axis.dimension === name));
    need(!chosen.includes(-1), `a margin of table ${shape.name} names a dimension that the table has not`);
    const ordered = sorted(chosen);
    if (!found.some((known) => known.join() === ordered.join())) found.push(ordered);
  }
  return found;
}

function subsets(items, size) {
  if (size === 0) return [[]];
  return items.flatMap((item, index) => subsets(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]));
}

function groupingOf(table, chosen, books) {
  const axes = chosen.map((index) => table.axes[index]);
  const within = new Map();
  for (const [dimension, leaves] of table.kept) {
    if (!axes.some((axis) => axis.dimension === dimension)) within.set(dimension, sorted([...leaves]));
  }
  const key = JSON.stringify([
    axes.map((axis) => [axis.dimension, axis.level, axis.groups.map((group) => group.leaves)]),
    [...within].sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);
  const size = axes.reduce((product, axis) => product * axis.groups.length, 1);
  const dimensions = axes.map((axis) => axis.dimension);
  const name = `${table.name}: ${dimensions.length > 0 ? dimensions.join(" by ") : "total"}`;
  const overlaps = axes.map((axis) => Math.max(...memberships(axis, books.get(axis.dimension).leaves.length)));
  const kept = new Map([...table.filter].filter(([dimension]) => within.has(dimension)));
  return { axes, within, kept, key, size, name, multiplicity: overlaps.reduce((product, most) => product * most, 1) };
}

/** Return for every leaf the number of groups of an axis that hold the leaf. */
function memberships(axis, leaves) {
  const times = new Array(leaves).fill(0);
  for (const group of axis.groups) for (const leaf of group.leaves) times[leaf]++;
  return times;
}

/** Return the definition of each group of an axis, as a text; empty for a group of all leaves, which restricts nothing. */
function groupDefinitions(axis, books) {
  const book = books.get(axis.dimension);
  return axis.groups.map((group) => definition(book, group.leaves));
}

function definition(book, leaves) {
  if (leaves.length === book.leaves.length) return "";
  return JSON.stringify([book.codebook, leaves.map((leaf) => book.leaves[leaf]).sort()]);
}

/** Call `visit(cell, text)` for the definition of every cell of a grouping, in order. */
export function eachDefinition(grouping, books, visit) {
  const fixed = [...grouping.within].map(([dimension, leaves]) => definition(books.get(dimension), leaves));
  const parts = grouping.axes.map((axis) => groupDefinitions(axis, books));
  eachCell(grouping, (cell, position) => {
    const sets = [...fixed];
    for (let axis = 0; axis < position.length; axis++) sets.push(parts[axis][position[axis]]);
    visit(cell, sets.filter((set) => set !== "").sort().join("\n"));
  });
}

/** Call `visit(cell, position)` for every cell of a grouping; the last axis changes fastest. */
export function eachCell(grouping, visit) {
  const position = grouping.axes.map(() => 0);
  for (let cell = 0; cell < grouping.size; cell++) {
    visit(cell, position);
    for (let axis = position.length - 1; axis >= 0; axis--) {
      if (++position[axis] < grouping.axes[axis].groups.length) break;
      position[axis] = 0;
    }
  }
}

/**
 * Number the measured cells: a cell together with its table of noise. Return for every grouping its cell numbers (null
 * if it is not measured), and the number of measured cells.
 */
export function measuredCells(layout, noiseOf) {
  const numbers = new Map();
  const cells = layout.groupings.map((grouping, index) => {
    if (noiseOf[index] === null) return null;
    const own = new Int32Array(grouping.size);
    eachDefinition(grouping, layout.books, (cell, text) => {
      const name = `${noiseOf[index]}\n${text}`;
      if (!numbers.has(name)) numbers.set(name, numbers.size);
      own[cell] = numbers.get(name);
    });
    return own;
  });
  return { cells, count: numbers.size };
}

/**
 * Return in how many measured cells of each table of noise a combination of leaves is: the distinct vectors, none of
 * which is below another one. With rows beyond one, families of disjoint cells are counted instead.
 */
export function touchesOf(layout, noiseOf, tables, contributions) {
  const measured = measuredCells(layout, noiseOf);
  const isNew = newCells(measured);
  if (contributions > 1) {
    return { vectors: [families(layout, noiseOf, tables, isNew)], exact: true, cells: oneRow(layout, noiseOf, tables, isNew) };
  }
  const vectors = oneRow(layout, noiseOf, tables, isNew);
  return { ...vectors, cells: vectors };
}

/** Return for every measured grouping which cells no earlier grouping has: true or false if all are alike, or flags. */
function newCells(measured) {
  const seen = new Uint8Array(measured.count);
  return measured.cells.map((numbers) => {
    if (numbers === null) return false;
    const flags = new Uint8Array(numbers.length);
    let count = 0;
    numbers.forEach((number, cell) => {
      flags[cell] = seen[number] ? 0 : 1;
      count += flags[cell];
    });
    for (const number of numbers) seen[number] = 1;
    return count === 0 ? false : count === numbers.length ? true : flags;
  });
}

function oneRow(layout, noiseOf, tables, isNew) {
  const active = layout.groupings.map((_, index) => index).filter((index) => isNew[index] !== false);
  const used = [...layout.books.values()];
  const combinations = used.reduce((product, book) => product * book.leaves.length, 1);
  if (combinations > MOST_COMBINATIONS) {
    const bound = new Array(tables).fill(0);
    for (const index of active) bound[noiseOf[index]] += layout.groupings[index].multiplicity;
    return { vectors: [bound], exact: false };
  }
  const classes = used.map((book) => leafClasses(book, layout, active, isNew));
  const best = new Map();
  const chosen = classes.map(() => 0);
  const total = classes.reduce((product, some) => product * some.length, 1);
  for (let turn = 0; turn < total; turn++) {
    const vector = new Array(tables).fill(0);
    for (const index of active) {
      vector[noiseOf[index]] += cellsWith(layout.groupings[index], isNew[index], used, classes, chosen);
    }
    best.set(vector.join(), vector);
    for (let place = chosen.length - 1; place >= 0; place--) {
      if (++chosen[place] < classes[place].length) break;
      chosen[place] = 0;
    }
  }
  const vectors = [...best.values()];
  const below = (one, other) => one !== other && one.every((times, table) => times <= other[table]);
  return { vectors: vectors.filter((one) => !vectors.some((other) => below(one, other))), exact: true };
}

/**
 * Return classes of leaves of a dimension that are in as many cells of every grouping. A class has, for each grouping,
 * the groups that hold its leaves, or their number where only the number matters.
 */
function leafClasses(book, layout, active, isNew) {
  const found = new Map();
  for (let leaf = 0; leaf < book.leaves.length; leaf++) {
    const parts = new Map();
    for (const index of active) {
      const grouping = layout.groupings[index];
      const axis = grouping.axes.find((one) => one.dimension === book.name);
      if (axis !== undefined) {
        const groups = axis.groups.flatMap((group, place) => (group.leaves.includes(leaf) ? [place] : []));
        parts.set(index, isNew[index] === true ? groups.length : groups);
      } else if (grouping.within.has(book.name)) {
        parts.set(index, grouping.within.get(book.name).includes(leaf) ? 1 : 0);
      }
    }
    const key = JSON.stringify([...parts]);
    if (!found.has(key)) found.set(key, parts);
  }
  return [...found.values()];
}

/** Return how many new cells of a grouping hold a combination of leaf classes. */
function cellsWith(grouping, isNew, books, classes, chosen) {
  const index = grouping.index;
  let count = 1;
  let places = [0];
  for (const dimension of grouping.dimensions) {
    const at = books.findIndex((book) => book.name === dimension.name);
    const part = classes[at][chosen[at]].get(index);
    if (typeof part === "number") {
      count *= part;
    } else {
      places = places.flatMap((place) => part.map((group) => place * dimension.groups + group));
    }
    if (count === 0 || places.length === 0) return 0;
  }
  return isNew === true ? count : count * places.reduce((sum, place) => sum + isNew[place], 0);
}

/** Give every grouping what `cellsWith` needs. */
export function prepared(layout) {
  layout.groupings.forEach((grouping, index) => {
    grouping.index = index;
    grouping.dimensions = [
      ...[...grouping.within.keys()].map((name) => ({ name, groups: 1 })),
      ...grouping.axes.map((axis) => ({ name: axis.dimension, groups: axis.groups.length })),
    ];
  });
  return layout;
}

/** Return the number of families of disjoint cells of each table of noise. */
function families(layout, noiseOf, tables, isNew) {
  const found = [];
  layout.groupings.forEach((grouping, index) => {
    if (isNew[index] === false) return;
    for (const part of partsOf(grouping)) {
      const fits = (family) => family.table === noiseOf[index] && family.members.every((member) => disjoint(member, part));
      const family = found.find(fits);
      if (family === undefined) found.push({ table: noiseOf[index], members: [part] });
      else family.members.push(part);
    }
  });
  const counts = new Array(tables).fill(0);
  for (const family of found) counts[family.table]++;
  return counts;
}

/** Return the parts of a grouping: each a map from a dimension to the leaves that its cells hold. */
function partsOf(grouping) {
  let parts = [new Map([...grouping.within].map(([dimension, leaves]) => [dimension, new Set(leaves)]))];
  for (const axis of grouping.axes) {
    const lists = [];
    for (const group of axis.groups) {
      const list = lists.find((one) => group.leaves.every((leaf) => !one.has(leaf)));
      if (list === undefined) lists.push(new Set(group.leaves));
      else for (const leaf of group.leaves) list.add(leaf);
    }
    parts = parts.flatMap((part) => lists.map((leaves) => new Map([...part, [axis.dimension, leaves]])));
  }
  return parts;
}

function disjoint(one, other) {
  for (const [dimension, leaves] of one) {
    if (other.has(dimension) && ![...other.get(dimension)].some((leaf) => leaves.has(leaf))) return true;
  }
  return false;
}
