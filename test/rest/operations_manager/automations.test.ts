import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { getAsset, replaceAsset } from '#server/domains/assets/stored/assets.service.ts';
import { asAdmin } from '../../helpers/documents/assets.ts';
import { type Doc, issuesOf, openOperations } from '../../helpers/operations.ts';

const service = await openOperations();
const { send, done, store, automation, trigger } = service;

const NOBODY = '65f000000000000000000000';
const unique = (word: string) => `${word} ${randomUUID()}`;

test('an automation is returned as it was created, bare or wrapped', async () => {
  const flow = await store('workflow', unique('flow'));
  for (const wrap of [(one: object) => one, (one: object) => ({ automation: one })]) {
    const name = unique('made');
    const body = { name, componentType: 'workflows', componentId: flow.id, colour: 'teal' };
    const { message, data, metadata } = await done('POST', '/automations', wrap(body));
    expect({ message, metadata }).toEqual({ message: 'Successfully created automation', metadata: {} });
    expect(data).toEqual({
      ...body,
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      description: '',
      componentName: flow.name,
      gbac: { read: [], write: [] },
      created: expect.any(String),
      createdBy: (await service.callerWith('admin')).caller.id,
      lastUpdated: data.created,
      lastUpdatedBy: data.createdBy,
    });
    expect((await done('GET', `/automations/${data._id}`)).data).toEqual(data);
  }
});

test('the component is found by its id, else by its name; without either none is started yet', async () => {
  const flow = await store('workflow', unique('flow'));
  const make = (more: object) =>
    done('POST', '/automations', { name: unique('made'), componentType: 'workflows', ...more });
  const found = { componentId: flow.id, componentName: flow.name };
  expect((await make({ componentName: flow.name })).data).toMatchObject(found);
  expect((await make({ componentId: randomUUID(), componentName: flow.name })).data).toMatchObject(found);
  expect((await make({ componentId: flow.id, componentName: 'another' })).data).toMatchObject(found);
  const none = { componentId: null, componentName: null };
  expect((await make({})).data).toMatchObject(none);
  expect((await make({ ...none, description: null, gbac: null })).data).toMatchObject({
    ...none,
    description: '',
    gbac: { read: [], write: [] },
  });
});

test.each([
  [{ componentType: 'workflows', componentId: NOBODY }, 'componentId', NOBODY],
  [{ componentType: 'workflows', componentName: 'no such' }, 'componentName', 'no such'],
  [{ componentType: 'ucm_compliance_plans', componentName: 'Nightly' }, 'componentName', 'Nightly'],
  [{ componentType: 'ucm_compliance_plan', componentId: NOBODY }, 'componentId', NOBODY],
])('an unknown component is rejected by name: %j', async (component, member, named) => {
  const answer = await send('POST', '/automations', { name: unique('refused'), ...component });
  expect(answer).toMatchObject({ status: 400, json: { issues: [{ path: ['automation', member] }] } });
  expect(answer.text).toContain(named);
});

test.each([
  [{}, ['name', 'componentType']],
  [{ name: ' x', componentType: 'forms' }, ['name', 'componentType']],
  [{ name: 'x', componentType: 'workflows', componentId: 5, gbac: [] }, ['componentId', 'gbac']],
  [{ name: 'x', componentType: 'workflows', triggers: [] }, ['triggers']],
  [{ name: 'x', componentType: 'workflows', gbac: { read: [NOBODY], write: [] } }, ['gbac.write']],
  [
    { name: 'x', componentType: 'workflows', gbac: { read: [NOBODY], write: [NOBODY, 'y'] } },
    ['gbac.read.0', 'gbac.write.0', 'gbac.write.1'],
  ],
])('mistakes in %j are reported together', async (body, members) => {
  const answer = await send('POST', '/automations', { automation: body });
  expect(answer.status, answer.text).toBe(400);
  const reported = issuesOf(answer).map((one) => one.split(':')[0]);
  expect(reported).toEqual(members.map((member) => `automation.${member}`));
});

test('a field beside the wrapper is rejected', async () => {
  const answer = await send('POST', '/automations', { automation: { name: 'x' }, more: 1 });
  expect(issuesOf(answer)).toContainEqual(expect.stringContaining('more: unknown field'));
});

