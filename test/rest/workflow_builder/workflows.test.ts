import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { groups } from '#db/tables/documents.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { openDrawingBoard } from '../../helpers/drawing-board.ts';
import { drawn, runs, task } from '../../helpers/workflows.ts';

const { automation, create, db, detailed, done, owned, project, read, send } = await openDrawingBoard();

const BUILDER = '/workflow_builder';
let counter = 0;
const fresh = (word = 'built') => `${word} ${counter++}`;
const pathOf = (name: string) => `${BUILDER}/workflows/delete/${encodeURIComponent(name)}`;

test('the schemas of a workflow are calculated as documented, and answered bare', async () => {
  const child = await create(
    drawn(fresh(), { a1: task('RunCommandTemplate', { devices: '$var.job.devices' }, {}, { app: 'MOP' }) }),
  );
  const workflow = drawn('not stored', {
    a1: task('query', { obj: '$var.job.data' }, { return_data: '$var.job.part' }),
    a2: runs(child.name, { devices: { task: 'job', value: 'racks' } }),
  });
  const answer = await done('POST', `${BUILDER}/workflows/schemas`, { workflow });
  expect(answer).toMatchObject({
    inputSchema: {
      type: 'object',
      required: ['data', 'racks'],
      properties: { data: { type: 'object' }, racks: { type: 'array' } },
    },
    outputSchema: { type: 'object', properties: { _id: {}, initiator: {}, data: {}, racks: {}, part: {} } },
  });
  expect(Object.keys(answer as object)).toEqual(['inputSchema', 'outputSchema']);
});

test.each([
  [{}, 'workflow'],
  [{ workflow: {} }, 'workflow.tasks'],
  [{ workflow: drawn('x'), more: 1 }, 'more'],
  [{ workflow: { tasks: { a1: { app: 'x' } } } }, 'workflow.tasks.a1.name'],
])('the schemas of %j are refused', async (body, text) => {
  const answer = await send('POST', `${BUILDER}/workflows/schemas`, body);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).join()).toContain(text);
});

test('a workflow that nothing uses is deleted, and what it was is answered', async () => {
  const created = await create(drawn(fresh(), { a1: runs('nobody') }));
  const answer = await done('DELETE', pathOf(created.name));
  expect(answer).toEqual({
    status: 'success',
    message: `Deleted workflow ${created.name}`,
    value: created,
    ok: 1,
  });
  expect((await detailed(created.name)).status).toBe(404);
  expect((await send('DELETE', pathOf(created.name))).status).toBe(404);
  const left = await rows(db, sql`select 1 from asset_references where source_id = ${created._id}`);
  expect(left).toEqual([]);
});

test('a workflow that others use stays: of an automation, a child job, a project', async () => {
  const used = await create(drawn(fresh()));
  await automation(fresh('starts'), used._id, used.name);
  const child = await create(drawn(fresh()));
  const parent = await create(drawn(fresh(), { a1: runs(child.name) }));
  const inProject = await owned(await project([]), fresh());
  for (const [name, text] of [
    [used.name, 'automation starts'],
    [child.name, `workflow ${parent.name}`],
    [inProject.name, 'belongs to project'],
  ] as const) {
    const answer = await send('DELETE', pathOf(name));
    expect(answer, name).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
    expect((answer.json as { message: string }).message).toContain(text);
    expect((await detailed(name)).status).toBe(200);
  }
  await done('DELETE', pathOf(parent.name));
  await done('DELETE', pathOf(child.name));
});

test('If-Match guards a deletion', async () => {
  const created = await create(drawn(fresh()));
  const ifMatch = '2001-02-03T04:05:06.789Z';
  expect((await send('DELETE', pathOf(created.name), undefined, { ifMatch })).status).toBe(409);
  expect(
    (await send('DELETE', pathOf(created.name), undefined, { ifMatch: created.last_updated })).status,
  ).toBe(200);
});

