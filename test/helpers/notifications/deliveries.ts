import { inTransaction } from '#db/client.ts';
import { publish } from '#db/connections/publish.ts';
import { unique } from '../procedures.ts';
import { until } from '../processes/processes.ts';
import { openService } from '../service.ts';

/** The key that signs what the webhooks of these tests get. */
export const KEY = 'a-key-of-at-least-16-characters';

/** Opens a service that delivers notifications. */
export async function openDeliveries() {
  const service = await openService({}, { works: true });
  const { notifications, health } = await service.as('admin');
  /** Publishes the event of an adapter. */
  const happen = (name: string, topic = 'adapterDown') =>
    inTransaction(service.db, (tx) =>
      publish(tx, [
        {
          source: '@vendor/adapters',
          topic,
          subjects: [name],
          kind: 'adapter',
          payload: { name, model: 'm', state: 'STOPPED', connection: 'OFFLINE', detail: 'no answer' },
        },
      ]),
    );

  /** Creates a channel of a webhook. */
  const webhook = async (url: string, more: object = {}) =>
    (
      await notifications.createChannel({
        channel: { name: unique('Hook'), type: 'webhook', url, secret: KEY, ...more },
      })
    ).data;

  /** Creates a rule that sends events of adapters to channels. */
  const ruleFor = async (channels: string[], more: object = {}) =>
    (
      await notifications.createRule({
        rule: { name: unique('Rule'), topics: ['adapterDown', 'adapterUp'], channels, ...more },
      })
    ).data;

  const deliveriesOf = async (channel: string) =>
    (await notifications.listDeliveries({ queryOptions: { channel, limit: 1000 } })).list;

  /** Waits until so many deliveries of a channel have a status, and returns those. */
  const settled = (channel: string, status: string, count = 1) =>
    until(
      `${count} deliveries are ${status}`,
      async () => {
        const found = (await deliveriesOf(channel)).filter((one) => one.status === status);
        return found.length >= count ? found : undefined;
      },
      60,
    );
  return { service, notifications, health, happen, webhook, ruleFor, deliveriesOf, settled };
}

/** Returns a channel of mail through a server on this machine. */
export const mailThrough = (port: number, to: string[], password = 'correct-horse') => ({
  name: unique('Mail'),
  type: 'smtp' as const,
  host: '127.0.0.1',
  port,
  security: 'none' as const,
  username: 'robot',
  password,
  from: 'switchyard@example.net',
  to,
});
