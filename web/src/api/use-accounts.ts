import { useQuery } from '@tanstack/react-query';
import { trpc } from './client.ts';
import { useMay } from './use-may.ts';

/** Most accounts that are offered. */
const ACCOUNTS = 200;

/** The accounts that this account may read, as choices; undefined without the right, and until they have been read. */
export function useAccounts() {
  const isAllowed = useMay()('authorization.listAccounts');
  return useQuery({
    ...trpc.authorization.listAccounts.queryOptions({ queryOptions: { limit: ACCOUNTS } }),
    enabled: isAllowed,
    staleTime: 60_000,
    select: ({ results }) => results.map(({ _id, username }) => ({ value: _id, label: username })),
  });
}
