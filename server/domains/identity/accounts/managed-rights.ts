import type { Account } from '#db/schemas/identity/account.ts';

type Direct = Pick<Account, 'memberOf' | 'assignedRoles'>;

/**
 * Returns memberships and roles of an update, in which what a directory granted stays marked: a client that sends back what it
 * read without the mark must not turn it into a grant of its own, which the directory could no longer withdraw.
 */
export function keepManaged(stored: Direct, { memberOf, assignedRoles }: Direct): Direct {
  const isManaged = (one: object) => 'aaaManaged' in one && one.aaaManaged === true;
  const groups = new Set(stored.memberOf?.filter(isManaged).map(({ groupId }) => groupId));
  const roles = new Set(stored.assignedRoles?.filter(isManaged).map(({ roleId }) => roleId));
  return {
    ...(memberOf && {
      memberOf: memberOf.map((one) => (groups.has(one.groupId) ? { ...one, aaaManaged: true } : one)),
    }),
    ...(assignedRoles && {
      assignedRoles: assignedRoles.map((one) => (roles.has(one.roleId) ? { ...one, aaaManaged: true } : one)),
    }),
  };
}
