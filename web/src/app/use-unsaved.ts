import { type RouterHistory, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

const QUESTION = 'What you typed here is not saved, and is lost when you leave. Leave?';

/**
 * Asks before a page is left on which something is typed that is not saved: by a link, by Back, or with the tab.
 *
 * @param isUnsaved whether that is so now
 * @param isLost whether another address of the console loses it; absent: the address of another page does
 */
export function useUnsaved(
  isUnsaved: () => boolean,
  isLost: (before: string, after: string, isBack: boolean) => boolean = isOtherPage,
): void {
  const history: RouterHistory = useRouter().history;
  const latest = useRef({ isUnsaved, isLost });
  latest.current = { isUnsaved, isLost };
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: () => latest.current.isUnsaved(),
        blockerFn: async ({ action, currentLocation, nextLocation }) =>
          latest.current.isUnsaved() &&
          latest.current.isLost(currentLocation.href, nextLocation.href, !/PUSH|REPLACE/.test(action)) &&
          !window.confirm(QUESTION),
      }),
    [history],
  );
}

const pathOf = (address: string) => address.split(/[?#]/, 1)[0];
const isOtherPage = (before: string, after: string) => pathOf(before) !== pathOf(after);
