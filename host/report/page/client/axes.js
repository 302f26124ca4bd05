// What all charts share: axes, margins, tooltips. `ctx` is {width, narrow, colours}: the width of the figure in pixels, whether names have no room beside bars, the palette.
import { escaped, full, short } from './format.js';

const kFontSize = 12;
let ruler = null;

export function text_width(text, ctx) {
  ruler ??= document.createElement('canvas').getContext('2d');
  ruler.font = `${kFontSize}px ${ctx.colours.font}`;
  return ruler.measureText(text).width;
}

// Cut to fit, with an ellipsis; the tooltip and the table have the whole.
export function fitted(text, room, ctx) {
  if (text_width(text, ctx) <= room) return text;
  let cut = text;
  while (cut.length > 1 && text_width(cut + '…', ctx) > room) cut = cut.slice(0, -1);
  return cut.trimEnd() + '…';
}

export function label_style(ctx) {
  return { color: ctx.colours.soft, fontSize: kFontSize, fontFamily: ctx.colours.font };
}

// `axis` is {name, unit, scale: "linear" | "log", categories?, whole?, tight?}; tight: the ends are no round numbers and get no label; `main` whether grid lines start from it.
export function value_axis(axis, ctx, main, extra = {}) {
  const log = axis.scale === 'log';
  return {
    type: log ? 'log' : 'value',
    min: axis.min, max: axis.max, scale: axis.fit === true,
    minInterval: axis.whole ? 1 : undefined,
    splitNumber: ctx.narrow ? 3 : 5,
    axisLine: { show: !main, lineStyle: { color: ctx.colours.rule } },
    axisTick: { show: false },
    splitLine: { show: main, showMinLine: axis.tight !== true, showMaxLine: axis.tight !== true, lineStyle: { color: ctx.colours.rule, width: 1 } },
    minorTick: { show: false },
    axisLabel: { ...label_style(ctx), margin: 12, hideOverlap: true, showMinLabel: axis.tight ? false : null, showMaxLabel: axis.tight ? false : null, formatter: (v) => short(v, axis.unit) },
    ...extra,
  };
}

export function category_axis(names, ctx, extra = {}) {
  return {
    type: 'category', data: names,
    axisLine: { lineStyle: { color: ctx.colours.rule } }, axisTick: { show: false }, splitLine: { show: false },
    axisLabel: { ...label_style(ctx), hideOverlap: true },
    ...extra,
  };
}

export function x_name(axis, ctx) {
  return { name: axis.name ? fitted(axis.name, ctx.width * 0.7, ctx) : undefined, nameLocation: 'middle', nameGap: 30, nameTextStyle: label_style(ctx) };
}

// Room for the labels of a vertical value axis that may go up to `extremes`.
export function left_room(extremes, axis, ctx) {
  const widths = [];
  for (const v of extremes) {
    if (!Number.isFinite(v)) continue;
    widths.push(text_width(short(v, axis.unit), ctx), text_width(short(v * 0.75, axis.unit), ctx));
  }
  return Math.ceil(Math.min(Math.max(40, ...widths) + 14, ctx.width * 0.3));
}

export function tooltip(ctx, extra = {}) {
  return {
    confine: true, renderMode: 'html', backgroundColor: ctx.colours.paper, borderColor: ctx.colours.rule, borderWidth: 1, padding: [8, 10],
    textStyle: { color: ctx.colours.ink, fontSize: 13, fontFamily: ctx.colours.font },
    extraCssText: 'box-shadow:0 4px 16px rgba(0,0,0,.18);max-width:280px;white-space:normal;border-radius:8px;',
    transitionDuration: 0,
    ...extra,
  };
}

// A tooltip's HTML: a head, then rows of [colour index or null, name, value text].
export function tip(head, rows, ctx) {
  const lines = rows.map(([colour, name, value]) =>
    `<div class="tip-row"><span>${colour === null ? '' : `<i style="background:${ctx.colours.series[colour]}"></i>`}${escaped(name)}</span><b>${escaped(value)}</b></div>`);
  return `<div class="tip-head">${escaped(head)}</div>${lines.join('')}`;
}

export function spoken(head, rows) {
  return `${head}: ${rows.map(([, name, value]) => `${name} ${value}`).join(', ')}`;
}

export { full, short };
