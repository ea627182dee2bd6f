// Go through the workbench in Chromium. Standard input: {"browser", "address", "journey"}; standard output: what was seen.
// A journey is a list of steps: ["goto", page], ["click", role, name], ["fill", label, text], ["check", label],
// ["press", key, ...], ["tab", name]: press Tab until the element of this name has the focus, ["wait", text], ["look"]: axe and sideways
// scrolling in all widths and colours, ["text", selector]: the words of an element.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const { browser: executablePath, address, journey, scripts = true } = JSON.parse(readFileSync(0, "utf8"));
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const timeout = 120_000; // milliseconds: a busy machine is slow
const browser = await chromium.launch({ executablePath, args, headless: true, timeout });
const context = await browser.newContext({ reducedMotion: "reduce", javaScriptEnabled: scripts, locale: "en" });
context.setDefaultTimeout(timeout);
const page = await context.newPage();
const wrong = new Set(), seen = [];
const origin = new URL(address).origin;
page.on("request", (request) => {
  const target = new URL(request.url());
  if (!["data:", "blob:"].includes(target.protocol) && target.origin !== origin) wrong.add(`request to ${target.origin}`);
});
page.on("pageerror", (error) => wrong.add(`script: ${error.message}`));
page.on("console", (message) => {
  if (message.type() === "error" && !/status of 4\d\d|ERR_CONNECTION|^htmx:/.test(message.text())) wrong.add(`console: ${message.text()}`);
});
page.on("response", (response) => {
  if (response.status() >= 500) wrong.add(`${response.status()}: ${response.url()}`);
});
await page.goto(address);
const root = page.url();

// Wait until a click or a key has had its effect.
async function settled() {
  await page.waitForTimeout(150);
  await page.waitForLoadState("networkidle");
}

const steps = {
  goto: (path) => page.goto(root + path),
  click: (role, name) => page.getByRole(role, { name, exact: true }).first().click().then(settled),
  fill: (label, text) => page.getByLabel(label, { exact: true }).first().fill(text),
  check: (label) => page.getByLabel(label, { exact: true }).first().check(),
  press: async (...keys) => { for (const key of keys) await page.keyboard.press(key); await settled(); },
  type: (text) => page.keyboard.insertText(text),
  tab: async (name) => {
    for (let i = 0; i < 200; i++) {
      await page.keyboard.press("Tab");
      const words = await page.evaluate(() => {
        const at = document.activeElement;
        return `${at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent}`.trim();
      });
      if (words.startsWith(name)) return;
    }
    wrong.add(`the Tab key never reaches ${name}`);
  },
  end: async (id) => { process.kill(Number(id), "SIGINT"); await page.waitForTimeout(4000); },
  wait: (text) => page.getByText(text).first().waitFor(),
  text: async (selector) => { seen.push((await page.locator(selector).first().innerText()).replace(/\s+/g, " ")); },
  picture: async (file, width, height, scheme) => {
    await page.waitForLoadState("networkidle");
    await page.emulateMedia({ colorScheme: scheme ?? "light", reducedMotion: "reduce" });
    await page.setViewportSize({ width, height });
    await page.screenshot({ path: file });
  },
  url: async () => { seen.push(page.url().replace(root, "")); },
  look: async () => {
    await page.waitForLoadState("networkidle");
    await page.evaluate(axe);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const width of [1920, 1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        for (const { id, help, nodes } of violations)
          wrong.add(`${page.url().replace(root, "/")} ${width} px, ${colorScheme}: axe ${id}: ${help}: first at ${nodes[0].html.slice(0, 200)}`);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (beyond > 0) wrong.add(`${page.url().replace(root, "/")} ${width} px: scrolls sideways by ${beyond} px`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  },
};
for (const [step, ...values] of journey) {
  try {
    await steps[step](...values);
  } catch (error) {
    wrong.add(`${step} ${values.join(" ")} at ${page.url().replace(root, "/")}: ${error.message.slice(0, 400)}`);
    seen.push((await page.locator("main").innerText().catch(() => "")).slice(0, 1500));
    break;
  }
}
const cookies = await page.evaluate(() => document.cookie).catch(() => "");
if (cookies) wrong.add(`a script can read the cookie ${cookies}`);
await browser.close();
process.stdout.write(JSON.stringify({ wrong: [...wrong], seen }));