test('names are unique', async () => {
  const { name } = await automation(unique('twice'));
  const body = { name, componentType: 'workflows' };
  expect(await send('POST', '/automations', body)).toMatchObject({
    status: 409,
    json: { message: `Automation ${name} already exists` },
  });
  const other = await automation(unique('other'));
  expect(await send('PATCH', `/automations/${other._id}`, { name })).toMatchObject({ status: 409 });
});

test('a change replaces the fields given; a whole document comes back without harm', async () => {
  const made = await automation(unique('changed'), { colour: 'teal' });
  const { data, metadata } = await done('PATCH', `/automations/${made._id}`, {
    ...made,
    description: 'new',
    colour: 'red',
  });
  expect(metadata).toEqual({ ignored: ['_id', 'created', 'createdBy', 'lastUpdated', 'lastUpdatedBy'] });
  expect(data).toEqual({ ...made, description: 'new', colour: 'red', lastUpdated: data.lastUpdated });
  expect(String(data.lastUpdated) > String(made.lastUpdated)).toBe(true);
  expect((await done('GET', `/automations/${made._id}`)).data).toEqual(data);
  const renamed = await done('PATCH', `/automations/${made._id}`, { automation: { name: unique('new') } });
  expect(renamed.metadata).toEqual({ ignored: [] });
  const rejected = await send('PATCH', `/automations/${made._id}`, { shape: 1, size: 2, name: 5 });
  expect(rejected.status).toBe(400);
  expect(issuesOf(await send('PATCH', `/automations/${made._id}`, { shape: 1, size: 2 }))).toEqual([
    'automation.shape: unknown field "shape"',
    'automation.size: unknown field "size"',
  ]);
});

test('another component is chosen by id or by name, and an unknown one is rejected', async () => {
  const [one, other] = [await store('workflow', unique('one')), await store('workflow', unique('other'))];
  const made = await automation(unique('moved'), { componentId: one.id });
  const change = (body: object) => done('PATCH', `/automations/${made._id}`, body);
  const names = (flow: { id: string; name: string }) => ({ componentId: flow.id, componentName: flow.name });
  expect((await change({ componentId: other.id })).data).toMatchObject(names(other));
  expect((await change({ componentName: one.name })).data).toMatchObject(names(one));
  // A whole document in which only the name was changed means the name.
  expect((await change({ ...made, ...names(one), componentName: other.name })).data).toMatchObject(
    names(other),
  );
  expect(await send('PATCH', `/automations/${made._id}`, { componentId: NOBODY })).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['automation', 'componentId'] }] },
  });
  expect(
    await send('PATCH', `/automations/${made._id}`, { componentType: 'ucm_compliance_plans' }),
  ).toMatchObject({ status: 400 });
});

test('a renamed workflow is followed', async () => {
  const flow = await store('workflow', unique('old'));
  const made = await automation(unique('follows'), { componentId: flow.id });
  const name = unique('new');
  await asAdmin(service, async (ctx) => {
    const stored = await getAsset(ctx, 'workflow', flow.id, { lock: true });
    await replaceAsset(ctx, 'workflow', stored, { ...stored.doc, name });
  });
  expect((await done('GET', `/automations/${made._id}`)).data).toMatchObject({
    componentId: flow.id,
    componentName: name,
  });
});

test('deleting an automation deletes its triggers', async () => {
  const made = await automation(unique('gone'));
  const form = await store('jsonForm', unique('form'));
  const own = await trigger(made._id, { name: 'by hand', type: 'manual', formId: form.name });
  const { message, data } = await done('DELETE', `/automations/${made._id}`);
  expect({ message, data }).toEqual({ message: 'Successfully deleted automation', data: made });
  expect(await send('GET', `/automations/${made._id}`)).toMatchObject({ status: 404 });
  expect(await send('GET', `/triggers/${own._id}`)).toMatchObject({ status: 404 });
  const left = await rows(
    service.db,
    sql`select from asset_references where source_id in (${made._id}, ${own._id})`,
  );
  expect(left).toEqual([]);
});

