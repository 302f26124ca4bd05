// Charts over a plane: the timeline of a step, the heat map of an array, the roofline.
import { category_axis, full, label_style, left_room, short, spoken, text_width, tip, tooltip, value_axis, x_name } from './axes.js';
import { row_axis } from './bars.js';
import { echarts } from './core.js';

const kThin = 4;  // pixels: intervals below this cannot be told apart

// What is drawn of a timeline: [row, begin, end, colour, foot, head, words], foot and head as shares of the bar's height. A row whose intervals are mostly too thin is cut into
// slices of time, and in each slice the height of a colour is its share of the time; what is left blank is idle time.
function pieces_of(spec, first, last, pixels) {
  const per_pixel = (last - first) / pixels;
  const pieces = [];
  spec.rows.forEach((_, row) => {
    const own = spec.spans.filter((s) => s[0] === row);
    const widths = own.map((s) => s[2] - s[1]).sort((a, b) => a - b);
    if (!own.length) return;
    if (widths[widths.length >> 1] >= kThin * per_pixel) {
      for (const [, begin, end, colour, label] of own) {
        pieces.push([row, begin, end, colour, 0, 1, [[null, label, ''], [null, 'from', full(begin, spec.x.unit)], [null, 'to', full(end, spec.x.unit)], [null, 'takes', full(end - begin, spec.x.unit)]]]);
      }
      return;
    }
    const slice = 2 * kThin * per_pixel;
    const origin = Math.min(...own.map((s) => s[1]));
    const slices = [];
    for (const [, begin, end, colour, label] of own) {
      for (let i = Math.floor((begin - origin) / slice); i * slice + origin < end; ++i) {
        slices[i] ??= { shares: new Map(), labels: [] };
        const part = Math.min(end, origin + (i + 1) * slice) - Math.max(begin, origin + i * slice);
        if (part <= 0) continue;
        slices[i].shares.set(colour, (slices[i].shares.get(colour) ?? 0) + part / slice);
        slices[i].labels.push(label);
      }
    }
    slices.forEach(({ shares, labels }, i) => {
      const begin = origin + i * slice;
      const head = labels.length > 1 ? `${labels[0]} … ${labels[labels.length - 1]}` : labels[0];
      const words = [[null, head, ''], [null, 'from', full(begin, spec.x.unit)], [null, 'to', full(begin + slice, spec.x.unit)],
        ...[...shares].map(([colour, share]) => [colour, spec.names[colour] ?? 'busy', full(100 * share, '%')])];
      let foot = 0;
      for (const [colour, share] of [...shares].sort((a, b) => a[0] - b[0])) {
        pieces.push([row, begin, begin + slice, colour, foot, Math.min(1, foot + share), words]);
        foot += share;
      }
    });
  });
  return pieces;
}

// `spans` are [row, begin, end, colour, label]; `names` of the colours.
export function spans(spec, ctx) {
  const rows = row_axis(spec.rows, ctx);
  const first = Math.min(...spec.spans.map((s) => s[1]));
  const last = Math.max(...spec.spans.map((s) => s[2]));
  const pad = (last - first) * 0.01;
  const plot = spec.rows.length * (rows.row + 6);
  const pieces = pieces_of(spec, first, last, ctx.width - rows.left - 24);
  const half = 10;
  return {
    height: plot + 12 + (spec.x.name ? 50 : 32),
    option: {
      grid: { left: rows.left, right: 24, top: 10, height: plot },
      xAxis: value_axis({ ...spec.x, min: first - pad, max: last + pad, tight: true }, ctx, true, x_name(spec.x, ctx)),
      yAxis: rows.axis,
      tooltip: tooltip(ctx, { trigger: 'item', formatter: (p) => tip(spec.rows[pieces[p.dataIndex][0]], pieces[p.dataIndex][6], ctx) }),
      series: [{
        type: 'custom', clip: true, encode: { x: [1, 2], y: 0 }, data: pieces.map((s) => [s[0], s[1], s[2]]),
        renderItem: (params, api) => {
          const [row, begin, end, colour, foot, head] = pieces[params.dataIndex];
          const [x0, y] = api.coord([begin, row]);
          const [x1] = api.coord([end, row]);
          const sliced = foot > 0 || head < 1;
          const shape = echarts.graphic.clipRectByRect({ x: x0, y: y + half - 2 * half * head, width: Math.max(0.75, x1 - x0 + (sliced ? 0.4 : 0)), height: 2 * half * (head - foot) }, params.coordSys);
          return shape && { type: 'rect', shape, style: { fill: ctx.colours.series[colour], stroke: ctx.colours.paper, lineWidth: !sliced && x1 - x0 > 4 ? 0.6 : 0 } };
        },
      }],
    },
    stops: pieces.map((s, i) => ({ seriesIndex: 0, dataIndex: i, text: spoken(spec.rows[s[0]], s[6]) })),
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
  // Names beside their points, those of the largest first, as long as they touch no other name, no other point and no edge.
  const place = (p) => [
    grid.left + (ctx.width - grid.left - grid.right) * Math.log(p.x / x0) / Math.log(x1 / x0), height - grid.bottom - (height - grid.top - grid.bottom) * Math.log(p.y / y0) / Math.log(y1 / y0)];
  const touch = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const discs = spec.points.map((p) => {
    const [x, y] = place(p);
    const r = size(p) / 2;
    return [x - r, y - r, x + r, y + r];
  });
  const placed = [];
  const named = new Map();
  const by_share = spec.points.map((p, i) => [p, i]).filter(([p]) => p.label).sort((a, b) => b[0].share - a[0].share);
  for (const [p, at] of by_share) {
    const [x, y] = place(p);
    const r = size(p) / 2 + 4;
    const w = text_width(p.name, ctx) + 6;
    const choices = { bottom: [x - w / 2, y + r, x + w / 2, y + r + 17], top: [x - w / 2, y - r - 17, x + w / 2, y - r], right: [x + r, y - 9, x + r + w, y + 9], left: [x - r - w, y - 9, x - r, y + 9] };
    for (const [side, box] of Object.entries(choices)) {
      if (box[0] < grid.left || box[2] > ctx.width - 4 || box[1] < grid.top || box[3] > height - grid.bottom) continue;
      if (placed.some((o) => touch(o, box)) || discs.some((o, i) => i !== at && touch(o, box))) continue;
      placed.push(box);
      named.set(p, side);
      break;
    }
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
          label: { show: named.has(p), formatter: p.name, position: named.get(p) ?? 'bottom', distance: 4, ...label_style(ctx), color: ctx.colours.ink },
        })),
        emphasis: { disabled: true },
      }],
    },
    stops: spec.points.map((p, i) => ({ seriesIndex: ceilings.length, dataIndex: i, text: spoken(p.name, words(i)) })),
  };
}
