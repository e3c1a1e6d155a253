import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { GatewayCall } from '#db/schemas/network/gateway-call.ts';
import { gatewayCalls } from '#db/tables/history.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';

import { isSecretField } from '#server/kernel/secrets/redact.ts';
import { throttleCall } from '#server/kernel/timing/throttle-call.ts';
import { withoutSecrets } from './command-secrets.ts';

/** Entries that are kept: none older, and no more of them. */
const DAYS = 90;
const MOST = 200_000;
const CLEARED_MS = 600_000;

/** Entries that one statement takes out. */
const CLEARED_AT_ONCE = 50_000;

const resource = defineResource({
  name: 'calls',
  schema: GatewayCall,
  source: gatewayCalls,
  columns: { started: gatewayCalls.started, host: gatewayCalls.host, user: gatewayCalls.user },
  defaultSort: [{ field: 'started', order: -1 }],
});

/**
 * A page of what the gateway was asked of devices, newest first unless another order is asked for (contract/lifecycle#12).
 */
export async function listCalls({ db }: { db: Database }, query: Readonly<Record<string, unknown>>) {
  const page = await list(db, resource, readList(resource, query, { hidden: isSecretField }));
  return core<GatewayCall>(page);
}

/** A call to a device that has ended, whichever way. */
export type FinishedCall = Pick<GatewayCall, 'kind' | 'host' | 'user' | 'durationMs' | 'status'> & {
  started: Date;
  /** Finer code of what went wrong. */
  reason?: string | null | undefined;
  requestId?: string | null | undefined;
  /** As they were sent; secrets in them are masked here. */
  commands?: readonly string[] | undefined;
  destination?: string | undefined;
  /** Texts that must not be kept, wherever they stand in the commands. */
  secrets?: readonly string[] | undefined;
  /** Further members of the entry: how the session was made, how many bytes came. No outputs, no secrets. */
  more?: Readonly<Record<string, unknown>> | undefined;
};

/**
 * Add a call to the history (contract/lifecycle#12). To be called when it has ended, whether it succeeded, failed or was
 * canceled, with the pool rather than a transaction: what was done to a device stays done, whatever becomes of the answer.
 * It fails nobody's call: what cannot be stored is told in the log.
 */
export async function noteCall(
  { db, log }: { db: Database; log: Pick<Logger, 'error'> },
  call: FinishedCall,
): Promise<void> {
  const { started, commands, secrets, destination, more, durationMs, reason, requestId, ...rest } = call;
  const doc: GatewayCall = {
    ...more,
    _id: newId(started.getTime()),
    ...rest,
    host: call.host.slice(0, 255),
    started: started.toISOString(),
    durationMs: Math.max(0, Math.round(durationMs * 10) / 10),
    reason: reason ?? null,
    ...(commands && { commands: commands.map((command) => withoutSecrets(command, secrets)) }),
    ...(destination !== undefined && { destination: destination.slice(0, 255) }),
    requestId: requestId ?? null,
  };
  try {
    await db.insert(gatewayCalls).values({ id: doc._id, doc });
    await clearing(db)();
  } catch (err) {
    log.error({ err, kind: call.kind, host: doc.host }, 'call not added to the history');
  }
}

const clearings = new WeakMap<Database, () => Promise<void>>();

/** Clears the history of a database now and then. */
function clearing(db: Database): () => Promise<void> {
  const known = clearings.get(db);
  if (known) return known;
  const made = throttleCall(CLEARED_MS, () => clearHistory(db));
  clearings.set(db, made);
  return made;
}

/** Take out what is older than `days`, and what is beyond the newest `most` entries. */
export async function clearHistory(
  db: Database,
  { days = DAYS, most = MOST }: { days?: number; most?: number } = {},
): Promise<void> {
  await db.execute(
    sql`delete from gateway_calls where id in (
          select id from gateway_calls
          where started < to_char(now() at time zone 'UTC' - make_interval(days => ${days}), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C"
             or started < (select started from gateway_calls order by started desc nulls last, id offset ${most - 1} limit 1)
          order by started limit ${CLEARED_AT_ONCE})`,
  );
}
