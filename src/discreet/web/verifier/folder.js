// The check of a release folder, written from docs/folder.md and docs/certificate.md.

import { Failure, Findings, need } from "./failure.js";
import * as additive from "./additive.js";
import { checkedCertificate } from "./certificate.js";
import { checkIntervals } from "./intervals.js";
import { field, fieldsAre, parseJson } from "./json_text.js";
import { layoutOf, measuredCells, prepared, touchesOf } from "./layout.js";
import { checkPromise } from "./promise.js";
import { sha256 } from "./sha256.js";
import { checkMeasurements, measurementsOf, publishedTable } from "./tables.js";

const LARGEST_FILE = 2 ** 28;
/** The versions whose specification lists the groupings to measure. */
const LISTS = [3, 5, 7];

const FIELDS = ["format", "version", "spec", "engine", "key", "groupings", "reconciled", "privacy", "ledger", "files", "software"];
const EXTENSIONS = { csv: "csv", parquet: "parquet", "json-stat": "json", "sdmx-csv": "sdmx.csv", xlsx: "xlsx" };
const SPEC = [
  "title", "version", "unit", "dimensions", "tables", "design", "bits", "budget", "key", "record_keys_are", "reconcile",
  "fixed", "seed", "outputs",
];

/** The files of a folder by name, each as bytes. */
export class Files {
  constructor(entries) {
    this.bytes = new Map(entries);
  }

  text(name) {
    need(this.bytes.has(name), `${name} is missing`);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.bytes.get(name));
    } catch {
      throw new Failure(`${name} is not UTF-8`);
    }
  }
}

/** Check a release folder. Return the findings; no content of a folder makes this function throw. */
export async function checkFolder(files, progress = async () => {}) {
  const findings = new Findings();
  const step = async (claim, check) => {
    await progress(claim);
    try {
      return await check();
    } catch (error) {
      const known = error instanceof Failure || error instanceof RangeError || error instanceof TypeError;
      if (!known) throw error;
      const text = error instanceof TypeError ? "a field is missing or has another kind" : error.message;
      findings.addFailure(claim, text);
      return undefined;
    }
  };
  const manifest = await step("manifest.json", () => manifestOf(files));
  if (manifest === undefined) return findings;
  const present = await step("files", () => checkFiles(files, manifest, findings));
  const layout = await step("specification", () => prepared(layoutOf(manifest.get("spec"))));
  if (present === undefined || layout === undefined) return findings;
  const certificates = [];
  for (const name of certificateNames(manifest)) {
    const certificate = await step(name, () => noiseTable(files, name, findings));
    if (certificate === undefined) return findings;
    certificates.push(certificate);
  }
  const noiseOf = await step("groupings", () => noiseOfGroupings(manifest, layout, certificates));
  if (noiseOf === undefined) return findings;
  findings.add("proved", "groupings", "groupings", { count: layout.groupings.length });
  await step("promise", () => {
    const touches = touchesOf(layout, noiseOf, certificates.length, manifest.get("spec").get("unit").get("contributions"));
    checkPromise(findings, manifest, certificates, touches);
  });
  await step("numbers", () => checkNumbers(files, manifest, layout, certificates, noiseOf, findings));
  await step("what is stated", () => listStated(manifest, findings));
  return findings;
}

function manifestOf(files) {
  const manifest = parseJson(files.text("manifest.json"));
  need(manifest instanceof Map && manifest.get("format") === "discreet release", "this is no manifest of a release");
  const version = manifest.get("version");
  need([1, 2, 3, 4, 5, 6, 7].includes(version), `its version is ${version}; this page knows 1 to 7`);
  const spec = field(manifest, "spec", "map", "the manifest");
  const isListed = LISTS.includes(version);
  const several = isListed && manifest.has("certificates");
  fieldsAre(manifest, several ? FIELDS.toSpliced(6, 0, "certificates") : FIELDS, "manifest.json");
  const names = version === 1 ? [...SPEC] : [...SPEC, "language", "metadata"];
  if (isListed) names.splice(5, 0, "measure");
  fieldsAre(spec, names, "manifest.json: spec");
  const key = field(manifest, "key", "map", "the manifest");
  const keys = ["kind", ...(key.has("scheme") ? ["scheme"] : []), "fingerprint", "came_with_the_data"];
  fieldsAre(key, keys, "manifest.json: key");
  need(key.get("kind") === spec.get("key"), `key.kind is ${key.get("kind")}, and spec.key is ${spec.get("key")}`);
  const rows = field(field(spec, "unit", "map", "spec"), "contributions", "integer", "spec.unit");
  need(rows >= 1 && rows <= 1_000_000, `spec.unit.contributions is ${rows}`);
  need(rows === 1 || spec.get("unit").get("id") !== null, "spec.unit has contributions, and no id");
  return manifest;
}

