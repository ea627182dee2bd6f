// Open pages in Chromium and look for what is wrong: violations of axe-core, sideways scrolling, requests to other hosts,
// missing files, errors of scripts. Standard input: {"browser": PATH, "visits": [{"url", "widths", "schemes"}]}.
// Standard output: a list of texts for each visit.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const { browser: executablePath, visits } = JSON.parse(readFileSync(0, "utf8"));
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const timeout = 120_000; // milliseconds: a busy machine is slow
const browser = await chromium.launch({ executablePath, args, headless: true, timeout });

// Load a page in each colour, as a reader who was never there before, and look at it in every width.
async function visit({ url, widths, schemes }) {
  const found = new Set();
  for (const scheme of schemes) {
    const context = await browser.newContext({ colorScheme: scheme, reducedMotion: "reduce" });
    await look(await context.newPage(), url, widths, scheme, scheme === schemes[0], found);
    await context.close();
  }
  return [...found];
}

async function look(page, url, widths, scheme, isFirst, found) {
  page.on("request", (request) => {
    const target = new URL(request.url());
    if (!["data:", "blob:"].includes(target.protocol) && target.origin !== new URL(url).origin) found.add(`request to ${target.origin}`);
  });
  page.on("response", (response) => {
    const isRefusedPage = response.status() === 422 && response.request().isNavigationRequest(); // pages that explain a refusal
    if (response.status() >= 400 && !isRefusedPage) found.add(`${response.status()}: ${response.url()}`);
  });
  page.on("pageerror", (error) => found.add(`script: ${error.message}`));
  await page.goto(url, { waitUntil: "load", timeout });
  const [red, green, blue, opacity] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number));
  const isDark = opacity !== 0 && red + green + blue < 300;
  if (isDark !== (scheme === "dark")) found.add(`the page ignores the wish for ${scheme} colours`);
  await page.evaluate(axe);
  await page.evaluate(() => document.querySelectorAll("main details").forEach((details) => (details.open = true)));
  const only = isFirst ? undefined : { type: "rule", values: ["color-contrast"] }; // all that colours change
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const { violations } = await page.evaluate((runOnly) => window.axe.run(document, { runOnly, resultTypes: ["violations"] }), only);
    for (const { id, help, nodes } of violations)
      found.add(`${width} px, ${scheme}: axe ${id}: ${help}: ${nodes.length} times, first at ${nodes[0].target.join(" ")}: ${nodes[0].html.slice(0, 200)}`);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (beyond > 0) found.add(`${width} px: scrolls sideways by ${beyond} px`);
  }
}

const results = [];
for (const each of visits) results.push(await visit(each));
await browser.close();
process.stdout.write(JSON.stringify(results));
