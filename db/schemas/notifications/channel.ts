import { z } from 'zod';
import { Name, ObjectId, Timestamp } from '../primitives.ts';

/** The kinds of receivers that notifications are sent to. */
export const CHANNEL_TYPES = ['smtp', 'webhook', 'slack', 'teams', 'pagerduty'] as const;

const Text = (most: number, description: string, ...examples: string[]) =>
  z
    .string()
    .min(1)
    .max(most)
    .optional()
    .meta({ description, ...(examples.length > 0 && { examples }) });

/** A secret: a text, its mask, or null and "" which clear it. */
const Secret = (description: string) => z.string().max(4096).nullable().optional().meta({ description });

const Retry = z
  .strictObject({
    attempts: z.int().min(1).max(20).optional().describe('Attempts before a delivery is dead; absent: 10'),
    firstDelaySeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .optional()
      .describe('Pause after the first failure; it doubles with each further one, up to 1 h. Absent: 5'),
  })
  .describe('How deliveries that fail are repeated');

const Tls = z
  .strictObject({
    ca: z.string().max(65_536).optional().describe('Certificates of the authorities to trust, as PEM text'),
    rejectUnauthorized: z
      .boolean()
      .optional()
      .describe('False: accepts any certificate, for tests. Absent: true'),
  })
  .describe('TLS settings of the connection');

/** The fields of a channel that a caller sets. */
const settings = {
  enabled: z.boolean().optional().describe('False: deliveries wait. Absent: true'),
  url: Text(
    2000,
    'Of a webhook: its URL. Of PagerDuty: a URL in place of that of PagerDuty',
    'https://hooks.example.net/switchyard',
  ),
  secret: Secret('Of a webhook: the key of the signature, at least 16 characters').meta({
    examples: ['a-key-of-at-least-16-characters'],
  }),
  token: Secret('Of a webhook: sent as `Authorization: Bearer`; absent: none'),
  webhookUrl: Secret('Of Slack and Teams: the URL of the incoming webhook, which is a secret'),
  routingKey: Secret('Of PagerDuty: the integration key of the service'),
  host: Text(253, 'Of SMTP: the mail server', 'mail.example.net'),
  port: z.int().min(1).max(65_535).optional().describe('Of SMTP: its port; absent: 587, for tls 465'),
  security: z
    .enum(['starttls', 'tls', 'none'])
    .optional()
    .describe('Of SMTP: encryption after STARTTLS (required), from the start, or none; absent: starttls'),
  username: Text(255, 'Of SMTP: the account; absent: no authentication'),
  password: Secret('Of SMTP: the password of the account'),
  from: Text(320, 'Of SMTP: the sender', 'switchyard@example.net'),
  to: z
    .array(z.string().min(3).max(320))
    .max(50)
    .optional()
    .meta({ description: 'Of SMTP: the recipients, at most 50', examples: [['noc@example.net']] }),
  tls: Tls.optional(),
  retry: Retry.optional(),
};

/** A channel as a caller sends it. */
export const NotificationChannelInput = z
  .strictObject({
    name: Name.describe('Name of the channel, unique'),
    type: z.enum(CHANNEL_TYPES).describe('Kind of the receiver'),
    ...settings,
  })
  .meta({
    id: 'NotificationChannelInput',
    description: 'A receiver of notifications.',
    examples: [
      {
        name: 'Operations',
        type: 'webhook',
        url: 'https://hooks.example.net/switchyard',
        secret: 'a-key-of-at-least-16-characters',
      },
    ],
  });
export type NotificationChannelInput = z.infer<typeof NotificationChannelInput>;

/** Changes of a channel: fields that are absent stay as they are. */
export const NotificationChannelUpdates = z
  .strictObject({ name: Name.optional().describe('New name of the channel'), ...settings })
  .meta({
    id: 'NotificationChannelUpdates',
    description: 'Changes of a channel; its type stays.',
    examples: [{ enabled: false }],
  });
export type NotificationChannelUpdates = z.infer<typeof NotificationChannelUpdates>;

/** A channel as stored: secrets are masked, and sealed beside it. */
export const NotificationChannel = NotificationChannelInput.extend({
  _id: ObjectId.describe('Id of the channel'),
  target: z.string().describe('Where it sends notifications, without secrets'),
  created: Timestamp,
  createdBy: z.string().describe('Id of the account that created it'),
  lastUpdated: Timestamp,
  lastUpdatedBy: z.string().describe('Id of the account that changed it last'),
}).meta({ id: 'NotificationChannel', description: 'A receiver of notifications, as stored.' });
export type NotificationChannel = z.infer<typeof NotificationChannel>;

/** A channel with the outcome of its deliveries. */
export const NotificationChannelEntry = NotificationChannel.extend({
  state: z
    .strictObject({
      status: z.enum(['unknown', 'ok', 'failing']).describe('Outcome of the latest attempt'),
      failingSince: Timestamp.nullable().describe('Time of the first failure in a row'),
      lastError: z.string().nullable().describe('Why the latest attempt failed'),
      lastSent: Timestamp.nullable().describe('Time of the latest delivery that was accepted'),
      retrying: z.int().min(0).describe('Deliveries that wait for their next attempt'),
      dead: z.int().min(0).describe('Deliveries that were given up'),
    })
    .describe('Outcome of the deliveries'),
}).meta({ id: 'NotificationChannelEntry', description: 'A receiver of notifications and its state.' });
export type NotificationChannelEntry = z.infer<typeof NotificationChannelEntry>;
