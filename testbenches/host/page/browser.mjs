// Opens pages in Chromium and says what is wrong with them. Run in the folder that holds node_modules; see browser_test.mjs.
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const require = createRequire(path.join(process.cwd(), 'package.json'));
const { chromium } = require('playwright-core');

export function chromium_path() {
  for (const file of ['/usr/bin/chromium', '/usr/bin/chromium-browser']) if (existsSync(file)) return file;
  return null;
}

// As root Chromium has no sandbox; /dev/shm may be small.
export async function open_browser() {
  const args = ['--disable-dev-shm-usage', '--force-color-profile=srgb', '--font-render-hinting=none', '--disable-gpu'];
  if (process.getuid() === 0) args.push('--no-sandbox');
  return chromium.launch({ executablePath: chromium_path(), args, headless: true });
}

// Runs inside the page: every fault as a sentence.
/* eslint-env browser */
function faults_of_page({ narrow }) {
  const faults = [];
  const seen = (element) => {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    return style.visibility !== 'hidden' && style.display !== 'none' && box.width > 0 && box.height > 0;
  };
  const name_of = (element) => `<${element.tagName.toLowerCase()}${element.id ? ' id=' + element.id : ''}${element.className && typeof element.className === 'string' ? ' class=' + element.className : ''}> "${(element.textContent ?? '').trim().slice(0, 40)}"`;
  const overlap = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

  // Charts: all drawn, with marks in them, nothing outside, no text on text.
  const specs = JSON.parse(document.getElementById('charts').textContent);
  const boxes = [...document.querySelectorAll('.chart')];
  if (boxes.length !== specs.length) faults.push(`${specs.length} charts in the data, ${boxes.length} on the page`);
  if (document.documentElement.dataset.drawn !== String(specs.length)) faults.push('the script did not get to its end');
  for (const spec of specs) {
    const box = document.getElementById(spec.id);
    const what = `chart ${spec.id} (${spec.kind}, ${spec.title.slice(0, 40)})`;
    const svg = box?.querySelector('svg');
    if (!svg) {
      faults.push(`${what}: nothing is drawn`);
      continue;
    }
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter(seen);
    // Marks: shapes that are not as wide or as high as the whole (background, grid lines).
    const shapes = [...svg.querySelectorAll('path, rect, circle, polygon, polyline')].filter((e) => {
      const fill = e.getAttribute('fill');
      const stroke = e.getAttribute('stroke');
      const b = e.getBBox();
      const paint = (v) => v && v !== 'none' && v !== 'transparent';
      return !e.closest('defs, clipPath') && (paint(fill) || paint(stroke)) && e.getAttribute('fill-opacity') !== '0' && (b.width > 0 || b.height > 0);
    });
    const colours = new Set([...svg.querySelectorAll('path, rect, circle, polygon')].flatMap((e) => [e.getAttribute('fill'), e.getAttribute('stroke')]));
    const style = getComputedStyle(document.documentElement);
    const marks = spec.kind === 'heat' ? svg.querySelectorAll('path, rect').length > spec.width * spec.height * 0.9
      : [0, 1, 2, 3, 4, 5, 6, 7].some((i) => colours.has(style.getPropertyValue(`--c${i}`).trim()));
    if (!marks || shapes.length < 2) faults.push(`${what}: blank, no mark in a colour of the page`);
    if (texts.length < 2) faults.push(`${what}: no labels`);
    for (const text of texts) {
      const b = text.getBoundingClientRect();
      if (b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1) faults.push(`${what}: text outside the drawing: "${text.textContent}"`);
      if (/NaN|undefined|Infinity|\[object/.test(text.textContent)) faults.push(`${what}: label "${text.textContent}"`);
    }
    const places = texts.map((text) => text.getBoundingClientRect());
    for (let i = 0; i < texts.length; ++i) {
      for (let j = i + 1; j < texts.length; ++j) {
        if (overlap(places[i], places[j]) > 1.5) faults.push(`${what}: "${texts[i].textContent}" lies on "${texts[j].textContent}"`);
      }
    }
    for (const e of shapes) {
      if (e.closest('[clip-path]')) continue;
      const b = e.getBoundingClientRect();
      if (b.left < frame.left - 3 || b.right > frame.right + 3 || b.top < frame.top - 3 || b.bottom > frame.bottom + 3) {
        faults.push(`${what}: a shape outside the drawing`);
        break;
      }
    }
    if (box.getAttribute('role') !== 'img' || (box.getAttribute('aria-label') ?? '').length < 20) faults.push(`${what}: no words for a screen reader`);
    const rows = box.closest('figure')?.querySelectorAll('details table tbody tr').length ?? 0;
    if (rows < 1) faults.push(`${what}: no data table`);
  }

  // The page: no sideways scrolling, no two boxes of the layout on each other, no text cut off.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    const wide = [...document.querySelectorAll('main *, footer *')].find((e) => seen(e) && !e.closest('.wide, pre, svg, .bar') && e.getBoundingClientRect().right > width + 1);
    faults.push(`the page is wider than the window (${document.documentElement.scrollWidth} > ${width}): ${wide ? name_of(wide) : ''}`);
  }
  const groups = [[...document.querySelectorAll('main > *')], [...document.querySelectorAll('.hero > *')], ...[...document.querySelectorAll('.answers, .figures, .legend, .why, section.part')].map((e) => [...e.children]),
    ...[...document.querySelectorAll('.answers > li, figure')].map((e) => [...e.children])];
  for (const group of groups) {
    const shown = group.filter(seen);
    const places = shown.map((element) => element.getBoundingClientRect());
    for (let i = 0; i < shown.length; ++i) {
      for (let j = i + 1; j < shown.length; ++j) {
        if (overlap(places[i], places[j]) > 1) faults.push(`boxes overlap: ${name_of(shown[i])} and ${name_of(shown[j])}`);
      }
    }
  }
  for (const element of document.querySelectorAll('main h1, main h2, main h3, main p, main li, main figcaption, main .value, main .more, main dt, main dd')) {
    if (!seen(element) || element.closest('.unseen, .wide')) continue;
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline') faults.push(`text runs out of its box: ${name_of(element)}`);
  }

  // Structure and the keyboard.
  if (document.querySelectorAll('h1').length !== 1) faults.push('not exactly one h1');
  let level = 1;
  for (const head of document.querySelectorAll('h1, h2, h3')) {
    const now = Number(head.tagName[1]);
    if (now > level + 1) faults.push(`a heading skips a level: ${name_of(head)}`);
    level = now;
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.push('an id is used twice');
  for (const link of document.querySelectorAll('a[href]')) {
    const target = link.getAttribute('href');
    if (!target.startsWith('#') || !document.getElementById(decodeURIComponent(target.slice(1)))) faults.push(`a link to nowhere in this file: ${target}`);
  }
  for (const element of document.querySelectorAll('[tabindex]')) if (element.tabIndex > 0) faults.push(`tab order is forced: ${name_of(element)}`);
  for (const th of document.querySelectorAll('th')) if (!th.getAttribute('scope')) faults.push(`a table head without scope: ${name_of(th)}`);
  for (const tr of document.querySelectorAll('tbody tr')) {
    if (tr.children.length !== tr.closest('table').querySelectorAll('thead th').length) {
      faults.push(`a row with other columns than its head: ${name_of(tr)}`);
      break;
    }
  }

  // Contrast of the page's text against what lies behind it.
  const parts = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const f = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const c = parts(getComputedStyle(e).backgroundColor);
      if (c.length && (c.length < 4 || c[3] > 0)) return c;
    }
    return [255, 255, 255];
  };
  const poor = new Set();
  for (const element of document.querySelectorAll('main p, main li, main h1, main h2, main h3, main th, main td, main summary, main .origin, main .value small, main pre, header a, footer p')) {
    if (!seen(element)) continue;
    const [a, b] = [light(parts(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) poor.add(`contrast ${contrast.toFixed(1)} of ${name_of(element)}`);
  }
  faults.push(...[...poor].slice(0, 3));
  if (narrow && document.querySelector('.figures') && getComputedStyle(document.querySelector('.figures > *')).width === '0px') faults.push('no room for charts');
  return faults;
}

// What is wrong with the page `file` in one way of showing it. `change` may edit the page first (a function that runs inside it).
export async function check_page(browser, file, { width = 1280, dark = false, print = false, change = null, shot = null, whole = false, keyboard = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? 'dark' : 'light', offline: true, reducedMotion: 'reduce', locale: 'de-DE' });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) faults.push(`fetches ${request.url()}`);
  });
  await page.goto('file://' + path.resolve(file), { waitUntil: 'load' });
  if (print) {
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(() => 'print' in document.documentElement.dataset);
  }
  if (change) await page.evaluate(change);
  await page.waitForTimeout(120);
  faults.push(...await page.evaluate(faults_of_page, { narrow: width < 600 }));
  if (keyboard) faults.push(...await walk(page));
  if (print) {
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    if (paper !== 'rgb(255, 255, 255)') faults.push(`printed on ${paper}`);
  }
  if (shot) await page.screenshot({ path: shot, fullPage: whole });
  await context.close();
  return faults;
}

