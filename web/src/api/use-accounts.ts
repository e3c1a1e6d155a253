import { useQuery } from '@tanstack/react-query';
import { trpc } from './client.ts';
import { useMay } from './use-may.ts';

/** Most accounts that are offered. */
const ACCOUNTS = 200;

/** Reads the accounts that the user may see, as choices. Without the right nothing is read, and there is no data. */
export function useAccounts() {
  const isAllowed = useMay()('authorization.listAccounts');
  return useQuery({
    ...trpc.authorization.listAccounts.queryOptions({ queryOptions: { limit: ACCOUNTS } }),
    enabled: isAllowed,
    staleTime: 60_000,
    select: ({ results }) => results.map(({ _id, username }) => ({ value: _id, label: username })),
  });
}
