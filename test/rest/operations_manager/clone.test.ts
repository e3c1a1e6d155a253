import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { type Doc, day, type Envelope, openOperations } from '../../helpers/operations.ts';

const service = await openOperations();
const { send, done, store, automation, trigger } = service;

type Result = { success: boolean; message: string; data: Doc; automaticChanges: string[] };
type Cloned = Envelope<Doc> & {
  metadata: {
    automaticChanges: string[];
    triggerCloneResults: { message: string; data: Result[]; metadata: object };
  };
};

const unique = (word: string) => `${word}-${randomUUID()}`;
const form = await store('jsonForm', 'Ports to open');
const turn = await store('transformation', 'Turns bodies');

const clone = async (body: unknown, as: 'admin' | 'designer' = 'admin') =>
  (await done('POST', '/automations/clone', body, { as })) as Cloned;

/** An automation with one trigger of each type, all of them on. */
async function complete(name: string) {
  const made = await automation(name, { description: 'All types', colour: 'teal' });
  const routeName = unique('route');
  const triggers = [
    await trigger(made._id, {
      name: 'by hand',
      type: 'manual',
      formId: form.name,
      formData: { a: 1 },
      mood: 'calm',
    }),
    await trigger(made._id, {
      name: 'by call',
      type: 'endpoint',
      routeName,
      schema: { type: 'object' },
      jst: turn.id,
    }),
    await trigger(made._id, { name: 'by event', type: 'eventSystem', source: 's', topic: 't', jst: null }),
    await trigger(made._id, {
      name: 'by clock',
      type: 'schedule',
      firstRunAt: Date.now() + day,
      repeatUnit: 'day',
      processMissedRuns: 'all',
    }),
  ];
  return { made, triggers, routeName };
}

test('an automation is cloned with its triggers of all four types', async () => {
  const { made, triggers, routeName } = await complete(unique('original'));
  const group = await service.groupOf('designer');
  const gbac = { read: [], write: [group] };
  await done('PATCH', `/automations/${made._id}`, { gbac });
  await rows(
    service.db,
    sql`update triggers set doc = jsonb_set(doc, '{lastExecuted}', '5') where action_id = ${made._id}`,
  );
  const designer = (await service.callerWith('designer')).caller.id;
  const { message, data, metadata } = await clone({ automation: { id: made._id } }, 'designer');
  expect(message).toBe('Successfully cloned automation');
  expect(data).toEqual({
    ...made,
    gbac,
    _id: expect.not.stringContaining(made._id),
    name: `${made.name} (1)`,
    created: expect.any(String),
    createdBy: designer,
    lastUpdated: data.created,
    lastUpdatedBy: designer,
  });
  expect(metadata.automaticChanges).toEqual([expect.stringContaining(`${made.name} (1)`)]);

  const { triggerCloneResults: results } = metadata;
  expect(results).toMatchObject({ message: 'Successfully cloned triggers', metadata: {} });
  expect(results.data.map(({ success }) => success)).toEqual([true, true, true, true]);
  const changed = {
    actionId: data._id,
    lastExecuted: null,
    created: expect.any(String),
    createdBy: designer,
    lastUpdated: expect.any(String),
    lastUpdatedBy: designer,
    runAs: designer,
  };
  const [hand, call, event, clock] = results.data;
  expect(hand).toMatchObject({
    data: { ...triggers[0], ...changed, _id: hand?.data._id },
    automaticChanges: [],
  });
  expect(call?.data).toEqual({
    ...triggers[1],
    ...changed,
    _id: call?.data._id,
    routeName: `${routeName}-1`,
  });
  expect(call?.automaticChanges).toEqual([expect.stringContaining(`${routeName}-1`)]);
  expect(event?.data).toEqual({ ...triggers[2], ...changed, _id: event?.data._id, enabled: false });
  expect(event?.automaticChanges).toEqual([expect.stringMatching(/^Disabled/)]);
  expect(clock?.data).toEqual({
    ...triggers[3],
    ...changed,
    _id: clock?.data._id,
    enabled: false,
    nextRunAt: null,
  });
  expect(clock?.automaticChanges).toEqual([expect.stringMatching(/^Disabled/)]);

  const ids = new Set([...triggers, ...results.data.map((one) => one.data)].map(({ _id }) => _id));
  expect(ids.size).toBe(8);
  expect((await done('GET', `/automations/${data._id}`)).data).toEqual(data);
  for (const one of results.data) {
    expect((await done('GET', `/triggers/${one.data._id}`)).data).toEqual(one.data);
  }
  for (const one of triggers) {
    expect((await done('GET', `/triggers/${one._id}`)).data).toEqual({ ...one, lastExecuted: 5 });
  }
});

