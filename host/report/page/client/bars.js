// Horizontal bars, stacked or side by side, with the value at the end and a whisker for the interval.
import { category_axis, fitted, full, label_style, spoken, text_width, tip, tooltip, value_axis, x_name } from './axes.js';

// Names beside the bars where there is room, above them where there is none. Gives the vertical axis, the room left of the plot and the height of a row.
export function row_axis(names, ctx, lines = 1) {
  const style = label_style(ctx);
  const row = 14 + 18 * lines;
  if (ctx.narrow) {
    const texts = names.map((n) => fitted(n, ctx.width - 16, ctx));
    return {
      left: 2, row: row + 20,
      axis: category_axis(texts, ctx, {
        inverse: true, axisLine: { show: false },
        axisLabel: { ...style, interval: 0, inside: true, margin: 0, align: 'left', verticalAlign: 'bottom', padding: [0, 0, 9 * lines + 2, 0], color: ctx.colours.ink },
        z: 10,
      }),
    };
  }
  const room = Math.min(ctx.width * 0.36, Math.max(...names.map((n) => text_width(n, ctx)), 10) + 4);
  return {
    left: Math.ceil(room) + 12, row,
    axis: category_axis(names.map((n) => fitted(n, room, ctx)), ctx, { inverse: true, axisLabel: { ...style, interval: 0, color: ctx.colours.ink } }),
  };
}

// Behind the bar or its whisker, whichever is longer.
function end_labels(spec, ends, ctx) {
  const reach = (i) => Math.max(0, spec.series.reduce((sum, s) => sum + (s.values[i] ?? 0), 0), spec.whiskers?.[i]?.[1] ?? 0);
  return {
    type: 'custom', silent: true, z: 6, encode: { x: 1, y: 0 }, tooltip: { show: false }, data: ends.map((_, i) => [i, reach(i)]),
    renderItem: (params, api) => {
      const i = api.value(0);
      const [x, y] = api.coord([reach(i), i]);
      return { type: 'text', style: { text: ends[i], x: x + 6, y, fill: ctx.colours.ink, fontSize: 12, fontFamily: ctx.colours.font, textVerticalAlign: 'middle', verticalAlign: 'middle' } };
    },
  };
}

function whiskers(spec, ctx) {
  return {
    type: 'custom', silent: true, z: 6, encode: { x: [1, 2], y: 0 }, tooltip: { show: false },
    data: spec.whiskers.map((w, i) => (w ? [i, w[0], w[1]] : null)).filter((w) => w),
    renderItem: (params, api) => {
      const [x0, y] = api.coord([api.value(1), api.value(0)]);
      const [x1] = api.coord([api.value(2), api.value(0)]);
      const at = y;
      const style = { stroke: ctx.colours.ink, lineWidth: 1.25, fill: 'none' };
      const line = (a, b, c, d) => ({ type: 'line', shape: { x1: a, y1: b, x2: c, y2: d }, style });
      return { type: 'group', children: [line(x0, at, x1, at), line(x0, at - 4, x0, at + 4), line(x1, at - 4, x1, at + 4)] };
    },
  };
}

