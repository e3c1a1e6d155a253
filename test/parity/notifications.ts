import { NOBODY, type Seen, type Step, step } from './step.ts';

const hook = {
  name: 'Operations',
  type: 'webhook',
  url: 'http://127.0.0.1:9/hook',
  secret: 'a-key-of-at-least-16-characters',
};
const kept = (name: string) => (body: { data: { _id: string } }) => ({ [name]: body.data._id });
const channel = (seen: Seen) => ({ id: seen.channel });
const rule = (seen: Seen) => ({ id: seen.rule });

/** Channels, rules and deliveries of notifications. */
export const NOTIFICATIONS: Step[] = [
  step('notifications.createChannel', { channel: hook }, { keep: kept('channel') }),
  step('notifications.createChannel', { channel: hook }),
  step('notifications.createChannel', { channel: { name: 'x', type: 'smtp', port: 0 } }),
  step('notifications.listChannels', { queryOptions: { contains: 'per', containsField: 'name' } }),
  step('notifications.getChannel', channel),
  step('notifications.updateChannel', (seen) => ({ id: seen.channel, channel: { enabled: false } })),
  step('notifications.testChannel', channel, { measured: true }),
  step(
    'notifications.createRule',
    (seen) => ({ rule: { name: 'Failures', topics: ['jobErrored'], channels: [seen.channel] } }),
    { keep: kept('rule') },
  ),
  step('notifications.createRule', (seen) => ({
    rule: { name: 'Failures', topics: ['none'], channels: [seen.channel, NOBODY] },
  })),
  step('notifications.listRules', { queryOptions: { sort: 'name' } }),
  step('notifications.getRule', rule),
  step('notifications.updateRule', (seen) => ({ id: seen.rule, rule: { digestMinutes: 15 } })),
  step('notifications.deleteChannel', channel),
  step('notifications.listDeliveries', { queryOptions: { status: 'dead', limit: 5 } }),
  step('notifications.getDelivery', { id: NOBODY }),
  step('notifications.retryDelivery', { id: NOBODY }),
  step('health.getConnections'),
  step('notifications.deleteRule', rule),
  step('notifications.deleteChannel', channel),
];
