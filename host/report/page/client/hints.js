// Where a number comes from, shown when the pointer or the keyboard rests on its mark. One box for the whole page, kept inside the window.

export function hints() {
  const box = document.getElementById('hint');
  let owner = null;
  const hide = () => {
    box.hidden = true;
    owner = null;
  };
  const show = (mark) => {
    owner = mark;
    box.textContent = mark.dataset.hint;
    box.hidden = false;
    const at = mark.getBoundingClientRect();
    const size = box.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    box.style.left = `${Math.max(8, Math.min(at.left, room - size.width - 8)) + scrollX}px`;
    const above = at.top - size.height - 8;
    box.style.top = `${(above > 0 ? above : at.bottom + 8) + scrollY}px`;
  };
  const mark_of = (event) => (event.target instanceof Element ? event.target.closest('[data-hint]') : null);
  for (const name of ['mouseover', 'focusin']) {
    document.addEventListener(name, (event) => {
      const mark = mark_of(event);
      if (mark && mark !== owner) show(mark);
      else if (!mark && owner && name === 'mouseover') hide();
    });
  }
  document.addEventListener('focusout', hide);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });
}
