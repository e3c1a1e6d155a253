import { sql } from 'drizzle-orm';
import { runUnread } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { traceparent } from '#server/kernel/observability/trace.ts';
import type { Durable } from './port.ts';

/** The application name in the engine; part of every row that it stores. */
export const APPLICATION = 'switchyard';

/**
 * The engine hands work only to processes of the version that requested it. Our version is the order of steps within a
 * kind of work: it changes only with that order. If it changed with each release, an upgrade would strand running work.
 */
export const STEPS_VERSION = '1';

/** Requests and cancels work with plain statements, so that processes that run no work can do so too. */
export const durable: Durable = {
  enqueue: async (tx, kind, items) => {
    if (items.length === 0) return;
    // Work continues the trace of whatever requested it.
    const trace = traceparent();
    const requestText = JSON.stringify(
      items.map(({ runAt, input, ...item }) => ({
        ...item,
        args: trace === undefined ? [input] : [input, trace],
        at: runAt?.getTime() ?? null,
      })),
    );
    await runUnread(
      tx,
      sql`
      select dbos.enqueue_workflow(workflow_name => ${kind}, queue_name => ${kind},
        positional_args => array(select json(arg) from jsonb_array_elements(w.item -> 'args') as a(arg))::json[], workflow_id => w.item ->> 'id',
        app_version => ${STEPS_VERSION}, priority => (w.item ->> 'priority')::int,
        delay_until_epoch_ms => (w.item ->> 'at')::bigint, application_name => ${APPLICATION})
      from jsonb_array_elements(${requestText}::text::jsonb) as w(item)`,
    );
  },
  cancel: async (tx, ids) => {
    if (ids.length === 0) return;
    await runUnread(
      tx,
      sql`
      update dbos.workflow_status set status = 'CANCELLED', queue_name = null, owner_xid = null,
        completed_at = (extract(epoch from now()) * 1000)::bigint
      where workflow_uuid = any(${textArray(ids)})
        and status in ('ENQUEUED', 'DELAYED', 'PENDING')`,
    );
  },
};
