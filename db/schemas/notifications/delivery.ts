import { z } from 'zod';
import { ObjectId, Timestamp } from '../primitives.ts';
import { SEVERITIES } from './rule.ts';

export const DELIVERY_STATUSES = ['sent', 'retrying', 'dead'] as const;

/** An event as it is sent. */
export const SentEvent = z.strictObject({
  id: z.string().describe('Id of the event'),
  source: z.string().describe('Its publisher'),
  topic: z.string().describe('Its name'),
  time: Timestamp,
  severity: z.enum(SEVERITIES).describe('How urgent it is'),
  payload: z.record(z.string(), z.unknown()).describe('Its data, as the account of the rule may read it'),
});
export type SentEvent = z.infer<typeof SentEvent>;

/** A delivery in a list. */
export const NotificationDelivery = z
  .strictObject({
    id: ObjectId.describe('Id of the delivery: the idempotency key that the receiver gets'),
    event: z.string().describe('Id of its first event'),
    topic: z.string().describe('Name of its first event'),
    events: z.int().min(1).describe('Number of its events'),
    rule: ObjectId.describe('Id of the rule'),
    channel: ObjectId.describe('Id of the channel'),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe('sent: accepted by the receiver; retrying: waits for its next attempt; dead: given up'),
    attempts: z.int().min(0).describe('Attempts so far'),
    lastError: z.string().nullable().describe('Why the latest attempt failed'),
    created: Timestamp.describe('Time at which the event was taken up'),
    nextAttempt: Timestamp.nullable().describe('Earliest time of the next attempt'),
    sent: Timestamp.nullable().describe('Time at which the receiver accepted it'),
  })
  .meta({ id: 'NotificationDelivery', description: 'A notification on its way to a channel.' });
export type NotificationDelivery = z.infer<typeof NotificationDelivery>;

/** One delivery with its events. */
export const NotificationDeliveryContent = NotificationDelivery.extend({
  content: z.array(SentEvent).describe('Its events, at most 100 of them'),
}).meta({ id: 'NotificationDeliveryContent', description: 'A notification with its events.' });
export type NotificationDeliveryContent = z.infer<typeof NotificationDeliveryContent>;

/** The filters and the page of a list of deliveries. */
export const DeliveryQuery = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional().describe('Only deliveries with this status'),
  channel: ObjectId.optional().describe('Only deliveries to this channel'),
  rule: ObjectId.optional().describe('Only deliveries of this rule'),
  skip: z.int().min(0).optional().describe('Number of deliveries to skip; absent: 0'),
  limit: z.int().min(1).max(1000).optional().describe('Most deliveries to return; absent: 25'),
});
export type DeliveryQuery = z.infer<typeof DeliveryQuery>;
