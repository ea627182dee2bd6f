// The page: a folder or a certificate is dropped or chosen, and the findings are shown in words.

import { checkedCertificate } from "./certificate.js";
import { Failure, Findings } from "./failure.js";
import { checkFolder, Files } from "./folder.js";
import { inWords } from "./fraction.js";
import { claimName, inLanguage, LANGUAGES, readersLanguage } from "./texts.js";

const STATES = ["fails", "not shown", "proved", "stated"];

const part = (id) => document.getElementById(id);
const page = { language: readersLanguage(navigator.languages ?? []), findings: null, status: null };
const say = (name, values) => inLanguage(page.language, name, values);

function element(name, text, className) {
  const created = document.createElement(name);
  created.textContent = text;
  if (className !== undefined) created.className = className;
  return created;
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
    findings.add("proved", name, "certificate_alone", { loss, delta: inWords(certificate.delta) });
    findings.add("stated", name, "certificate_rest");
  } catch (error) {
    if (!(error instanceof Failure || error instanceof RangeError)) throw error;
    findings.addFailure(name, error.message);
  }
  return findings;
}

/** Show the findings, in the language of the page. */
function showFindings() {
  const result = part("result");
  result.replaceChildren();
  if (page.findings === null) return;
  const { verdict, list, failures } = page.findings;
  const conclusion = element("p", say(`verdict_${verdict}`), `verdict ${verdict.replace(" ", "-")}`);
  conclusion.tabIndex = -1;
  result.append(conclusion);
  const note = say("in_english");
  if (failures.length > 0 && note !== "") result.append(element("p", note));
  for (const state of STATES) {
    const own = list.filter((finding) => finding.state === state);
    if (own.length === 0) continue;
    const items = element("ul", "", state.replace(" ", "-"));
    items.append(...own.map(listItem));
    result.append(element("h2", say(state)), items);
  }
}

function listItem(finding) {
  const item = element("li", "");
  if (finding.state !== "stated") item.append(element("strong", `${claimName(page.language, finding.claim)}: `));
  const text = element("span", finding.state === "fails" ? finding.text : say(finding.name, finding.values));
  if (finding.state === "fails") text.lang = "en";
  item.append(text);
  return item;
}

/** Show a text as the state of the page, and again in another language when the reader changes it. */
function showStatus(name, values) {
  page.status = { name, values };
  const claim = values?.claim === undefined ? {} : { claim: claimName(page.language, values.claim) };
  part("status").textContent = say(name, { ...values, ...claim });
}

/** Write every fixed text in a language, and what is shown. */
function inNewLanguage(language) {
  page.language = language;
  document.documentElement.lang = language;
  document.title = say("title");
  for (const own of document.querySelectorAll("[data-text]")) own.textContent = say(own.dataset.text);
  part("languages").ariaLabel = say("languages");
  part("result").ariaLabel = say("result");
  for (const button of part("languages").children) button.ariaPressed = String(button.lang === language);
  if (page.status !== null) showStatus(page.status.name, page.status.values);
  showFindings();
}

async function run(read) {
  const progress = async (claim) => {
    showStatus("checking", { claim });
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  page.findings = null;
  showFindings();
  await progress("files");
  try {
    const entries = await read();
    if (entries.length === 0) {
      showStatus("no_file");
      return;
    }
    const start = performance.now();
    page.findings = await checked(entries, progress);
    showFindings();
    part("result").firstChild.focus();
    showStatus("duration", { count: entries.length, seconds: (performance.now() - start) / 1000 });
  } catch (error) {
    showStatus("unreadable", { reason: error.message });
  }
}

function start() {
  for (const [language, name] of Object.entries(LANGUAGES)) {
    const button = element("button", name);
    button.type = "button";
    button.lang = language;
    button.addEventListener("click", () => inNewLanguage(language));
    part("languages").append(button);
  }
  inNewLanguage(page.language);
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
