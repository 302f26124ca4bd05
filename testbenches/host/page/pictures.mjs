// pictures.mjs WAFERLOOM SOURCE SCRATCH_FOLDER IMAGES_FOLDER: the pictures of docs/user/report.md, from true results: a projection and the digits run
// (about two minutes) are made in the scratch folder, unless they are there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { open_browser } from './browser.mjs';

const [program, source, scratch, images] = process.argv.slice(2);
mkdirSync(scratch, { recursive: true });
const RESULTS = { projection: ['report', 'gpt3-13b-cs2'], run: ['run', 'digits-8x8'] };
for (const [name, [command, run]] of Object.entries(RESULTS)) {
  const folder = path.join(scratch, name);
  if (!existsSync(path.join(folder, 'report.html'))) execFileSync(program, [command, path.join(source, `configs/runs/${run}.yaml`), '-o', folder], { stdio: 'inherit' });
}
const browser = await open_browser();

// File, page, width, scheme, height of the window, and the part that is shown (none: the window).
const PICTURES = [
  ['report-projection', 'projection', 1000, 'light', 760, null],
  ['report-timeline', 'projection', 1000, 'light', 700, '#step-timeline'],
  ['report-scaling', 'projection', 1000, 'dark', 700, '#scaling .figures'],
  ['report-run', 'run', 1000, 'dark', 640, null],
  ['report-array', 'run', 1000, 'light', 700, '#the-array-that-was-measured figure'],
  ['report-phone', 'projection', 390, 'light', 780, null],
];
for (const [name, page_name, width, scheme, height, part] of PICTURES) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, offline: true });
  const page = await context.newPage();
  await page.goto('file://' + path.resolve(scratch, page_name, 'report.html'), { waitUntil: 'load' });
  const file = `${images}/${name}.png`;
  if (part) await page.locator(part).first().screenshot({ path: file });
  else await page.screenshot({ path: file });
  await context.close();
}
await browser.close();