export function bars(spec, ctx) {
  const side = spec.stacked === false ? spec.series.length : 1;
  const rows = row_axis(spec.rows, ctx, side > 1 ? side * 0.72 : 1);
  const width = 15;
  const ends = spec.labels ?? [];
  const room = ends.length ? Math.max(...ends.map((t) => text_width(t, ctx))) + 14 : 20;
  const rows_of = (i) => [
    ...spec.series.filter((s) => side > 1 || spec.series.length < 2 || s.values[i] !== 0).map((s) => [s.colour, s.name, full(s.values[i], spec.x.unit)]),
    ...(spec.whiskers?.[i] ? [[null, 'interval', `${full(spec.whiskers[i][0], spec.x.unit)} to ${full(spec.whiskers[i][1], spec.x.unit)}`]] : []),
    ...(spec.notes?.[i] ? [[null, spec.notes[i], '']] : []),
  ];
  const series = spec.series.map((s) => ({
    type: 'bar', name: s.name, stack: side > 1 ? undefined : 'all', data: s.values.map((v, i) => ({ value: v, itemStyle: s.colours ? { color: ctx.colours.series[s.colours[i]] } : undefined })),
    barWidth: side > 1 ? 12 : width, barGap: '15%',
    itemStyle: { color: ctx.colours.series[s.colour], borderColor: ctx.colours.paper, borderWidth: side > 1 || spec.series.length < 2 ? 0 : 0.5 },
    emphasis: { disabled: true },
  }));
  if (spec.whiskers) series.push(whiskers(spec, ctx));
  if (side === 1 && ends.length) series.push(end_labels(spec, ends, ctx));
  const plot = spec.rows.length * rows.row;
  return {
    height: plot + 12 + (spec.x.name ? 50 : 32),
    option: {
      grid: { left: rows.left, right: Math.ceil(room), top: 10, height: plot },
      xAxis: value_axis(spec.x, ctx, true, x_name(spec.x, ctx)),
      yAxis: rows.axis,
      tooltip: tooltip(ctx, { trigger: 'item', formatter: (p) => tip(spec.rows[p.dataIndex], rows_of(p.dataIndex), ctx) }),
      series,
    },
    stops: spec.rows.map((name, i) => ({ seriesIndex: 0, dataIndex: i, text: spoken(name, rows_of(i)) })),
  };
}

// Ranges about a reference: what a constant does when it goes to either end (tornado), or where a point lies between bounds.
export function ranges(spec, ctx) {
  const rows = row_axis(spec.rows, ctx);
  const mids = spec.ranges.filter((r) => r.mid !== null && r.mid !== undefined);
  const all = spec.ranges.flatMap((r) => [r.low, r.high, r.mid ?? r.low]).concat(spec.reference ?? []);
  const lowest = Math.min(...all);
  const highest = Math.max(...all);
  const pad = (highest - lowest || Math.abs(highest) || 1) * 0.06;
  const rows_of = (i) => spec.ranges[i].words.map(([name, value]) => [null, name, value]);
  const rect = (x0, x1, y, colour) => ({
    type: 'rect', shape: { x: Math.min(x0, x1), y: y - 7, width: Math.max(1, Math.abs(x1 - x0)), height: 14, r: 2 }, style: { fill: ctx.colours.series[colour] },
  });
  const series = [{
    type: 'custom', name: spec.title, encode: { x: [1, 2], y: 0 }, data: spec.ranges.map((r, i) => [i, r.low, r.high]),
    renderItem: (params, api) => {
      const i = api.value(0);
      const r = spec.ranges[i];
      const [x0, y] = api.coord([r.low, i]);
      const [x1] = api.coord([r.high, i]);
      if (spec.split && spec.reference !== undefined) {
        const [middle] = api.coord([spec.reference, i]);
        return { type: 'group', children: [rect(x0, middle, y, r.colour), rect(middle, x1, y, r.colour_high ?? r.colour)] };
      }
      return rect(x0, x1, y, r.colour);
    },
    markLine: spec.reference === undefined ? undefined : {
      silent: true, symbol: 'none', lineStyle: { color: ctx.colours.ink, type: 'solid', width: 1 }, data: [{ xAxis: spec.reference, label: { show: false } }],
    },
  }];
  if (mids.length) {
    series.push({
      type: 'scatter', symbolSize: 9, z: 5, itemStyle: { color: ctx.colours.ink }, tooltip: { show: false }, silent: true,
      data: spec.ranges.map((r, i) => (r.mid === null || r.mid === undefined ? null : [r.mid, i])).filter((p) => p),
    });
  }
  const plot = spec.rows.length * rows.row;
  return {
    height: plot + 12 + (spec.x.name ? 50 : 32),
    option: {
      grid: { left: rows.left, right: 24, top: 10, height: plot },
      xAxis: value_axis({ ...spec.x, min: spec.x.min ?? lowest - pad, max: spec.x.max ?? highest + pad, tight: true }, ctx, true, x_name(spec.x, ctx)),
      yAxis: rows.axis,
      tooltip: tooltip(ctx, { trigger: 'item', formatter: (p) => tip(spec.rows[p.dataIndex], rows_of(p.dataIndex), ctx) }),
      series,
    },
    stops: spec.rows.map((name, i) => ({ seriesIndex: 0, dataIndex: i, text: spoken(name, rows_of(i)) })),
  };
}
