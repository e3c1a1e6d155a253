import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { AccountRights, HeldRole } from '#server/kernel/principal.ts';

/** Groups and roles of a holder, including inherited ones. */
export type EffectiveMembership = { groups: AccountRights['groups']; roles: HeldRole[] };

/**
 * Returns the elements of a list in a document. The planner estimates a hundred elements for a JSON list, so a million for
 * nested groups, and reserves 32 MB per look-up of a caller; for an array it estimates ten.
 */
export const elementsOf = (list: SQL) =>
  sql`unnest(array(select jsonb_array_elements(coalesce(${list}, '[]'))))`;

/** The condition that the group of the current row is active. */
const ACTIVE = sql`g.doc -> 'inactive' is distinct from 'true'::jsonb`;

/**
 * Returns the tables `held` (groups) and `assigned` (role ids) of a holder, for one query. An inactive group grants
 * nothing, and what it would inherit is not granted either (contract/lifecycle#3).
 *
 * @param holder selects one row with `doc`, which has `memberOf` and `assignedRoles`
 * @param counts the condition under which a group counts
 */
const inheritance = (holder: SQL, counts = ACTIVE) => sql`recursive holder as (${holder}), member(id) as (
    select m ->> 'groupId' from holder, ${elementsOf(sql`holder.doc -> 'memberOf'`)} m
    union
    select m ->> 'groupId' from member
      join groups g on g.id = member.id and ${counts},
      ${elementsOf(sql`g.doc -> 'memberOf'`)} m
  ), held as (
    select g.id, g.doc from groups g
    where g.id = any(array(select id from member)) and ${counts}
  ), assigned(id) as (
    select r ->> 'roleId' from holder, ${elementsOf(sql`holder.doc -> 'assignedRoles'`)} r
    union all
    select r ->> 'roleId' from held, ${elementsOf(sql`held.doc -> 'assignedRoles'`)} r
  )`;

const GROUPS = sql`coalesce((select jsonb_agg(jsonb_build_object('id', id, 'name', doc -> 'name',
  'provenance', doc -> 'provenance') order by doc ->> 'name', id) from held), '[]')`;
/**
 * A role as its holder has it. One that comes with provided methods stands for all of them: its name is qualified, since
 * every provenance has an `admin`, and its list, which may have thousands of entries, is not read.
 */
const ROLE_JSON = sql`case when roles.provided
  then jsonb_build_object('_id', roles.id, 'name', roles.provenance || ':' || roles.name,
    'provenance', roles.provenance, 'provided', roles.name)
  else roles.doc end`;
const ROLES = sql`coalesce((select jsonb_agg(${ROLE_JSON} order by roles.name, roles.provenance) from roles
  where roles.id = any(array(select id from assigned))), '[]')`;

/** Whether documents without an access list are for administrators only (`PUT /authorization/access_default`). */
const HIDES_UNLISTED = sql`exists (select from access_default where doc ->> 'unlisted' = 'administrators')`;

/** Whether secrets in configurations are masked (the same). */
const MASKS_SECRETS = sql`exists (select from access_default where doc ->> 'configurationSecrets' = 'masked')`;

/** Returns an active account with its groups and roles; undefined when it is deleted or inactive. */
export async function effectiveRightsOf(db: Database, accountId: string): Promise<AccountRights | undefined> {
  const [row] = await rows<{ rights: string }>(
    db,
    sql`with ${inheritance(
      sql`select id, doc from accounts where id = ${accountId} and not coalesce(inactive, false)`,
    )}
        select jsonb_build_object('id', holder.id, 'username', holder.doc -> 'username',
          'firstname', coalesce(holder.doc -> 'firstname', '""'), 'provenance', holder.doc -> 'provenance',
          'hidesUnlisted', ${HIDES_UNLISTED}, 'masksSecrets', ${MASKS_SECRETS}, 'groups', ${GROUPS}, 'roles', ${ROLES})::text as rights
        from holder`,
  );
  return row && (JSON.parse(row.rights) as AccountRights);
}

/**
 * Returns the groups and roles that follow from direct memberships and assignments.
 *
 * @param dormant whether inactive groups count too: what the holder would have if they were active
 */
export async function effectiveMembershipOf(
  db: Database,
  direct: { memberOf?: unknown; assignedRoles?: unknown },
  { dormant = false }: { dormant?: boolean } = {},
): Promise<EffectiveMembership> {
  const { memberOf = [], assignedRoles = [] } = direct;
  const doc = JSON.stringify({ memberOf, assignedRoles });
  const [row] = await rows<{ held: string }>(
    db,
    sql`with ${inheritance(sql`select ${doc}::text::jsonb as doc`, dormant ? sql`true` : ACTIVE)}
        select jsonb_build_object('groups', ${GROUPS}, 'roles', ${ROLES})::text as held`,
  );
  return JSON.parse(row?.held ?? '{"groups":[],"roles":[]}') as EffectiveMembership;
}
