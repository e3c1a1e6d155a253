import { type SQL, sql } from 'drizzle-orm';
import { acquireLock, type Database, rows } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import type { Membership, RoleAssignment } from '#db/schemas/identity/account.ts';
import { groups, roles } from '#db/tables/identity/accounts.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { conflict, forbidden, type Issue, invalidRequest } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { type AdminEntry, lackingOf, type Rights, rightsOf } from '#server/kernel/principal.ts';
import { distinct } from '../accounts/membership.ts';
import { effectiveMembershipOf } from './effective-rights.service.ts';
import { audiencesOf } from './permissions.ts';

/**
 * Begins a change of accounts, groups or roles. Such changes run sequentially: two that each leave one last admin, or that
 * each add half of a membership cycle, would both be valid alone.
 */
export async function beginChange({ db }: Pick<ReadContext, 'db'>): Promise<void> {
  await acquireLock(db, 'switchyard access');
}

type DirectRights = { memberOf?: Membership[] | undefined; assignedRoles?: RoleAssignment[] | undefined };

/**
 * Returns memberships and assignments as they are stored: each once, and only of groups and roles that exist.
 *
 * @param path their path in the request
 * @throws ServiceError BAD_REQUEST naming every unknown one
 */
export async function readDirect(
  tx: Database,
  { memberOf, assignedRoles }: DirectRights,
  path: string[],
): Promise<{ memberOf?: Membership[]; assignedRoles?: RoleAssignment[] }> {
  const groupIds = memberOf?.map(({ groupId }) => groupId) ?? [];
  const roleIds = assignedRoles?.map(({ roleId }) => roleId) ?? [];
  const known = await existing(tx, groupIds, roleIds);
  const issues: Issue[] = [
    ...unknownOf('group', groupIds, known.groups, (at) => [...path, 'memberOf', at, 'groupId']),
    ...unknownOf('role', roleIds, known.roles, (at) => [...path, 'assignedRoles', at, 'roleId']),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
  return {
    ...(memberOf && {
      memberOf: distinct(memberOf, ({ groupId }) => groupId).map(({ groupId, aaaManaged = false }) => ({
        groupId,
        aaaManaged,
      })),
    }),
    ...(assignedRoles && {
      assignedRoles: distinct(assignedRoles, ({ roleId }) => roleId).map(({ roleId }) => ({ roleId })),
    }),
  };
}

async function existing(tx: Database, groupIds: string[], roleIds: string[]) {
  const idsIn = async (table: typeof groups | typeof roles, ids: string[]) => {
    const found = await tx.select({ id: table.id }).from(table).where(isOneOf(table.id, ids));
    return new Set(found.map(({ id }) => id));
  };
  return { groups: await idsIn(groups, groupIds), roles: await idsIn(roles, roleIds) };
}

const unknownOf = (
  kind: string,
  ids: readonly string[],
  known: ReadonlySet<string>,
  pathOf: (at: number) => (string | number)[],
): Issue[] =>
  ids.flatMap((id, at) =>
    known.has(id)
      ? []
      : [
          {
            path: pathOf(at),
            message: `${kind} ${id.slice(0, 100)} does not exist`,
            code: 'unknown_reference',
          },
        ],
  );

/** A source of rights: an account, a group (with the names that the active profile uses), or a bare list. */
type Holder = {
  memberOf?: unknown;
  assignedRoles?: unknown;
  name?: unknown;
  username?: unknown;
  provenance?: string | undefined;
};

/**
 * Rejects a change by a caller who is not an admin but has the single permission for it, when it affects rights that they
 * do not have: they could otherwise make themselves an admin.
 *
 * @param holders the changed account or group, before and after the change
 * @throws ServiceError FORBIDDEN
 */
export async function assertWithinRights(
  { db, platform, principal }: WriteContext<'access' | 'catalogue'>,
  ...holders: Holder[]
): Promise<void> {
  if (principal.roles.includes('admin')) return;
  const { admins } = await platform.access.knownRules();
  for (const holder of holders) {
    // The rights of an inactive group take effect again when it is activated, so they count as granted now.
    const { groups, roles } = await effectiveMembershipOf(db, holder, { dormant: true });
    const called = { name: String(holder.name ?? holder.username), provenance: holder.provenance ?? '' };
    assertHolds(principal, rightsOf(roles, groups, [called, ...groups], admins), platform);
  }
}

/**
 * Rejects a grant of rights that the giver lacks.
 *
 * @throws ServiceError FORBIDDEN naming the granted rights that the giver lacks
 */
export function assertHolds(giver: Rights, given: Rights, { catalogue }: Pick<Platform, 'catalogue'>) {
  const lacking = lackingOf(giver, given, audiencesOf(catalogue));
  if (lacking.length === 0) return;
  const shown = lacking.slice(0, 5).map((right) => right.replaceAll(/\n+/g, ' '));
  throw forbidden(`You may grant only rights that you have yourself; you lack ${shown.join(', ')}`);
}

/**
 * Runs a change, unless it would leave no account that is an active admin: nobody could undo it.
 *
 * @throws ServiceError CONFLICT when there was an admin before and none would remain
 */
export async function keepingAnAdmin<Value>(
  { db, platform }: WriteContext<'access' | 'catalogue'>,
  change: () => Promise<Value>,
): Promise<Value> {
  const { admins } = await platform.access.knownRules();
  const had = await hasAdmin(db, admins);
  const value = await change();
  if (had && !(await hasAdmin(db, admins))) {
    throw conflict(
      'This would leave no active account with the role admin: grant the role to another account first',
    );
  }
  return value;
}

/** Returns whether an active user account has the role admin: directly, through active groups, or by the active profile. */
async function hasAdmin(tx: Database, admins: readonly AdminEntry[]): Promise<boolean> {
  const named = (row: SQL, name: SQL, unnamed: SQL) => sql`exists (
    select from jsonb_array_elements(${JSON.stringify(admins)}::text::jsonb) entry
    where entry ->> 'group' = ${name} and coalesce(entry ->> 'provenance', ${unnamed}) = ${row}.provenance)`;
  const assigned = (row: SQL) => sql`${row}.doc -> 'assignedRoles' @> (select jsonb_build_array(
    jsonb_build_object('roleId', id)) from roles where name = 'admin' and doc ->> 'provenance' = 'platform')`;
  const isMember = (row: SQL) =>
    sql`${row}.doc -> 'memberOf' @> jsonb_build_array(jsonb_build_object('groupId', granting.id))`;
  const g = sql`g`;
  const a = sql`a`;
  const [found] = await rows<{ there: boolean }>(
    tx,
    sql`with recursive granting(id) as (
          select g.id from groups g where g.doc -> 'inactive' is distinct from 'true'::jsonb
            and (${assigned(g)} or ${named(g, sql`g.name`, sql`g.provenance`)})
          union
          select g.id from groups g join granting on ${isMember(g)}
            where g.doc -> 'inactive' is distinct from 'true'::jsonb
        )
        select exists (
          select from accounts a where a.inactive is not true and a.is_service_account is not true
            and (${assigned(a)} or ${named(a, sql`a.username`, sql`'local'`)}
              or exists (select from granting where ${isMember(a)}))
        ) as there`,
  );
  return found?.there ?? false;
}
