import { type Database, rows } from '#db/client.ts';
import { isoOf } from '#db/expressions.ts';
import { sql } from '#db/statement.ts';

/** A channel whose latest attempt failed. */
export type FailingChannel = { id: string; name: string; since: string; lastError: string | null };

/**
 * Returns the enabled channels whose latest attempt failed, by name.
 *
 * @returns the channels with the message of the failure, without secrets
 */
export const failingChannels = (db: Database): Promise<FailingChannel[]> =>
  rows<FailingChannel>(
    db,
    sql`select c.id, c.name, q.last_error as "lastError",
          ${isoOf(sql`q.failing_since`)} as since
        from notification_queues q join notification_channels c on c.id = q.channel_id
        where q.failing_since is not null and c.doc -> 'enabled' is distinct from 'false'::jsonb order by c.name`,
  );
