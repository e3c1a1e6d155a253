import { useSyncExternalStore } from 'react';

/** Windows such as those of phones; the style sheets have the same limit. */
const NARROW = window.matchMedia('(max-width: 760px)');

function subscribe(onChange: () => void): () => void {
  NARROW.addEventListener('change', onChange);
  return () => NARROW.removeEventListener('change', onChange);
}

/** Returns whether the window is too narrow for two texts beside each other, or for a graph. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => NARROW.matches);
