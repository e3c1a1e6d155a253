import type { Account } from '#db/schemas/identity/account.ts';
import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';

/** Rights that a directory grants: names of roles, and ids of groups. */
export type MappedRights = { roles: string[]; groups: string[] };

/**
 * Returns the roles and groups that the members of a directory's groups have here.
 *
 * @param names names of the groups in the directory; for LDAP their distinguished names as well
 */
export function mappedRights(
  { mapping = [], defaultRoles = [] }: Pick<SignInProvider, 'mapping' | 'defaultRoles'>,
  names: readonly string[],
): MappedRights {
  const held = new Set(names.map((name) => name.toLowerCase()));
  const matches = mapping.filter(({ group }) => held.has(group.toLowerCase()));
  const roles = matches.flatMap((one) => one.roles ?? []);
  const groups = matches.flatMap((one) => one.groups ?? []);
  return { roles: [...new Set([...defaultRoles, ...roles])], groups: [...new Set(groups)] };
}

type Direct = Pick<Account, 'memberOf' | 'assignedRoles'>;

/**
 * Returns the direct memberships and roles of an account: those that an administrator gave stay, those of the directory
 * are replaced.
 *
 * @param direct the memberships and roles that the account has now
 * @param mapped ids of the roles and groups that the mapping grants
 * @returns the new memberships and roles
 */
export function withMapped(
  { memberOf = [], assignedRoles = [] }: Direct,
  mapped: { roleIds: readonly string[]; groupIds: readonly string[] },
) {
  const ownGroups = memberOf.filter(({ aaaManaged }) => aaaManaged !== true);
  const ownRoles = assignedRoles.filter(({ aaaManaged }) => aaaManaged !== true);
  const kept = new Set(ownGroups.map(({ groupId }) => groupId));
  const held = new Set(ownRoles.map(({ roleId }) => roleId));
  return {
    memberOf: [
      ...ownGroups,
      ...mapped.groupIds
        .filter((id) => !kept.has(id))
        .sort()
        .map((groupId) => ({ groupId, aaaManaged: true })),
    ],
    assignedRoles: [
      ...ownRoles,
      ...mapped.roleIds
        .filter((id) => !held.has(id))
        .sort()
        .map((roleId) => ({ roleId, aaaManaged: true })),
    ],
  };
}
