import { useSyncExternalStore } from 'react';

/** Returns a hook that says whether the window matches a media query. */
function matching(query: string): () => boolean {
  const media = window.matchMedia(query);
  const subscribe = (onChange: () => void) => {
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  };
  return () => useSyncExternalStore(subscribe, () => media.matches);
}

/** Returns whether the window is too narrow for two texts beside each other, or for a graph: the style sheets have the same limit. */
export const useIsNarrow = matching('(width <= 47.5em)');

/** Returns whether the panel of a step is below the graph of its job, as on a tablet: `jobs.css` has the same limit. */
export const useIsStacked = matching('(width < 68.75em)');
