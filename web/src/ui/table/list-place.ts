import { type RefObject, useLayoutEffect, useRef } from 'react';
import { PAGE_SIZE } from '~/api/use-pages.ts';
import { keepPlace, placeOf } from '~/app/scroll-places.ts';
import { pixels } from '../pixels.ts';

/** Most pages that are read again to return to a place; a list that was left further down begins there. */
const MOST_PAGES = 20;

/** The height of a row in pixels, as tokens.css has it. */
export const rowHeight = () =>
  document.documentElement.dataset.density === 'compact' ? pixels(1.75) : pixels(2.25);

/** How many pages a list must have to show the place at which it was left in the present entry of the history. */
export function pagesToPlace(list: string): number {
  const place = placeOf(list);
  if (place === 0) return 1;
  return Math.min(MOST_PAGES, Math.ceil((place + window.innerHeight) / rowHeight() / PAGE_SIZE));
}

/**
 * Keeps the place of a list: after Back, Forward and a reload it is where it was, and with other rows it begins at the top.
 *
 * @param list the name of the list on its page
 * @param view what the rows depend on: other filters, or another order, are other rows
 */
export function useListPlace(list: string, view: string | undefined, frame: RefObject<HTMLElement | null>) {
  const isShown = useRef(false);
  // Before the rows are painted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is what brings other rows
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const place = placeOf(list);
    // Setting it lays the whole page out at once, which a new list that begins at its top does not need.
    if (place > 0 || isShown.current) element.scrollTop = place;
    isShown.current = true;
    const keep = () => keepPlace(list, element.scrollTop);
    element.addEventListener('scroll', keep, { passive: true });
    return () => element.removeEventListener('scroll', keep);
  }, [list, view, frame]);
}
