import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '~/api/client.ts';
import { useSettled } from '~/api/use-settled.ts';
import { type Selection, type SelectionDraft, selectionDraftOf, selectionOf } from './selection-draft.ts';

/** Names that are shown of the devices that match. */
const FIRST = 8;

/** A selection in a form: what is typed, the devices that it means now, and whether it means any. */
export function useSelection(initial?: Selection | null) {
  const [draft, setDraft] = useState<SelectionDraft>(() => selectionDraftOf(initial));
  const selection = selectionOf(draft);
  const settled = useSettled(selection ?? null);
  const isSettled = JSON.stringify(selection ?? null) === JSON.stringify(settled);
  const found = useQuery(
    trpc.inventory.listSelection.queryOptions(
      { selection: settled ?? {}, limit: FIRST },
      { enabled: settled !== null, retry: false, staleTime: 5000 },
    ),
  );
  const isCounted = selection !== undefined && isSettled && found.data !== undefined && !found.error;
  return {
    draft,
    change: (part: Partial<SelectionDraft>) => setDraft((before) => ({ ...before, ...part })),
    /** Undefined: no property is filled in. */
    selection,
    /** Number of devices; undefined while it is not known. */
    count: isCounted ? found.data.total : undefined,
    first: isCounted ? found.data.devices : [],
    error: isSettled ? found.error : null,
    /** Whether it means at least one device, so that something may start with it. */
    isReady: isCounted && found.data.total > 0,
  };
}
