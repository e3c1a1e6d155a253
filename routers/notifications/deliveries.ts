import { z } from 'zod';
import {
  DeliveryQuery,
  NotificationDelivery,
  NotificationDeliveryContent,
} from '#db/schemas/notifications/delivery.ts';
import { ObjectId } from '#db/schemas/primitives.ts';
import { getDelivery, listDeliveries, retryDelivery } from '#server/domains/notifications/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { AUTOMATION_WRITE } from '#server/kernel/roles.ts';
import { Ok } from '../authorization/answers.ts';

const PATH = '/notifications/deliveries';
const OneDelivery = z.strictObject({ id: ObjectId.describe('Id of the delivery') });

const OWN = 'An account sees the deliveries of the rules that run as it; an admin sees all.';

const Listed = z.object({
  total: z.int().min(0).describe('Number of matches in total'),
  list: z.array(NotificationDelivery).describe('Deliveries of this page, newest first'),
});

/** Notifications on their way. */
export const deliveries = {
  listDeliveries: allow(...AUTOMATION_WRITE)
    .meta(rest('GET', PATH, 'List the deliveries of notifications, newest first', { description: OWN }))
    .input(z.strictObject({ queryOptions: DeliveryQuery.prefault({}).describe('Filters and page') }))
    .output(answer(Listed))
    .query(({ ctx, input }) => listDeliveries(ctx, input.queryOptions)),

  getDelivery: allow(...AUTOMATION_WRITE)
    .meta(rest('GET', `${PATH}/:id`, 'Read a delivery with its events', { description: OWN }))
    .input(OneDelivery)
    .output(answer(NotificationDeliveryContent))
    .query(({ ctx, input }) => getDelivery(ctx, input.id)),

  retryDelivery: allow(...AUTOMATION_WRITE)
    .meta(
      rest('POST', `${PATH}/:id/retry`, 'Send a delivery again that was given up', {
        description: `${OWN} The idempotency key stays the same.`,
        errorResponses: { 409: 'The delivery is not dead.' },
      }),
    )
    .input(OneDelivery)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => retryDelivery(ctx, input.id))),
};
