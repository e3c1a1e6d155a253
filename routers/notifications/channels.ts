import { z } from 'zod';
import {
  NotificationChannel,
  NotificationChannelEntry,
  NotificationChannelInput,
  NotificationChannelUpdates,
} from '#db/schemas/notifications/channel.ts';
import { ObjectId } from '#db/schemas/primitives.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  noteTest,
  testChannel,
  updateChannel,
} from '#server/domains/notifications/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, AUTOMATION_WRITE } from '#server/kernel/roles.ts';
import { Ok, Page } from '../authorization/answers.ts';
import { Created, SECRETS, Tried, Updated } from '../automationgateway/answers.ts';

const PATH = '/notifications/channels';
const OneChannel = z.strictObject({ id: ObjectId.describe('Id of the channel') });

/** Receivers of notifications. */
export const channels = {
  listChannels: allow(...AUTOMATION_WRITE)
    .meta(rest('GET', PATH, 'List the notification channels, with the outcome of their deliveries'))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(NotificationChannelEntry)))
    .query(({ ctx, input }) => listChannels(ctx, input.queryOptions)),

  getChannel: allow(...AUTOMATION_WRITE)
    .meta(rest('GET', `${PATH}/:id`, 'Read a notification channel'))
    .input(OneChannel)
    .output(answer(NotificationChannelEntry))
    .query(({ ctx, input }) => getChannel(ctx, input.id)),

  createChannel: allow(...ADMIN)
    .meta(
      rest('POST', PATH, 'Store a new notification channel', {
        description: `${SECRETS} Its host is allowed as a target by being configured here; addresses that no target may have are rejected (docs/operations.md).`,
        errorResponses: { 409: 'The name is taken, or there are 200 channels.' },
      }),
    )
    .input(z.strictObject({ channel: NotificationChannelInput }))
    .output(answer(Created(NotificationChannel)))
    .mutation(write(({ ctx, input }) => createChannel(ctx, input.channel))),

  updateChannel: allow(...ADMIN)
    .meta(
      rest('PATCH', `${PATH}/:id`, 'Change fields of a notification channel', {
        description: `${SECRETS} A channel that sends to another place asks for its secrets anew.`,
      }),
    )
    .input(OneChannel.extend({ channel: NotificationChannelUpdates }))
    .output(answer(Updated(NotificationChannel)))
    .mutation(write(({ ctx, input }) => updateChannel(ctx, input.id, input.channel))),

  deleteChannel: allow(...ADMIN)
    .meta(
      rest('DELETE', `${PATH}/:id`, 'Delete a notification channel with its deliveries', {
        errorResponses: { 409: 'A rule uses the channel.' },
      }),
    )
    .input(OneChannel)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteChannel(ctx, input.id))),

  testChannel: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:id/test`, 'Send a test notification to a channel', {
        description: 'Sends at once, and says whether the receiver accepted it. Nothing is stored.',
      }),
    )
    .input(OneChannel)
    .output(answer(Tried))
    .mutation(
      outward(
        ({ ctx, input }) => testChannel(ctx, input.id),
        (tx, { id }) => noteTest(tx, id),
      ),
    ),
};
