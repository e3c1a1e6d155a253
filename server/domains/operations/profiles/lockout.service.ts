import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { conflict } from '#server/kernel/errors.ts';
import type { AdminEntry } from '#server/kernel/principal.ts';

/**
 * Rejects settings that would leave no admin: one active account must have the role directly, through an active group, or
 * by an entry of `authenticationProps.admins` (docs/decisions/0023).
 *
 * @param admins the entries of the profile that is to become or remain active
 * @throws ServiceError CONFLICT
 */
export async function assertSomeAdmin(db: Database, admins: readonly AdminEntry[]): Promise<void> {
  const entries = JSON.stringify(admins);
  // The same rule as `callerOf` in the opposite direction: from the role up to the accounts.
  const [found] = await rows<{ remains: boolean }>(
    db,
    sql`with recursive role as (
          select id from roles where name = 'admin' and doc ->> 'provenance' = 'platform'
        ), entry as (
          select e ->> 'group' as name, e -> 'provenance' is null as anywhere, e ->> 'provenance' as provenance
          from jsonb_array_elements(${entries}::text::jsonb) e
        ), holder(id) as (
          select g.id from groups g
          where g.doc -> 'inactive' is distinct from 'true'::jsonb and (
            exists (select from jsonb_array_elements(coalesce(g.doc -> 'assignedRoles', '[]')) r
                    join role on role.id = r ->> 'roleId')
            or exists (select from entry e where e.name = g.name and (e.anywhere or e.provenance = g.provenance)))
          union
          select g.id from holder
            join groups g on g.doc -> 'memberOf' @> jsonb_build_array(jsonb_build_object('groupId', holder.id))
          where g.doc -> 'inactive' is distinct from 'true'::jsonb
        )
        select exists (
          select from accounts a where not coalesce(a.inactive, false) and a.is_service_account is not true and (
            exists (select from jsonb_array_elements(coalesce(a.doc -> 'assignedRoles', '[]')) r
                    join role on role.id = r ->> 'roleId')
            or exists (select from jsonb_array_elements(coalesce(a.doc -> 'memberOf', '[]')) m
                       join holder on holder.id = m ->> 'groupId')
            or exists (select from entry e where e.name = a.username and (e.anywhere or e.provenance = a.provenance)))
        ) as remains`,
  );
  if (found?.remains) return;
  throw conflict('No account would be admin under this profile: grant the role to an account or group first');
}
