// bundle.mjs SOURCE_FOLDER OUTPUT.cpp: bundles the page's script and style and writes them as C++ data. Run in the folder that holds node_modules.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const [source, output] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), 'package.json'));
const esbuild = require('esbuild');
const version = (name) => JSON.parse(readFileSync(path.join(process.cwd(), 'node_modules', name, 'package.json'), 'utf8')).version;
const banner = `/*! Charts: Apache ECharts ${version('echarts')}, Copyright The Apache Software Foundation, Apache License 2.0 (this product includes software developed at the Apache Software Foundation); `
  + `zrender ${version('zrender')}, Copyright Baidu Inc., BSD 3-Clause License; tslib, Copyright Microsoft Corporation, 0BSD. */`;

async function bundled(entry, extra) {
  const result = await esbuild.build({
    entryPoints: [path.join(source, entry)], bundle: true, minify: true, write: false, charset: 'ascii', target: 'es2021', legalComments: 'none', logLevel: 'warning',
    nodePaths: [path.join(process.cwd(), 'node_modules')], ...extra,
  });
  return result.outputFiles[0].text.trim();
}

// Inside <script> and <style> these would end the element or start a comment.
function inlinable(text, name) {
  const safe = text.replace(/<\/(script|style)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
  if (/<\/(script|style)|<!--/i.test(safe)) throw new Error(`${name} cannot stand inside an HTML page`);
  return safe;
}

function literal(text) {
  const pieces = text.match(/[^]{1,8000}/g) ?? [];
  return pieces.map((piece) => `  R"wl~(${piece})wl~"`).join('\n');
}

const script = inlinable(await bundled('client/main.js', { format: 'iife', define: { 'process.env.NODE_ENV': '"production"' }, banner: { js: banner } }), 'the script');
const style = inlinable(await bundled('client/page.css', {}), 'the style');
for (const text of [script, style]) if (text.includes(')wl~"')) throw new Error('the text ends a raw literal');
writeFileSync(output, `// Generated at build time by host/report/page/bundle.mjs.
#include "host/report/page/assets.h"

namespace waferloom::report::page {
namespace {

constexpr char kScript[] =
${literal(script)};

constexpr char kStyle[] =
${literal(style)};

}  // namespace

std::string_view page_script() { return {kScript, sizeof kScript - 1}; }
std::string_view page_style() { return {kStyle, sizeof kStyle - 1}; }

}  // namespace waferloom::report::page
`);
