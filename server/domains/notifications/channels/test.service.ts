import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { notificationChannels } from '#db/tables/notifications/notifications.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { notFound } from '#server/kernel/errors.ts';
import type { Request } from '#server/kernel/platform.ts';
import { elapsedMs } from '#server/kernel/timing/elapsed.ts';
import { testEvent } from '../deliveries/message.ts';
import { failureText, sendTo } from '../deliveries/send.service.ts';
import { openedChannel, resolvedChannel } from './channel-secrets.ts';

/**
 * Sends a test notification to a channel at once, without a delivery.
 *
 * @returns whether the receiver accepted it, and otherwise why not
 * @throws ServiceError NOT_FOUND
 */
export async function testChannel(
  {
    db,
    platform,
    request,
  }: SystemContext<'http' | 'mail' | 'secrets' | 'vault' | 'now' | 'config'> & {
    request: Pick<Request, 'gone'>;
  },
  id: string,
) {
  const [row] = await db.select().from(notificationChannels).where(eq(notificationChannels.id, id));
  if (!row) throw notFound('Notification channel', id);
  const opened = openedChannel(platform.vault, row.doc, row.secrets);
  const now = platform.now();
  const notification = {
    id: newId(now.getTime()),
    rule: null,
    events: [testEvent(now.toISOString(), opened.name)],
    omitted: 0,
  };
  const began = performance.now();
  const latencyMs = () => elapsedMs(began);
  const gone = request.gone();
  let channel = opened;
  try {
    channel = await resolvedChannel(platform.secrets, opened);
    const rejected = await sendTo({ platform }, channel, notification, gone);
    if (rejected !== null) throw new Error(rejected);
    return { ok: true, latencyMs: latencyMs(), detail: 'The receiver accepted it' };
  } catch (error) {
    gone.throwIfAborted();
    return { ok: false, latencyMs: latencyMs(), detail: failureText(error, channel) };
  }
}

/**
 * Adds to the audit row which channel was tested.
 *
 * @param id id of the channel
 */
export const noteTest = (tx: Database, id: string): void =>
  noteChange(tx, { kind: 'notification_channels', id, name: 'test' });
