/* browser.mjs: a Chromium, pages that complain, and what tests ask of a page. What follows from an event is waited for, never read
 * once: the page may be slower than the test. Waiting long costs nothing when all is well. */
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const LAUNCH_MS = 300000;                    /* the first start reads a few hundred megabytes, perhaps from a slow disk */
export const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120000);
const TRIES = 30;
export const LOOK = { timeout: 5000 };       /* for one try of many */

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGS, timeout: LAUNCH_MS });
}

/* A browser's messages about a refused load, and about a slow machine, are no complaints of the page. */
const HARMLESS = /net::ERR_|status of (400|401|403|404|503)|^\[Intervention\]/;

/* A page whose script errors and refused loads are kept in page.complaints: every test ends with only those it expects. */
export async function open(browser, url, { width = 1280, height = 800, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error.stack)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !HARMLESS.test(message.text())) { page.complaints.push(message.text()); }
  });
  page.on("dialog", (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(url);
  return page;
}

export async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

/* It is given up after the time and the tries: a machine that stood still for a while has used up the one, but not the other. */
export async function eventually(what, check, timeoutMs = PATIENCE_MS) {
  const until = Date.now() + timeoutMs;
  let last;
  for (let left = TRIES; ; left -= 1) {
    try {
      last = await check();
      if (last) { return last; }
    } catch (error) { last = error; }
    if (left <= 0 && Date.now() > until) { assert.fail(`${what}: not within ${timeoutMs} ms; last: ${last}`); }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/* The same with the two values in the message: read() becomes `want`. */
export async function becomes(what, read, want) {
  await eventually(what, async () => {
    assert.deepEqual(await read(), want);
    return true;
  });
}

export async function text(page, selector) { return (await page.textContent(selector, LOOK)).replace(/\s+/g, " ").trim(); }

export async function says(page, selector, pattern) {
  await eventually(`${selector} says ${pattern}`, async () => {
    assert.match(await text(page, selector), pattern);
    return true;
  });
}

export async function counts(page, selector, want) { await becomes(`elements ${selector}`, () => page.locator(selector).count(), want); }

/* The address is that of the page's own hash. */
export async function stands(page, hash) { await becomes("the address", () => page.evaluate(() => location.hash), hash); }

/* The link is up, and the first board is drawn. What a later board shows is for the test to wait for. */
export async function alive(page) { await page.waitForSelector("body:not(.loading) #alive[data-state=live]"); }

/* Goes to a hash of the page that is open. The page's own listener came first: when ours is called, the view is drawn. */
export async function visit(page, hash) {
  await page.evaluate((wanted) => new Promise((resolve) => {
    const before = location.href;
    addEventListener("hashchange", resolve, { once: true });
    location.hash = wanted;
    if (location.href === before) { resolve(); }
  }), hash);
}

/* "g", then a letter: a machine that is too slow for the pause between them types again. */
export async function chord(page, letter, view) {
  await eventually(`the view ${view}`, async () => {
    await page.keyboard.press("g");
    await page.keyboard.press(letter);
    return page.waitForSelector(`main > section.${view}`, LOOK);
  });
}

/* The pointer goes to the cell and the card beside it says all of these; from outside, because a card shows the state when it came. */
export async function pointAt(page, selector, words) {
  await eventually(`the card of ${selector}`, async () => {
    await page.mouse.move(1, 1);
    await page.hover(selector, LOOK);
    await page.waitForSelector("#card:not([hidden])", LOOK);
    const said = await text(page, "#card");
    for (const word of words) { assert.ok(word instanceof RegExp ? word.test(said) : said.includes(word), `${word} in ${said}`); }
    return true;
  });
}

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

/* The worst contrast of the lines from corner to corner of an element with what lies beside them, as the browser painted it: 1 is a line that
 * can't be seen. Each line is looked at in nine places; in each the nearest pixels above and below count, and the best of them is its contrast. */
export async function crossContrast(page, selector) {
  const picture = (await page.locator(selector).screenshot({ timeout: PATIENCE_MS })).toString("base64");
  return page.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
    const { width, height } = bitmap;
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, width, height);
    const light = (x, y) => {
      const at = 4 * (Math.round(y) * width + Math.round(x));
      const [r, g, b] = [...data.slice(at, at + 3)].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    let worst = Infinity;
    for (const falls of [true, false]) {
      for (let part = 0.2; part < 0.81; part += 0.075) {
        const x = part * (width - 1), y = (falls ? part : 1 - part) * (height - 1);
        const strip = [-3, -2, -1, 0, 1, 2, 3].map((away) => light(x, Math.min(height - 2, Math.max(1, y + away))));
        worst = Math.min(worst, Math.max(...[strip[2], strip[3], strip[4]].flatMap((line) => strip.map((beside) => contrast(line, beside)))));
      }
    }
    return worst;
  }, picture);
}
