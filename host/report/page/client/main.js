// Draws every chart of the page from the data in it. The tables beside the charts stand in the page already and need none of this.
import { bars, ranges } from './bars.js';
import { echarts } from './core.js';
import { lines } from './lines.js';
import { palette } from './palette.js';
import { heat, roofline, spans } from './planes.js';
import { hints } from './hints.js';

const BUILDERS = { lines, bars, ranges, spans, heat, roofline };
const kNarrow = 480;
const kPrintWidth = 680;

class Figure {
  constructor(spec) {
    this.spec = spec;
    this.box = document.getElementById(spec.id);
    this.at = -1;
    this.box.addEventListener('keydown', (event) => this.key(event));
    this.box.addEventListener('blur', () => this.leave());
  }

  draw(print) {
    const frame = this.box.parentElement.clientWidth;
    const width = Math.floor(print ? Math.min(frame, kPrintWidth) : frame);
    if (width < 50) return;
    const ctx = { width, narrow: width < kNarrow, colours: palette() };
    const built = BUILDERS[this.spec.kind](this.spec, ctx);
    built.after?.(built.option);
    this.stops = built.stops;
    this.width = width;
    this.box.style.height = `${built.height}px`;
    this.chart?.dispose();
    this.chart = echarts.init(this.box, null, { renderer: 'svg', width, height: built.height });
    this.chart.setOption({ animation: false, ...built.option });
    const svg = this.box.querySelector('svg');
    svg?.setAttribute('aria-hidden', 'true');
    svg?.setAttribute('focusable', 'false');
  }

  redraw_if_resized() {
    const frame = Math.floor(this.box.parentElement.clientWidth);
    if (frame !== this.width) this.draw(false);
  }

  // Arrow keys walk through the chart's points: the tooltip shows, and the live region says it.
  key(event) {
    const last = this.stops.length - 1;
    if (last < 0) return;
    const moves = { ArrowRight: this.at + 1, ArrowDown: this.at + 1, ArrowLeft: this.at - 1, ArrowUp: this.at - 1, Home: 0, End: last };
    if (event.key === 'Escape') return this.leave();
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.at = Math.min(last, Math.max(0, moves[event.key]));
    const stop = this.stops[this.at];
    this.chart.dispatchAction({ type: 'showTip', seriesIndex: stop.seriesIndex, dataIndex: stop.dataIndex });
    document.getElementById('spoken').textContent = stop.text;
  }

  leave() {
    this.at = -1;
    this.chart?.dispatchAction({ type: 'hideTip' });
  }
}

function start() {
  const figures = JSON.parse(document.getElementById('charts').textContent).map((spec) => new Figure(spec));
  const draw = (print) => figures.forEach((f) => f.draw(print));
  draw(false);
  let waiting = 0;
  new ResizeObserver(() => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      if (!('print' in document.documentElement.dataset)) figures.forEach((f) => f.redraw_if_resized());
    });
  }).observe(document.getElementById('main'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw('print' in document.documentElement.dataset));
  const print = (on) => {
    if (on === 'print' in document.documentElement.dataset) return;
    if (on) document.documentElement.dataset.print = '';
    else delete document.documentElement.dataset.print;
    draw(on);
  };
  matchMedia('print').addEventListener('change', (event) => print(event.matches));
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
  hints();
  document.documentElement.dataset.drawn = String(figures.length);
}

start();