function certificateNames(manifest) {
  if (!manifest.has("certificates")) return ["certificate.json"];
  const entries = field(manifest, "certificates", "list", "the manifest");
  return entries.map((entry, place) => {
    fieldsAre(entry, ["file", "ptable", "touches"], "certificates");
    const name = entries.length === 1 ? "certificate.json" : `certificates/${place + 1}.json`;
    need(entry.get("file") === name, `the manifest names ${entry.get("file")}, and not ${name}`);
    return name;
  });
}

function expectedFiles(manifest) {
  const spec = manifest.get("spec");
  const names = [...certificateNames(manifest), "measurements.csv", "report.html"];
  if (manifest.get("version") > 1) names.push("README.md");
  for (const table of spec.get("tables")) {
    for (const output of spec.get("outputs")) {
      need(Object.hasOwn(EXTENSIONS, output), `spec.outputs has ${output}`);
      names.push(`${table.get("name")}.${EXTENSIONS[output]}`);
      if (output === "csv" && manifest.get("version") > 1) {
        const own = `${table.get("name")}.intervals.csv`;
        names.push(own, `${table.get("name")}.csv-metadata.json`, `${own}-metadata.json`);
      }
    }
  }
  return names.sort();
}

async function checkFiles(files, manifest, findings) {
  const stated = field(manifest, "files", "map", "the manifest");
  const expected = expectedFiles(manifest);
  for (const name of expected) need(stated.has(name), `${name} is missing from the manifest`);
  for (const name of stated.keys()) need(expected.includes(name), `${name} does not belong to the folder`);
  for (const name of files.bytes.keys()) {
    need(name === "manifest.json" || stated.has(name), `${name} is not in the manifest`);
  }
  for (const [name, digest] of stated) {
    need(files.bytes.has(name), `${name} is missing`);
    need(files.bytes.get(name).byteLength <= LARGEST_FILE, `${name} is too large for this page`);
    const computed = `sha256:${await sha256(files.bytes.get(name))}`;
    need(computed === digest, `${name} does not have the digest that the manifest states`);
  }
  findings.add("proved", "files", "files", { count: stated.size });
  return true;
}

async function noiseTable(files, name, findings) {
  const certificate = await checkedCertificate(files.text(name));
  need(certificate.kind === "counts" && certificate.lower === 0, "the table of noise is not for counts from 0 on");
  findings.add("proved", name, "certificate");
  return certificate;
}

function noiseOfGroupings(manifest, layout, certificates) {
  const spec = manifest.get("spec");
  const stated = field(manifest, "groupings", "list", "the manifest");
  need(stated.length === layout.groupings.length, `${stated.length} are listed, and the specification has ${layout.groupings.length}`);
  const bits = spec.get("bits");
  need(bits === null || certificates.every((one) => one.bits === bits), `spec.bits is ${bits}, and a certificate has others`);
  const digests = certificates.map((certificate) => certificate.digest);
  (manifest.get("certificates") ?? []).forEach((entry, place) => {
    need(entry.get("ptable") === digests[place], `${entry.get("file")} is not the certificate that the manifest names`);
  });
  const weights = certificates.map((one) => JSON.stringify([one.bits, one.upper, texts(one.rows), texts(one.interior)]));
  need(new Set(weights).size === weights.length, "two certificates have the same table");
  const noiseOf = layout.groupings.map((grouping, index) => groupingNoise(grouping, stated[index], index, spec, layout, digests));
  const order = [...new Set(noiseOf.filter((table) => table !== null))];
  need(order.join() === certificates.map((_, place) => place).join(), "the certificates are not in the order of their groupings");
  checkMeasured(spec, layout, noiseOf, manifest.get("version"));
  return noiseOf;
}

function texts(rows) {
  return rows.map((row) => [row.first, row.weights.join()]);
}

function groupingNoise(grouping, entry, index, spec, layout, digests) {
  fieldsAre(entry, ["dimensions", "within", "cells", "ptable", "distance", "multiplicity"], `grouping ${index}`);
  const sides = entry.get("dimensions").map((side) => JSON.stringify([side.get("dimension"), side.get("level")]));
  const own = grouping.axes.map((axis) => JSON.stringify([axis.dimension, axis.level]));
  need(sides.join() === own.join(), `grouping ${index} has other dimensions than the specification`);
  const within = [...entry.get("within")].map(([name, leaves]) => JSON.stringify([name, leaves])).sort();
  const kept = [...grouping.within].map(([name, leaves]) => {
    const labels = leaves.map((leaf) => layout.books.get(name).leaves[leaf]);
    return JSON.stringify([name, labels.sort(byCodePoint)]);
  });
  need(within.join() === kept.sort().join(), `within of grouping ${index} is not what the filter keeps`);
  need(entry.get("cells") === grouping.size, `cells of grouping ${index}: ${entry.get("cells")} stated, ${grouping.size} counted`);
  const rows = spec.get("unit").get("contributions");
  need(entry.get("distance") === rows, `distance of grouping ${index} is ${entry.get("distance")}, and not ${rows}`);
  need(entry.get("multiplicity") === grouping.multiplicity, `multiplicity of grouping ${index} is not ${grouping.multiplicity}`);
  const digest = entry.get("ptable");
  if (digest === null) return null;
  need(digests.includes(digest), `ptable of grouping ${index} is the digest of no certificate`);
  return digests.indexOf(digest);
}

