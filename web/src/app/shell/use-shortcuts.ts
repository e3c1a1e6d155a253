import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useMay } from '~/api/use-may.ts';
import { areasFor } from '../areas.ts';

type Actions = { openPalette: () => void; openShortcuts: () => void };

/** How long `g` waits for the letter of an area, in milliseconds. */
const SEQUENCE_MS = 1500;

/** The keyboard shortcuts of every page: Ctrl-K, `/`, `?`, and `g` with the letter of an area. */
export function useShortcuts(actions: Actions): void {
  const navigate = useNavigate();
  const may = useMay();
  const latest = useRef({ ...actions, navigate, may });
  latest.current = { ...actions, navigate, may };
  useEffect(() => {
    /** When `g` was pressed, by the time of events. */
    let leaderAt = Number.NEGATIVE_INFINITY;
    const handle = (event: KeyboardEvent) => {
      const { openPalette, openShortcuts, navigate, may } = latest.current;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '/') selectFilter(event);
      else if (event.key === '?') openShortcuts();
      else if (event.key === 'g') leaderAt = event.timeStamp;
      else if (event.timeStamp - leaderAt < SEQUENCE_MS) {
        const area = areasFor(may).find(({ key }) => key === event.key);
        if (!area) return;
        leaderAt = Number.NEGATIVE_INFINITY;
        void navigate({ to: area.path });
      }
    };
    document.addEventListener('keydown', handle);
    return () => document.removeEventListener('keydown', handle);
  }, []);
}

/** Selects the text of the page's filter; without one, the key keeps its meaning. */
function selectFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (!filter) return;
  event.preventDefault();
  filter.focus();
  filter.select();
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role="dialog"]') !== null);
