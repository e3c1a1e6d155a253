import { useQuery } from '@tanstack/react-query';
import { trpc } from './client.ts';
import { useMay } from './use-may.ts';

/** Returns the name of a golden config: `…` while it is read, undefined for an account that may not see it. */
export function useTreeName(id: string): string | undefined {
  const isAllowed = useMay()('configurationManager.listTrees');
  const trees = useQuery(trpc.configurationManager.listTrees.queryOptions({}, { enabled: isAllowed }));
  if (trees.isLoading) return '…';
  return trees.data?.find((tree) => tree.id === id)?.name;
}
