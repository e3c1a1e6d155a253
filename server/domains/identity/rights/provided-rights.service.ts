import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { noteChange, remove } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { accounts, providedMethods, roles } from '#db/tables/identity/accounts.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { conflict } from '#server/kernel/errors.ts';
import { permissionOfMethod } from '#server/kernel/principal.ts';
import { newStamps } from '../accounts/updates.ts';
import { removeFromList } from './cascade-removal.service.ts';
import { beginChange } from './rights.service.ts';

/** The roles that come with provided methods, and what they are for. */
const PROVIDED = {
  admin: 'Calls every operation',
  get: 'Calls the operations that read',
} as const;

/**
 * Stores the methods of a provenance in place of its previous ones, with two roles for them: `admin` for all, `get` for
 * those that read. The account `admin` holds both from then on.
 *
 * @param provenance contains a colon, which no provenance of the platform does
 * @param methods JSON text of a list of `{name, verb, path, deprecated, isRead}`
 * @throws ServiceError CONFLICT when a custom role of the same name and provenance exists
 */
export async function provideRights(
  { db, platform }: SystemContext<'now'>,
  provenance: string,
  methods: string,
): Promise<void> {
  await beginChange({ db });
  await db.delete(providedMethods).where(eq(providedMethods.provenance, provenance));
  await db.execute(
    sql`insert into ${providedMethods} (provenance, name, place, verb, path, deprecated, is_read)
        select ${provenance}, one ->> 'name', place, one ->> 'verb', one ->> 'path',
          (one -> 'deprecated')::boolean, (one -> 'isRead')::boolean
        from jsonb_array_elements(${methods}::text::jsonb) with ordinality as list(one, place)`,
  );
  const stamps = newStamps(platform.now());
  for (const [name, description] of Object.entries(PROVIDED)) {
    const id = await storeRole(db, { provenance, name, description, stamps });
    await assignToAdmin(db, id);
  }
  await dropUnprovidedGrants(db, provenance);
}

/** Deletes the methods of a provenance and their roles, which nobody holds any more; no custom role grants them. */
export async function withdrawRights({ db }: SystemContext<'now'>, provenance: string): Promise<void> {
  await beginChange({ db });
  await db.delete(providedMethods).where(eq(providedMethods.provenance, provenance));
  const own = await db
    .select({ id: roles.id })
    .from(roles)
    .where(and(eq(roles.provenance, provenance), roles.provided));
  await remove(
    db,
    roles,
    own.map(({ id }) => id),
  );
  for (const { id } of own) await removeFromList(db, { list: 'assignedRoles', member: 'roleId' }, id);
  await dropUnprovidedGrants(db, provenance);
}

type ProvidedRole = {
  provenance: string;
  name: string;
  description: string;
  stamps: { created: string; updated: string };
};

/** Creates or updates a role with the methods that are stored. @returns its id */
async function storeRole(
  db: Database,
  { provenance, name, description, stamps }: ProvidedRole,
): Promise<string> {
  const [found] = await db
    .select({ id: roles.id, provided: roles.provided })
    .from(roles)
    .where(and(eq(roles.name, name), eq(roles.provenance, provenance)))
    .for('update');
  if (found && !found.provided)
    throw conflict(`A role ${name} of ${provenance} exists already: delete it first`);
  const id = found?.id ?? newId();
  const doc = { _id: id, provenance, name, description, allowedViews: [], _meta: stamps };
  await db.execute(
    sql`insert into ${roles} (id, provided, doc)
        values (${id}, true, ${JSON.stringify(doc)}::text::jsonb || jsonb_build_object('allowedMethods', coalesce(
          (select jsonb_agg(jsonb_build_object('name', m.name, 'provenance', m.provenance) order by m.place)
           from ${providedMethods} m
           where m.provenance = ${provenance} and (m.is_read or ${name === 'admin'})), '[]')))
        on conflict (id) do update set rev = roles.rev + 1, updated_at = now(), doc = excluded.doc
          || jsonb_build_object('_meta', coalesce(roles.doc -> '_meta', '{}')
            || jsonb_build_object('updated', excluded.doc #> '{_meta,updated}'))`,
  );
  noteChange(db, { kind: 'roles', id, name });
  return id;
}

/** Grants a role to the account `admin`, unless the account has it already or does not exist. */
async function assignToAdmin(db: Database, roleId: string): Promise<void> {
  const entry = JSON.stringify([{ roleId }]);
  const changed = await rows<{ id: string }>(
    db,
    sql`update ${accounts} set rev = rev + 1, updated_at = now(), doc = jsonb_set(doc, '{assignedRoles}',
          coalesce(doc -> 'assignedRoles', '[]') || ${entry}::text::jsonb)
        where username = 'admin' and provenance = 'local' and deleted is not true
          and not coalesce(doc -> 'assignedRoles', '[]') @> ${entry}::text::jsonb
        returning id`,
  );
  for (const { id } of changed) noteChange(db, { kind: 'accounts', id, name: 'admin' });
}

/** Removes methods that are no longer provided from the custom roles that grant them. */
async function dropUnprovidedGrants(db: Database, provenance: string): Promise<void> {
  const entry = JSON.stringify([{ provenance }]);
  const changed = await rows<{ id: string; name: string }>(
    db,
    sql`with kept as (
          select r.id, (select coalesce(jsonb_agg(one order by place), '[]')
            from jsonb_array_elements(r.doc -> 'allowedMethods') with ordinality as list(one, place)
            where one ->> 'provenance' is distinct from ${provenance} or exists (
              select from ${providedMethods} m where m.provenance = ${provenance} and m.name = one ->> 'name')) as methods
          from ${roles} r where not r.provided and r.doc -> 'allowedMethods' @> ${entry}::text::jsonb
        )
        update ${roles} r set rev = r.rev + 1, updated_at = now(),
          doc = jsonb_set(r.doc, '{allowedMethods}', kept.methods)
        from kept where r.id = kept.id and r.doc -> 'allowedMethods' <> kept.methods
        returning r.id, r.name`,
  );
  for (const one of changed) noteChange(db, { kind: 'roles', ...one });
}

/**
 * A query of every provided method as `{ doc }`, as lists show methods; the base of its path is that of an integration.
 * There may be tens of thousands, which therefore do not leave the database.
 */
export const PROVIDED_METHODS: SQL = sql`
  select jsonb_build_object('provenance', provenance, 'name', name, 'deprecated', deprecated,
    'route', jsonb_build_object('verb', verb, 'path', path, 'fullPath', path)) as doc
  from ${providedMethods} order by provenance, place`;

/** Returns the permissions for those of the methods that are provided. */
export async function knownProvided(
  db: Database,
  methods: readonly { provenance?: string | undefined; name: string }[],
): Promise<ReadonlySet<string>> {
  const asked = methods.filter(({ provenance = '' }) => provenance.includes(':'));
  if (asked.length === 0) return new Set();
  const found = await rows<{ provenance: string; name: string }>(
    db,
    sql`select m.provenance, m.name from ${providedMethods} m
        join jsonb_to_recordset(${JSON.stringify(asked)}::text::jsonb) as asked(provenance text, name text)
          on m.provenance = asked.provenance and m.name = asked.name`,
  );
  return new Set(found.map(permissionOfMethod));
}
