import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { getAsset, removeAssets } from '#server/domains/assets/stored/assets.service.ts';
import { asAdmin } from '../../helpers/documents/assets.ts';
import { type Doc, day, hour, issuesOf, openOperations } from '../../helpers/operations.ts';

const service = await openOperations();
const { send, done, store, automation, trigger } = service;

const NOBODY = '65f000000000000000000000';
const unique = (word: string) => `${word}-${randomUUID()}`;
const action = await automation('Of all triggers');
const form = await store('jsonForm', 'Ports to open');
const turn = await store('transformation', 'Turns bodies');

/** One trigger of each type, with all of its members. */
const EVERY = {
  manual: { formId: form.name, formData: { port: 5 }, formSchemaHash: 'a2d6', legacyWrapper: false },
  endpoint: {
    verb: 'POST',
    routeName: 'open-ports',
    schema: { type: 'object' },
    jst: turn.id,
    legacyWrapper: true,
  },
  eventSystem: { source: '@vendor/operations-manager', topic: 'jobCompleted', schema: null, jst: null },
  schedule: {
    firstRunAt: Date.now() + day,
    repeatUnit: 'week',
    repeatFrequency: 2,
    repeatInterval: null,
    processMissedRuns: 'last',
    formId: form.id,
    formData: null,
  },
} as const;

test.each(Object.entries(EVERY))(
  'a %s trigger is created as it is read back, bare or wrapped',
  async (type, members) => {
    for (const wrap of [(one: object) => one, (one: object) => ({ trigger: one })]) {
      const body = {
        name: unique(type),
        type,
        actionId: action._id,
        ...members,
        ...(type === 'endpoint' && { routeName: unique('route') }),
        options: { colour: 'red' },
        mood: 'cheerful',
      };
      const { message, data, metadata } = await done('POST', '/triggers', wrap(body));
      expect({ message, metadata }).toEqual({ message: 'Successfully created trigger', metadata: {} });
      expect(data).toEqual({
        ...body,
        ...(type === 'schedule' && { nextRunAt: EVERY.schedule.firstRunAt, locked: false }),
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        description: '',
        enabled: true,
        actionType: 'automations',
        lastExecuted: null,
        created: expect.any(String),
        createdBy: (await service.callerWith('admin')).caller.id,
        lastUpdated: data.created,
        lastUpdatedBy: data.createdBy,
        runAs: data.createdBy,
        migrationVersion: 3,
      });
      expect((await done('GET', `/triggers/${data._id}`)).data).toEqual(data);
    }
  },
);

test.each([
  [{}, ['type']],
  [{ type: 'manual' }, ['name']],
  [{ type: 'endpoint', name: 'x' }, ['routeName']],
  [{ type: 'endpoint', name: 'x', routeName: 'a b' }, ['routeName']],
  [{ type: 'endpoint', name: 'x', routeName: 'r'.repeat(129) }, ['routeName']],
  [{ type: 'endpoint', name: 'x', routeName: '..' }, ['routeName']],
  [
    { type: 'endpoint', name: '', routeName: 'r', verb: 'GET', actionType: 'jobs' },
    ['name', 'actionType', 'verb'],
  ],
  [{ type: 'endpoint', name: 'x', routeName: 'r', schema: { type: 'text' } }, ['schema']],
  [
    { type: 'endpoint', name: 'x', routeName: 'r', schema: { properties: { a: { pattern: '(' } } } },
    ['schema'],
  ],
  [{ type: 'endpoint', name: 'x', routeName: 'r', schema: 'any', jst: 'short' }, ['schema', 'jst']],
  [{ type: 'eventSystem', name: 'x', source: '', topic: 'y'.repeat(256) }, ['source', 'topic']],
  [{ type: 'eventSystem', name: 'x', source: 's', topic: 't', schema: { required: 'a' } }, ['schema']],
  [{ type: 'schedule', name: 'x' }, ['firstRunAt']],
  [
    { type: 'schedule', name: 'x', firstRunAt: 0, repeatFrequency: 0, repeatInterval: 5 },
    ['repeatFrequency', 'repeatInterval'],
  ],
  [{ type: 'schedule', name: 'x', firstRunAt: 0, repeatUnit: 'fortnight' }, ['repeatUnit']],
])('mistakes in %j are reported together', async (body, members) => {
  const answer = await send('POST', '/triggers', { actionId: action._id, ...body });
  expect(answer.status, answer.text).toBe(400);
  const reported = issuesOf(answer).map((one) => one.split(':')[0]);
  expect(reported).toEqual(members.map((member) => `trigger.${member}`));
});

