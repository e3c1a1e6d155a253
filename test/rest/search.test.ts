import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { SearchResult } from '#db/schemas/assets/search.ts';
import { accounts, groups } from '#db/tables/documents.ts';
import { deviceGroups } from '#db/tables/gateway.ts';
import type { Role } from '#server/kernel/roles.ts';
import { openDrawingBoard } from '../helpers/drawing-board.ts';
import { drawn } from '../helpers/workflows.ts';

const board = await openDrawingBoard();
const { db, done, send } = board;
const create = (name: string, more = {}) => board.create(drawn(name, {}, more));
const project = async (name: string) =>
  (await done<{ data: { _id: string } }>('POST', '/automation-studio/projects', { name })).data;

type Found = { results: SearchResult[]; total: number };
const search = async (q: string, more = '', as: Role = 'admin'): Promise<Found> => {
  const answer = await send('GET', `/search?q=${encodeURIComponent(q)}${more}`, undefined, { as });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Found;
};
const names = ({ results }: Found) => results.map(({ kind, name }) => `${kind} ${name}`);

test('a part of a name finds documents of every kind, whatever its case, and their paths lead to them', async () => {
  await create('Lantern upgrade');
  await done('POST', '/json-forms/forms', { name: 'Lantern form', schema: {} });
  await done('POST', '/configuration_manager/devicegroup', { groupName: 'LANTERNS', deviceNames: [] });
  await done('POST', '/configuration_manager/configs', { name: 'my lantern', deviceType: 'cisco-ios' });
  await done('POST', '/tags/create', { data: { name: 'lantern-tag' } });
  const { _id } = await project('Lantern project');
  const found = await search('laNTern');
  expect(names(found)).toEqual(
    expect.arrayContaining([
      'deviceGroup LANTERNS',
      'jsonForm Lantern form',
      'project Lantern project',
      'tag lantern-tag',
      'tree my lantern',
      'workflow Lantern upgrade',
    ]),
  );
  expect(found.total).toBe(found.results.length);
  expect(found.results.find(({ kind }) => kind === 'project')).toMatchObject({
    _id,
    path: `/automation-studio/projects/${_id}`,
  });
  for (const { kind, path, name } of found.results) {
    const read = await send('GET', path);
    expect(read.status, path).toBe(200);
    expect(read.text, kind).toContain(name);
  }
});

test('descriptions are searched from three characters on, and come after names; a document counts once', async () => {
  await create('Zebra one', { description: 'about a quokka' });
  await create('Quokka two', { description: 'another quokka' });
  expect(names(await search('quokka'))).toEqual(['workflow Quokka two', 'workflow Zebra one']);
  expect((await search('quokka')).total).toBe(2);
  expect(names(await search('Qu', '&kinds=workflow'))).toEqual(['workflow Quokka two']);
});

test('of each kind as many come as were asked for, and the total tells of all', async () => {
  for (let at = 0; at < 7; at++) {
    await create(`Marmot ${at}`);
    await done('POST', '/tags/create', { data: { name: `marmot ${at}` } });
  }
  const few = await search('marmot', '&limit=2');
  expect(names(few)).toEqual(['tag marmot 0', 'tag marmot 1', 'workflow Marmot 0', 'workflow Marmot 1']);
  expect(few.total).toBe(14);
  expect((await search('marmot')).results).toHaveLength(10);
  expect(names(await search('marmot', '&kinds=tag&limit=1'))).toEqual(['tag marmot 0']);
  expect((await search('marmot', '&kinds=tag&kinds=workflow&limit=100')).results).toHaveLength(14);
});

test('of one kind at most a hundred are counted', async () => {
  const docs = Array.from({ length: 130 }, (_, at) => ({ id: `many-${at}`, name: `Manifold ${at}` }));
  for (const { id, name } of docs)
    await insert(db, deviceGroups, id, { id, name, description: '', devices: [] } as never);
  expect(await search('manifold', '&limit=1')).toMatchObject({
    total: 100,
    results: [{ kind: 'deviceGroup' }],
  });
  await rows(db, sql`delete from ${deviceGroups} where id like 'many-%'`);
});

test('what people type is text: signs of patterns find themselves, letters of all languages any case', async () => {
  await create('100%_done\\');
  await create('Über-Straße');
  expect(names(await search('0%_d'))).toEqual(['workflow 100%_done\\']);
  expect(names(await search('e\\'))).toContain('workflow 100%_done\\');
  expect(names(await search('__'))).toEqual([]);
  expect(names(await search('üBER'))).toEqual(['workflow Über-Straße']);
  expect(await search("'; drop table workflows; --")).toEqual({ results: [], total: 0 });
});

test('a caller finds what the lists of its roles show, and no more', async () => {
  await create('Narwhal flow');
  await done('POST', '/tags/create', { data: { name: 'narwhal tag' } });
  await done('POST', '/configuration_manager/devicegroup', { groupName: 'Narwhals', deviceNames: [] });
  expect(names(await search('narwhal', '', 'designer'))).toEqual([
    'tag narwhal tag',
    'workflow Narwhal flow',
  ]);
  expect(names(await search('narwhal', '', 'engineering'))).toEqual(['workflow Narwhal flow']);
  expect(names(await search('narwhal', '', 'apiwrite'))).toEqual([]);
  expect(await search('narwhal', '&kinds=deviceGroup', 'other')).toEqual({ results: [], total: 0 });
  expect((await fetch(`${board.url}/search?q=narwhal`)).status).toBe(401);
});

test('access lists hide here what they hide in lists: groups, and projects of others', async () => {
  const reader = (await board.callerWith('apiread')).caller.id;
  const _id = newId();
  await insert(db, groups, _id, { _id, name: 'Keepers', memberOf: [], assignedRoles: [] } as never);
  await done('POST', '/configuration_manager/devicegroup', { groupName: 'Okapi group', deviceNames: [] });
  const gbac = { read: [_id], write: [_id] };
  await done('PUT', '/configuration_manager/deviceGroups/Okapi%20group', { details: { gbac } });
  await project('Okapi project');
  const own = await board.project(['apiread']);
  await board.owned(own, 'Okapi flow');
  await board.owned(await board.project([]), 'Okapi of others');
  expect(names(await search('okapi', '', 'apiread'))).toEqual([`workflow @${own}: Okapi flow`]);
  expect((await search('okapi')).total).toBe(4);
  await rows(
    db,
    sql`update ${accounts} set doc = jsonb_set(doc, '{memberOf}', ${JSON.stringify([{ groupId: _id }])}::text::jsonb)
        where id = ${reader}`,
  );
  board.platform.accessChanged();
  expect(names(await search('okapi', '', 'apiread'))).toEqual([
    'deviceGroup Okapi group',
    `workflow @${own}: Okapi flow`,
  ]);
});

test.each([
  ['', 'q'],
  ['?q=a', 'q'],
  [`?q=${'x'.repeat(201)}`, 'q'],
  ['?q=ab&kinds=nothing', 'kinds.0'],
  ['?q=ab&limit=0', 'limit'],
  ['?q=ab&limit=101', 'limit'],
  ['?q=ab&colour=red', 'colour'],
])('%s is refused, and the member named', async (query, member) => {
  const answer = await send('GET', `/search${query}`);
  expect(answer).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
  const { issues } = answer.json as { issues: { path: (string | number)[] }[] };
  expect(issues.map(({ path }) => path.join('.'))).toContain(member);
});
