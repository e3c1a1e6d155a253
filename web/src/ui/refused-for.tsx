import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import type { ProcedureName } from '~/api/use-may.ts';
import { QueryView, Refused } from './states.tsx';

/** Shown in place of what the account may not do, where the page knows that before it asks: the roles come from the service. */
export function RefusedFor({ operation }: { operation: ProcedureName }) {
  const requirement = useQuery(
    trpc.session.getRequirement.queryOptions({ operation }, { staleTime: Number.POSITIVE_INFINITY }),
  );
  return (
    <QueryView query={requirement} loading="Loading the missing role">
      {({ message }) => <Refused message={message} />}
    </QueryView>
  );
}