// Tab from the top: the skip link first, then the parts, the first screen's marks, every chart and table; arrow keys speak the values of a chart.
async function walk(page) {
  const faults = [];
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('Tab');
  const first = await page.evaluate(() => [document.activeElement.className, document.activeElement.getBoundingClientRect().left >= 0]);
  if (first[0] !== 'skip' || !first[1]) faults.push('the first stop of the keyboard is not a visible skip link');
  await page.keyboard.press('Enter');
  if (await page.evaluate(() => document.activeElement.id) !== 'main') faults.push('the skip link does not lead to the report');
  const charts = await page.evaluate(() => document.querySelectorAll('.chart').length);
  const reached = [];
  let last = -1;
  for (let i = 0; i < 600; ++i) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      return { chart: e.classList.contains('chart') ? e.id : null, body: e === document.body, order: [...document.querySelectorAll('*')].indexOf(e), outline: getComputedStyle(e).outlineStyle };
    });
    if (at.body) break;
    if (at.order < last) faults.push('the keyboard goes back');
    last = at.order;
    if (at.outline === 'none') faults.push('the focus cannot be seen');
    if (at.chart) reached.push(at.chart);
    if (at.chart && reached.length <= 12) {
      await page.keyboard.press('End');
      const spoken = await page.evaluate(() => document.getElementById('spoken').textContent);
      if (!/\d/.test(spoken)) faults.push(`${at.chart} speaks no value: "${spoken}"`);
      const tip = await page.evaluate((id) => [...document.querySelectorAll(`#${id} .tip-head`)].length, at.chart);
      if (tip < 1) faults.push(`${at.chart} shows no value on the keyboard`);
      await page.keyboard.press('Escape');
    }
  }
  if (reached.length !== charts) faults.push(`the keyboard reaches ${reached.length} of ${charts} charts`);
  return faults;
}