test('a rename is followed by child jobs and automations', async () => {
  const [child, newName] = [await create(drawn(fresh())), fresh('new name')];
  const parent = await create(drawn(fresh(), { a1: runs(child.name) }));
  const automationId = await automation(fresh('starts'), child._id, child.name);
  const answer = await done('POST', `${BUILDER}/workflows/rename`, { name: child.name, newName });
  expect(answer).toEqual({ status: 'success', message: `Renamed workflow ${child.name} to ${newName}` });
  expect((await read(newName))._id).toBe(child._id);
  expect((await read(parent.name)).tasks.a1?.variables?.incoming?.workflow).toBe(newName);
  const [row] = await rows<{ doc: string }>(
    db,
    sql`select doc::text as doc from automations where id = ${automationId}`,
  );
  expect(JSON.parse(row?.doc ?? '')).toMatchObject({ componentId: child._id, componentName: newName });
  expect((await send('DELETE', pathOf(newName))).status).toBe(409);
});

test('a rename is refused to a taken name, to a project’s name, to none, and of what is not there', async () => {
  const [one, other] = [await create(drawn(fresh())), await create(drawn(fresh()))];
  const rename = (name: string, newName: string) =>
    send('POST', `${BUILDER}/workflows/rename`, { name, newName });
  expect((await rename(one.name, other.name)).status).toBe(409);
  const scoped = await rename(one.name, '@65f0c1d2e3a4b5c6d7e8f901: x');
  expect(issuesOf(scoped).join()).toContain('newName: Name must not begin with');
  expect((await rename(one.name, '')).status).toBe(400);
  expect((await rename('not there', fresh())).status).toBe(404);
  expect(await read(one.name)).toEqual(one);
});

test('save creates a workflow, and the second time changes it', async () => {
  const name = fresh();
  const save = (workflow: object) =>
    done<{ created?: Workflow; updated?: Workflow }>('POST', `${BUILDER}/workflows/save`, {
      workflow,
    });
  const first = await save(drawn(name));
  expect(Object.keys(first)).toEqual(['created']);
  const second = await save(drawn(name, { a1: task('delay', { time: '$var.job.seconds' }) }));
  expect(second.updated).toMatchObject({ _id: first.created?._id, inputSchema: { required: ['seconds'] } });
  expect(await read(name)).toEqual(second.updated);
  const bad = await send('POST', `${BUILDER}/workflows/save`, {
    workflow: drawn(name, { Q: task('delay') }),
  });
  expect(bad.status).toBe(400);
});

test('groups are given, added, listed and taken', async () => {
  const { name } = await create(drawn(fresh()));
  const path = `${BUILDER}/workflows/${encodeURIComponent(name)}/groups`;
  const ids = [newId(), newId()];
  for (const _id of ids) {
    const _meta = { created: new Date().toISOString(), updated: new Date().toISOString() };
    await insert(db, groups, _id, {
      _id,
      provenance: 'local',
      name: _id,
      description: '',
      memberOf: [],
      assignedRoles: [],
      inactive: false,
      _meta,
    });
  }
  expect(await done('GET', path)).toEqual([]);
  expect(await done('PUT', path, { groups: [ids[0], 'default', ids[0]] })).toEqual([ids[0], 'default']);
  expect(await done('POST', path, { group: ids[1] })).toEqual([ids[0], 'default', ids[1]]);
  expect(await done('POST', path, { group: ids[1] })).toHaveLength(3);
  expect(await done('DELETE', `${path}/default`)).toEqual(ids);
  expect((await send('DELETE', `${path}/default`)).status).toBe(404);
  expect(await done('GET', path)).toEqual(ids);
  const unknown = await send('PUT', path, { groups: ['nobody', ids[0]] });
  expect(unknown.status).toBe(400);
  expect(issuesOf(unknown)).toEqual(['groups.0: group nobody does not exist']);
  expect((await send('POST', path, { group: 'nobody' })).status).toBe(400);
  expect(await done('DELETE', path)).toEqual([]);
  expect((await read(name)).groups).toEqual([]);
  expect((await send('GET', `${BUILDER}/workflows/none/groups`)).status).toBe(404);
});
