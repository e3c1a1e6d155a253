import { and } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { sessions } from '#db/tables/identity/accounts.ts';
import { isAlive, type SessionLimits } from '#server/domains/identity/index.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import type { Stream } from './streams.service.ts';

/** Interval of the checks whether the sessions behind the streams still exist, in milliseconds. */
const WATCHED_MS = 15_000;
/** Delay between a change of rights and looking them up, in milliseconds: many changes come together. */
const SETTLED_MS = 50;

/** Keeps the rights of open streams up to date, and ends those whose session no longer exists. */
export type StreamRights = {
  /** Looks up the callers of all streams again, shortly after a change of rights. */
  accessChanged: () => void;
  /** Checks sessions in intervals for as long as a stream is open. */
  keepWatch: () => void;
  close: () => void;
};

/**
 * Opens the watch over the rights of these streams, which change while it is open.
 *
 * @param sessionLimits reads the limits after which a session expires
 */
export function openStreamRights(
  {
    db,
    log,
    sessionLimits,
  }: { db: Database; log: Pick<Logger, 'warn' | 'debug'>; sessionLimits: () => Promise<SessionLimits> },
  streams: ReadonlySet<Stream>,
): StreamRights {
  let watching: NodeJS.Timeout | undefined;
  let settling: NodeJS.Timeout | undefined;
  let isClosed = false;

  const endIfSignedOut = (stream: Stream, error: unknown) => {
    if (error instanceof ServiceError && error.code === 'UNAUTHORIZED') stream.end(error);
    else log.debug({ err: error }, 'rights of event streams could not be looked up');
  };
  /** Looks up the callers behind these streams again; streams of one session share one lookup. */
  const lookUp = async (changed: Iterable<Stream>) => {
    const bySession = new Map<string, Promise<Caller>>();
    for (const stream of changed) {
      const { listener } = stream;
      const { session } = listener.caller;
      const caller = (session === null ? undefined : bySession.get(session)) ?? listener.again();
      if (session !== null) bySession.set(session, caller);
      try {
        stream.listener = { ...listener, caller: await caller };
      } catch (error) {
        endIfSignedOut(stream, error);
      }
    }
  };
  /** Rechecks streams whose session no longer exists (expiry notifies nobody), and those without a session. */
  const check = async () => {
    const own = [...streams].flatMap(({ listener }) => listener.caller.session ?? []);
    const alive = await db
      .select({ hash: sessions.tokenHash })
      .from(sessions)
      .where(and(isOneOf(sessions.tokenHash, [...new Set(own)]), isAlive(await sessionLimits())));
    const hashes = new Set(alive.map(({ hash }) => hash));
    await lookUp([...streams].filter(({ listener }) => !hashes.has(listener.caller.session ?? '')));
  };
  const keepWatch = () => {
    if (isClosed) return;
    watching ??= setTimeout(() => {
      watching = undefined;
      if (streams.size === 0 || isClosed) return;
      check()
        .catch((error: unknown) =>
          log.debug({ err: error }, 'sessions of event streams could not be looked up'),
        )
        .finally(keepWatch);
    }, WATCHED_MS);
  };

  return {
    accessChanged() {
      if (streams.size === 0) return;
      settling ??= setTimeout(() => {
        settling = undefined;
        lookUp([...streams]).catch((error: unknown) => log.warn({ err: error }, 'rights behind streams'));
      }, SETTLED_MS);
    },
    keepWatch,
    close() {
      isClosed = true;
      clearTimeout(watching);
      clearTimeout(settling);
    },
  };
}
