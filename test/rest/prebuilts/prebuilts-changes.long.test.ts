import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { tableOf } from '#server/domains/assets/stored/references.service.ts';
import { asset, childJob, workflow } from '../../helpers/documents/assets.ts';
import { completePrebuilt, prebuilt } from '../../helpers/documents/prebuilts.ts';
import { type Doc, issuesOf, openOperations } from '../../helpers/operations.ts';

const service = await openOperations();
const { sendAt, done } = service;

const unique = (word: string) => `${word}-${randomUUID()}`;

type Stored = Doc & { components: { id: string; name: string; type: string }[]; lastUpdated: string };
type Package = ReturnType<typeof prebuilt>;

const installed = async (given: unknown, options?: object) => {
  const body = { prebuilt: given, ...(options && { options }) };
  const answer = await sendAt('admin', 'POST', '/prebuilts/import', body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as { status: string; message: string; data: Stored };
};
const read = async <Body>(path: string) => (await sendAt('apiread', 'GET', `/prebuilts${path}`)).json as Body;
const count = async (kind: ComponentType, name: string) =>
  (await rows(service.db, sql`select from ${tableOf(kind)} where name = ${name}`)).length;

test('an update replaces the fields given, and the whole must be valid', async () => {
  const { given } = completePrebuilt(randomUUID());
  const { data } = await installed(given);
  const put = (change: object, headers = {}) =>
    sendAt('admin', 'PUT', `/prebuilts/${data._id}`, { prebuilt: change }, { headers });
  const whole = JSON.parse(JSON.stringify(given)) as Package;
  const answer = await put({ readme: 'New', manifest: null });
  expect(answer).toMatchObject({ status: 200, json: { status: 'OK', message: expect.any(String) } });
  expect((answer.json as { data: Package }).data).toEqual({ ...whole, readme: 'New' });
  const { IAPDependencies, ...metadata } = { ...whole.metadata, name: unique('Renamed'), version: '2.0.0' };
  await put({ metadata });
  const after = await read<Stored>(`/${data._id}`);
  expect(after).toMatchObject({
    name: metadata.name,
    version: '2.0.0',
    readme: 'New',
    components: data.components,
    installed: data.installed,
  });
  expect(await read(`/${data._id}/export`)).toEqual({
    ...whole,
    metadata: { ...metadata, IAPDependencies: {} },
    readme: 'New',
  });

  expect((await put({ readme: 'x' }, { 'If-Match': `"${data.lastUpdated}"` })).status).toBe(409);
  expect((await put({ readme: 'x' }, { 'If-Match': `"${after.lastUpdated}"` })).status).toBe(200);
  expect(issuesOf(await put({ bundles: [] }))[0]).toContain('prebuilt.manifest.artifacts.0');
  expect((await put({ metadata: { name: 'x' } })).status).toBe(400);
  const { data: other } = await installed(prebuilt(unique('Other')));
  expect(await put({ metadata: { ...whole.metadata, name: other.name } })).toMatchObject({ status: 409 });
});

test('a deleted package leaves the documents that it installed, unless their removal is requested', async () => {
  const { given, ids, named } = completePrebuilt(randomUUID());
  const { data: first } = await installed(given);
  const remove = (id: string, query = '') => sendAt('admin', 'DELETE', `/prebuilts/${id}${query}`);
  expect((await remove(first._id)).json).toEqual({
    status: 'OK',
    message: `Successfully deleted prebuilt ${first.name}`,
  });
  expect((await sendAt('apiread', 'GET', `/prebuilts/${first._id}`)).status).toBe(404);
  expect(await count('workflow', named('Flow'))).toBe(1);

  const { data: second } = await installed(given, { overwrite: true });
  expect((await remove(second._id, '?deleteComponents=true')).json).toMatchObject({
    message: expect.stringContaining('10 components'),
  });
  for (const { name, type } of second.components) {
    if (type === 'workflow') expect(await count('workflow', name)).toBe(0);
  }
  expect(await count('jsonForm', named('Form'))).toBe(0);
  expect(await count('mopCommandTemplate', named('Commands'))).toBe(0);
  expect((await service.send('GET', `/automations/${ids.automation}`)).status).toBe(404);
  const tree = second.components.find(({ type }) => type === 'golden-config');
  expect((await sendAt('apiread', 'GET', `/configuration_manager/configs/${tree?.id}`)).status).toBe(404);
});

test('components that something else uses stay, and so does the package', async () => {
  const { given, ids, named } = completePrebuilt(randomUUID());
  const { data } = await installed(given);
  const own = await service.automation(unique('Holder'), { componentId: ids.flow });
  const remove = () => sendAt('admin', 'DELETE', `/prebuilts/${data._id}`, { deleteComponents: true });
  expect(await remove()).toMatchObject({ status: 409, json: { message: expect.stringContaining(own.name) } });
  expect((await done('GET', `/automations/${ids.automation}`)).data.name).toBe(named('Automation'));
  await done('DELETE', `/automations/${own._id}`);

  const again = { ...given, metadata: { ...given.metadata, name: unique('Again') } };
  const { data: other } = await installed(again, { overwrite: true });
  expect(await remove()).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining(other.name) },
  });
  await sendAt('admin', 'DELETE', `/prebuilts/${other._id}`);

  // A document that is already deleted is no obstacle.
  await done('DELETE', `/automations/${ids.automation}`);
  expect((await remove()).json).toMatchObject({ message: expect.stringContaining('9 components') });
});

