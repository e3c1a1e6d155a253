import { getTableName, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { DOCUMENT_KINDS, type DocumentKind, kindsWhere } from '#db/document-kinds/kinds.ts';
import { storeOfKind } from '../helpers/lists/kinds.ts';
import { createGroup } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { db } = service;

/** The kinds with access lists; devices are a view over what reports them. */
const LISTED = kindsWhere(({ access }) => access === 'list').filter((kind) => kind !== 'device');

const storeIn = (kind: DocumentKind, gbac: object) => storeOfKind(db, kind, { doc: { gbac } });

test.each(LISTED)(
  'a deleted group leaves the access lists of %s, unless a document would become open to everyone',
  async (kind) => {
    const table = getTableName(DOCUMENT_KINDS[kind].table);
    const [leaving, staying] = [await createGroup(service), await createGroup(service)];
    const id = await storeIn(kind, { read: [leaving, staying], write: [staying, leaving] });
    const gbacOf = async () =>
      (
        await rows<{ gbac: string }>(
          db,
          sql`select (doc -> 'gbac')::text as gbac from ${sql.identifier(table)} where id = ${id}`,
        )
      ).map(({ gbac }) => JSON.parse(gbac));
    const removed = await service.send('admin', 'DELETE', `/authorization/groups/${leaving}`);
    expect(removed.status, removed.text).toBe(200);
    expect(await gbacOf()).toEqual([{ read: [staying], write: [staying] }]);
    const rejected = await service.send('admin', 'DELETE', `/authorization/groups/${staying}`);
    expect(rejected.status, rejected.text).toBe(409);
    expect(await gbacOf()).toEqual([{ read: [staying], write: [staying] }]);
  },
);

test.each(LISTED)(
  'the access list of a deleted document of %s is kept while it restricts, and forgotten once it is open',
  async (kind) => {
    const table = getTableName(DOCUMENT_KINDS[kind].table);
    const group = await createGroup(service);
    const id = await storeIn(kind, { read: [group], write: [group] });
    const kept = async () => {
      const found = await rows<{ list: string }>(
        db,
        sql`select read_groups::text as list from deleted_access_lists where kind = ${table} and id = ${id}`,
      );
      return found.map(({ list }) => JSON.parse(list) as unknown);
    };
    await db.execute(sql`delete from ${sql.identifier(table)} where id = ${id}`);
    expect(await kept()).toEqual([[group]]);
    const open = await storeIn(kind, { read: [], write: [] });
    await db.execute(sql`update ${sql.identifier(table)} set id = ${id} where id = ${open}`);
    await db.execute(sql`delete from ${sql.identifier(table)} where id = ${id}`);
    expect(await kept()).toEqual([]);
  },
);

test('a deleted group is removed from its projects, unless a project would be left without an owner', async () => {
  const [leaving, owner] = [await createGroup(service), await createGroup(service)];
  const memberOf = (reference: string, role: string) => ({ type: 'group', reference, role });
  const manage = [`group:${owner}`];
  const id = await storeOfKind(db, 'project', {
    doc: {
      members: [memberOf(owner, 'owner'), memberOf(leaving, 'viewer')],
      accessControl: { read: [...manage, `group:${leaving}`], write: manage, execute: manage, manage },
    },
  });
  expect((await service.send('admin', 'DELETE', `/authorization/groups/${leaving}`)).status).toBe(200);
  expect((await service.send('admin', 'DELETE', `/authorization/groups/${owner}`)).status).toBe(409);
  const [row] = await rows<{ doc: string }>(db, sql`select doc::text as doc from projects where id = ${id}`);
  expect(JSON.parse(row?.doc ?? '')).toMatchObject({
    members: [memberOf(owner, 'owner')],
    accessControl: { read: manage, write: manage, execute: manage, manage },
  });
});
