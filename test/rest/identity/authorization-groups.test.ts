import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { goldenTrees, parsers } from '#db/tables/golden-config/configurations.ts';
import { createGroup, createPerson, isWaiting, roleId, sendAs, signIn, until } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

const NOBODY = '65f000000000000000000000';
const path = (id: string) => `/authorization/groups/${id}`;
const update = (id: string, updates: unknown, headers = {}) =>
  service.send('admin', 'PATCH', path(id), { updates }, { headers });
const read = async (id: string) => (await service.send('apiread', 'GET', path(id))).json;

test('a group is created from its members, bare or wrapped, and returned as it was created', async () => {
  for (const wrap of [(group: object) => group, (group: object) => ({ group })]) {
    const name = `ops-${randomUUID()}`;
    const parent = await createGroup(service, {
      assignedRoles: [{ roleId: await roleId(service, 'support') }],
    });
    const answer = await service.send(
      'admin',
      'POST',
      '/authorization/groups',
      wrap({ name, memberOf: [{ groupId: parent }] }),
    );
    const { data, message, status } = answer.json as {
      data: { _id: string };
      message: string;
      status: string;
    };
    expect({ status, message }).toEqual({ status: 'OK', message: `Successfully created group ${data._id}.` });
    expect(data).toMatchObject({
      name,
      description: '',
      provenance: 'local',
      inactive: false,
      memberOf: [{ groupId: parent, aaaManaged: false }],
      assignedRoles: [],
      inheritedGroups: [],
      inheritedRoles: [{ roleId: await roleId(service, 'support') }],
      _meta: { created: expect.any(String), updated: expect.any(String) },
    });
    expect(await read(data._id)).toEqual(data);
  }
});

test('names are unique within their provenance', async () => {
  const name = `twice-${randomUUID()}`;
  await createGroup(service, { name });
  expect(await service.send('admin', 'POST', '/authorization/groups', { name })).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining(name) },
  });
  const elsewhere = await createGroup(service, { name, provenance: 'ldap' });
  expect(await read(elsewhere)).toMatchObject({ name, provenance: 'ldap' });
});

test('a caller cannot pass his group off as the platform’s own', async () => {
  const group = { name: randomUUID(), provenance: 'platform' };
  expect(await service.send('admin', 'POST', '/authorization/groups', { group })).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['group', 'provenance'] }] },
  });
  expect(await update(await createGroup(service), { provenance: 'platform' })).toMatchObject({ status: 400 });
});

test('the platform’s own group stays, under its name', async () => {
  const { results } = (
    await service.send('admin', 'GET', '/authorization/groups?equals=api_clients&equalsField=name')
  ).json as { results: { _id: string; assignedRoles: object[] }[] };
  const [clients] = results;
  expect(clients?.assignedRoles).toEqual([
    { roleId: await roleId(service, 'apiread') },
    { roleId: await roleId(service, 'apiwrite') },
  ]);
  const id = clients?._id ?? '';
  expect(await service.send('admin', 'DELETE', path(id))).toMatchObject({ status: 403 });
  expect(await update(id, { name: 'mine' })).toMatchObject({ status: 403 });
  expect(await update(id, { name: 'api_clients', description: 'Programs' })).toMatchObject({ status: 200 });
});

test('a group is changed only in `updates`, and the rejection names it', async () => {
  const id = await createGroup(service, { description: 'one' });
  expect(await service.send('admin', 'PATCH', path(id), { description: 'two' })).toMatchObject({
    status: 400,
    json: { message: expect.stringContaining('updates') },
  });
  expect(await update(id, { description: 'two' })).toMatchObject({
    status: 200,
    json: { status: 'OK', data: { description: 'two' } },
  });
  const taken = `taken-${randomUUID()}`;
  await createGroup(service, { name: taken });
  expect(await update(id, { name: taken })).toMatchObject({ status: 409 });
  expect(await update(id, { name: `renamed-${taken}` })).toMatchObject({ status: 200 });
});

