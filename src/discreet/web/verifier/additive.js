// Tables that add up, agree with each other, and meet counts that are fixed.

import { need } from "./failure.js";
import { eachCell } from "./layout.js";

/** Return which tables are made to add up together, in the order of the manifest, and which are not. */
export function entriesOf(layout, spec, hasEnd) {
  const method = spec.get("reconcile");
  const numbers = layout.tables.map((_, number) => number);
  if (method === "none" || hasEnd) return { together: [], clamped: numbers };
  const overlaps = (table) => layout.groupings[table.margins[0].index].multiplicity > 1;
  const clamped = numbers.filter((number) => overlaps(layout.tables[number]));
  const together = [];
  for (const number of numbers) {
    if (clamped.includes(number)) continue;
    const people = peopleOf(layout.tables[number], layout);
    const key = method === "wang-3" ? String(number) : JSON.stringify(people);
    const entry = together.find((one) => one.key === key);
    if (entry === undefined) together.push({ key, filters: people.length, tables: [number] });
    else entry.tables.push(number);
  }
  together.sort((one, other) => one.filters - other.filters);
  return { together: together.map((entry) => entry.tables), clamped };
}

/** Return the dimensions that the filter of a table restricts, with the leaves that it keeps. */
function peopleOf(table, layout) {
  const found = [];
  for (const [dimension, leaves] of table.kept) {
    if (leaves.size < layout.books.get(dimension).leaves.length) found.push([dimension, [...leaves].sort((a, b) => a - b)]);
  }
  return found.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Check the entry `reconciled` of the manifest. */
export function checkReconciled(reconciled, entries, layout, method) {
  const names = (numbers) => numbers.map((number) => layout.tables[number].name).join("\n");
  const expected = [...entries.together.map(names), ...(entries.clamped.length > 0 ? [names(entries.clamped)] : [])];
  need(Array.isArray(reconciled) && reconciled.length === expected.length, "reconciled has other entries");
  reconciled.forEach((entry, place) => {
    need(entry.get("tables").join("\n") === expected[place], "reconciled puts other tables together");
    const allowed = place >= entries.together.length ? ["none"] : method === "auto" ? ["tree", "cube"] : [method];
    need(allowed.includes(entry.get("method")), `reconciled has the method ${entry.get("method")}`);
  });
}

/** Check that tables of one entry add up and agree. */
export function checkSums(numbers, layout, published) {
  const known = numbers.filter((number) => published[number] !== null);
  for (const number of known) {
    const table = layout.tables[number];
    const [finest, ...margins] = table.margins;
    margins.forEach((margin, place) => {
      const target = layout.groupings[margin.index];
      const summed = sums(layout.groupings[finest.index], published[number][0].counts, target.axes);
      const given = published[number][place + 1].counts;
      const wrong = summed.findIndex((sum, cell) => sum !== given[cell]);
      const name = target.axes.map((axis) => axis.dimension).join(" by ") || "total";
      need(wrong === -1, `adding up: table ${table.name}, ${name}: ${given[wrong]} where the cells sum to ${summed[wrong]}`);
    });
  }
  for (let one = 0; one < known.length; one++) {
    for (let other = one + 1; other < known.length; other++) agree(known[one], known[other], layout, published);
  }
}

/** Return the sums of a grouping's counts by groups of axes, each a union of groups of the grouping's own axis. */
function sums(grouping, counts, axes) {
  const strides = new Array(axes.length).fill(1);
  for (let axis = axes.length - 2; axis >= 0; axis--) strides[axis] = strides[axis + 1] * axes[axis + 1].groups.length;
  const targets = grouping.axes.map((own) => {
    const place = axes.findIndex((axis) => axis.dimension === own.dimension);
    if (place === -1) return own.groups.map(() => 0);
    return own.groups.map((group) => {
      const at = axes[place].groups.findIndex((whole) => group.leaves.every((leaf) => whole.leaves.includes(leaf)));
      return at * strides[place];
    });
  });
  const found = new Array(axes.reduce((product, axis) => product * axis.groups.length, 1)).fill(0);
  eachCell(grouping, (cell, position) => {
    let at = 0;
    for (let axis = 0; axis < position.length; axis++) at += targets[axis][position[axis]];
    found[at] += counts[cell];
  });
  return found;
}

/** Compare the sums of two tables over all groups to which both can be summed. */
function agree(one, other, layout, published) {
  const [first, second] = [one, other].map((number) => layout.groupings[layout.tables[number].margins[0].index]);
  const axes = [];
  for (const axis of first.axes) {
    const twin = second.axes.find((candidate) => candidate.dimension === axis.dimension);
    if (twin !== undefined) axes.push({ dimension: axis.dimension, groups: joined(axis.groups, twin.groups) });
  }
  const [mine, theirs] = [
    sums(first, published[one][0].counts, axes),
    sums(second, published[other][0].counts, axes),
  ];
  const wrong = mine.findIndex((sum, cell) => sum !== theirs[cell]);
  const names = [one, other].map((number) => layout.tables[number].name).join(" and ");
  need(wrong === -1, `adding up: tables ${names} differ: ${mine[wrong]} and ${theirs[wrong]} for the same people`);
}

/** Return the finest groups of leaves that are unions of groups of both kinds. */
function joined(groups, others) {
  const found = groups.map((group) => new Set(group.leaves));
  for (const group of others) {
    const touched = found.filter((set) => group.leaves.some((leaf) => set.has(leaf)));
    for (const set of touched.slice(1)) {
      for (const leaf of set) touched[0].add(leaf);
      found.splice(found.indexOf(set), 1);
    }
  }
  return found.map((set) => ({ leaves: [...set] }));
}

/** Check the counts of tables that are not made to add up: the measurements, not below 0. */
export function checkClamped(numbers, layout, published, measurements, fixed, settled) {
  for (const number of numbers) {
    layout.tables[number].margins.forEach((margin, place) => {
      const measured = measurements[margin.index];
      need(measured !== null, `adding up: a margin of table ${layout.tables[number].name} has no measurement`);
      (published[number]?.[place].counts ?? []).forEach((count, cell) => {
        const taken = fixed.has(count) || settled(margin.index, cell, count);
        const name = layout.tables[number].name;
        need(
          count === Math.max(0, measured[cell]) || taken,
          `adding up: table ${name} has ${count} where ${measured[cell]} was measured`,
        );
      });
    });
  }
}

/** Return a function that tells whether a cell has a count in a table that adds up. */
export function settledCounts(together, layout, published, cells) {
  const counts = new Map();
  for (const number of together.flat()) {
    layout.tables[number].margins.forEach((margin, place) => {
      (published[number]?.[place].counts ?? []).forEach((count, cell) => {
        const name = cells[margin.index][cell];
        if (!counts.has(name)) counts.set(name, new Set());
        counts.get(name).add(count);
      });
    });
  }
  return (index, cell, count) => counts.get(cells[index][cell])?.has(count) ?? false;
}

/** Check counts that are fixed: sums of published cells, and 0 for all cells inside a population that is fixed at 0. */
export function checkFixed(spec, layout, published, clamped) {
  for (const literal of spec.get("fixed")) {
    const count = literal.get("count");
    const where = new Map();
    for (const [dimension, name] of literal.get("where")) {
      const book = layout.books.get(dimension);
      need(book !== undefined, `a fixed count names ${dimension}, which is no dimension`);
      const groups = [...book.levels.values()].flat();
      const group = book.numbers.has(name) ? { leaves: [book.numbers.get(name)] } : groups.find((one) => one.label === name);
      need(group !== undefined, `a fixed count names ${name}, which ${dimension} has not`);
      where.set(dimension, new Set(group.leaves));
    }
    layout.tables.forEach((table, number) => {
      if (published[number] === null) return;
      table.margins.forEach((margin, place) => {
        const counts = published[number][place].counts;
        checkLiteral(layout.groupings[margin.index], layout, where, count, counts, clamped.includes(number), table.name);
      });
    });
  }
}

function checkLiteral(grouping, layout, where, count, counts, clamped, table) {
  const size = (dimension) => layout.books.get(dimension).leaves.length;
  for (const [dimension, leaves] of where) {
    if (leaves.size === size(dimension)) continue;
    const outside = grouping.within.get(dimension)?.every((leaf) => leaves.has(leaf)) ?? false;
    if (!outside && !grouping.axes.some((axis) => axis.dimension === dimension)) return;
  }
  const narrower = [...grouping.within].some(
    ([dimension, leaves]) => leaves.length < size(dimension) && !same(leaves, where.get(dimension)),
  );
  const inside = grouping.axes.map((axis) => {
    const leaves = where.get(axis.dimension);
    return axis.groups.map((group) => leaves === undefined || group.leaves.every((leaf) => leaves.has(leaf)));
  });
  const covers = grouping.axes.every((axis, place) => {
    const held = new Set(axis.groups.flatMap((group, at) => (inside[place][at] ? group.leaves : [])));
    return held.size === (where.get(axis.dimension)?.size ?? size(axis.dimension));
  });
  let sum = 0;
  let cells = 0;
  eachCell(grouping, (cell, position) => {
    if (!position.every((at, axis) => inside[axis][at])) return;
    sum += counts[cell];
    cells++;
    if (count === 0) need(counts[cell] === 0, `adding up: table ${table} has ${counts[cell]} where 0 is fixed`);
  });
  if (count > 0 && covers && !narrower && cells > 0 && (!clamped || cells === 1)) {
    need(sum === count, `adding up: table ${table} has ${sum} where ${count} is fixed`);
  }
}

function same(leaves, set) {
  return set !== undefined && leaves.length === set.size && leaves.every((leaf) => set.has(leaf));
}
