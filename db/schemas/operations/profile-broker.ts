import { z } from 'zod';
import { flag, number, text, textOrNull, textOrNumber, texts } from '../fields.ts';

const password = textOrNull('Password to sign in with; read as <PASSWORD>, null clears it', '<PASSWORD>');

/** The cache that server processes share (contract/resources#2.15 redisProps). */
export const RedisProps = z
  .looseObject({
    sentinels: z
      .array(
        z.looseObject({
          host: text('Name or address of the sentinel', '192.0.2.40'),
          port: number('TCP port of the sentinel', 26379),
        }),
      )
      .optional()
      .describe('Sentinels that monitor the servers'),
    name: text('Name of the group of servers, as the sentinels know it', 'switchyard'),
    db: number('Number of the database on the server', 0),
    username: text('User to sign in as'),
    password,
    maxRetriesPerRequest: number('Attempts per request before it fails', 20),
    maxHeartbeatWriteRetries: number('Attempts to write a heartbeat before the process gives up', 20),
  })
  .meta({ id: 'RedisProps', description: 'The cache that server processes share.' });

/**
 * Handling of queued messages when deduplication is switched on or off (contract/resources#2.15 messagePreservation).
 */
export const MessagePreservation = z
  .looseObject({
    strategy: text('How queued messages are moved over', 'shovel'),
    preserveMessages: flag('True keeps queued messages when a queue must be recreated'),
    tempQueueName: text('Temporary queue for the messages'),
    shovelName: text('Name of the shovel that moves them'),
    shovelAckMode: text('Acknowledgement mode of the move: on-confirm, on-publish or no-ack', 'on-confirm'),
    shovelAddHeaders: flag('True marks moved messages with their origin'),
    shovelPrefetchCount: number('Messages that the shovel moves at once', 1000),
    shovelReconnectDelay: number('Pause before the shovel connects again, in seconds', 1),
    maxTransferWait: number('Time limit of the move, in milliseconds', 10000),
    transferWaitPollIncrement: number('Interval between two checks of the progress, in milliseconds', 100),
  })
  .meta({
    id: 'MessagePreservation',
    description: 'Handling of queued messages when a queue is recreated.',
  });

/** Settings for dropping repeated messages in the broker (contract/resources#2.15 eventDeduplication). */
export const BrokerEventDeduplication = z
  .looseObject({
    active: flag('True drops messages that were seen before'),
    cacheTtl: number('How long a message is remembered, in milliseconds', 60000),
    cacheSize: number('Maximum number of remembered messages', 10000),
    cachePersistence: z
      .union([z.string(), z.boolean()])
      .optional()
      .describe('Where remembered messages are kept: memory or disk'),
    messagePreservation: MessagePreservation.optional(),
  })
  .meta({ id: 'BrokerEventDeduplication', description: 'Which repeated messages the broker drops.' });

/** The message broker (contract/resources#2.15 rabbitmq). */
export const Rabbitmq = z
  .looseObject({
    protocol: z
      .string()
      .optional()
      .meta({ description: 'amqp, or amqps with encryption', examples: ['amqps'] }),
    hosts: texts('Names or addresses of the brokers', ['192.0.2.50', '192.0.2.51']),
    port: number('TCP port of the brokers', 5671),
    username: text('User to sign in as', 'switchyard'),
    password,
    locale: text('Language of the broker’s messages', 'en_US'),
    frameMax: number('Maximum frame size, in bytes; 0: no limit', 0),
    heartbeat: number('Heartbeat interval, in seconds; 0: none', 30),
    vhost: text('Virtual host on the broker', '/'),
    adminPort: number('TCP port of the broker’s management interface', 15671),
    keyPath: textOrNull('Path of the private key to present, PEM; read as <PASSWORD>', '<PASSWORD>'),
    certPath: text('Path of the certificate to present, PEM'),
    caPath: text('Path of the certificates to trust, PEM'),
    passphrase: textOrNull('Passphrase of the private key; read as <PASSPHRASE>', '<PASSPHRASE>'),
    eventDeduplication: BrokerEventDeduplication.optional(),
  })
  .meta({ id: 'Rabbitmq', description: 'The message broker.' });

/** A receiver of SNMP notifications (contract/resources#2.15 alarmProps). */
export const AlarmReceiver = z
  .looseObject({
    ip: text('Address of the receiver', '192.0.2.60'),
    community: text('SNMP community', 'public'),
    type: z
      .enum(['inform', 'trap'])
      .optional()
      .describe('inform is confirmed by the receiver and repeated until then, trap is sent once'),
    properties: z
      .looseObject({
        retries: number('Repeats of an inform that is not confirmed', 1),
        timeout: number('Wait for a confirmation, in milliseconds', 5000),
        trapPort: number('UDP port of the receiver', 162),
        version: textOrNumber('SNMP version', 'V2'),
        transport: text('udp4 or udp6', 'udp4'),
      })
      .optional()
      .describe('How notifications are sent'),
    description: text('Recipients of the alarms'),
  })
  .meta({ id: 'AlarmReceiver', description: 'A receiver of SNMP notifications.' });
