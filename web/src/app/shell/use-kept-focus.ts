import { useEffect, useRef } from 'react';

/** How long what replaces or closes something may take to set the focus itself, in milliseconds. */
const RETURN_MS = 100;
const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';

const OVERLAY = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** Something that had the focus, with what surrounded it then. */
type Place = {
  element: Element;
  ancestors: readonly Element[];
  row: number;
  cell: number;
  /** For something in a dialog or a menu: what had the focus before that opened. */
  opener: Place | undefined;
};

function placeOf(element: Element, before: Place | undefined): Place {
  const ancestors: Element[] = [];
  for (let above = element.parentElement; above; above = above.parentElement) ancestors.push(above);
  const row = element.closest('tbody tr') as HTMLTableRowElement | null;
  const cell = element.closest('td') as HTMLTableCellElement | null;
  const opener = element.closest(OVERLAY) ? (before?.opener ?? before) : undefined;
  return { element, ancestors, row: row?.sectionRowIndex ?? 0, cell: cell?.cellIndex ?? 0, opener };
}

/**
 * Returns what is nearest to something that is gone: what opened the dialog or menu that it was in, in a table the row that took its
 * place, else what surrounded it.
 */
function nearestTo({ ancestors, row, cell, opener }: Place): HTMLElement | null | undefined {
  if (opener) return opener.element.isConnected ? (opener.element as HTMLElement) : nearestTo(opener);
  const around = ancestors.find(({ isConnected }) => isConnected);
  if (around instanceof HTMLTableSectionElement) {
    const next = around.rows[Math.min(row, around.rows.length - 1)];
    const focusable = next?.cells[cell]?.querySelector<HTMLElement>(FOCUSABLE);
    return focusable ?? next?.querySelector<HTMLElement>(FOCUSABLE);
  }
  return around?.closest<HTMLElement>('[tabindex]');
}

/**
 * Keeps the focus near its place when what had it is gone: a deleted row, a button that a change of state removes, the page
 * before. Without it the focus falls to the document, and screen readers begin at the top.
 *
 * @returns the ref of the element with the content of the page, which gets the focus when nothing nearer can
 */
export function useKeptFocus() {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    let place: Place | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onFocus = ({ target }: FocusEvent) => {
      place = target instanceof Element ? placeOf(target, place) : undefined;
    };
    // A press beside every control takes the focus away on purpose.
    const onPress = ({ target }: PointerEvent) => {
      if (target instanceof Element && !target.closest(FOCUSABLE)) place = undefined;
    };
    const observer = new MutationObserver(() => {
      if (!place || place.element.isConnected || document.activeElement !== document.body) return;
      const lost = place;
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (document.activeElement !== document.body || place !== lost) return;
        (nearestTo(lost) ?? main.current)?.focus({ preventScroll: true });
      }, RETURN_MS);
    });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPress);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      clearTimeout(timer);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPress);
      observer.disconnect();
    };
  }, []);
  return main;
}
