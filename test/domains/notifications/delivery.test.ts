import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { pruneDeliveries } from '#server/domains/notifications/deliveries/deliveries.service.ts';
import { isLong } from '../../helpers/long.ts';
import { KEY, mailThrough, openDeliveries } from '../../helpers/notifications/deliveries.ts';
import { openMailServer, openReceiver, signatureOf } from '../../helpers/notifications/receivers.ts';
import { rowsReadOf } from '../../helpers/postgres.ts';
import { rejectionOf, unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';

const { service, notifications, health, happen, webhook, ruleFor, deliveriesOf, settled } =
  await openDeliveries();

test('a webhook gets the event with its key and a signature of the body', async () => {
  const receiver = await openReceiver();
  const channel = await webhook(receiver.url, { token: 'a-token' });
  await ruleFor([channel._id], { filter: { subjects: ['signed'] } });
  await happen('other');
  await happen('signed');
  const [delivery] = await settled(channel._id, 'sent');
  const [got, ...more] = receiver.received;
  expect(more).toEqual([]);
  expect(got?.headers['x-switchyard-signature']).toBe(signatureOf(got?.text ?? '', KEY));
  expect(got?.headers.authorization).toBe('Bearer a-token');
  expect(got?.delivery).toBe(delivery?.id);
  expect(JSON.parse(got?.text ?? '')).toMatchObject({
    delivery: delivery?.id,
    omitted: 0,
    events: [{ topic: 'adapterDown', severity: 'error', payload: { name: 'signed' } }],
  });
});

test('mail reaches its receivers through a server that asks for a password', async () => {
  const server = await openMailServer('robot', 'correct-horse');
  const channel = mailThrough(server.port, ['noc@example.net', 'oncall@example.net']);
  const { data } = await notifications.createChannel({ channel });
  expect(JSON.stringify(data)).not.toContain('correct-horse');
  expect(await notifications.testChannel({ id: data._id })).toMatchObject({ ok: true });
  await ruleFor([data._id], { filter: { subjects: ['mailed'] } });
  await happen('mailed');
  await settled(data._id, 'sent');
  expect(server.messages).toHaveLength(2);
  expect(server.messages[1]).toMatchObject({ from: channel.from, to: channel.to });
  expect(server.messages[1]?.text).toContain('adapterDown: mailed: no answer');
});

test('a receiver of a mail that is rejected for a while gets it later, and others get it once', async () => {
  const server = await openMailServer('robot', 'correct-horse');
  const to = ['here@example.net', 'slow@example.net', 'nobody@example.net'];
  const channel = {
    ...mailThrough(server.port, to),
    retry: { attempts: 5, firstDelaySeconds: 1 },
  };
  server.rejects.set('slow@example.net', 450).set('nobody@example.net', 550);
  const { data } = await notifications.createChannel({ channel });
  const tried = await notifications.testChannel({ id: data._id });
  expect(tried).toMatchObject({ ok: false, detail: expect.stringContaining('2 of 3 receivers') });
  server.messages.length = 0;
  await ruleFor([data._id], { filter: { subjects: ['greylisted'] } });
  await happen('greylisted');
  const lastError = await until('the first attempt failed', async () => {
    const [waiting] = await settled(data._id, 'retrying');
    return waiting?.lastError ?? undefined;
  });
  expect(lastError).toMatch(/^2 of 3 receivers were rejected, slow@example.net with 450 /);
  server.rejects.delete('slow@example.net');
  const [ended] = await settled(data._id, 'sent');
  expect(ended?.lastError).toMatch(/^1 of 2 receivers were rejected, nobody@example.net with 550 /);
  expect(server.messages.map(({ to }) => to)).toEqual([['here@example.net'], ['slow@example.net']]);
  await happen('greylisted');
  const sent = await settled(data._id, 'sent', 2);
  expect(sent.map(({ lastError }) => lastError)).toContainEqual(
    expect.stringMatching(/^1 of 3 receivers were rejected, nobody@example.net with 550 /),
  );
});

test('a wrong password that the mail server repeats is masked in the answer and in the log', async () => {
  const server = await openMailServer('robot', 'right');
  const { data } = await notifications.createChannel({
    channel: mailThrough(server.port, ['b@example.net'], 'wrong-and-secret'),
  });
  const tried = await notifications.testChannel({ id: data._id });
  expect(tried.ok).toBe(false);
  expect(tried.detail).toContain('wrong password ********');
  expect(service.logged.join('')).not.toContain('wrong-and-secret');
});

test.skipIf(!isLong)(
  'a delivery that fails is dead in the end, shows why without secrets, and can be retried under its key',
  async () => {
    let status = 500;
    const receiver = await openReceiver(() => ({ status, text: `key ${KEY} of a-token-to-repeat` }));
    const channel = await webhook(receiver.url, {
      token: 'a-token-to-repeat',
      retry: { attempts: 2, firstDelaySeconds: 0.1 },
    });
    await ruleFor([channel._id], { filter: { subjects: ['fails'] } });
    await happen('fails');
    const [dead] = await settled(channel._id, 'dead');
    expect(dead).toMatchObject({
      attempts: 2,
      lastError: 'answered 500: key ******** of ********',
      nextAttempt: null,
    });
    const failing = await notifications.getChannel({ id: channel._id });
    expect(failing.state).toMatchObject({ status: 'failing', dead: 1, lastError: dead?.lastError });
    const { results } = await health.getConnections({});
    expect(results).toContainEqual(expect.objectContaining({ name: channel.name, state: 'FAILING' }));
    status = 204;
    await notifications.retryDelivery({ id: dead?.id ?? '' });
    const [sent] = await settled(channel._id, 'sent');
    expect(sent?.id).toBe(dead?.id);
    expect(new Set(receiver.received.map(({ delivery }) => delivery))).toEqual(new Set([dead?.id]));
    expect((await rejectionOf(notifications.retryDelivery({ id: dead?.id ?? '' }))).code).toBe('CONFLICT');
    expect((await notifications.getChannel({ id: channel._id })).state.status).toBe('ok');
  },
);

test('the status of a receiver counts, however long its answer is', async () => {
  let status = 200;
  const receiver = await openReceiver(() => ({ status, text: `page ${'x'.repeat(200_000)}` }));
  const { _id: id } = await webhook(receiver.url);
  expect(await notifications.testChannel({ id })).toMatchObject({ ok: true });
  status = 502;
  const tried = await notifications.testChannel({ id });
  expect([tried.ok, tried.detail.slice(0, 22)]).toEqual([false, 'answered 502: page xxx']);
});

test.each(['gzip', 'zstd'])(
  'a receiver that accepts a delivery has it, though its answer is not what its coding %s says',
  async (coding) => {
    let status = 200;
    const headers = { 'Content-Encoding': coding };
    const receiver = await openReceiver(() => ({ status, text: 'thanks', headers }));
    const { _id: id } = await webhook(receiver.url);
    expect(await notifications.testChannel({ id })).toMatchObject({ ok: true });
    status = 502;
    expect(await notifications.testChannel({ id })).toMatchObject({ ok: false, detail: 'answered 502' });
  },
);

test('a receiver that accepts a delivery has it, though the end of its answer never comes', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(202, { 'Content-Length': 1000 }).write('so far');
    setTimeout(() => response.destroy(), 200);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { _id: id } = await webhook(`http://127.0.0.1:${port}`);
  expect(await notifications.testChannel({ id })).toMatchObject({ ok: true });
  server.close();
});