test('unknown groups and roles are rejected, each one named', async () => {
  const updates = { memberOf: [{ groupId: NOBODY }], assignedRoles: [{ roleId: 'x' }, { roleId: 'y' }] };
  const answer = await update(await createGroup(service), updates);
  expect(answer).toMatchObject({
    status: 400,
    json: {
      issues: [
        { path: ['updates', 'memberOf', 0, 'groupId'], message: expect.stringContaining(NOBODY) },
        { path: ['updates', 'assignedRoles', 0, 'roleId'] },
        { path: ['updates', 'assignedRoles', 1, 'roleId'] },
      ],
    },
  });
});

test('no group becomes a member of itself, neither through other groups nor by two concurrent changes', async () => {
  const [a, b, c] = [await createGroup(service), await createGroup(service), await createGroup(service)];
  const join = (group: string, groupId: string) => update(group, { memberOf: [{ groupId }] });
  expect(await join(a, b)).toMatchObject({ status: 200 });
  expect(await join(b, c)).toMatchObject({ status: 200 });
  for (const [group, other] of [
    [a, a],
    [b, a],
    [c, a],
    [c, b],
  ] as const) {
    expect(await join(group, other)).toMatchObject({
      status: 400,
      json: { issues: [{ path: ['updates', 'memberOf'] }] },
    });
  }
  const [x, y] = [await createGroup(service), await createGroup(service)];
  const answers = await Promise.all([join(x, y), join(y, x)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test('a group in a cycle that was stored by other means neither hangs nor grants more', async () => {
  const [x, y] = [await createGroup(service), await createGroup(service)];
  for (const [group, other] of [
    [x, y],
    [y, x],
  ] as const) {
    const memberOf = JSON.stringify([{ groupId: other }]);
    await rows(
      service.db,
      sql`update groups set doc = jsonb_set(doc, '{memberOf}', ${memberOf}::text::jsonb) where id = ${group}`,
    );
  }
  const person = await createPerson(service, ['other'], { memberOf: [{ groupId: x }] });
  const answer = await sendAs(service, await signIn(service, person), 'GET', '/whoami');
  expect(answer).toMatchObject({ status: 200, json: { roles: ['other'] } });
  expect((await service.send('admin', 'GET', '/authorization/csv/export')).status).toBe(200);
  expect(await update(x, { memberOf: [] })).toMatchObject({ status: 200 });
});

/** Store a document with an access list, as the area that owns it would. */
async function storeTree(gbac: { read: string[]; write: string[] }, name = `tree-${randomUUID()}`) {
  const id = newId();
  const now = new Date().toISOString();
  const doc = {
    id,
    _id: id,
    name,
    deviceType: 'cisco-ios',
    versions: ['initial'],
    created: now,
    lastUpdated: now,
    gbac,
  };
  await insert(service.db, goldenTrees, id, doc as never);
  return { id, name };
}

async function listsOf(id: string) {
  const [row] = await rows<{ gbac: string }>(
    service.db,
    sql`select (doc -> 'gbac')::text as gbac from golden_trees where id = ${id}`,
  );
  return JSON.parse(row?.gbac ?? 'null') as unknown;
}

test('deleting a group removes it from memberships and access lists', async () => {
  const [gone, stays] = [await createGroup(service), await createGroup(service)];
  const child = await createGroup(service, { memberOf: [{ groupId: gone }, { groupId: stays }] });
  const person = await createPerson(service, [], { memberOf: [{ groupId: gone }] });
  const tree = await storeTree({ read: [gone, stays], write: [stays, gone] });
  const writers = await storeTree({ read: [], write: [stays, gone] });
  expect(await service.send('admin', 'DELETE', path(gone))).toMatchObject({
    status: 200,
    json: { status: 'OK' },
  });
  expect(await service.send('admin', 'GET', path(gone))).toMatchObject({ status: 404 });
  expect(await read(child)).toMatchObject({ memberOf: [{ groupId: stays }] });
  const account = await service.send('admin', 'GET', `/authorization/accounts/${person.id}`);
  expect(account).toMatchObject({ json: { memberOf: [] } });
  expect(await listsOf(tree.id)).toEqual({ read: [stays], write: [stays] });
  expect(await listsOf(writers.id)).toEqual({ read: [], write: [stays] });
});

test('a group stays while a document names it alone: the document would be open to everyone', async () => {
  const [group, other] = [await createGroup(service), await createGroup(service)];
  const onlyReader = await storeTree({ read: [group], write: [group, other] });
  const both = await storeTree({ read: [group, other], write: [group, other] });
  const rejected = await service.send('admin', 'DELETE', path(group));
  expect(rejected).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining(onlyReader.name) },
  });
  expect((rejected.json as { message: string }).message).not.toContain(both.name);
  expect(await listsOf(both.id)).toEqual({ read: [group, other], write: [group, other] });
  expect(await service.send('admin', 'GET', path(group))).toMatchObject({ status: 200 });
  await rows(service.db, sql`delete from golden_trees where id = ${onlyReader.id}`);
  const onlyWriter = await storeTree({ read: [], write: [group] });
  expect(await service.send('admin', 'DELETE', path(group))).toMatchObject({ status: 409 });
  await rows(service.db, sql`delete from golden_trees where id = ${onlyWriter.id}`);
  const id = newId();
  const parser = {
    _id: id,
    name: randomUUID(),
    template: 'cisco-ios',
    lexRules: [],
    gbac: { read: [], write: [group] },
  };
  await insert(service.db, parsers, id, parser as never);
  expect(await service.send('admin', 'DELETE', path(group))).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining(parser.name) },
  });
});

