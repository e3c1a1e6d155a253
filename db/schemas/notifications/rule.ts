import { z } from 'zod';
import { Name, ObjectId, Timestamp } from '../primitives.ts';

/** How urgent an event is. */
export const SEVERITIES = ['info', 'warning', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

const Filter = z
  .strictObject({
    severities: z.array(z.enum(SEVERITIES)).max(3).optional().describe('Only events of these severities'),
    tags: z
      .array(z.string().min(1).max(255))
      .max(50)
      .optional()
      .describe('Only events about something with one of these tags, by name'),
    subjects: z
      .array(z.string().min(1).max(255))
      .max(200)
      .optional()
      .describe('Only events about these: ids of documents, jobs and batches, names of devices and adapters'),
  })
  .describe('Conditions on the events; all that are given must hold');

const settings = {
  enabled: z.boolean().optional().describe('False: nothing is sent. Absent: true'),
  filter: Filter.optional(),
  digestMinutes: z
    .int()
    .min(0)
    .max(1440)
    .optional()
    .describe('Collects events for this time and sends them together; absent or 0: each at once'),
  runAs: ObjectId.optional().describe(
    'Account whose rights decide which events are sent: the one that last wrote the rule. An admin may name another',
  ),
};

const Topics = z
  .array(z.string().min(1).max(100))
  .min(1)
  .max(100)
  .meta({
    description: 'Names of the events, as GET /operations-manager/events lists them; `*`: all',
    examples: [['jobErrored', 'adapterDown']],
  });

const Channels = z
  .array(ObjectId)
  .min(1)
  .max(20)
  .meta({
    description: 'Ids of the channels that receive them, at most 20',
    examples: [['65f0c1d2e3a4b5c6d7e8f901']],
  });

/** A rule as a caller sends it. */
export const NotificationRuleInput = z
  .strictObject({
    name: Name.describe('Name of the rule, unique'),
    topics: Topics,
    channels: Channels,
    ...settings,
  })
  .meta({ id: 'NotificationRuleInput', description: 'Which events are sent to which channels.' });
export type NotificationRuleInput = z.infer<typeof NotificationRuleInput>;

/** Changes of a rule: fields that are absent stay as they are. */
export const NotificationRuleUpdates = z
  .strictObject({
    name: Name.optional().describe('New name of the rule'),
    topics: Topics.optional(),
    channels: Channels.optional(),
    ...settings,
  })
  .meta({
    id: 'NotificationRuleUpdates',
    description: 'Changes of a rule.',
    examples: [{ digestMinutes: 15 }],
  });
export type NotificationRuleUpdates = z.infer<typeof NotificationRuleUpdates>;

/** A rule as stored. */
export const NotificationRule = NotificationRuleInput.extend({
  _id: ObjectId.describe('Id of the rule'),
  runAs: ObjectId.describe('Id of the account whose rights decide which events are sent'),
  created: Timestamp,
  createdBy: z.string().describe('Id of the account that created it'),
  lastUpdated: Timestamp,
  lastUpdatedBy: z.string().describe('Id of the account that changed it last'),
}).meta({ id: 'NotificationRule', description: 'Which events are sent to which channels, as stored.' });
export type NotificationRule = z.infer<typeof NotificationRule>;
