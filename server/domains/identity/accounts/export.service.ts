import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { elementsOf } from '../rights/effective-rights.service.ts';
import { csvOf } from './csv.ts';

type ExportRow = { username: string; provenance: string; inactive: boolean; groups: string; roles: string };

/**
 * Returns a review of access as CSV: every account with its groups and roles, including inherited ones
 * (contract/lifecycle#3). An inactive account is listed with what it would have.
 */
export async function exportAccess(db: Database): Promise<string> {
  const found = await rows<ExportRow>(
    db,
    sql`with recursive member(account, id) as (
          select a.id, m ->> 'groupId' from accounts a, ${elementsOf(sql`a.doc -> 'memberOf'`)} m
          union
          select member.account, m ->> 'groupId' from member
            join groups g on g.id = member.id and g.doc -> 'inactive' is distinct from 'true'::jsonb,
            ${elementsOf(sql`g.doc -> 'memberOf'`)} m
        ), held as (
          select member.account, g.name, g.doc from member join groups g on g.id = member.id
          where g.doc -> 'inactive' is distinct from 'true'::jsonb
        ), assigned(account, id) as (
          select a.id, r ->> 'roleId' from accounts a, ${elementsOf(sql`a.doc -> 'assignedRoles'`)} r
          union
          select held.account, r ->> 'roleId' from held,
            ${elementsOf(sql`held.doc -> 'assignedRoles'`)} r
        ), grouped as (
          select account, string_agg(name, ';' order by name) as names from held group by account
        ), roled as (
          select assigned.account, string_agg(called.name, ';' order by called.name) as names
          from assigned join roles on roles.id = assigned.id,
            lateral (select case when roles.provided then roles.provenance || ':' else '' end || roles.name as name) called
          group by assigned.account
        )
        select a.username, a.provenance, coalesce(a.inactive, false) as inactive,
          coalesce(grouped.names, '') as groups, coalesce(roled.names, '') as roles
        from accounts a left join grouped on grouped.account = a.id left join roled on roled.account = a.id
        order by a.username, a.provenance, a.id`,
  );
  return csvOf([
    ['username', 'provenance', 'inactive', 'groups', 'roles'],
    ...found.map(({ username, provenance, inactive, groups, roles }) => [
      username,
      provenance,
      String(inactive),
      groups,
      roles,
    ]),
  ]);
}
