import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';

/** Most roles that are offered. */
const ROLES = 500;

/** All roles, by name. */
export const useRoles = () =>
  useQuery(
    trpc.authorization.listRoles.queryOptions({ queryOptions: { limit: ROLES, sort: 'name', order: 1 } }),
  );

/** All groups, by name. */
export const useGroupNames = () => useQuery(trpc.authorization.listGroupNames.queryOptions({}));

/** Returns documents as choices of a list. */
export const choicesOf = (documents: readonly { _id: string; name: string }[] | undefined) =>
  (documents ?? []).map(({ _id, name }) => ({ id: _id, name }));

/** Returns the names of some documents in one text; an id without a document stays an id. */
export const namesOf = (
  documents: readonly { _id: string; name: string }[] | undefined,
  ids: readonly string[],
): string => ids.map((id) => documents?.find(({ _id }) => _id === id)?.name ?? id).join(', ');
