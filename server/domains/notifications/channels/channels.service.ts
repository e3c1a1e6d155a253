import { eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { remove, replace } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import {
  type NotificationChannel,
  NotificationChannelEntry,
  type NotificationChannelInput,
  type NotificationChannelUpdates,
} from '#db/schemas/notifications/channel.ts';
import { notificationChannels, notificationRules } from '#db/tables/notifications/notifications.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { insertUnlessTaken, makerOf, unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { madeBy } from '#server/kernel/documents/new-document.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, conflict, notFound } from '#server/kernel/errors.ts';
import { keptIssues, maskedIssues, SHOWN, sealedFields } from '#server/kernel/secrets/secret-fields.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { wakeQueues } from '../deliveries/queue.service.ts';
import { CHANNEL_SECRETS, channelIssues, type PlainChannel, targetOf } from './channel-rules.ts';
import { openedChannel } from './channel-secrets.ts';

/** Maximum number of channels. */
const MOST_CHANNELS = 200;

type ChannelRow = typeof notificationChannels.$inferSelect;

const resource = defineResource({
  name: 'notification channels',
  schema: NotificationChannelEntry,
  source: 'given',
  defaultSort: [{ field: 'name', order: 1 }],
  unlimited: true,
});

/**
 * Returns one page of the channels with their states; secrets are masked.
 *
 * @returns the page, and the number of all channels that match
 */
export async function listChannels({ db }: { db: Database }, query: Readonly<Record<string, unknown>>) {
  const given = await readEntries(db);
  return core<NotificationChannelEntry>(await list(db, resource, readList(resource, query), { given }));
}

/** Returns one channel with its state. @throws ServiceError NOT_FOUND */
export async function getChannel({ db }: { db: Database }, id: string): Promise<NotificationChannelEntry> {
  const [entry] = await readEntries(db, id);
  if (!entry) throw notFound('Notification channel', id);
  return entry;
}

type EntryRow = {
  doc: string;
  failing_since: string | null;
  last_error: string | null;
  last_sent_at: string | null;
  retrying: number;
  dead: number;
};

/** Most deliveries of a channel that are counted: the state says how bad it is, not how many exactly. */
const MOST_COUNTED = 100_000;

async function readEntries(db: Database, id?: string): Promise<NotificationChannelEntry[]> {
  const counted = (status: string) =>
    sql`(select count(*)::int from (select from notification_deliveries d
          where d.channel_id = c.id and d.status = ${status} limit ${MOST_COUNTED}::int) counted)`;
  const found = await rows<EntryRow>(
    db,
    sql`select c.doc::text as doc, ${isoOf(sql`q.failing_since`)} as failing_since, q.last_error,
          ${isoOf(sql`q.last_sent_at`)} as last_sent_at, ${counted('retrying')} as retrying, ${counted('dead')} as dead
        from notification_channels c left join notification_queues q on q.channel_id = c.id
        where ${id === undefined ? sql`true` : sql`c.id = ${id}`} order by c.id`,
  );
  return found.map(({ doc, failing_since, last_error, last_sent_at, retrying, dead }) => ({
    ...(JSON.parse(doc) as NotificationChannel),
    state: {
      status: failing_since !== null ? 'failing' : last_sent_at !== null ? 'ok' : 'unknown',
      failingSince: failing_since,
      lastError: failing_since === null ? null : last_error,
      lastSent: last_sent_at,
      retrying: Number(retrying),
      dead: Number(dead),
    },
  }));
}

/** Stores a new channel. @throws ServiceError BAD_REQUEST with every issue, CONFLICT when the name is taken */
export async function createChannel(
  ctx: WriteContext<'config' | 'durable'>,
  given: NotificationChannelInput,
) {
  await assertQuota(ctx.db, notificationChannels, { most: MOST_CHANNELS, what: 'notification channels' });
  const id = newId(ctx.platform.now().getTime());
  assertNone([
    ...maskedIssues(CHANNEL_SECRETS, given),
    ...channelIssues(given, given, ctx.platform.config.allowPrivateTargets),
  ]);
  const { doc, secrets } = sealed(ctx, id, given);
  const stored: NotificationChannel = { ...doc, _id: id, target: targetOf(given), ...madeBy(makerOf(ctx)) };
  const name = { index: 'notification_channels_name', message: taken(given.name) };
  await insertUnlessTaken(ctx.db, notificationChannels, { id, doc: stored, secrets }, name);
  return { status: 'Created' as const, message: `Created ${given.name}.`, data: stored };
}

/**
 * Changes fields of a channel: masks and absent fields keep what is stored. A channel that sends to another place asks for
 * its secrets anew.
 *
 * @throws ServiceError BAD_REQUEST with every issue, NOT_FOUND, CONFLICT
 */
export async function updateChannel(
  ctx: WriteContext<'config' | 'durable'>,
  id: string,
  updates: NotificationChannelUpdates,
) {
  const stored = await lockChannel(ctx, id);
  const before = openedChannel(ctx.platform.vault, stored.doc, stored.secrets);
  const { target: _, created, createdBy, lastUpdated, lastUpdatedBy, ...old } = before;
  const changed = Object.entries(updates).filter(([, value]) => value !== undefined && value !== SHOWN);
  const { _id, ...after } = { ...old, ...Object.fromEntries(changed) } as PlainChannel & { _id: string };
  const issues = channelIssues(after, updates, ctx.platform.config.allowPrivateTargets);
  assertNone(issues);
  if (targetOf(after) !== before.target)
    assertNone(keptIssues(CHANNEL_SECRETS, { before, after, updates }, MOVED));
  const { doc, secrets } = sealed(ctx, id, after);
  const data: NotificationChannel = {
    ...doc,
    _id: id,
    target: targetOf(after),
    created,
    createdBy,
    lastUpdated: grownStamp(ctx.platform.now(), lastUpdated),
    lastUpdatedBy: ctx.principal.id,
  };
  const written = await unlessTaken('notification_channels_name', taken(after.name), () =>
    replace(ctx.db, notificationChannels, stored, data, { secrets }),
  );
  if (!written) throw changedMeanwhile(`Channel ${stored.name}`);
  await ctx.db.execute(sql`update notification_queues set paused_until = null where channel_id = ${id}`);
  await wakeQueues(ctx.db, ctx.platform.durable, [{ channelId: id, dueAt: null }]);
  return { status: 'OK' as const, message: `Updated ${after.name}.`, data };
}

/** Deletes a channel that no rule names, with its deliveries. @throws ServiceError NOT_FOUND; CONFLICT naming the rules */
export async function deleteChannel(ctx: WriteContext<'config' | 'durable'>, id: string) {
  const stored = await lockChannel(ctx, id);
  const users = await rows<{ name: string }>(
    ctx.db,
    sql`select name from ${notificationRules} where doc -> 'channels' ? ${id} order by name limit 10`,
  );
  if (users.length > 0)
    throw conflict(`Channel ${stored.name} is used by ${users.map(({ name }) => `rule ${name}`).join(', ')}`);
  await remove(ctx.db, notificationChannels, [id]);
  return { status: 'OK' as const, message: `Deleted ${stored.name}.` };
}

async function lockChannel(ctx: WriteContext<'config' | 'durable'>, id: string): Promise<ChannelRow> {
  const [found] = await ctx.db
    .select()
    .from(notificationChannels)
    .where(eq(notificationChannels.id, id))
    .for('update');
  if (!found) throw notFound('Notification channel', id);
  assertUnchanged(ctx.request.ifMatch, found.doc.lastUpdated, `Channel ${found.name}`);
  return found;
}

const MOVED = 'The channel sends to another place: send the secret anew';

const taken = (name: string) => `A notification channel with the name ${name} already exists`;

/** Returns the document with masks, and its secrets sealed. */
function sealed(
  { platform: { vault } }: WriteContext<'config' | 'durable'>,
  id: string,
  channel: PlainChannel,
) {
  const { shown, secrets } = sealedFields(CHANNEL_SECRETS, vault, id, channel);
  const doc = { ...channel };
  for (const field of CHANNEL_SECRETS.fields) delete doc[field];
  return { doc: { ...doc, ...shown }, secrets };
}