test('a trigger needs an existing automation', async () => {
  for (const actionId of [undefined, null, NOBODY]) {
    const answer = await send('POST', '/triggers', { name: 'x', type: 'manual', actionId });
    expect(answer).toMatchObject({ status: 400, json: { issues: [{ path: ['trigger', 'actionId'] }] } });
  }
});

test.each([
  { type: 'manual', formId: 'No such form' },
  { type: 'manual', formId: NOBODY },
  { type: 'manual', formId: 'x'.repeat(1000) },
  { type: 'eventSystem', source: 's', topic: 't', jst: NOBODY },
])('a missing document that %j names is reported', async (members) => {
  const answer = await send('POST', '/triggers', { name: 'Lost', actionId: action._id, ...members });
  expect(answer).toMatchObject({ status: 422, json: { code: 'UNPROCESSABLE_CONTENT' } });
  expect(answer.text).toContain((members.formId ?? members.jst ?? '').slice(0, 50));
  const own = await trigger(action._id, { name: 'Found', type: members.type, source: 's', topic: 't' });
  const { type: _, ...change } = members;
  expect((await send('PATCH', `/triggers/${own._id}`, change)).status).toBe(422);
});

test('a route belongs to one trigger', async () => {
  const routeName = unique('taken');
  await trigger(action._id, { name: 'first', type: 'endpoint', routeName });
  const second = { name: 'second', type: 'endpoint', routeName, actionId: action._id };
  expect(await send('POST', '/triggers', second)).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining(routeName) },
  });
  const other = await trigger(action._id, { ...second, routeName: unique('free') });
  expect((await send('PATCH', `/triggers/${other._id}`, { routeName })).status).toBe(409);
});

test('a change ignores the fields of the server, whatever they hold, and names them', async () => {
  const own = await trigger(action._id, { name: 'stamped', type: 'manual' });
  const foreign = {
    _id: 'mine',
    created: 'yesterday',
    createdBy: 5,
    lastUpdated: 1767225600000,
    lastUpdatedBy: {},
    lastExecuted: 'never',
    lastResult: 'good',
    nextRunAt: 'soon',
    locked: 'no',
    migrationVersion: '4',
  };
  const { data, metadata } = await done('PATCH', `/triggers/${own._id}`, foreign);
  expect(data).toEqual({ ...own, lastUpdated: data.lastUpdated });
  expect((metadata.ignored as string[]).toSorted()).toEqual(Object.keys(foreign).toSorted());
});

test('a change keeps the type and everything that is not given', async () => {
  const own = await trigger(action._id, {
    name: 'changing',
    type: 'endpoint',
    routeName: unique('a'),
    mood: 'calm',
  });
  const { data, metadata } = await done('PATCH', `/triggers/${own._id}`, {
    ...own,
    description: 'new',
    enabled: false,
    schema: { type: 'object' },
    mood: 'wild',
  });
  expect(data).toEqual({
    ...own,
    description: 'new',
    enabled: false,
    schema: { type: 'object' },
    mood: 'wild',
    lastUpdated: data.lastUpdated,
  });
  expect((metadata.ignored as string[]).toSorted()).toEqual(
    [
      '_id',
      'created',
      'createdBy',
      'lastExecuted',
      'lastUpdated',
      'lastUpdatedBy',
      'migrationVersion',
      'type',
    ].toSorted(),
  );
  expect((await done('GET', `/triggers/${own._id}`)).data).toEqual(data);
  expect((await done('PATCH', `/triggers/${own._id}`, { schema: null })).data.schema).toBeNull();
  const rejected = await send('PATCH', `/triggers/${own._id}`, {
    type: 'manual',
    formId: form.name,
    source: 'x',
  });
  expect(rejected.status).toBe(400);
  expect(issuesOf(rejected)).toEqual([
    'trigger.formId: unknown field "formId"',
    'trigger.source: unknown field "source"',
    'trigger.type: is endpoint and cannot be changed: create another trigger instead',
  ]);
  const wrong = await send('PATCH', `/triggers/${own._id}`, {
    routeName: 'a/b',
    schema: { type: 5 },
    size: 1,
  });
  expect(wrong.status).toBe(400);
});

