// Numbers as people read them, the same in every locale.

const STEPS = [
  [1e-12, 'p'], [1e-9, 'n'], [1e-6, 'µ'], [1e-3, 'm'], [1, ''], [1e3, 'k'], [1e6, 'M'], [1e9, 'G'], [1e12, 'T'], [1e15, 'P'], [1e18, 'E'],
];

export function grouped(text) {
  const [whole, fraction] = text.split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.slice(sign.length).replace(/\B(?=(\d{3})+$)/g, ',');
  return (sign + digits + (fraction ? '.' + fraction : '')).replace(/^-/, '−');
}

// Four significant digits, thousands separated; powers of ten only where a reader would count zeros.
export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return 'not finite';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-4) {
    const [mantissa, power] = value.toExponential(digits - 1).split('e');
    return `${grouped(trim(mantissa))} × 10${superscript(Number(power))}`;
  }
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return grouped(trim(value.toFixed(decimals)));
}

function trim(text) {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function superscript(power) {
  return String(power).replace(/[-0-9]/g, (c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)]));
}

// Units that take a prefix: "12 ms", "3.4 Pflop/s"; the others get words before them: "1.2 M cycles".
const PREFIXED = new Set(['s', 'flop/s', 'B/s', 'W', 'Hz', 'bit/s', 'J', 'Wh', 'FLOP/s']);

// Short, for axes: "1.2 M", "30 ms".
export function short(value, unit = '') {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  if (unit === '%') return number(value, 3) + ' %';
  if (unit === 'x') return number(value, 3) + '×';
  if (unit === 's' && Math.abs(value) >= 1000) return number(value, 3) + ' s';
  const size = Math.abs(value) * (1 + 1e-12);
  if (size < 1 && !PREFIXED.has(unit)) return number(value, 3);
  let [scale, prefix] = STEPS[0];
  for (const [s, p] of STEPS) if (size >= s) [scale, prefix] = [s, p];
  if (unit === '' || !PREFIXED.has(unit)) {
    if (size < 1e4) return number(value, 4);
    return number(value / scale, 3) + (prefix ? ' ' + prefix : '');
  }
  return `${number(value / scale, 3)} ${prefix}${unit}`;
}

// Full, for tooltips and the screen reader.
export function full(value, unit = '') {
  if (value === null || value === undefined) return 'none';
  if (PREFIXED.has(unit)) return short4(value, unit);
  if (unit === 'x') return number(value, 4) + '×';
  return number(value, 4) + (unit ? ' ' + unit : '');
}

function short4(value, unit) {
  if (!Number.isFinite(value)) return 'not finite';
  if (value === 0) return `0 ${unit}`;
  const size = Math.abs(value) * (1 + 1e-12);
  let [scale, prefix] = STEPS[0];
  for (const [s, p] of STEPS) if (size >= s) [scale, prefix] = [s, p];
  if (unit === 's' && size >= 1) return `${number(value, 4)} s`;
  return `${number(value / scale, 4)} ${prefix}${unit}`;
}

export function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c]);
}