test('a package that is installed again over itself does not double what starts its automations', async () => {
  const { given, ids } = completePrebuilt(randomUUID());
  const [first] = given.bundles.flatMap(({ data }) => (Array.isArray(data.triggers) ? data.triggers : []));
  const other = await service.automation(unique('In the way'), { componentId: null });
  // Its id is taken: the package's trigger gets another one.
  await done('PUT', '/triggers', { triggers: [{ ...first, formId: null, actionId: other._id }] });
  await installed(given);
  const before = (await done<Doc[]>('GET', `/triggers?actionId=${ids.automation}`)).data;
  await installed(given, { overwrite: true });
  const after = (await done<Doc[]>('GET', `/triggers?actionId=${ids.automation}`)).data;
  const seen = (list: Doc[]) => list.map(({ _id, name, routeName }) => ({ _id, name, routeName }));
  expect(seen(after)).toEqual(seen(before));
});

test('a component that became part of a project stays, and the project is named', async () => {
  const { given, ids } = completePrebuilt(randomUUID());
  const { data } = await installed(given);
  const project = await sendAt('admin', 'POST', '/automation-studio/projects', { name: unique('Project') });
  const { _id } = (project.json as { data: Doc }).data;
  const components = [{ type: 'transformation', reference: ids.turn, folder: '/' }];
  const added = await sendAt('admin', 'POST', `/automation-studio/projects/${_id}/components/add`, {
    components,
    mode: 'move',
  });
  expect(added.status, added.text).toBe(200);
  const answer = await sendAt('admin', 'DELETE', `/prebuilts/${data._id}?deleteComponents=true`);
  expect(answer).toMatchObject({ status: 409, json: { message: expect.stringContaining(_id) } });
});

test('a component that a newer version lacks stays, is reported, and no longer belongs to the package', async () => {
  const name = unique('Package');
  const [stays, goes] = [unique('Stays'), unique('Goes')];
  const bundle = (called: string) => ({
    type: 'transformation',
    data: asset('transformation', called, { _id: newId() }),
  });
  const kept = bundle(stays);
  await installed(prebuilt(name, [kept, bundle(goes)]));
  const { message, data } = await installed(prebuilt(name, [kept]), { overwrite: true });
  expect(message).toContain(`no longer part of it, and kept: transformation ${goes}`);
  expect(data.components.map((one) => one.name)).toEqual([stays]);
  expect(await count('transformation', goes)).toBe(1);
  await sendAt('admin', 'DELETE', `/prebuilts/${data._id}?deleteComponents=true`);
  expect([await count('transformation', stays), await count('transformation', goes)]).toEqual([0, 1]);
});

test('a workflow of a package is drawn, checked and typed as any other', async () => {
  const child = unique('Child');
  const bundle = (data: Record<string, unknown>) => ({ type: 'workflow', data });
  const parent = workflow(unique('Parent'), [childJob(child)]);
  const name = unique('Package');
  await installed(prebuilt(name, [bundle(parent), bundle(workflow(child))]));
  const read = await sendAt('admin', 'GET', `/automation-studio/workflows?equals[name]=${parent.name}`);
  const { items } = read.json as { items: Doc[] };
  expect(items[0]).toMatchObject({ errors: [], inputSchema: { type: 'object' } });
  const senseless = { ...workflow(unique('Senseless')), transitions: { a1: { b2: {} } } };
  const broken = prebuilt(unique('Broken'), [bundle(senseless)]);
  const rejected = await sendAt('admin', 'POST', '/prebuilts/import', { prebuilt: broken });
  expect(rejected.status).toBe(400);
  expect(issuesOf(rejected).join()).toContain('prebuilt.bundles.0.data.transitions.a1');
});
