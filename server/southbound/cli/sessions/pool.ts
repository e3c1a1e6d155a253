import { createHmac, randomBytes } from 'node:crypto';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { type KeyedSemaphore, openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import type { Driver } from '../driver.ts';
import { authFailed, busy, connectTimeout, shuttingDown } from '../failures.ts';
import type { CliTarget } from '../ports.ts';
import { openOutputBudget } from '../reading/output-budget.ts';
import { hopsTo } from './connect.ts';
import { openIdleSessions } from './idle-sessions.ts';
import { type OpenSession, openSession, type SessionParts } from './open-session.ts';

/** Limits on the sessions of this process. */
export type SessionLimits = {
  /** Concurrent sessions: to all hosts, and to one. */
  sessions: number;
  perHost: number;
  /** Calls that may wait: for one host, and in total. */
  waitPerHost: number;
  wait: number;
  /** Concurrent logins. */
  handshakes: number;
  /** Memory for the output of all sessions, in bytes. */
  output: number;
};
export const LIMITS: SessionLimits = {
  sessions: 200,
  perHost: 2,
  waitPerHost: 256,
  wait: 1024,
  handshakes: 32,
  output: 256 * 1024 * 1024,
};

/** Time in milliseconds during which a rejected credential is not tried again, because devices lock accounts. */
const REJECTED_MS = 10_000;
const MOST_REJECTED = 10_000;

/** A session taken from the pool. */
export type Lease = OpenSession & {
  reused: boolean;
  queueMs: number;
  /** Returns the session to the pool. @param keep false: closes it */
  release: (keep: boolean) => void;
};

/** The open sessions, idle or in use. */
export type SessionPool = {
  /** @param fresh true: do not reuse a session */
  take: (
    target: CliTarget,
    driver: Driver,
    options: { signal: AbortSignal; fresh?: boolean },
  ) => Promise<Lease>;
  close: () => void;
};

/**
 * Opens the pool of CLI sessions: sessions are reused, and their number for each host is limited.
 *
 * @param parts what opens connections, and every driver by device type
 */
export function openPool(
  { connect, drivers }: Omit<SessionParts, 'budget'>,
  limits: SessionLimits = LIMITS,
): SessionPool {
  const parts: SessionParts = { connect, drivers, budget: openOutputBudget(limits.output) };
  const hostTurns = openKeyedSemaphore(limits.waitPerHost);
  const allTurns = openKeyedSemaphore(limits.wait);
  const signInTurns = openKeyedSemaphore(limits.sessions + limits.wait);
  const secret = randomBytes(32);
  const idle = openIdleSessions();
  const rejected = new Map<string, number>();
  const inUse = new Set<OpenSession>();
  let isClosing = false;

  /** Returns the pool key: targets with the same hosts, settings and credentials share sessions. */
  const keyOf = (target: CliTarget): string => {
    const hosts = hopsTo(target).map(({ via: _, connectMs: __, hostKey, ...host }) => [hostKey.policy, host]);
    return createHmac('sha256', secret).update(JSON.stringify(hosts)).digest('base64');
  };

  /** Waits for a turn of a semaphore, for as long as a call to the target may wait. @returns a function that ends it */
  const turnsFor = ({ name, connectMs }: CliTarget, signal: AbortSignal) => {
    const began = performance.now();
    const patience = AbortSignal.any([signal, AbortSignal.timeout(Math.max(60_000, connectMs))]);
    const where = { name, stage: 'queue' as const };
    return async (turns: KeyedSemaphore, key: string, most: number): Promise<() => void> => {
      const end = await turns(key, most, patience).catch(() => {
        throw connectTimeout(where, Math.round(performance.now() - began));
      });
      if (!end) throw busy(where);
      return end;
    };
  };

  /** Opens a session, and remembers a credential that the device rejects. */
  const open = async (key: string, target: CliTarget, driver: Driver, signal: AbortSignal) => {
    while (idle.count() > 0 && inUse.size + idle.count() >= limits.sessions) idle.closeOldest();
    try {
      const opened = await openSession(parts, target, driver, signal);
      rejected.delete(key);
      return opened;
    } catch (error) {
      if (error instanceof ServiceError && error.extra?.reason === 'DEVICE_AUTH_FAILED')
        keepLatest(rejected, MOST_REJECTED, key, performance.now() + REJECTED_MS);
      throw error;
    }
  };

  return {
    async take(target, driver, { signal, fresh = false }) {
      if (isClosing) throw shuttingDown({ name: target.name, stage: 'queue' });
      const began = performance.now();
      const turn = turnsFor(target, signal);
      const ends: (() => void)[] = [];
      const finish = () => {
        for (const end of ends.splice(0).reverse()) end();
      };
      try {
        ends.push(await turn(hostTurns, target.name, limits.perHost));
        ends.push(await turn(allTurns, '', limits.sessions));
        const queueMs = performance.now() - began;
        const key = keyOf(target);
        const kept = fresh ? null : await idle.take(key, target);
        const born = kept?.born ?? performance.now();
        if (!kept && !fresh && (rejected.get(key) ?? 0) > performance.now()) throw rejectedLately(target);
        let lent: OpenSession;
        if (kept) lent = kept;
        else {
          const endSignIn = await turn(signInTurns, '', limits.handshakes);
          lent = await open(key, target, driver, signal).finally(endSignIn);
        }
        inUse.add(lent);
        const { session, facts } = lent;
        return {
          session,
          facts,
          reused: kept !== null,
          queueMs,
          release(keeps) {
            inUse.delete(lent);
            session.terminal.keepResults(0);
            if (keeps && !isClosing && !session.terminal.isClosed()) idle.keep(key, born, { session, facts });
            else session.terminal.close();
            finish();
          },
        };
      } catch (error) {
        finish();
        throw error;
      }
    },
    close() {
      isClosing = true;
      idle.closeAll();
      for (const { session } of inUse) session.terminal.close();
    },
  };
}

const rejectedLately = ({ name }: CliTarget): ServiceError =>
  authFailed(
    { name, stage: 'auth' },
    'the device rejected this credential a moment ago; it is not sent again so soon',
  );
