// A reader's journey through the explorer, by mouse or by keyboard alone. Standard input: {"browser", "address", "journey"}.
// Standard output: what the reader saw at every step, the downloaded file, and everything that went wrong.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, address, journey } = JSON.parse(readFileSync(0, "utf8"));
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const timeout = 120_000; // milliseconds: a busy machine is slow
const browser = await chromium.launch({ executablePath, args, headless: true, timeout });
const context = await browser.newContext({ acceptDownloads: true, locale: "en-GB" });
const page = await context.newPage();
page.setDefaultTimeout(timeout);
const wrong = [];
const steps = [];
page.on("pageerror", (error) => wrong.push(`script: ${error.message}`));
page.on("console", (message) => { if (message.type() === "error") wrong.push(message.text()); });
page.on("request", (request) => {
  if (new URL(request.url()).origin !== new URL(address).origin) wrong.push(`request to ${request.url()}`);
});

// What the page shows: its address, the headings of rows and columns, and the counts.
async function seen(name) {
  steps.push({
    name,
    query: new URL(page.url()).search,
    table: await page.locator("#answer tbody tr").evaluateAll((rows) => rows.map((row) =>
      [...row.querySelectorAll("th, td > span")].map((cell) => cell.textContent.trim()))),
    heads: await page.locator("#answer thead th").allTextContents(),
    focused: await page.evaluate(() => document.activeElement.id || document.activeElement.tagName),
    alert: await page.locator("[role=alert]").allTextContents(),
  });
}

// Do something that changes the table, and wait until htmx has put the new part in.
async function changing(action) {
  await page.evaluate(() => { document.querySelector("#view").dataset.old = "yes"; });
  await action();
  await page.waitForSelector("#view:not([data-old])");
  await page.waitForFunction(() => !document.querySelector(".htmx-request, .htmx-settling, .htmx-swapping"));
}

async function downloaded(action) {
  const [download] = await Promise.all([page.waitForEvent("download"), action()]);
  return readFileSync(await download.path(), "utf8");
}

// Press Tab until something has the focus, as a reader without a mouse does.
async function tabTo(selector) {
  for (let pressed = 0; pressed < 400; pressed += 1) {
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${selector}`);
}
const press = async (selector, key) => { await tabTo(selector); await page.keyboard.press(key); };

const chip = (name) => `.chip[data-name="${name}"]`;
let file = "";

async function byMouse() {
  await page.click('.card h2 a[href*="plain-2026"]');
  await page.waitForSelector("#view");
  await seen("first");
  await changing(() => page.click(`${chip("age")} button[data-zone=out]`));
  await changing(() => page.click(`${chip("sex")} button[data-zone=columns]`));
  await changing(() => page.selectOption(`${chip("area")} select`, "area=region"));
  await seen("regions");
  await page.click(`${chip("age")} summary`);
  await changing(() => page.check(`${chip("age")} input[value="age=young"]`));
  await seen("narrowed");
  await page.dragAndDrop(`${chip("sex")} .name`, '.zone[data-zone="rows"]', { targetPosition: { x: 20, y: 8 } });
  await page.waitForSelector(`.zone[data-zone="rows"] ${chip("sex")}`);
  await seen("dragged");
  await changing(() => page.click("#pivot"));
  await changing(() => page.click(`${chip("sex")} button[data-zone=rows]`));
  await changing(() => page.selectOption("#chart", "bars"));
  await seen("charted");
  await page.reload();
  await seen("reloaded");
  file = await downloaded(() => page.click('a[download]:has-text("CSV")'));
  await page.goBack();
  await page.waitForSelector("#view");
  await seen("back");
}

async function byKeyboard() {
  await press('.card h2 a[href*="plain-2026"]', "Enter");
  await page.waitForSelector("#view");
  await changing(() => press(`${chip("age")} button[data-zone=out]`, "Enter"));
  await seen("taken out");
  await changing(() => press(`${chip("sex")} button[data-zone=columns]`, "Space"));
  await changing(() => press(`${chip("area")} select`, "ArrowDown"));
  await seen("regions");
  await press(`${chip("age")} summary`, "Enter");
  await changing(() => press(`${chip("age")} input[value="age=young"]`, "Space"));
  await seen("narrowed");
  file = await downloaded(() => press("a[download][href*='table.csv']", "Enter"));
}

// The site without a server: its script puts the table together.
async function bySite() {
  const settled = () => page.waitForSelector("#answer table");
  await page.click('.card h2 a[href*="plain-2026"]');
  await settled();
  await seen("first");
  await page.click("#out-1");
  await page.waitForSelector(`.zone[data-zone="out"] #chip-1`);
  await page.click("#chip-2 summary");
  await page.check("#keep-2-0");
  await page.waitForSelector("#chip-2 details[open] #keep-2-0:checked");
  await seen("narrowed");
  await page.reload();
  await settled();
  await seen("reloaded");
  file = await downloaded(() => page.click("a[download][href='people.csv']"));
  await page.goBack();
  await settled();
  await seen("back");
}

await page.goto(address, { timeout });
await { mouse: byMouse, keyboard: byKeyboard, site: bySite }[journey]();
await browser.close();
process.stdout.write(JSON.stringify({ steps, file, wrong }));
