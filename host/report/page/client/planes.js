// Charts over a plane: the timeline of a step, the heat map of an array, the roofline.
import { category_axis, full, label_style, left_room, short, spoken, text_width, tip, tooltip, value_axis, x_name } from './axes.js';
import { row_axis } from './bars.js';
import { echarts } from './core.js';

// `spans` are [row, begin, end, colour, label].
export function spans(spec, ctx) {
  const rows = row_axis(spec.rows, ctx);
  const first = Math.min(...spec.spans.map((s) => s[1]));
  const last = Math.max(...spec.spans.map((s) => s[2]));
  const pad = (last - first) * 0.01;
  const plot = spec.rows.length * (rows.row + 6);
  const words = (i) => {
    const [, begin, end, , label] = spec.spans[i];
    return [[null, label, ''], [null, 'from', full(begin, spec.x.unit)], [null, 'to', full(end, spec.x.unit)], [null, 'takes', full(end - begin, spec.x.unit)]];
  };
  return {
    height: plot + 12 + (spec.x.name ? 50 : 32),
    option: {
      grid: { left: rows.left, right: 24, top: 10, height: plot },
      xAxis: value_axis({ ...spec.x, min: first - pad, max: last + pad, tight: true }, ctx, true, x_name(spec.x, ctx)),
      yAxis: rows.axis,
      tooltip: tooltip(ctx, { trigger: 'item', formatter: (p) => tip(spec.rows[spec.spans[p.dataIndex][0]], words(p.dataIndex), ctx) }),
      series: [{
        type: 'custom', clip: true, encode: { x: [1, 2], y: 0 }, data: spec.spans.map((s) => [s[0], s[1], s[2]]),
        renderItem: (params, api) => {
          const span = spec.spans[params.dataIndex];
          const [x0, y] = api.coord([span[1], span[0]]);
          const [x1] = api.coord([span[2], span[0]]);
          const half = 9;
          const area = params.coordSys;
          const shape = echarts.graphic.clipRectByRect({ x: x0, y: y - half, width: Math.max(0.75, x1 - x0), height: 2 * half }, area);
          return shape && { type: 'rect', shape, style: { fill: ctx.colours.series[span[3]], stroke: ctx.colours.paper, lineWidth: x1 - x0 > 4 ? 0.6 : 0 } };
        },
      }],
    },
    stops: spec.spans.map((s, i) => ({ seriesIndex: 0, dataIndex: i, text: spoken(spec.rows[s[0]], words(i)) })),
  };
}

export function heat(spec, ctx) {
  const left = 34;
  const across = Math.min(ctx.width - left - 8, 460);
  const cell = Math.max(2, Math.min(across / spec.width, 440 / spec.height, 56));
  const names = (count, each) => Array.from({ length: count }, (_, i) => String(i * each));
  const finite = spec.values.filter((v) => v !== null);
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  const label = cell >= 36;
  const name_of = (i) => {
    const x = i % spec.width;
    const y = Math.floor(i / spec.width);
    const s = spec.block ?? 1;
    return s > 1 ? `tiles x ${x * s} to ${Math.min(x * s + s, spec.full_width) - 1}, y ${y * s} to ${Math.min(y * s + s, spec.full_height) - 1}` : `tile x ${x}, y ${y}`;
  };
  const words = (i) => [[null, spec.block > 1 ? 'mean' : 'value', full(spec.values[i], spec.unit)]];
  // Every so many cells a label, so that they do not touch.
  const axis = (count, each, room, extra) => category_axis(names(count, each), ctx, { axisLine: { show: false }, axisLabel: { ...label_style(ctx), interval: Math.ceil(room / cell) - 1 }, ...extra });
  return {
    height: Math.ceil(cell * spec.height) + 52,
    option: {
      grid: { left, top: 6, width: cell * spec.width, height: cell * spec.height },
      xAxis: axis(spec.width, spec.block ?? 1, 30, { name: 'x (east)', nameLocation: 'middle', nameGap: 24, nameTextStyle: label_style(ctx) }),
      yAxis: axis(spec.height, spec.block ?? 1, 17, { inverse: true }),
      visualMap: { show: false, type: 'continuous', min: low, max: high > low ? high : low + 1, inRange: { color: ctx.colours.heat }, dimension: 2, seriesIndex: 0 },
      tooltip: tooltip(ctx, { trigger: 'item', formatter: (p) => tip(name_of(p.dataIndex), words(p.dataIndex), ctx) }),
      series: [{
        type: 'heatmap', data: spec.values.map((v, i) => [i % spec.width, Math.floor(i / spec.width), v ?? '-']),
        itemStyle: { borderColor: ctx.colours.paper, borderWidth: cell > 8 ? 1 : 0 }, emphasis: { disabled: true },
        label: { show: label, fontSize: 11, fontFamily: ctx.colours.font, formatter: (p) => short(p.value[2]).replace(' ', ''), color: ctx.colours.ink },
      }],
    },
    // The label's colour must stand out from the cell's.
    after: (option) => {
      if (!label) return;
      for (const [i, item] of option.series[0].data.entries()) {
        const share = high > low ? (spec.values[i] - low) / (high - low) : 0;
        option.series[0].data[i] = { value: item, label: { color: share > 0.55 ? ctx.colours.heat_text[1] : ctx.colours.heat_text[0] } };
      }
    },
    stops: spec.values.map((_, i) => ({ seriesIndex: 0, dataIndex: i, text: spoken(name_of(i), words(i)) })),
  };
}

