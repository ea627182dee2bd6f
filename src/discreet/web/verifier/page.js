// The page: a folder or a certificate is dropped or chosen, and the findings are shown in words.

import { checkedCertificate } from "./certificate.js";
import { Failure, Findings } from "./failure.js";
import { checkFolder, Files } from "./folder.js";
import { inWords } from "./fraction.js";

const HEADINGS = {
  fails: "What does not hold",
  "not shown": "What this page could not decide",
  proved: "What holds",
  stated: "What this page does not know",
};
const VERDICTS = {
  fails: "A claim does not hold. Do not rely on these files.",
  "not shown": "No claim fails, and not every claim was decided.",
  proved: "Every claim that this page checks holds.",
};

const part = (id) => document.getElementById(id);

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== undefined) made.className = className;
  return made;
}

/** Return the files that were chosen, by their names inside the folder. */
async function chosenFiles(list) {
  return Promise.all(
    [...list].map(async (file) => {
      const path = file.webkitRelativePath || file.name;
      return [path.split("/").slice(path.includes("/") ? 1 : 0).join("/"), new Uint8Array(await file.arrayBuffer())];
    }),
  );
}

/** Return the files that were dropped: those of one folder, or single files. */
async function droppedFiles(items) {
  const found = [];
  const walk = async (entry, path) => {
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      found.push([path, new Uint8Array(await file.arrayBuffer())]);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const child of some) await walk(child, path === "" ? child.name : `${path}/${child.name}`);
    }
  };
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  for (const entry of entries) await walk(entry, entry.isFile ? entry.name : "");
  return found;
}

async function checked(entries, progress) {
  if (entries.length === 1 && entries[0][0] !== "manifest.json") return checkedFile(entries[0]);
  return checkFolder(new Files(entries), progress);
}

/** Check a certificate alone. */
async function checkedFile([name, bytes]) {
  const findings = new Findings();
  try {
    const certificate = await checkedCertificate(new Files([[name, bytes]]).text(name));
    const loss = certificate.epsilon === null ? `alpha = ${inWords(certificate.alpha)}` : `epsilon = ${inWords(certificate.epsilon)}`;
    findings.add("proved", name, `One cell: ${loss}, delta = ${inWords(certificate.delta)}, recomputed from the weights in integers.`);
    findings.add("stated", name, "The properties and the figures of utility, which discreet verify computes again.");
  } catch (error) {
    if (!(error instanceof Failure || error instanceof RangeError)) throw error;
    findings.add("fails", name, error.message);
  }
  return findings;
}

function show(findings) {
  const result = part("result");
  result.replaceChildren();
  const verdict = element("p", VERDICTS[findings.verdict], `verdict ${findings.verdict.replace(" ", "-")}`);
  verdict.tabIndex = -1;
  result.append(verdict);
  for (const [state, heading] of Object.entries(HEADINGS)) {
    const some = findings.list.filter((finding) => finding.state === state);
    if (some.length === 0) continue;
    const list = element("ul", "", state.replace(" ", "-"));
    for (const finding of some) {
      const item = element("li", "");
      if (state !== "stated") item.append(element("strong", `${finding.claim}: `));
      item.append(finding.text);
      list.append(item);
    }
    result.append(element("h2", heading), list);
  }
  verdict.focus();
}

async function run(read) {
  const status = part("status");
  const progress = async (claim) => {
    status.textContent = `Checking ${claim} ...`;
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  part("result").replaceChildren();
  await progress("the files");
  try {
    const entries = await read();
    if (entries.length === 0) {
      status.textContent = "There is no file. Choose the folder that holds manifest.json.";
      return;
    }
    const start = performance.now();
    show(await checked(entries, progress));
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    status.textContent = `${entries.length} ${entries.length === 1 ? "file" : "files"}, ${seconds} seconds.`;
  } catch (error) {
    status.textContent = `The files could not be read: ${error.message}. Choose the folder again.`;
  }
}

function start() {
  const zone = part("zone");
  for (const id of ["folder", "file"]) {
    part(id).addEventListener("change", (event) => run(() => chosenFiles(event.target.files)));
  }
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", kind === "dragover");
      if (kind === "drop") {
        const items = event.dataTransfer.items;
        const read = droppedFiles(items);
        run(() => read);
      }
    });
  }
}

start();