test('a clone bears the name it is given, else the next free one; bare or wrapped', async () => {
  const { made } = await complete(unique('named'));
  const name = unique('mine');
  expect(await clone({ id: made._id, name })).toMatchObject({
    data: { name },
    metadata: { automaticChanges: [] },
  });
  expect(await send('POST', '/automations/clone', { id: made._id, name })).toMatchObject({
    status: 409,
    json: { message: `Automation ${name} already exists` },
  });
  expect((await clone({ automation: { id: made._id, name: null } })).data.name).toBe(`${made.name} (1)`);
  expect((await clone({ id: made._id })).data.name).toBe(`${made.name} (2)`);
  const routes = (
    await done<Doc[]>('GET', `/triggers?contains=by%20call&containsField=name&limit=1000`)
  ).data.map(({ routeName }) => routeName);
  expect(new Set(routes).size).toBe(routes.length);
});

test('ten concurrent clones get ten names and ten routes', async () => {
  const { made, routeName } = await complete(unique('crowd'));
  const all = await Promise.all([...Array(10)].map(() => clone({ id: made._id })));
  expect(all.map(({ data }) => data.name).toSorted()).toEqual(
    [...Array(10).keys()].map((at) => `${made.name} (${at + 1})`).toSorted(),
  );
  const routes = all.map(({ metadata }) => metadata.triggerCloneResults.data[1]?.data.routeName);
  expect(routes.toSorted()).toEqual([...Array(10).keys()].map((at) => `${routeName}-${at + 1}`).toSorted());
});

test('a trigger that is off already is not said to have been switched off', async () => {
  const made = await automation(unique('quiet'));
  const members = { type: 'schedule', firstRunAt: 0, enabled: false };
  await trigger(made._id, { name: 'off', ...members });
  const { metadata } = await clone({ id: made._id });
  expect(metadata.triggerCloneResults.data).toMatchObject([{ success: true, automaticChanges: [] }]);
});

test('a trigger that cannot be cloned does not undo the rest', async () => {
  const { made, triggers } = await complete(unique('broken'));
  // As it comes when its form was taken out by other means than ours.
  await rows(
    service.db,
    sql`update triggers set doc = jsonb_set(doc, '{formId}', '"No such form"') where id = ${triggers[0]?._id}`,
  );
  const { data, metadata } = await clone({ id: made._id });
  const { message, data: results } = metadata.triggerCloneResults;
  expect(message).toBe('1 of 4 triggers could not be cloned');
  expect(results.map(({ success }) => success)).toEqual([false, true, true, true]);
  expect(results[0]).toEqual({
    success: false,
    message: expect.stringContaining('No such form'),
    data: { name: 'by hand', type: 'manual' },
    automaticChanges: [],
  });
  expect((await done('GET', `/triggers?actionId=${data._id}`)).metadata.total).toBe(3);
});

test('mistakes in a request for a clone are reported', async () => {
  const id = newId();
  expect(await send('POST', '/automations/clone', { id })).toMatchObject({
    status: 404,
    json: { message: `Automation ${id} does not exist` },
  });
  const wrong = [
    {},
    { automation: {} },
    { id: 5 },
    { id, name: ' ' },
    { id, more: 1 },
    { automation: { id }, more: 1 },
  ];
  for (const body of wrong) {
    expect((await send('POST', '/automations/clone', body)).status, JSON.stringify(body)).toBe(400);
  }
  expect((await send('POST', '/automations/clone', { id }, { as: 'apiread' })).status).toBe(403);
});

test('clone is no id: every other method of that path is 405', async () => {
  for (const method of ['GET', 'PATCH', 'DELETE', 'PUT']) {
    const body = method === 'GET' ? undefined : {};
    const answer = await send(method, '/automations/clone', body);
    expect(answer, method).toMatchObject({ status: 405, json: { code: 'METHOD_NOT_SUPPORTED' } });
    expect(answer.headers.allow).toContain('POST');
    expect(answer.headers.allow).not.toContain('PATCH');
  }
});

test('the audit row of a clone names the clone and its triggers', async () => {
  const { made } = await complete(unique('audited'));
  const { data } = await clone({ id: made._id });
  const found = await rows<{ doc: string }>(
    service.db,
    sql`select doc::text as doc from audit where operation = 'operationsManager.cloneAutomation' order by id desc limit 1`,
  );
  expect(found[0]?.doc).toContain(data._id);
  expect(found[0]?.doc).toContain('by clock');
});
