import { useQuery } from '@tanstack/react-query';
import { trpc } from './client.ts';
import { useMay } from './use-may.ts';

/** Most accounts that are offered. */
const ACCOUNTS = 200;

/** The accounts that this account may read; none without the right, undefined until they are known. */
export function useAccounts(): { id: string; name: string }[] | undefined {
  const isAllowed = useMay()('authorization.listAccounts');
  const { data, isPending } = useQuery({
    ...trpc.authorization.listAccounts.queryOptions({ queryOptions: { limit: ACCOUNTS } }),
    enabled: isAllowed,
    staleTime: 60_000,
  });
  if (isAllowed && isPending) return undefined;
  return (data?.results ?? []).map(({ _id, username }) => ({ id: _id, name: username }));
}
