import { expect, test } from 'vitest';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { notifications, audit } = await service.as('admin');
const KEY = 'a-key-of-at-least-16-characters';
const WRITERS = ['admin', 'apiwrite', 'designer', 'engineering'];

const create = (channel: object) => notifications.createChannel({ channel } as never);
const hook = (more: object = {}) => ({
  name: unique('Hook'),
  type: 'webhook',
  url: 'https://hooks.example.net/a',
  secret: KEY,
  ...more,
});
const rule = (channels: string[], more: object = {}) => ({
  name: unique('Rule'),
  topics: ['jobErrored'],
  channels,
  ...more,
});

test('a channel is stored with its secrets sealed, read back with masks, changed and deleted', async () => {
  const given = hook({ token: 'a-bearer-token' });
  const { data, status } = await create(given);
  expect(status).toBe('Created');
  expect(data).toMatchObject({ secret: '********', token: '********', target: 'https://hooks.example.net' });
  const read = await notifications.getChannel({ id: data._id });
  expect(read.state).toEqual({
    status: 'unknown',
    failingSince: null,
    lastError: null,
    lastSent: null,
    retrying: 0,
    dead: 0,
  });
  const updates = { enabled: false, secret: '********', token: null };
  const { data: updated } = await notifications.updateChannel({ id: data._id, channel: updates });
  expect(updated).toMatchObject({ enabled: false, secret: '********', url: given.url });
  expect(updated.token).toBeUndefined();
  const { results } = await notifications.listChannels({
    queryOptions: { equals: given.name, equalsField: 'name' },
  });
  expect(results).toHaveLength(1);
  await notifications.deleteChannel({ id: data._id });
  expect((await rejectionOf(notifications.getChannel({ id: data._id }))).code).toBe('NOT_FOUND');
  expect(service.logged.join('')).not.toContain('a-bearer-token');
});

test.each([
  [hook({ url: undefined }), ['channel.url']],
  [hook({ secret: 'short' }), ['channel.secret']],
  [hook({ secret: '********' }), ['channel.secret']],
  [hook({ url: 'ftp://a.example.net' }), ['channel.url']],
  [hook({ url: 'https://169.254.169.254/latest' }), ['channel.url']],
  [hook({ to: ['a@example.net'], password: 'x' }), ['channel.password', 'channel.to']],
  [{ name: 'Mail', type: 'smtp', to: [] }, ['channel.from', 'channel.host', 'channel.to']],
  [
    { name: 'Mail', type: 'smtp', host: 'm.example.net', from: 'no one', to: ['a@b.c', 'x\r\nBcc: y@z'] },
    ['channel.from', 'channel.to.1'],
  ],
  [{ name: 'Chat', type: 'slack' }, ['channel.webhookUrl']],
  [{ name: 'Pager', type: 'pagerduty' }, ['channel.routingKey']],
  [hook({ colour: 'red' }), ['channel.colour']],
])('a channel that cannot work is rejected and every field named: %j', async (channel, paths) => {
  expect((await issuePathsOf(create(channel))).sort()).toEqual(paths);
});

test('a secret does not follow a channel to another host', async () => {
  const { data } = await create(hook());
  const move = (more: object) =>
    notifications.updateChannel({ id: data._id, channel: { url: 'https://other.example.net/a', ...more } });
  expect(await issuePathsOf(move({}))).toEqual(['channel.secret']);
  expect(await issuePathsOf(move({ secret: '********' }))).toEqual(['channel.secret']);
  const { data: moved } = await move({ secret: `${KEY}-2` });
  expect(moved.target).toBe('https://other.example.net');
});

test('a name that is taken is a conflict, and a channel that a rule uses cannot be deleted', async () => {
  const given = hook();
  const { data } = await create(given);
  expect((await rejectionOf(create(given))).code).toBe('CONFLICT');
  const { data: stored } = await notifications.createRule({ rule: rule([data._id]) });
  const kept = await rejectionOf(notifications.deleteChannel({ id: data._id }));
  expect(kept).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(stored.name) });
  await notifications.deleteRule({ id: stored._id });
  await notifications.deleteChannel({ id: data._id });
});