test('a redirect is not followed, and the test of the channel says so', async () => {
  const other = await openReceiver();
  const receiver = await openReceiver(() => ({ status: 307, headers: { Location: other.url } }));
  const { _id: id } = await webhook(receiver.url);
  const detail = 'answered 307, a redirect, which is not followed';
  expect(await notifications.testChannel({ id })).toMatchObject({ ok: false, detail });
  expect(other.received).toEqual([]);
});

test('a receiver that asks to wait gets nothing meanwhile, for an hour at most, until its channel is changed', async () => {
  const busy = await openReceiver((at) =>
    at === 0 ? { status: 429, headers: { 'Retry-After': '86400' } } : { status: 204 },
  );
  const other = await openReceiver();
  const [channel, another] = [await webhook(busy.url), await webhook(other.url)];
  await ruleFor([channel._id, another._id], { filter: { subjects: ['first', 'second'] } });
  await happen('first');
  const [rejected] = await until(
    'the first one is rejected',
    async () => {
      const found = await deliveriesOf(channel._id);
      return found[0]?.attempts === 1 ? found : undefined;
    },
    30,
  );
  const minutes = (Date.parse(rejected?.nextAttempt ?? '') - Date.now()) / 60_000;
  expect(Math.round(minutes)).toBe(60);
  await happen('second');
  await settled(another._id, 'sent', 2);
  const waiting = await deliveriesOf(channel._id);
  expect(waiting.map(({ attempts }) => attempts)).toEqual([0, 1]);
  // What has not been sent yet waits for the same end of the pause, and the list says so.
  for (const { nextAttempt } of waiting) {
    const left = (Date.parse(nextAttempt ?? '') - Date.now()) / 60_000;
    expect(left).toBeGreaterThan(55);
  }
  await notifications.updateChannel({ id: channel._id, channel: { name: unique('Hook') } });
  expect(await settled(channel._id, 'sent')).toHaveLength(1);
  expect(busy.received).toHaveLength(2);
});

test.skipIf(!isLong)('a slow receiver does not hold up the others', async () => {
  const slow = await openReceiver(() => ({ status: 204, delayMs: 3000 }));
  const quick = await openReceiver();
  const slowChannel = await webhook(slow.url);
  const quickChannel = await webhook(quick.url);
  await ruleFor([slowChannel._id, quickChannel._id], { filter: { subjects: ['both'] } });
  await happen('both');
  await until('the slow one has begun', () => slow.received.length > 0 || undefined);
  await settled(quickChannel._id, 'sent');
  expect((await deliveriesOf(slowChannel._id))[0]?.status).toBe('retrying');
  await settled(slowChannel._id, 'sent');
});

