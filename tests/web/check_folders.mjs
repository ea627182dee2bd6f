// Check the folders that the standard input lists, one path a line, and print what the browser's verifier says of each.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkFolder, Files } from "../../src/discreet/web/verifier/folder.js";

const found = {};
for (const folder of readFileSync(0, "utf-8").split("\n").filter(Boolean)) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
  const files = new Files(names.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
  const start = performance.now();
  const findings = await checkFolder(files);
  found[folder] = { list: findings.list, verdict: findings.verdict, seconds: (performance.now() - start) / 1000 };
}
process.stdout.write(JSON.stringify(found));