export function roofline(spec, ctx) {
  const xs = spec.points.map((p) => p.x);
  const ys = spec.points.map((p) => p.y);
  const flats = spec.ceilings.map((c) => c.flat).filter((v) => v > 0);
  const slopes = spec.ceilings.filter((c) => c.slope > 0);
  const top = Math.max(...flats, ...ys);
  for (const c of slopes) if (flats.length) xs.push(Math.max(...flats) / c.slope);
  // The next 1, 2 or 5 times a power of ten, with some room.
  const decade = (v, up) => {
    const wanted = up ? v * 1.5 : v / 1.5;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const steps = [1, 2, 5, 10].map((s) => s * power);
    return up ? steps.find((s) => s >= wanted) ?? 10 * power : [...steps].reverse().find((s) => s <= wanted) ?? power;
  };
  const x0 = decade(Math.min(...xs), false);
  const x1 = decade(Math.max(...xs), true);
  const y0 = decade(Math.min(...ys), false);
  const y1 = decade(top, true);
  const ceilings = spec.ceilings.map((c) => {
    const at = (x) => Math.min(c.flat > 0 ? c.flat : Infinity, c.slope > 0 ? c.slope * x : Infinity);
    const corner = c.flat > 0 && c.slope > 0 ? c.flat / c.slope : null;
    const end = c.flat > 0 ? x1 : Math.min(x1, y1 / c.slope);
    const begin = c.slope > 0 ? Math.max(x0, y0 / c.slope) : x0;
    return {
      type: 'line', name: c.name, data: [begin, corner, end].filter((x) => x !== null).map((x) => [x, at(x)]), symbol: 'none', silent: true, z: 2, clip: true, tooltip: { show: false },
      lineStyle: { color: ctx.colours.series[c.colour], width: 2, type: c.dash ? [6, 4] : 'solid' },
    };
  });
  const words = (i) => spec.points[i].words.map(([n, v]) => [null, n, v]);
  const height = ctx.narrow ? 300 : 380;
  const grid = { left: left_room([y0, y1, top], spec.y, ctx), right: 24, top: 14, bottom: 50 };
  const size = (p) => Math.max(8, 34 * Math.sqrt(Math.min(1, p.share)));
  // Names below their points, those of the largest first, as long as they touch no other name and no edge.
  const place = (p) => [
    grid.left + (ctx.width - grid.left - grid.right) * Math.log(p.x / x0) / Math.log(x1 / x0), height - grid.bottom - (height - grid.top - grid.bottom) * Math.log(p.y / y0) / Math.log(y1 / y0)];
  const placed = [];
  const named = new Set();
  for (const p of [...spec.points].filter((q) => q.label).sort((a, b) => b.share - a.share)) {
    const [x, y] = place(p);
    const half = text_width(p.name, ctx) / 2 + 3;
    const box = [x - half, y + size(p) / 2, x + half, y + size(p) / 2 + 20];
    if (box[0] < grid.left || box[2] > ctx.width - 4 || box[3] > height - grid.bottom) continue;
    if (placed.some((o) => o[0] < box[2] && box[0] < o[2] && o[1] < box[3] && box[1] < o[3])) continue;
    placed.push(box);
    named.add(p);
  }
  return {
    height,
    option: {
      grid,
      xAxis: value_axis({ ...spec.x, scale: 'log', min: x0, max: x1 }, ctx, true, x_name(spec.x, ctx)),
      yAxis: value_axis({ ...spec.y, scale: 'log', min: y0, max: y1 }, ctx, true),
      tooltip: tooltip(ctx, { trigger: 'item', formatter: (p) => tip(spec.points[p.dataIndex].name, words(p.dataIndex), ctx) }),
      series: [...ceilings, {
        type: 'scatter', z: 4, data: spec.points.map((p) => ({
          value: [p.x, p.y], symbolSize: size(p), itemStyle: { color: ctx.colours.series[p.colour], opacity: 0.85, borderColor: ctx.colours.paper, borderWidth: 1 },
          label: { show: named.has(p), formatter: p.name, position: 'bottom', ...label_style(ctx), color: ctx.colours.ink },
        })),
        emphasis: { disabled: true },
      }],
    },
    stops: spec.points.map((p, i) => ({ seriesIndex: ceilings.length, dataIndex: i, text: spoken(p.name, words(i)) })),
  };
}