test('a digest collects events for its time and sends them together', async () => {
  const receiver = await openReceiver();
  const channel = await webhook(receiver.url);
  await ruleFor([channel._id], { digestMinutes: 1, filter: { subjects: ['d1', 'd2'] } });
  await happen('d1');
  await happen('d2');
  const [waiting] = await until(
    'both are collected',
    async () => {
      const found = await deliveriesOf(channel._id);
      return found[0]?.events === 2 ? found : undefined;
    },
    30,
  );
  expect(waiting).toMatchObject({ status: 'retrying', attempts: 0 });
  expect(receiver.received).toEqual([]);
  const { content } = await notifications.getDelivery({ id: waiting?.id ?? '' });
  expect(content.map(({ payload }) => payload.name)).toEqual(['d1', 'd2']);
});

test.skipIf(!isLong).each([
  ['slack', (body: Record<string, unknown>) => expect(body.text).toContain('adapterDown: chat')],
  ['teams', (body: Record<string, unknown>) => expect(body).toMatchObject({ type: 'message' })],
] as const)('%s gets its own format', async (type, expectBody) => {
  const receiver = await openReceiver();
  const { data } = await notifications.createChannel({
    channel: { name: unique(type), type, webhookUrl: `${receiver.url}/services/T000/B000/hush-hush` },
  });
  expect(JSON.stringify(data)).not.toContain('hush-hush');
  await ruleFor([data._id], { filter: { subjects: [`chat ${type}`] } });
  await happen(`chat ${type}`);
  await settled(data._id, 'sent');
  expectBody(JSON.parse(receiver.received[0]?.text ?? '{}') as Record<string, unknown>);
});

test('names in a card of Teams are no Markdown, so that no device puts a link into it', async () => {
  const receiver = await openReceiver();
  const { data } = await notifications.createChannel({
    channel: { name: unique('teams'), type: 'teams', webhookUrl: `${receiver.url}/hook` },
  });
  const name = `[sign in again](https://evil.example) ${unique('x')}`;
  await ruleFor([data._id], { filter: { subjects: [name] } });
  await happen(name);
  await settled(data._id, 'sent');
  const card = receiver.received[0]?.text ?? '';
  expect(card).toContain('[sign in again](https://evil.example)');
  // Of the elements of a card that show text, only this one shows it as it is.
  expect([...card.matchAll(/"type":"(Text\w+)"/g)].map(([, type]) => type)).toEqual(['TextRun', 'TextRun']);
});

test.skipIf(!isLong)('an incident of PagerDuty is resolved when the adapter responds again', async () => {
  const receiver = await openReceiver(() => ({ status: 202 }));
  const { data } = await notifications.createChannel({
    channel: { name: unique('Pager'), type: 'pagerduty', url: receiver.url, routingKey: 'r'.repeat(32) },
  });
  await ruleFor([data._id], { filter: { subjects: ['core-1'] } });
  await happen('core-1');
  await settled(data._id, 'sent');
  await happen('core-1', 'adapterUp');
  await settled(data._id, 'sent', 2);
  const bodies = receiver.received.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  expect(bodies.map(({ event_action, dedup_key }) => [event_action, dedup_key])).toEqual([
    ['trigger', 'switchyard/adapter/core-1'],
    ['resolve', 'switchyard/adapter/core-1'],
  ]);
});

test('deliveries that ended long ago are deleted, and others are only counted', async () => {
  const channel = await webhook('http://127.0.0.1:9');
  const { _id: rule } = await ruleFor([channel._id], { filter: { subjects: ['pruned'] } });
  await inTransaction(service.db, async (tx) => {
    const store = (id: string, status: string, days: number, count = 1) =>
      tx.execute(sql`insert into notification_deliveries
          (id, rule_id, channel_id, event_id, topic, events, event_count, status, due_at, ended_at)
        select ${`${id}-`} || n, ${rule}, ${channel._id}, 1, 'trial', '[]', 0, ${status}, now(),
          now() - make_interval(days => ${days}::int) from generate_series(1, ${count}::int) n`);
    await store('new', 'sent', 1, 2000);
    await store('sent', 'sent', 8);
    await store('dead', 'dead', 29);
    await store('older', 'dead', 31);
    await tx.execute(sql`analyze notification_deliveries`);
    const before = await rowsReadOf(tx, 'notification_deliveries');
    await pruneDeliveries(tx);
    // Once, to count them.
    expect((await rowsReadOf(tx, 'notification_deliveries')) - before).toBeLessThan(3000);
    const kept = await rows<{ id: string }>(
      tx,
      sql`select id from notification_deliveries where rule_id = ${rule} and id !~ '^new'`,
    );
    expect(kept).toEqual([{ id: 'dead-1' }]);
  });
});
