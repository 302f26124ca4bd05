// Lines over a value, a logarithmic or a category axis; stacked areas; bands around lines; vertical marks.
import { category_axis, full, label_style, left_room, spoken, tip, tooltip, value_axis, x_name } from './axes.js';

// The area between low and high as one polygon per unbroken stretch.
function band_series(series, ctx) {
  const stretches = [[]];
  for (const row of series.band) {
    if (row.some((v) => v === null)) stretches.push([]);
    else stretches[stretches.length - 1].push(row);
  }
  const rows = stretches.flat();
  return {
    type: 'custom', name: series.name, silent: true, clip: true, z: 1, encode: { x: 0, y: [1, 2], tooltip: [] }, data: rows, tooltip: { show: false },
    renderItem: (params, api) => {
      if (params.dataIndexInside !== 0) return null;
      return {
        type: 'group',
        children: stretches.filter((s) => s.length > 1).map((s) => ({
          type: 'polygon',
          shape: { points: [...s.map(([x, low]) => api.coord([x, low])), ...[...s].reverse().map(([x, , high]) => api.coord([x, high]))] },
          style: { fill: ctx.colours.series[series.colour], opacity: 0.18 },
        })),
      };
    },
  };
}

export function lines(spec, ctx) {
  const categories = spec.x.categories;
  const series = [];
  const drawn = [];
  let extremes = [];
  let stacked = [];
  for (const s of spec.series) {
    if (s.band) {
      series.push(band_series(s, ctx));
      extremes = extremes.concat(s.band.map((b) => b[2]));
    }
    const ys = s.points.map((p) => p[1]);
    if (s.area) stacked = ys.map((y, i) => (stacked[i] ?? 0) + (y ?? 0));
    extremes = extremes.concat(ys, stacked);
    drawn.push({ at: series.length, ...s });
    series.push({
      type: 'line', name: s.name, data: s.points, z: 3, connectNulls: false,
      showSymbol: s.points.length <= 32 && !s.area, symbol: ['circle', 'rect', 'triangle', 'diamond'][drawn.length % 4], symbolSize: 6,
      itemStyle: { color: ctx.colours.series[s.colour] },
      lineStyle: { width: s.area ? 0.75 : 2.25, type: s.dash ? [6, 4] : 'solid', color: ctx.colours.series[s.colour] },
      stack: s.area ? 'all' : undefined, areaStyle: s.area ? { color: ctx.colours.series[s.colour], opacity: 0.85 } : undefined,
      emphasis: { disabled: true },
    });
  }
  if (spec.marks?.length && series.length) {
    series[drawn[0].at].markLine = {
      silent: true, symbol: 'none', animation: false, lineStyle: { color: ctx.colours.soft, type: [4, 4], width: 1 },
      data: spec.marks.map((m) => ({ xAxis: m.x, label: { ...label_style(ctx), formatter: m.label, position: 'end', distance: 4 } })),
    };
  }
  const name_of = (i) => (categories ? categories[i] : full(drawn[0].points[i][0], spec.x.unit));
  const head_of = (i) => spec.x.labels?.[i] ?? `${spec.x.name} ${name_of(i)}`;
  const rows_of = (i) => drawn.filter((s) => s.points[i]).map((s) => {
    const band = s.band?.[i];
    const range = band && band[1] !== null ? ` (${full(band[1], spec.y.unit)} to ${full(band[2], spec.y.unit)})` : '';
    return [s.colour, s.name, full(s.points[i][1], spec.y.unit) + range];
  });
  const count = Math.max(0, ...drawn.map((s) => s.points.length));
  return {
    height: ctx.narrow ? 240 : 280,
    option: {
      grid: { left: left_room(extremes.filter((v) => v !== null), spec.y, ctx), right: 18, top: spec.marks?.length ? 26 : 12, bottom: spec.x.name ? 50 : 32 },
      xAxis: categories ? category_axis(categories, ctx, x_name(spec.x, ctx)) : value_axis({ min: 'dataMin', max: 'dataMax', ...spec.x }, ctx, false, x_name(spec.x, ctx)),
      yAxis: value_axis(spec.y, ctx, true),
      tooltip: tooltip(ctx, {
        trigger: 'axis', axisPointer: { type: 'line', lineStyle: { color: ctx.colours.soft, width: 1 } },
        formatter: (params) => {
          const first = params.find((p) => p.seriesType === 'line');
          return first ? tip(head_of(first.dataIndex), rows_of(first.dataIndex), ctx) : '';
        },
      }),
      series,
    },
    stops: Array.from({ length: count }, (_, i) => ({ seriesIndex: drawn[0].at, dataIndex: i, text: spoken(head_of(i), rows_of(i)) })),
  };
}