test('a change of another user is not overwritten', async () => {
  const made = await automation(unique('raced'));
  const stale = `"${made.lastUpdated}"`;
  await done('PATCH', `/automations/${made._id}`, { description: 'first' }, { ifMatch: stale });
  for (const [method, body] of [
    ['PATCH', { description: 'second' }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await send(method, `/automations/${made._id}`, body, { ifMatch: stale });
    expect(answer).toMatchObject({ status: 409, json: { message: expect.stringContaining(made.name) } });
  }
});

test('an unknown automation is named', async () => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '/export', undefined],
    ['PATCH', '', {}],
    ['DELETE', '', undefined],
  ] as const) {
    expect(await send(method, `/automations/${NOBODY}${path}`, body)).toMatchObject({
      status: 404,
      json: { message: `Automation ${NOBODY} does not exist` },
    });
  }
});

test('lists page, filter by pairs and count what matches', async () => {
  const tag = randomUUID();
  for (let count = 0; count < 4; count++) await automation(`listed ${tag} ${count}`, { componentId: null });
  const query = `contains=${tag.toUpperCase()}&containsField=name&sort=name&order=-1`;
  const { message, data, metadata } = await done<Doc[]>('GET', `/automations?${query}&skip=1&limit=2`);
  expect(message).toBe('Successfully retrieved automations');
  expect(data.map(({ name }) => name)).toEqual([`listed ${tag} 2`, `listed ${tag} 1`]);
  expect(metadata).toEqual({
    total: 4,
    skip: 1,
    limit: 2,
    currentPageSize: 2,
    nextPageSkip: 3,
    previousPageSkip: 0,
    hints: [],
  });
  for (const wrong of ['equals=x', 'equals[colour]=x', 'sort=nonsense', 'limit=1001', 'enabled=true']) {
    expect((await send('GET', `/automations?${wrong}`)).status, wrong).toBe(400);
  }
});

test('an account outside the access list neither sees nor counts the automation and its triggers', async () => {
  const group = await service.groupOf('designer');
  const tag = randomUUID();
  const made = await automation(`closed ${tag}`, { gbac: { read: [group], write: [group] } });
  const own = await trigger(made._id, { name: `closed ${tag}`, type: 'manual' });
  const total = async (path: string, as: 'designer' | 'support' | 'admin') =>
    (await done(`GET`, `${path}?contains=${tag}&containsField=name`, undefined, { as })).metadata.total;
  for (const path of ['/automations', '/triggers']) {
    expect(await total(path, 'designer')).toBe(1);
    expect(await total(path, 'admin')).toBe(1);
    expect(await total(path, 'support')).toBe(0);
  }
  const hidden = [
    ['GET', `/automations/${made._id}`],
    ['GET', `/automations/${made._id}/export`],
    ['PATCH', `/automations/${made._id}`, {}],
    ['DELETE', `/automations/${made._id}`],
    ['POST', '/automations/clone', { id: made._id }],
    ['GET', `/triggers/${own._id}`],
    ['GET', `/triggers/${own._id}/export`],
    ['PATCH', `/triggers/${own._id}`, {}],
    ['DELETE', `/triggers/${own._id}`],
    ['DELETE', `/triggers/action/${made._id}`],
  ] as const;
  for (const [method, path, body] of hidden) {
    const answer = await send(method, path, body, { as: 'engineering' });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(404);
  }
  const foreign = { name: 'mine', type: 'manual', actionId: made._id };
  expect(await send('POST', '/triggers', foreign, { as: 'engineering' })).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['trigger', 'actionId'] }] },
  });
  expect((await send('PATCH', `/triggers/${own._id}`, { description: 'x' }, { as: 'designer' })).status).toBe(
    200,
  );
});

