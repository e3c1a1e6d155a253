import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { trpc } from './client.ts';
import { useWhoAmI } from './use-may.ts';

/** Most names of one request. */
const MOST = 1000;

/**
 * Returns a function that names accounts and groups by their ids: `you`, or the name; the id until the names have arrived, and
 * where nobody has it.
 *
 * @param ids those that are shown
 */
export function useNames(ids: readonly (string | null | undefined)[]): (id: string) => string {
  const me = useWhoAmI();
  const asked = [...new Set(ids)].filter((id): id is string => Boolean(id) && id !== me?.id).sort();
  const accounts = useQuery({
    ...trpc.authorization.listAccountNames.queryOptions({ ids: asked.slice(0, MOST) }),
    enabled: asked.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  }).data;
  const groups = useQuery(trpc.authorization.listGroupNames.queryOptions({}, { staleTime: 60_000 })).data;
  return (id) =>
    id === me?.id
      ? 'you'
      : (accounts?.find((account) => account._id === id)?.username ??
        groups?.find((group) => group._id === id)?.name ??
        id);
}