test('null for a field that is never null leaves it unchanged', async () => {
  const own = await trigger(action._id, {
    name: 'null',
    type: 'manual',
    description: 'kept',
    formData: { a: 1 },
  });
  const { data } = await done('PATCH', `/triggers/${own._id}`, {
    description: null,
    name: null,
    enabled: null,
    formData: null,
  });
  expect(data).toMatchObject({ description: 'kept', name: 'null', enabled: true, formData: null });
});

test('a schedule is due at its times, only while it is on', async () => {
  const firstRunAt = Date.now() - 10 * hour;
  const members = { type: 'schedule', firstRunAt, repeatUnit: 'day', repeatFrequency: 1 };
  const own = await trigger(action._id, { name: 'nightly', ...members });
  expect(own).toMatchObject({ nextRunAt: firstRunAt + day, locked: false });
  const change = async (body: object) => (await done('PATCH', `/triggers/${own._id}`, body)).data.nextRunAt;
  expect(await change({ enabled: false })).toBeNull();
  expect(await change({ enabled: true })).toBe(firstRunAt + day);
  expect(await change({ repeatUnit: 'hour', repeatFrequency: 6 })).toBe(firstRunAt + 12 * hour);
  expect(await change({ firstRunAt: firstRunAt + 20 * hour })).toBe(firstRunAt + 20 * hour);
  expect(await change({ repeatUnit: null, firstRunAt })).toBeNull();
  const off = await trigger(action._id, { name: 'off', ...members, enabled: false });
  expect(off.nextRunAt).toBeNull();
  const given = await trigger(action._id, {
    name: 'given',
    ...members,
    nextRunAt: 5,
    locked: true,
    lastExecuted: 7,
  });
  expect(given).toMatchObject({ nextRunAt: firstRunAt + day, locked: false, lastExecuted: null });
});

test('an update of other fields keeps the due time of a schedule', async () => {
  const own = await trigger(action._id, {
    name: 'late',
    type: 'schedule',
    firstRunAt: Date.now() + 150,
    repeatUnit: 'day',
  });
  await new Promise((resolve) => setTimeout(resolve, 250));
  const { data } = await done('PATCH', `/triggers/${own._id}`, { ...own, description: 'told' });
  expect(data).toMatchObject({ description: 'told', nextRunAt: own.nextRunAt });
});

test('a trigger moves to another automation', async () => {
  const other = await automation('Another');
  const own = await trigger(action._id, { name: 'moving', type: 'manual' });
  expect((await done('PATCH', `/triggers/${own._id}`, { actionId: other._id })).data.actionId).toBe(
    other._id,
  );
  const { metadata } = await done<Doc[]>('GET', `/triggers?actionId=${other._id}`);
  expect(metadata.total).toBe(1);
  expect((await send('PATCH', `/triggers/${own._id}`, { actionId: NOBODY })).status).toBe(400);
});

test('triggers are deleted one by one, or all of an automation', async () => {
  const own = await automation('To be emptied');
  const [first, ...others] = [
    await trigger(own._id, { name: 'a', type: 'manual' }),
    await trigger(own._id, { name: 'b', type: 'manual', formId: form.name }),
    await trigger(own._id, { name: 'c', type: 'manual' }),
  ];
  expect(await done('DELETE', `/triggers/${first?._id}`)).toMatchObject({
    message: 'Successfully deleted trigger',
    data: first,
  });
  expect(await done('DELETE', `/triggers/action/${own._id}`)).toEqual({
    message: 'Successfully deleted triggers',
    data: { deletedCount: others.length },
    metadata: {},
  });
  expect(await done('DELETE', `/triggers/action/${own._id}`)).toMatchObject({ data: { deletedCount: 0 } });
  expect((await send('DELETE', `/triggers/action/${NOBODY}`)).status).toBe(404);
  for (const one of others) expect((await send('GET', `/triggers/${one._id}`)).status).toBe(404);
});

