import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { trpc } from './client.ts';
import { useWhoAmI } from './use-may.ts';

/** Most names of one request. */
const MOST = 1000;

/**
 * Returns a function that names accounts and groups by their ids: `you`, or the name; the id until the names have arrived, and
 * where nobody has it. All ids requested during one render are read with one request.
 */
export function useNames(): (id: string) => string {
  const me = useWhoAmI();
  const [ids, setIds] = useState<readonly string[]>([]);
  const wanted = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    setIds([...wanted.current].sort());
    return () => clearTimeout(timer.current);
  }, []);
  const enabled = ids.length > 0;
  const accounts = useQuery({
    ...trpc.authorization.listAccountNames.queryOptions({ ids: ids.slice(0, MOST) }),
    enabled,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  }).data;
  const groups = useQuery(
    trpc.authorization.listGroupNames.queryOptions({}, { staleTime: 60_000, enabled }),
  ).data;
  return (id) => {
    if (id === me?.id) return 'you';
    const name = groups?.find((group) => group._id === id)?.name;
    if (name === undefined && !wanted.current.has(id)) {
      wanted.current.add(id);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setIds([...wanted.current].sort()));
    }
    return name ?? accounts?.find((account) => account._id === id)?.username ?? id;
  };
}
