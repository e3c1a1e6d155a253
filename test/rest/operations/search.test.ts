import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { SearchResult } from '#db/schemas/assets/search.ts';
import { accounts, groups } from '#db/tables/identity/accounts.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import type { Role } from '#server/kernel/roles.ts';
import { openWorkflows } from '../../helpers/jobs/workflows-service.ts';
import { workflowOf } from '../../helpers/workflows.ts';

const board = await openWorkflows();
const { db, done, send } = board;
const create = (name: string, more = {}) => board.create(workflowOf(name, {}, more));
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