function byCodePoint(one, other) {
  const [a, b] = [Array.from(one), Array.from(other)];
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) return a[i].codePointAt(0) - b[i].codePointAt(0);
  }
  return a.length - b.length;
}

/** Check that those groupings are measured that the specification lists, and those with exactly their cells. */
function checkMeasured(spec, layout, noiseOf, version) {
  if (!LISTS.includes(version)) {
    need(!noiseOf.includes(null), "a grouping has no table of noise");
    return;
  }
  const listed = new Set();
  for (const entry of spec.get("measure")) {
    const table = layout.tables.find((one) => one.name === entry.get("table"));
    need(table !== undefined, `spec.measure names ${entry.get("table")}, which is no table`);
    const margin = entry.get("margin");
    const chosen = margin === null ? table.axes.map((_, place) => place) : margin.map((name) => table.axes.findIndex((axis) => axis.dimension === name)).sort((a, b) => a - b);
    const found = table.margins.find((one) => one.chosen.join() === chosen.join());
    need(found !== undefined, `spec.measure names a margin of table ${table.name} that is not published`);
    listed.add(found.index);
  }
  const everywhere = measuredCells(layout, layout.groupings.map(() => 0));
  const cells = everywhere.cells.map((numbers) => numbers.toSorted().join());
  const known = new Map([...listed].map((index) => [cells[index], noiseOf[index]]));
  noiseOf.forEach((table, index) => {
    const expected = known.has(cells[index]);
    need(expected === (table !== null), `grouping ${index} is ${expected ? "to be" : "not to be"} measured, and its ptable says otherwise`);
    if (expected) need(known.get(cells[index]) === table, `grouping ${index} has the cells of another grouping, and another table`);
  });
}

function checkNumbers(files, manifest, layout, certificates, noiseOf, findings) {
  const spec = manifest.get("spec");
  const version = manifest.get("version");
  const measurements = measurementsOf(files.text("measurements.csv"), layout, noiseOf, version);
  const measured = measuredCells(layout, noiseOf);
  checkMeasurements(measurements, layout, noiseOf, certificates, measured);
  const count = measurements.reduce((sum, numbers) => sum + (numbers?.length ?? 0), 0);
  findings.add("proved", "measurements", "measurements", { count });
  const published = layout.tables.map((table) => publishedTable(table, layout, files, spec, version));
  const entries = additive.entriesOf(layout, spec, certificates.some((one) => one.upper !== null));
  additive.checkReconciled(manifest.get("reconciled"), entries, layout, spec.get("reconcile"));
  for (const numbers of entries.together) additive.checkSums(numbers, layout, published);
  const cells = measuredCells(layout, layout.groupings.map(() => 0)).cells;
  const settled = additive.settledCounts(entries.together, layout, published, cells);
  const fixed = new Set(spec.get("fixed").map((literal) => literal.get("count")));
  additive.checkClamped(entries.clamped, layout, published, measurements, fixed, settled);
  additive.checkFixed(spec, layout, published, entries.clamped);
  if (version > 1) {
    const { together } = entries;
    const known = checkIntervals(manifest, layout, noiseOf, certificates, measurements, published, together, cells);
    if (known.computed > 0) {
      findings.add("proved", "intervals", "intervals", { count: known.computed });
    }
    if (known.held > 0) {
      findings.add("stated", "stated", "other_intervals", { count: known.held });
    }
  }
  sayTables(findings, layout, published, entries);
}

function sayTables(findings, layout, published, entries) {
  const names = (numbers) => numbers.map((number) => layout.tables[number].name).join(", ");
  const read = entries.together.flat().filter((number) => published[number] !== null);
  if (read.length > 0) {
    findings.add("proved", "adding up", "additive", { tables: names(read) });
  }
  if (entries.clamped.length > 0) {
    findings.add("proved", "clamped tables", "clamped", { tables: names(entries.clamped) });
  }
  const unread = published.flatMap((table, number) => (table === null ? [number] : []));
  if (unread.length > 0) {
    findings.add("not shown", "tables", "unread", { tables: names(unread) });
  }
}

function listStated(manifest, findings) {
  const spec = manifest.get("spec");
  const say = (name, values) => findings.add("stated", "stated", name, values);
  say("stated_columns");
  say("stated_noise");
  if (spec.get("unit").get("id") !== null) say("stated_id", { column: spec.get("unit").get("id") });
  if (spec.get("fixed").length > 0) say("stated_fixed");
  if (manifest.get("ledger") !== null) say("stated_ledger");
  say("stated_rest");
  say("stated_who");
}
