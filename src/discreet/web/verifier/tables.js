// Measurements and tables, as they are in the files.

import { Failure, need } from "./failure.js";
import { integer, parseCsv } from "./csv_text.js";
import { parseJson, withFloats } from "./json_text.js";
import { eachCell, OTHER, TOTAL } from "./layout.js";

/** The version of the format since which filters are named beside numbers. */
const FILTERS_SINCE = 6;

/** Return for every grouping an array of measurements; null if the grouping is not measured. */
export function measurementsOf(text, layout, noiseOf, version) {
  const rows = parseCsv(text, "measurements.csv");
  const dimensions = [...layout.books.keys()];
  const header = ["grouping", ...dimensions, "measurement"];
  need(rows.length > 0 && rows[0].join("\n") === header.join("\n"), "measurements.csv: its columns are others");
  const all = layout.groupings.reduce((sum, grouping, index) => sum + (noiseOf[index] === null ? 0 : grouping.size), 0);
  need(rows.length === all + 1, `measurements.csv: it has ${rows.length - 1} rows, and ${all} cells are measured`);
  let at = 1;
  return layout.groupings.map((grouping, index) => {
    if (noiseOf[index] === null) return null;
    const places = grouping.axes.map((axis) => dimensions.indexOf(axis.dimension) + 1);
    const name = version === 1 ? String(index) : grouping.name;
    const blank = version === 1 ? "" : TOTAL;
    const numbers = new Array(grouping.size);
    const kept = version >= FILTERS_SINCE ? grouping.kept : new Map();
    const expected = [name, ...dimensions.map((dimension) => kept.get(dimension) ?? blank)];
    eachCell(grouping, (cell, position) => {
      const row = rows[at++];
      places.forEach((place, axis) => {
        expected[place] = grouping.axes[axis].groups[position[axis]].label;
      });
      if (row.length !== header.length || expected.some((label, place) => row[place] !== label)) {
        throw new Failure(`measurements.csv: row ${at} is ${row.join(", ").slice(0, 120)}, and not ${expected.join(", ")}`);
      }
      numbers[cell] = integer(row[row.length - 1], "measurements.csv");
    });
    return numbers;
  });
}

/** Check that every measurement is an output of its table, and that one measured cell has one measurement. */
export function checkMeasurements(measurements, layout, noiseOf, tables, measured) {
  const reachable = tables.map(reachableOutputs);
  const first = new Map();
  measurements.forEach((numbers, index) => {
    if (numbers === null) return;
    const can = reachable[noiseOf[index]];
    numbers.forEach((number, cell) => {
      need(can(number), `measurements.csv: ${number} cannot come from the table of noise`);
      const name = measured.cells[index][cell];
      if (!first.has(name)) first.set(name, number);
      need(first.get(name) === number, `measurements.csv: one cell has the measurements ${first.get(name)} and ${number}`);
    });
  });
}

/** Return a function that is true for the outputs which some count can give with a positive weight. */
function reachableOutputs(table) {
  const outputs = new Set();
  for (let count = 0; count < table.rows.length; count++) {
    const row = table.rowOf(count);
    row.weights.forEach((weight, place) => {
      if (weight > 0n) outputs.add(row.first + place);
    });
  }
  const period = table.interior.length;
  const offsets = Array.from({ length: period }, () => new Set());
  table.interior.forEach((row, number) => {
    row.weights.forEach((weight, place) => {
      if (weight > 0n) offsets[number].add(row.first + place);
    });
  });
  const small = table.rows.length;
  const interior = (output) =>
    offsets.some((noises, number) => {
      for (const noise of noises) {
        const count = output - noise;
        if (count >= small + number && (count - small - number) % period === 0) return true;
      }
      return false;
    });
  const known = new Map();
  return (output) => {
    if (!known.has(output)) known.set(output, outputs.has(output) || interior(output));
    return known.get(output);
  };
}

