import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';

/** Most accounts that are offered to assign a task to. */
const ACCOUNTS = 200;

/** The accounts that this account may read; none without the right. */
export function useAccounts(): { id: string; name: string }[] {
  const may = useMay();
  const found = useQuery({
    ...trpc.authorization.listAccounts.queryOptions({ queryOptions: { limit: ACCOUNTS } }),
    enabled: may('authorization.listAccounts'),
    staleTime: 60_000,
  }).data?.results;
  return (found ?? []).map(({ _id, username }) => ({ id: _id, name: username }));
}
