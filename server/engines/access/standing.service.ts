import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { HeldRole, Standing } from './principal.ts';

/** Groups and roles of a holder, inherited ones included. */
export type Held = { groups: Standing['groups']; roles: HeldRole[] };

/**
 * Tables `held` (groups) and `assigned` (ids of roles) of whoever `holder` is, in one query. An inactive group gives
 * nothing, and ends the inheritance that runs through it (lifecycle §3).
 *
 * @param holder selects one row with `doc`, which has `memberOf` and `assignedRoles`
 */
const inheritance = (holder: SQL) => sql`recursive holder as (${holder}), member(id) as (
    select m ->> 'groupId' from holder, jsonb_array_elements(coalesce(holder.doc -> 'memberOf', '[]')) m
    union
    select m ->> 'groupId' from member
      join groups g on g.id = member.id and g.doc -> 'inactive' is distinct from 'true'::jsonb,
      jsonb_array_elements(coalesce(g.doc -> 'memberOf', '[]')) m
  ), held as (
    select g.id, g.doc from groups g join member on member.id = g.id
    where g.doc -> 'inactive' is distinct from 'true'::jsonb
  ), assigned(id) as (
    select r ->> 'roleId' from holder, jsonb_array_elements(coalesce(holder.doc -> 'assignedRoles', '[]')) r
    union
    select r ->> 'roleId' from held, jsonb_array_elements(coalesce(held.doc -> 'assignedRoles', '[]')) r
  )`;

const GROUPS = sql`coalesce((select jsonb_agg(jsonb_build_object('id', id, 'name', doc -> 'name',
  'provenance', doc -> 'provenance') order by doc ->> 'name', id) from held), '[]')`;
const ROLES = sql`coalesce((select jsonb_agg(roles.doc order by roles.name) from roles
  join assigned on assigned.id = roles.id), '[]')`;

/** An active account with its groups and roles; undefined when it is gone or inactive. */
export async function standingOf(db: Database, accountId: string): Promise<Standing | undefined> {
  const [row] = await rows<{ standing: string }>(
    db,
    sql`with ${inheritance(
      sql`select id, doc from accounts where id = ${accountId} and not coalesce(inactive, false)`,
    )}
        select jsonb_build_object('id', holder.id, 'username', holder.doc -> 'username',
          'firstname', coalesce(holder.doc -> 'firstname', '""'), 'provenance', holder.doc -> 'provenance',
          'groups', ${GROUPS}, 'roles', ${ROLES})::text as standing
        from holder`,
  );
  return row && (JSON.parse(row.standing) as Standing);
}

/** The groups and roles that these direct memberships and assignments come to. */
export async function heldBy(
  db: Database,
  direct: { memberOf?: unknown; assignedRoles?: unknown },
): Promise<Held> {
  const { memberOf = [], assignedRoles = [] } = direct;
  const doc = JSON.stringify({ memberOf, assignedRoles });
  const [row] = await rows<{ held: string }>(
    db,
    sql`with ${inheritance(sql`select ${doc}::text::jsonb as doc`)}
        select jsonb_build_object('groups', ${GROUPS}, 'roles', ${ROLES})::text as held`,
  );
  return JSON.parse(row?.held ?? '{"groups":[],"roles":[]}') as Held;
}
