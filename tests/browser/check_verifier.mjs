// Open the verifier from its file, without a network, and give it folders. Standard input: {"browser", "page", "folders"}.
// Standard output: for each folder what the page says, and requests to anything but the page.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { browser: executablePath, page: file, folders } = JSON.parse(readFileSync(0, "utf8"));
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const timeout = 120_000; // milliseconds: a busy machine is slow
const browser = await chromium.launch({ executablePath, args, headless: true, timeout });
const results = [];
for (const folder of folders) {
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => wrong.push(message.text()));
  page.on("request", (request) => {
    if (request.url() !== pathToFileURL(file).href) wrong.push(request.url());
  });
  await page.goto(pathToFileURL(file).href, { timeout });
  await page.setInputFiles("#folder", folder);
  await page.waitForSelector(".verdict", { timeout });
  const languages = {};
  const focused = await page.evaluate(() => document.activeElement.className);
  for (const language of ["de", "fr", "es", "en"]) {
    await page.click(`#languages button[lang=${language}]`, { timeout });
    languages[language] = {
      lang: await page.evaluate(() => document.documentElement.lang),
      title: await page.title(),
      verdict: await page.textContent(".verdict"),
      items: await page.locator("#result li").count(),
    };
  }
  results.push({
    languages,
    verdict: await page.textContent(".verdict"),
    focused,
    fails: await page.locator("ul.fails li").allTextContents(),
    proved: await page.locator("ul.proved li").allTextContents(),
    wrong,
  });
  await context.close();
}
await browser.close();
process.stdout.write(JSON.stringify(results));