test('an account that may only read an automation writes neither it nor its triggers', async () => {
  const group = await service.groupOf('designer');
  const made = await automation(unique('guarded'), { gbac: { write: [group] } });
  const own = await trigger(made._id, { name: 'by hand', type: 'manual' });
  const mine = await automation(unique('mine'));
  const mineToo = await trigger(mine._id, { name: 'by hand', type: 'manual' });
  const rejected = [
    ['PATCH', `/automations/${made._id}`, {}],
    ['DELETE', `/automations/${made._id}`],
    ['POST', '/triggers', { name: 'x', type: 'manual', actionId: made._id }],
    ['PATCH', `/triggers/${own._id}`, {}],
    ['PATCH', `/triggers/${mineToo._id}`, { actionId: made._id }],
    ['DELETE', `/triggers/${own._id}`],
    ['DELETE', `/triggers/action/${made._id}`],
  ] as const;
  for (const [method, path, body] of rejected) {
    const answer = await send(method, path, body, { as: 'engineering' });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(403);
    expect(answer.text).toContain(made.name);
  }
  expect((await send('GET', `/triggers/${own._id}`, undefined, { as: 'engineering' })).status).toBe(200);
});

test('a deleted group leaves access lists, unless it would open an automation', async () => {
  const [gone, stays] = [await service.groupOf(), await service.groupOf()];
  const made = await automation(unique('two groups'), { gbac: { write: [gone, stays] } });
  const only = await automation(unique('one group'), { gbac: { write: [gone] } });
  const remove = () => service.sendAt('admin', 'DELETE', `/authorization/groups/${gone}`);
  expect(await remove()).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining(only.name) },
  });
  await done('DELETE', `/automations/${only._id}`);
  expect((await remove()).status).toBe(200);
  expect((await done('GET', `/automations/${made._id}`)).data.gbac).toEqual({ read: [], write: [stays] });
});

test('each write has an audit row that names the document', async () => {
  const made = await automation(unique('audited'));
  const { json } = await service.sendAt(
    'admin',
    'GET',
    '/audit?equals=ok&equalsField=outcome&sort=_id&order=-1&limit=1',
  );
  expect(JSON.stringify(json)).toContain(made._id);
  expect(JSON.stringify(json)).toContain('operationsManager.createAutomation');
});

test('a malformed id is 404', async () => {
  expect((await send('GET', `/automations/${newId()}x`)).status).toBe(404);
});

test('what an automation starts keeps its label when something else that it names is renamed', async () => {
  const id = newId();
  const flow = await store('workflow', unique('flow'), { _id: id });
  // A form may have the id that an old workflow has.
  const form = await store('jsonForm', unique('form'), { _id: id, id });
  expect([flow.id, form.id]).toEqual([id, id]);
  const project = await service.sendAt('admin', 'POST', '/automation-studio/projects', { name: unique('P') });
  const { _id: projectId } = (project.json as { data: Doc }).data;
  await service.sendAt('admin', 'POST', `/automation-studio/projects/${projectId}/components/add`, {
    mode: 'move',
    components: [{ type: 'jsonForm', reference: id }],
  });
  const noted = `@${projectId}: ${form.name}`;
  const { _id } = await automation(unique('labelled'), { componentId: id, note: noted });
  const renamed = `${noted} anew`;
  const options = { name: renamed, schema: { type: 'object' } };
  const written = await service.sendAt('admin', 'PUT', `/json-forms/forms/${id}`, { options });
  expect(written.status, written.text).toBe(200);
  const { data } = await done('GET', `/automations/${_id}`);
  expect(data).toMatchObject({ note: renamed, componentId: id, componentName: flow.name });
});

test('an access list may name groups by themselves, as clients send back what they read', async () => {
  const group = await service.groupOf();
  const whole = {
    _id: group,
    name: `group ${group}`,
    provenance: 'local',
    description: 'Envelope otherwise',
    memberOf: [],
  };
  const ids = { read: [group], write: [group] };
  const made = await automation(`by-objects-${group}`, { gbac: { read: [whole], write: [whole] } });
  expect(made.gbac).toEqual(ids);
  const at = `/automations/${made._id}`;
  expect((await done('PATCH', at, { gbac: { read: [], write: [whole, group] } })).data.gbac).toEqual({
    read: [],
    write: [group],
  });
  const strange = { ...whole, _id: NOBODY, name: 'nobody' };
  const answer = await send('PATCH', at, { gbac: { read: [], write: [strange] } });
  expect([answer.status, issuesOf(answer)]).toEqual([
    400,
    [expect.stringContaining('automation.gbac.write.0: Group nobody does not exist')],
  ]);
});