/**
 * Return the published numbers of a table: for every margin `counts`, and `low` and `high` if there are intervals (high
 * is Infinity without an end). All formats of the table must agree. Null if the table is in formats that this page does
 * not read.
 */
export function publishedTable(table, layout, files, spec, version) {
  const readers = {
    csv: () => readCsv(table, layout, files, version),
    "json-stat": () => readJsonStat(table, layout, files, version),
    "sdmx-csv": () => readSdmx(table, layout, files, spec, version),
  };
  let found = null;
  for (const format of spec.get("outputs")) {
    const read = readers[format]?.();
    if (read === undefined) continue;
    need(found === null || same(found, read), `tables: the files of table ${table.name} have other numbers`);
    found ??= read;
  }
  return found;
}

function same(one, other) {
  return one.every((margin, index) =>
    ["counts", "low", "high"].every((name) => (margin[name] ?? []).every((n, cell) => n === other[index][name]?.[cell])),
  );
}

function rowsOf(table, layout) {
  return table.margins.reduce((sum, margin) => sum + layout.groupings[margin.index].size, 0);
}

/** Call `visit(margin, cell, labels)` for every row of a table, in order. */
function eachRow(table, layout, visit) {
  table.margins.forEach(({ index, chosen }, margin) => {
    const grouping = layout.groupings[index];
    const labels = table.axes.map(() => TOTAL);
    eachCell(grouping, (cell, position) => {
      chosen.forEach((axis, place) => {
        labels[axis] = grouping.axes[place].groups[position[place]].label;
      });
      visit(margin, cell, labels);
    });
  });
}

function readCsv(table, layout, files, version) {
  const plain = labelledRows(`${table.name}.csv`, table, layout, files, ["count"]);
  if (version === 1) return plain.map(([counts]) => ({ counts }));
  const wide = labelledRows(`${table.name}.intervals.csv`, table, layout, files, ["count", "low", "high"]);
  plain.forEach(([counts], margin) => {
    const differs = counts.findIndex((count, cell) => count !== wide[margin][0][cell]);
    need(differs === -1, `tables: ${table.name}.csv and ${table.name}.intervals.csv have other counts`);
  });
  return wide.map(([counts, low, high]) => ({ counts, low, high }));
}

function labelledRows(name, table, layout, files, columns) {
  const rows = parseCsv(files.text(name), name);
  const header = [...table.axes.map((axis) => axis.dimension), ...columns];
  need(rows.length > 0 && rows[0].join("\n") === header.join("\n"), `tables: ${name}: its columns are others`);
  need(rows.length === rowsOf(table, layout) + 1, `tables: ${name} has ${rows.length - 1} rows`);
  const found = table.margins.map(() => columns.map(() => []));
  let at = 1;
  eachRow(table, layout, (margin, cell, labels) => {
    const row = rows[at++];
    const fits = row.length === header.length && labels.every((label, place) => row[place] === label);
    need(fits, `tables: ${name}, row ${at}: ${row.join(", ").slice(0, 120)} is not the cell ${labels.join(", ")}`);
    columns.forEach((column, place) => {
      found[margin][place].push(numberOf(row[labels.length + place], column, name));
    });
  });
  return found;
}

function numberOf(text, column, name) {
  if (column === "high" && text === "") return Number.POSITIVE_INFINITY;
  const number = integer(text, `tables: ${name}`);
  need(number >= 0, `tables: ${name} has the ${column} ${number}`);
  return number;
}