test('a document that is closed while its group is deleted stays closed', async () => {
  const [group, other] = [await createGroup(service), await createGroup(service)];
  const tree = await storeTree({ read: [], write: [group, other] });
  let deleting: Promise<{ status: number }> | undefined;
  await inTransaction(service.db, async (tx) => {
    const doc = JSON.stringify({ read: [], write: [group] });
    await rows(
      tx,
      sql`update golden_trees set doc = jsonb_set(doc, '{gbac}', ${doc}::text::jsonb) where id = ${tree.id}`,
    );
    deleting = service.send('admin', 'DELETE', path(group));
    await until(() => isWaiting(service));
  });
  expect(await deleting).toMatchObject({ status: 409 });
  expect(await listsOf(tree.id)).toEqual({ read: [], write: [group] });
});

test('a deleted group no longer grants access to its members', async () => {
  const group = await createGroup(service, { assignedRoles: [{ roleId: await roleId(service, 'apiread') }] });
  const token = await signIn(service, await createPerson(service, [], { memberOf: [{ groupId: group }] }));
  expect(await sendAs(service, token, 'GET', '/authorization/groups')).toMatchObject({ status: 200 });
  await service.send('admin', 'DELETE', path(group));
  expect(await sendAs(service, token, 'GET', '/authorization/groups')).toMatchObject({ status: 403 });
});

test('an unknown group is named in each rejection', async () => {
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { updates: {} }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await service.send('admin', method, path(NOBODY), body);
    expect(answer).toMatchObject({ status: 404, json: { message: `Group ${NOBODY} does not exist` } });
  }
});

test('a group that another user has changed since it was read is neither changed nor deleted', async () => {
  const id = await createGroup(service);
  const { updated } = ((await read(id)) as { _meta: { updated: string } })._meta;
  await update(id, { description: 'x' });
  const headers = { 'If-Match': `"${updated}"` };
  expect(await update(id, { description: 'y' }, headers)).toMatchObject({ status: 409 });
  expect(await service.send('admin', 'DELETE', path(id), undefined, { headers })).toMatchObject({
    status: 409,
  });
});

test('all groups are listed in one call, and their names to everyone', async () => {
  for (let made = 0; made < 30; made++) await createGroup(service);
  const inactive = await createGroup(service, { inactive: true });
  const all = (await service.send('apiread', 'GET', '/authorization/groups')).json as {
    results: object[];
    total: number;
  };
  expect(all.results.length).toBe(all.total);
  expect(all.total).toBeGreaterThan(30);
  const off = await service.send('apiread', 'GET', '/authorization/groups?inactive=true');
  expect(off).toMatchObject({ json: { total: 1, results: [{ _id: inactive }] } });
  const names = await service.send('other', 'GET', '/authorization/groups/list');
  expect(names.status).toBe(200);
  const listed = names.json as object[];
  expect(listed).toHaveLength(all.total);
  expect(Object.keys(listed[0] ?? {}).toSorted()).toEqual(['_id', 'name', 'provenance']);
});
