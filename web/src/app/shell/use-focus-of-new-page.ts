import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** How long a dialog that closes may take to return the focus to what opened it, in milliseconds. */
const RETURN_MS = 100;

/**
 * Keeps the focus in the page: when another one has opened and nothing has the focus, since what had it is gone, the content gets it.
 *
 * @returns the ref of the element with the content of the page
 */
export function useFocusOfNewPage() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    // The page that is opened first begins at its top, with the link that skips the navigation.
    if (before.current === undefined || before.current === path) {
      before.current = path;
      return undefined;
    }
    before.current = path;
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
    }, RETURN_MS);
    return () => clearTimeout(timer);
  }, [path]);
  return main;
}