function readJsonStat(table, layout, files, version) {
  const name = `${table.name}.json`;
  const cube = withFloats(parseJson(files.text(name)));
  const measures = version === 1 ? ["count"] : ["count", "low", "high"];
  const sides = table.axes.map((axis, place) => {
    const labels = axis.groups.map((group) => group.label);
    return table.margins.some((margin) => !margin.chosen.includes(place)) ? [...labels, TOTAL] : labels;
  });
  const id = [...table.axes.map((axis) => axis.dimension), ...(version === 1 ? [] : ["measure"])];
  const size = [...sides.map((side) => side.length), ...(version === 1 ? [] : [3])];
  const values = cube.get?.("value");
  need(cube.get?.("id")?.join("\n") === id.join("\n"), `tables: ${name}: its dimensions are others`);
  need(cube.get("size")?.join() === size.join(), `tables: ${name}: its size is another`);
  need(Array.isArray(values) && values.length === size.reduce((a, b) => a * b, 1), `tables: ${name}: values are missing`);
  table.axes.forEach((axis, place) => {
    const index = cube.get("dimension")?.get(axis.dimension)?.get("category")?.get("index");
    need(Array.isArray(index) && index.join("\n") === sides[place].join("\n"), `tables: ${name}: other categories`);
  });
  const found = table.margins.map(() => ({ counts: [], ...(version === 1 ? {} : { low: [], high: [] }) }));
  const positions = sides.map((side) => new Map(side.map((label, place) => [label, place])));
  let published = 0;
  eachRow(table, layout, (margin, cell, labels) => {
    let at = 0;
    labels.forEach((label, axis) => {
      at = at * sides[axis].length + positions[axis].get(label);
    });
    measures.forEach((measure, place) => {
      const value = values[at * measures.length + place];
      const open = measure === "high" && value === null;
      need(open || (Number.isSafeInteger(value) && value >= 0), `tables: ${name} has the ${measure} ${value}`);
      found[margin][measure === "count" ? "counts" : measure].push(open ? Number.POSITIVE_INFINITY : value);
      if (!open) published++;
    });
  });
  const given = values.filter((value) => value !== null).length;
  need(given === published, `tables: ${name} has ${given} numbers, and ${published} are published`);
  return found;
}

function readSdmx(table, layout, files, spec, version) {
  const name = `${table.name}.sdmx.csv`;
  const rows = parseCsv(files.text(name), name);
  const width = table.axes.length;
  need(rows.length === rowsOf(table, layout) + 1, `tables: ${name} has ${rows.length - 1} rows`);
  const last = version >= FILTERS_SINCE && table.filter.size > 0 ? ["STAT_POP"] : [];
  const columns = width + 6 + last.length;
  need(rows[0]?.length === columns, `tables: ${name}: its columns are others`);
  need(rows[0].slice(0, 3).join() === "STRUCTURE,STRUCTURE_ID,ACTION", `tables: ${name}: its columns are others`);
  need(rows[0].slice(width + 3).join() === ["OBS_VALUE", "OBS_LOW", "OBS_HIGH", ...last].join(), `tables: ${name}: its columns are others`);
  const people = new Set(rows.slice(1).flatMap((row) => row.slice(width + 6)));
  need(people.size === last.length && !people.has(""), `tables: ${name} does not say in one text whom the filter keeps`);
  const codes = table.axes.map(() => new Map());
  const stated = (axis, label) =>
    ({ [TOTAL]: "_T", [OTHER]: "_O" })[label] ??
    spec.get("metadata").get("dimensions").get(axis.dimension)?.get("codes")?.get(label);
  const found = table.margins.map(() => ({ counts: [], low: [], high: [] }));
  let at = 1;
  eachRow(table, layout, (margin, cell, labels) => {
    const row = rows[at++];
    need(row.length === columns, `tables: ${name}, row ${at}: a field is missing`);
    labels.forEach((label, axis) => {
      const code = row[3 + axis];
      const known = codes[axis];
      if (!known.has(label)) {
        const expected = stated(table.axes[axis], label);
        need(expected === undefined || expected === code, `tables: ${name}: ${label} has the code ${code}`);
        need(![...known.values()].includes(code), `tables: ${name}: two categories have the code ${code}`);
        known.set(label, code);
      }
      need(known.get(label) === code, `tables: ${name}, row ${at}: ${code} is not the code of ${label}`);
    });
    found[margin].counts.push(numberOf(row[width + 3], "count", name));
    found[margin].low.push(numberOf(row[width + 4], "low", name));
    found[margin].high.push(numberOf(row[width + 5], "high", name));
  });
  return found;
}
