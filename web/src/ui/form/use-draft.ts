import { useState } from 'react';

/**
 * The fields of a form, and a function that changes some of them.
 *
 * @param initial the values before anything is typed, or a function that returns them
 */
export function useDraft<Fields extends object>(
  initial: Fields | (() => Fields),
): [Fields, (change: Partial<Fields>) => void] {
  const [draft, setDraft] = useState(initial);
  return [draft, (change) => setDraft((before) => ({ ...before, ...change }))];
}
