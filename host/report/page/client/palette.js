// The colours of a chart are those of the page: custom properties of page.css, read anew whenever light turns to dark or the page is printed.

export function palette() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    series: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => of(`--c${i}`)),
    heat: [0, 1, 2, 3, 4].map((i) => of(`--heat${i}`)),
    ink: of('--ink'),
    soft: of('--soft'),
    rule: of('--rule'),
    heat_text: [of('--heat-low-text'), of('--heat-high-text')],
    paper: of('--paper'),
    font: getComputedStyle(document.body).fontFamily,
  };
}
