import { expect, test } from 'vitest';
import { inTransaction } from '#db/client.ts';
import { publish } from '#db/connections/publish.ts';
import { openDeliveries } from '../../helpers/notifications/deliveries.ts';
import { openReceiver } from '../../helpers/notifications/receivers.ts';

const { service, notifications, happen, webhook, ruleFor, deliveriesOf, settled } = await openDeliveries();

/** Sets whether accounts without a right of their own read the secrets of configurations. */
const decide = (configurationSecrets: 'masked' | 'shown') =>
  service.send('admin', 'PUT', '/authorization/access_default', {
    unlisted: 'readers',
    configurationSecrets,
  });

/** Publishes that a golden tree was updated. @param name of the tree, which holds a secret */
const changeTree = (subject: string, name: string) =>
  inTransaction(service.db, (tx) =>
    publish(tx, [
      {
        source: '@switchyard/configurations',
        topic: 'configurationChanged',
        subjects: [subject],
        kind: 'tree',
        payload: { kind: 'tree', change: 'updated', name },
      },
    ]),
  );

test('an event that the account of a rule may not read is not sent', async () => {
  const receiver = await openReceiver();
  const channel = await webhook(receiver.url);
  const designer = (await service.callerWith('designer')).caller;
  await ruleFor([channel._id], { runAs: designer.id, filter: { subjects: ['hidden'] } });
  const all = await webhook(receiver.url);
  await ruleFor([all._id], { filter: { subjects: ['hidden'] } });
  await happen('hidden');
  await settled(all._id, 'sent');
  expect(await deliveriesOf(channel._id)).toEqual([]);
});

test('a notification holds masks for the account of a rule that reads masks', async () => {
  const receiver = await openReceiver();
  const channel = await webhook(receiver.url);
  const reader = (await service.callerWith('apiread')).caller;
  const topics = ['configurationChanged'];
  await ruleFor([channel._id], { topics, runAs: reader.id, filter: { subjects: ['masked'] } });
  await decide('masked');
  try {
    await changeTree('masked', 'snmp-server community Lantern8 RO');
    await settled(channel._id, 'sent');
    const { content } = await notifications.getDelivery({
      id: (await deliveriesOf(channel._id))[0]?.id ?? '',
    });
    expect(JSON.stringify(content)).not.toContain('Lantern8');
  } finally {
    await decide('shown');
  }
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]?.text).toContain('snmp-server community ********');
  expect(receiver.received[0]?.text).not.toContain('Lantern8');
});

test('a delivery from before secrets were masked shows masks to the account of its rule', async () => {
  const { caller } = await service.callerWith(['apiread', 'apiwrite']);
  const receiver = await openReceiver();
  const channel = await webhook(receiver.url);
  const topics = ['configurationChanged'];
  await ruleFor([channel._id], { topics, runAs: caller.id, filter: { subjects: ['earlier'] } });
  await changeTree('earlier', 'password Lantern9');
  const [delivery] = await settled(channel._id, 'sent');
  const shown = async () =>
    (await service.send(['apiread', 'apiwrite'], 'GET', `/notifications/deliveries/${delivery?.id}`)).text;
  expect(await shown()).toContain('password Lantern9');
  await decide('masked');
  try {
    expect(await shown()).toContain('password ********');
    expect(await shown()).not.toContain('Lantern9');
  } finally {
    await decide('shown');
  }
});