test('a rule names events and channels that exist, and an account that the caller may name', async () => {
  const { data } = await create(hook());
  const bad = rule([data._id, NOBODY], { topics: ['jobErrored', 'nothing'], runAs: NOBODY });
  expect((await issuePathsOf(notifications.createRule({ rule: bad }))).sort()).toEqual([
    'rule.channels.1',
    'rule.runAs',
    'rule.topics.1',
  ]);
  const engineer = (await service.as('engineering')).notifications;
  const admin = (await service.callerWith('admin')).caller;
  const lent = rule([data._id], { runAs: admin.id });
  expect(await issuePathsOf(engineer.createRule({ rule: lent }))).toEqual(['rule.runAs']);
});

test('an account sees its own rules only, and the user who changes a rule becomes its account', async () => {
  const { data: channel } = await create(hook());
  const engineer = (await service.as('engineering')).notifications;
  const { data: own } = await engineer.createRule({ rule: rule([channel._id], { digestMinutes: 5 }) });
  const { data: other } = await notifications.createRule({ rule: rule([channel._id]) });
  const { results } = await engineer.listRules({});
  expect(results.map(({ _id }) => _id)).toEqual([own._id]);
  expect((await rejectionOf(engineer.getRule({ id: other._id }))).code).toBe('NOT_FOUND');
  expect((await rejectionOf(engineer.updateRule({ id: other._id, rule: {} }))).code).toBe('NOT_FOUND');
  const { data: taken } = await notifications.updateRule({ id: own._id, rule: { topics: ['*'] } });
  expect(taken).toMatchObject({ digestMinutes: 5, topics: ['*'], enabled: true });
  expect(taken.runAs).toBe((await service.callerWith('admin')).caller.id);
  expect((await engineer.listRules({})).total).toBe(0);
  expect(await engineer.listDeliveries({ queryOptions: {} })).toEqual({ total: 0, list: [] });
});

test('an account that is no admin has at most 50 rules, so that others have room', async () => {
  const { data: channel } = await create(hook());
  const engineer = (await service.as('engineering')).notifications;
  for (let made = 0; made < 50; made += 1) await engineer.createRule({ rule: rule([channel._id]) });
  const rejected = await rejectionOf(engineer.createRule({ rule: rule([channel._id]) }));
  expect(rejected).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('50') });
  await notifications.createRule({ rule: rule([channel._id]) });
  const [first] = (await engineer.listRules({})).results;
  await engineer.deleteRule({ id: String(first?._id) });
  await engineer.createRule({ rule: rule([channel._id]) });
});

test('a test of a receiver that cannot be reached says why', async () => {
  const { data } = await create(hook({ url: 'http://127.0.0.1:1/' }));
  const tried = await notifications.testChannel({ id: data._id });
  expect(tried).toMatchObject({ ok: false, detail: expect.stringContaining('127.0.0.1:1') });
});

test('each procedure admits its roles, and the audit trail has the writes', async () => {
  const id = NOBODY;
  expect(await rolesThatMay(service, (as) => as.notifications.listChannels({}))).toEqual(WRITERS);
  expect(
    await rolesThatMay(service, (as) => as.notifications.createChannel({ channel: hook() as never })),
  ).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.notifications.updateChannel({ id, channel: {} }))).toEqual([
    'admin',
  ]);
  expect(await rolesThatMay(service, (as) => as.notifications.testChannel({ id }))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.notifications.retryDelivery({ id }))).toEqual(WRITERS);
  expect(await rolesThatMay(service, (as) => as.notifications.getDelivery({ id }))).toEqual(WRITERS);
  const { results } = await audit.listEntries({
    queryOptions: { equals: 'notifications.createChannel', equalsField: 'operation', limit: 100 },
  });
  expect(results).toContainEqual(
    expect.objectContaining({
      outcome: 'ok',
      document: expect.objectContaining({ kind: 'notification_channels' }),
    }),
  );
});

test('rules that are created together are no more than one account may have', async () => {
  const { data: channel } = await create(hook());
  const { notifications: own } = await service.as('designer');
  const made = await Promise.allSettled(
    Array.from({ length: 70 }, () => own.createRule({ rule: rule([channel._id]) } as never)),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  expect((await own.listRules({ queryOptions: {} })).total).toBe(50);
});
