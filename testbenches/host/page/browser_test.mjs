// browser_test.mjs SAMPLES_PROGRAM SCRATCH_FOLDER [SHOTS_FOLDER]: pages that the program made, in Chromium.
// Every page in a wide and a narrow window, light and dark, and printed; the keyboard on the main ones. Then each check is broken once on purpose and must complain.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { check_page, chromium_path, open_browser } from './browser.mjs';

const [program, scratch, shots] = process.argv.slice(2);
if (!chromium_path()) {
  console.error('error: no Chromium: apt-get install chromium (or run scripts/setup --tests)');
  process.exit(1);
}
mkdirSync(scratch, { recursive: true });
execFileSync(program, [scratch]);
const pages = readdirSync(scratch).filter((n) => n.endsWith('.html')).sort();

let checks = 0;
let failures = 0;
const expect = (good, text) => {
  ++checks;
  if (good) return;
  ++failures;
  console.error(`FAILED: ${text}`);
};

// What a part of the page is named, to be shot for the documents.
const browser = await open_browser();
for (const name of pages) {
  const file = path.join(scratch, name);
  const text = readFileSync(file, 'utf8');
  expect(text.length < 1_200_000, `${name}: ${text.length} bytes`);
  expect(!/<[a-z]+\b[^>]*\s(src|href)="(?!#|data:,")/i.test(text.replace(/<script>[^]*?<\/script>/g, '')), `${name}: refers to something outside`);
  const main = /^(run|projection|comparison|kernels)\.html$/.test(name);
  for (const width of [1280, 390]) {
    for (const dark of [false, true]) {
      if (!main && dark !== (width === 390)) continue;  // the main pages in all four ways, the others in two
      const shot = shots && `${shots}/${name.replace('.html', '')}-${width}-${dark ? 'dark' : 'light'}.png`;
      const faults = await check_page(browser, file, { width, dark, shot, whole: true, keyboard: main && width === 1280 && !dark });
      expect(faults.length === 0, `${name} at ${width}, ${dark ? 'dark' : 'light'}:\n  ${faults.slice(0, 12).join('\n  ')}`);
    }
  }
  const faults = await check_page(browser, file, { width: 760, dark: true, print: true, shot: shots && `${shots}/${name.replace('.html', '')}-print.png`, whole: true });
  expect(faults.length === 0, `${name} printed:\n  ${faults.slice(0, 12).join('\n  ')}`);
}

// Each check can fail: what is done to the page, and what must be said.
const BREAKS = [
  ['an empty chart', () => { document.querySelector('.chart').innerHTML = ''; }, /nothing is drawn/],
  ['a blank drawing', () => { const s = document.querySelector('.chart svg'); s.innerHTML = '<text x="20" y="20">a</text><text x="20" y="60">b</text>'; }, /blank/],
  ['a chart that is not there', () => { document.querySelector('.chart').remove(); }, /charts in the data/],
  ['text over text in a chart', () => { const [a, b] = document.querySelectorAll('.chart text'); b.textContent = a.textContent; for (const n of ['x', 'y', 'transform', 'style']) { b.removeAttribute(n); if (a.hasAttribute(n)) b.setAttribute(n, a.getAttribute(n)); } }, /lies on/],
  ['text cut by the drawing', () => { const t = document.querySelector('.chart text'); t.setAttribute('transform', 'translate(-30 20)'); }, /outside the drawing/],
  ['an overlapping box', () => { document.querySelectorAll('.answers > li')[1].style.marginLeft = '-60px'; }, /boxes overlap/],
  ['a page too wide', () => { document.querySelector('main p').style.minWidth = '3000px'; }, /wider than the window/],
  ['a console error', () => { console.error('broken'); }, /console: broken/],
  ['a script error', () => { setTimeout(() => { throw new Error('late'); }, 0); }, /script: late/],
  ['a fetch', () => { const i = new Image(); i.src = 'https://example.org/a.png'; }, /console|fetches/],
  ['a chart without words', () => { document.querySelector('.chart').removeAttribute('aria-label'); }, /screen reader/],
  ['a chart without a table', () => { document.querySelector('figure details').remove(); }, /no data table/],
  ['poor contrast', () => { document.querySelector('main p').style.color = '#bbb'; }, /contrast/],
  ['a link to nowhere', () => { document.querySelector('.bar a').setAttribute('href', '#nowhere'); }, /link to nowhere/],
  ['a NaN label', () => { document.querySelector('.chart text').textContent = 'NaN'; }, /label "NaN"/],
  ['a forced tab order', () => { document.querySelector('.chart').tabIndex = 3; }, /tab order/],
];
for (const [what, change, words] of BREAKS) {
  const faults = await check_page(browser, path.join(scratch, 'run.html'), { change });
  expect(faults.some((f) => words.test(f)), `${what} was not noticed: ${faults.join('; ')}`);
}
const unreachable = await check_page(browser, path.join(scratch, 'run.html'), { keyboard: true, change: () => { document.querySelector('.chart').removeAttribute('tabindex'); } });
expect(unreachable.some((f) => /keyboard reaches/.test(f)), 'a chart out of reach of the keyboard was not noticed');
await browser.close();
console.log(`${pages.length} pages, ${checks} checks, ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
