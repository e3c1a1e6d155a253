import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { openWorkflows } from '../../helpers/jobs/workflows-service.ts';
import { runs, workflowOf } from '../../helpers/workflows.ts';

const { create, db, detailed, done, owned, project, send } = await openWorkflows();

let counter = 0;
const fresh = (word = 'built') => `${word} ${counter++}`;
const pathOf = (name: string) => `/workflow_builder/workflows/delete/${encodeURIComponent(name)}`;

test('a workflow of a project stays, and the project is named', async () => {
  const { name } = await owned(await project([]), fresh());
  expect(await send('DELETE', pathOf(name))).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining('belongs to project') },
  });
  expect((await detailed(name)).status).toBe(200);
});

test('a deleted workflow refers to nothing any more', async () => {
  const created = await create(workflowOf(fresh(), { a1: runs('nobody') }));
  await done('DELETE', pathOf(created.name));
  const left = await rows(db, sql`select 1 from asset_references where source_id = ${created._id}`);
  expect(left).toEqual([]);
});

test('If-Match guards a deletion', async () => {
  const created = await create(workflowOf(fresh()));
  const ifMatch = '2001-02-03T04:05:06.789Z';
  expect((await send('DELETE', pathOf(created.name), undefined, { ifMatch })).status).toBe(409);
  expect(
    (await send('DELETE', pathOf(created.name), undefined, { ifMatch: created.last_updated })).status,
  ).toBe(200);
});

test('a workflow is renamed by its name, or as the document that clients hold', async () => {
  const RENAME = '/workflow_builder/workflows/rename';
  const { _id, name } = await create(workflowOf(fresh()));
  const next = fresh('renamed');
  expect(await done('POST', RENAME, { workflow: { _id, name, colour: 'teal' }, newName: next })).toEqual({
    status: 'success',
    message: `Renamed workflow ${name} to ${next}`,
  });
  await done('POST', RENAME, { name: next, newName: name });
  expect((await detailed(name)).json).toMatchObject({ _id });
  for (const which of [{}, { name, workflow: { name } }]) {
    expect((await send('POST', RENAME, { ...which, newName: next })).status).toBe(400);
  }
});
