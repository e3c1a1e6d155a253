import { afterAll, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { publish } from '#db/connections/publish.ts';
import { sql } from '#db/statement.ts';
import { openReceiver } from '../../helpers/notifications/receivers.ts';
import { unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../helpers/processes/started.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const started = openProcesses('notifications-process');
afterAll(started.end);

/** Number of events, a multiple of a hundred: `LOSSES_EVENTS=10000` is what docs/scale.md reports. */
const COUNT = Number(process.env.LOSSES_EVENTS ?? 2000);
const BATCH = 100;
/** Channels among which the events are divided: each sends a few at once, and waits for the slowest of them. */
const CHANNELS = 4;
const SECONDS = 600;
/** Failures of one delivery: the pause doubles with each, and the unluckiest of so many deliveries would take minutes. */
const MOST_FAILURES = 6;

/** Returns a function that answers each request with 503 or 204 by chance, the same in each run. */
function failingHalfTheTime() {
  const failures = new Map<string, number>();
  let seed = 20_261_124;
  return (_: number, { delivery }: { delivery: string }) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    const failed = failures.get(delivery) ?? 0;
    if (seed < 2 ** 31 || failed === MOST_FAILURES) return { status: 204 };
    failures.set(delivery, failed + 1);
    return { status: 503 };
  };
}

test('each of thousands of events reaches a receiver that fails half the time, under one key, though the sending process is killed', async () => {
  const receiver = await openReceiver(failingHalfTheTime());
  const { notifications } = await service.as('admin');
  let runAs = '';
  for (let part = 0; part < CHANNELS; part += 1) {
    const { data: channel } = await notifications.createChannel({
      channel: {
        name: unique('Half'),
        type: 'webhook',
        url: receiver.url,
        secret: 'k'.repeat(32),
        retry: { attempts: MOST_FAILURES + 2, firstDelaySeconds: 0.1 },
      },
    });
    const { data: rule } = await notifications.createRule({
      rule: {
        name: unique('Part'),
        topics: ['adapterDown'],
        channels: [channel._id],
        filter: { subjects: [`part ${part}`] },
      },
    });
    runAs = rule.runAs;
  }
  const [account] = await rows<{ username: string }>(
    service.db,
    sql`select doc ->> 'username' as username from accounts where id = ${runAs}`,
  );
  const start = () =>
    started.start(
      JSON.stringify(service.connection),
      service.key.toString('base64'),
      account?.username ?? '',
    );
  const first = await start();
  const payload = (name: string) => ({
    name,
    model: 'm',
    state: 'STOPPED',
    connection: 'OFFLINE',
    detail: null,
  });
  const published = { source: '@vendor/adapters', topic: 'adapterDown', kind: 'adapter' };
  for (let at = 0; at < COUNT; at += BATCH) {
    await inTransaction(service.db, (tx) =>
      publish(
        tx,
        Array.from({ length: BATCH }, (_, n) => ({
          ...published,
          subjects: [`a${at + n}`, `part ${n % CHANNELS}`] as const,
          payload: payload(`a${at + n}`),
        })),
      ),
    );
  }
  const accepted = () => receiver.accepted();
  await until('some are accepted', () => accepted().length >= COUNT / 6 || undefined, SECONDS);
  await kill(first);
  await start();
  // The list is counted only when the last one may have been sent: counting it all the time would hold up the sending.
  await until('all are accepted', () => accepted().length >= COUNT || undefined, SECONDS);
  const sent = async () => {
    const { total } = await notifications.listDeliveries({ queryOptions: { status: 'sent' } });
    return total >= COUNT || undefined;
  };
  await until('all are sent', sent, SECONDS);
  const keys = new Map<string, Set<string>>();
  for (const { delivery, events } of receiver.received) {
    for (const event of events) keys.set(event, (keys.get(event) ?? new Set()).add(delivery));
  }
  expect(keys.size).toBe(COUNT);
  expect([...keys.values()].every(({ size }) => size === 1)).toBe(true);
  expect(new Set(accepted().map(({ delivery }) => delivery)).size).toBe(COUNT);
  const { total } = await notifications.listDeliveries({ queryOptions: {} });
  expect(total).toBe(COUNT);
  // The receiver did fail half the time.
  const rate = accepted().length / receiver.received.length;
  expect(rate).toBeGreaterThan(0.45);
  expect(rate).toBeLessThan(0.55);
}, 900_000);
