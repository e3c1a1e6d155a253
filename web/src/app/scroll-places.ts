import type { AnyRouter, ParsedLocation } from '@tanstack/react-router';

const STORED_AS = 'switchyard-places';
/** Places that are kept over a reload: those that were used last. */
const MOST_PLACES = 100;
/** What a user does to move the page: it then stays where they put it. */
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

const places = storedPlaces();

function storedPlaces(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORED_AS) ?? '[]') as [string, number][]);
  } catch {
    // The browser keeps nothing for this page.
    return new Map();
  }
}

window.addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify([...places].slice(-MOST_PLACES)));
  } catch {
    // As above: after a reload everything begins at the top.
  }
});

/** The name of something that scrolls in the present entry of the history, to which the router gives a key. */
const nameOf = (what: string) =>
  `${(history.state as { __TSR_key?: string } | null)?.__TSR_key ?? ''} ${what}`;

/** How far something was scrolled in the present entry of the history, in pixels. */
export const placeOf = (what: string): number => places.get(nameOf(what)) ?? 0;

/** Keeps how far something is scrolled in the present entry of the history. */
export function keepPlace(what: string, place: number): void {
  const name = nameOf(what);
  // At the end again: the places that were used last are kept.
  places.delete(name);
  places.set(name, place);
}

/**
 * Returns whether a new address moves the window: to the place of its entry of the history, or to its top. Filters, tabs and
 * what is chosen on a page stand in its address as well, and leave the window where it is.
 */
export function movesWindow() {
  let shown: string | undefined;
  return ({ location: { pathname, hash } }: { location: ParsedLocation }): boolean => {
    const isOther = pathname !== shown;
    shown = pathname;
    return isOther || hash !== '';
  };
}

const WINDOW = 'window';

/** A page whose content arrives late, as after a reload, is short at first: the window returns to its place when it is long enough. */
export function returnToLatePlace(router: AnyRouter): void {
  window.addEventListener('scroll', () => keepPlace(WINDOW, window.scrollY), { passive: true });
  let shown: string | undefined;
  let stop: () => void = () => undefined;
  router.subscribe('onRendered', ({ toLocation: { pathname } }) => {
    if (pathname === shown) return;
    shown = pathname;
    stop();
    const place = placeOf(WINDOW);
    // Asked only where it matters: the answer lays the page out.
    if (place === 0 || place <= window.scrollY) return;
    const observer = new ResizeObserver(() => {
      if (document.documentElement.scrollHeight - window.innerHeight < place) return;
      window.scrollTo(0, place);
      stop();
    });
    stop = () => {
      observer.disconnect();
      for (const move of MOVES) window.removeEventListener(move, stop);
    };
    for (const move of MOVES) window.addEventListener(move, stop, { passive: true });
    observer.observe(document.body);
  });
}
