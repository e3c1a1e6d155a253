import { useEffect, useRef } from 'react';

/**
 * Returns the ref of a part of the page that is scrolled into view when it appears, and when it shows something else: results are
 * below the form that asks for them, which fills the window.
 *
 * @param shown what the part shows; null: nothing that must be seen
 */
export function useScrolledTo(shown: string | null, block: ScrollLogicalPosition) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (shown !== null) element.current?.scrollIntoView({ block });
  }, [shown, block]);
  return element;
}
