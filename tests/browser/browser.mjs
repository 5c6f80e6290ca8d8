/* browser.mjs: a Chromium, pages that complain, and what tests ask of a page. */
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGS });
}

/* A page whose script errors and refused loads are kept in page.complaints: every test ends with none but those it expects. */
export async function open(browser, url, { width = 1280, height = 800, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error.stack)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/net::ERR_|status of (401|403|404|503)/.test(message.text())) { page.complaints.push(message.text()); }
  });
  page.on("dialog", (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(url);
  page.setDefaultTimeout(10000);
  return page;
}

export async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

export async function eventually(what, check, timeoutMs = 10000) {
  const until = Date.now() + timeoutMs;
  let last;
  for (;;) {
    try {
      last = await check();
      if (last) { return last; }
    } catch (error) { last = error; }
    if (Date.now() > until) { assert.fail(`${what}: not within ${timeoutMs} ms; last: ${last}`); }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/* The link is up, and the first board is drawn. What a later board shows is for the test to wait for. */
export async function alive(page) { await page.waitForSelector("body:not(.loading) #alive[data-state=live]"); }

export async function text(page, selector) { return (await page.textContent(selector)).replace(/\s+/g, " ").trim(); }

export async function sidewaysScroll(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/* Every text that can be seen with less contrast than 4.5 to what lies behind it (WCAG 1.4.3), as "ratio text (class)". */
export async function faintTexts(page) {
  return page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const colour = (css) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], back) => [r, g, b].map((v, i) => v * a + back[i] * (1 - a));
    const light = (rgb) => {
      const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => (node === null ? [255, 255, 255] : over(colour(getComputedStyle(node).backgroundColor), behind(node.parentElement)));
    const faint = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const node = text.parentElement;
      const style = getComputedStyle(node);
      if (text.textContent.trim() === "" || parseFloat(style.fontSize) === 0 || !node.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) || style.clipPath !== "none") { continue; }
      const back = behind(node);
      const [a, b] = [light(over(colour(style.color), back)), light(back)].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      if (ratio < 4.5) { faint.push(`${ratio.toFixed(2)} "${text.textContent.trim().slice(0, 30)}" (${node.tagName}.${node.className})`); }
    }
    return faint;
  });
}