test('a change of another user is not overwritten', async () => {
  const own = await trigger(action._id, { name: 'raced', type: 'manual' });
  const stale = `"${own.lastUpdated}"`;
  await done('PATCH', `/triggers/${own._id}`, { description: 'first' }, { ifMatch: stale });
  expect((await send('PATCH', `/triggers/${own._id}`, {}, { ifMatch: stale })).status).toBe(409);
  expect((await send('DELETE', `/triggers/${own._id}`, undefined, { ifMatch: stale })).status).toBe(409);
});

test('an unknown trigger is named', async () => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '/export', undefined],
    ['PATCH', '', {}],
    ['DELETE', '', undefined],
  ] as const) {
    expect(await send(method, `/triggers/${NOBODY}${path}`, body)).toMatchObject({
      status: 404,
      json: { message: `Trigger ${NOBODY} does not exist` },
    });
  }
});

test('lists accept enabled and actionId directly, and pairs of filter and field', async () => {
  const own = await automation('Listed');
  for (const [name, enabled] of [
    ['a', true],
    ['b', false],
    ['c', true],
  ] as const) {
    await trigger(own._id, {
      name,
      enabled,
      type: 'eventSystem',
      source: 's',
      topic: name,
      schema: { type: 'object' },
    });
  }
  const names = async (query: string) => {
    const { data } = await done<Doc[]>('GET', `/triggers?actionId=${own._id}&sort=name&${query}`);
    return data.map(({ name }) => name);
  };
  expect(await names('')).toEqual(['a', 'b', 'c']);
  expect(await names('enabled=true')).toEqual(['a', 'c']);
  expect(await names('enabled=false')).toEqual(['b']);
  expect(await names('equals=eventSystem&equalsField=type&startsWith=C&startsWithField=topic')).toEqual([
    'c',
  ]);
  expect(await names('greaterThan=0&greaterThanField=nextRunAt')).toEqual([]);
  const { data } = await done<Doc[]>('GET', `/triggers?actionId=${own._id}`);
  expect(data[0]).toMatchObject({ schema: { type: 'object' } });
  for (const wrong of ['enabled=maybe', 'equals=x', 'in[type]=never', 'equals=x&equalsField=none']) {
    expect((await send('GET', `/triggers?${wrong}`)).status, wrong).toBe(400);
  }
});

test('an asset that a trigger or automation names is not deleted under it', async () => {
  const own = await store('jsonForm', unique('held'));
  const by = await trigger(action._id, { name: 'holder', type: 'manual', formId: own.id });
  const removing = asAdmin(service, async (ctx) =>
    removeAssets(ctx, 'jsonForm', [await getAsset(ctx, 'jsonForm', own.id, { lock: true })]),
  );
  await expect(removing).rejects.toThrow(/used by trigger holder/);
  await done('DELETE', `/triggers/${by._id}`);
});

test('events are listed by source and topic, each with its payload', async () => {
  const { data } = await done<{ source: string; topic: string }[]>('GET', '/events');
  expect(data.length).toBeGreaterThan(8);
  const own = await done('GET', '/events?source=%40vendor%2Fconfiguration-manager');
  expect(own.data).toEqual(
    [
      'backupRunFinished',
      'backupRunProgressed',
      'backupStored',
      'campaignFinished',
      'campaignProgressed',
      'complianceBatchFinished',
      'complianceBatchStopped',
      'complianceReportsStored',
      'configurationChanged',
    ].map((topic) => ({
      source: '@vendor/configuration-manager',
      topic,
    })),
  );
  expect((await done('GET', '/events?topic=jobStarted')).data).toHaveLength(1);
  expect((await done('GET', '/events?topic=no')).data).toEqual([]);
  for (const { source, topic } of data) {
    for (const spelled of [encodeURIComponent(source), source]) {
      const answer = await send('GET', `/events/${spelled}/${topic}`);
      expect(answer.json).toEqual({ source, topic, definition: expect.objectContaining({ type: 'object' }) });
    }
  }
  expect((await send('GET', '/events/@vendor/operations-manager/no')).status).toBe(404);
});

test('the definition of each event is itself a JSON schema that a trigger may have', async () => {
  const { data } = await done<{ source: string; topic: string }[]>('GET', '/events');
  for (const { source, topic } of data) {
    const { definition } = (await send('GET', `/events/${source}/${topic}`)).json as { definition: object };
    await trigger(action._id, { name: topic, type: 'eventSystem', source, topic, schema: definition });
  }
});
