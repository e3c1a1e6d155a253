import { useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';

/** Most roles that are offered. */
const ROLES = 500;

type Role = Outputs['authorization']['listRoles']['results'][number];

/** The sources of roles whose names are unique: those that come with the platform, and custom ones. */
const UNIQUE = ['platform', 'local'];

const isUnique = (provenance = 'local') => UNIQUE.includes(provenance);

/** Returns a role by a name that no other has: each model of an integration has a role `admin` too. */
export const roleName = ({ name, provenance }: Pick<Role, 'name' | 'provenance'>): string =>
  isUnique(provenance) ? name : `${name} of ${provenance}`;

/** All roles, by name. */
export const useRoles = () =>
  useQuery(
    trpc.authorization.listRoles.queryOptions({ queryOptions: { limit: ROLES, sort: 'name', order: 1 } }),
  );

/** All groups, by name. */
export const useGroupNames = () => useQuery(trpc.authorization.listGroupNames.queryOptions({}));

/** Returns the roles that providers of sign-in can give, as choices by their names: those of models share theirs. */
export const roleNameChoices = (roles: readonly Role[] | undefined) =>
  (roles ?? []).filter(({ provenance }) => isUnique(provenance)).map(({ name }) => ({ id: name, name }));

/** Returns documents as choices of a list. */
export const choicesOf = (documents: readonly { _id: string; name: string }[] | undefined) =>
  (documents ?? []).map(({ _id, name }) => ({ id: _id, name }));

/** Returns the names of some documents in one text; an id without a document stays an id. */
export const namesOf = (
  documents: readonly { _id: string; name: string }[] | undefined,
  ids: readonly string[],
): string => ids.map((id) => documents?.find(({ _id }) => _id === id)?.name ?? id).join(', ');

const withUniqueNames = (roles: readonly Role[] | undefined) =>
  roles?.map((role) => ({ _id: role._id, name: roleName(role) }));

/** Returns roles as choices of a list. */
export const roleChoices = (roles: readonly Role[] | undefined) => choicesOf(withUniqueNames(roles));

/** Returns the names of some roles in one text; an id without a role stays an id. */
export const roleNamesOf = (roles: readonly Role[] | undefined, ids: readonly string[]): string =>
  namesOf(withUniqueNames(roles), ids);
