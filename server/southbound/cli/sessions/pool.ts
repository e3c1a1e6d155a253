import { createHmac, randomBytes } from 'node:crypto';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import type { Driver } from '../driver.ts';
import { authFailed, busy, connectTimeout, shuttingDown } from '../failures.ts';
import type { CliTarget } from '../ports.ts';
import { type Connect, hopsTo } from './connect.ts';
import { type OpenSession, openSession } from './open-session.ts';

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
};
export const LIMITS: SessionLimits = {
  sessions: 200,
  perHost: 2,
  waitPerHost: 256,
  wait: 1024,
  handshakes: 32,
};

const IDLE_MS = 60_000;
const AGE_MS = 15 * 60_000;
const COMMANDS = 500;
/** After this idle time in milliseconds, a session must show its prompt before it is reused. */
const DOUBTED_MS = 5000;
const SHOW_MS = 1000;
/** Time in milliseconds during which a rejected credential is not tried again, because devices lock accounts. */
const REFUSED_MS = 10_000;
const REFUSALS = 10_000;

/** A session taken from the pool. */
export type Lease = OpenSession & {
  reused: boolean;
  queueMs: number;
  /** Returns the session to the pool. @param keep false: closes it */
  release: (keep: boolean) => void;
};

type PooledSession = OpenSession & { born: number; idleSince: number; timer: NodeJS.Timeout };

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
  parts: { connect: Connect; drivers: ReadonlyMap<string, Driver> },
  limits: SessionLimits = LIMITS,
): SessionPool {
  const hostTurns = openKeyedSemaphore(limits.waitPerHost);
  const allTurns = openKeyedSemaphore(limits.wait);
  const signInTurns = openKeyedSemaphore(limits.sessions + limits.wait);
  const secret = randomBytes(32);
  const idle = new Map<string, PooledSession[]>();
  const rejected = new Map<string, number>();
  const inUse = new Set<OpenSession>();
  let idleCount = 0;
  let closing = false;

  const drop = (key: string, kept: PooledSession) => {
    clearTimeout(kept.timer);
    const others = (idle.get(key) ?? []).filter((one) => one !== kept);
    if (others.length === (idle.get(key) ?? []).length) return;
    idleCount -= 1;
    if (others.length > 0) idle.set(key, others);
    else idle.delete(key);
  };
  const discard = (key: string, kept: PooledSession) => {
    drop(key, kept);
    kept.session.terminal.close();
  };

  const keep = (key: string, born: number, open: OpenSession) => {
    const kept: PooledSession = {
      ...open,
      born,
      idleSince: performance.now(),
      timer: setTimeout(() => discard(key, kept), IDLE_MS),
    };
    kept.timer.unref();
    idleCount += 1;
    idle.set(key, [...(idle.get(key) ?? []), kept]);
    // A device that sends unrequested output or ends the session is no longer at its prompt.
    open.session.terminal.onStray(() => discard(key, kept));
  };

  /** Returns an idle session that is still at its prompt, or null. */
  const takeKept = async (key: string, { hostKey }: CliTarget): Promise<PooledSession | null> => {
    for (;;) {
      const kept = idle.get(key)?.at(-1);
      if (!kept) return null;
      drop(key, kept);
      const { terminal } = kept.session;
      terminal.onStray(() => undefined);
      const now = performance.now();
      // The expected host key may have been changed since.
      const other = hostKey.fingerprint !== null && hostKey.fingerprint !== kept.facts.host_key.fingerprint;
      const old = other || now - kept.born > AGE_MS || kept.session.count >= COMMANDS;
      if (!terminal.isClosed() && !old && (now - kept.idleSince < DOUBTED_MS || (await shows(kept))))
        return kept;
      terminal.close();
    }
  };

  /** Makes room for one more session by closing those that have been idle longest. */
  const makeRoom = () => {
    while (idleCount > 0 && inUse.size + idleCount >= limits.sessions) {
      let oldest: [string, PooledSession] | null = null;
      for (const [key, all] of idle) {
        const [first] = all;
        if (first && (!oldest || first.idleSince < oldest[1].idleSince)) oldest = [key, first];
      }
      if (!oldest) return;
      discard(...oldest);
    }
  };

  /** Returns the pool key: targets with the same hosts, settings and credentials share sessions. */
  const keyOf = (target: CliTarget): string => {
    const parts = hopsTo(target).map(({ via: _, connectMs: __, hostKey, ...host }) => [hostKey.policy, host]);
    return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64');
  };

  return {
    async take(target, driver, { signal, fresh = false }) {
      const where = { name: target.name, stage: 'queue' as const };
      if (closing) throw shuttingDown(where);
      const began = performance.now();
      const patience = AbortSignal.any([signal, AbortSignal.timeout(Math.max(60_000, target.connectMs))]);
      const turn = async (turns: ReturnType<typeof openKeyedSemaphore>, key: string, most: number) => {
        const end = await turns(key, most, patience).catch(() => {
          throw connectTimeout(where, Math.round(performance.now() - began));
        });
        if (!end) throw busy(where);
        return end;
      };
      const ends: (() => void)[] = [];
      const finish = () => {
        for (const end of ends.splice(0).reverse()) end();
      };
      try {
        ends.push(await turn(hostTurns, target.name, limits.perHost));
        ends.push(await turn(allTurns, '', limits.sessions));
        const queueMs = performance.now() - began;
        const key = keyOf(target);
        const kept = fresh ? null : await takeKept(key, target);
        let open: OpenSession;
        let born = performance.now();
        if (kept) {
          open = kept;
          born = kept.born;
        } else {
          const until = rejected.get(key) ?? 0;
          if (!fresh && until > performance.now()) {
            throw authFailed(
              { ...where, stage: 'auth' },
              'the device rejected this credential a moment ago; it is not sent again so soon',
            );
          }
          makeRoom();
          const signedIn = await turn(signInTurns, '', limits.handshakes);
          try {
            open = await openSession(parts, target, driver, signal);
            rejected.delete(key);
          } catch (error) {
            if (error instanceof ServiceError && error.extra?.reason === 'DEVICE_AUTH_FAILED') {
              keepLatest(rejected, REFUSALS, key, performance.now() + REFUSED_MS);
            }
            throw error;
          } finally {
            signedIn();
          }
        }
        const lent = open;
        inUse.add(lent);
        return {
          session: lent.session,
          facts: lent.facts,
          reused: kept !== null,
          queueMs,
          release(keeps) {
            inUse.delete(lent);
            if (keeps && !closing && !lent.session.terminal.isClosed()) {
              keep(key, born, { session: lent.session, facts: lent.facts });
            } else lent.session.terminal.close();
            finish();
          },
        };
      } catch (error) {
        finish();
        throw error;
      }
    },
    close() {
      closing = true;
      for (const [key, all] of [...idle]) for (const kept of all) discard(key, kept);
      for (const { session } of inUse) session.terminal.close();
    },
  };
}

/** Returns whether an idle session answers a newline with its prompt. */
async function shows({ session: { terminal, prompt, driver } }: OpenSession): Promise<boolean> {
  terminal.take();
  terminal.wipe();
  terminal.write(driver.enter);
  const { kind } = await terminal.wait(
    (line) => (prompt.is(line) ? { kind: 'prompt' as const, quietMs: 20 } : null),
    {
      ms: SHOW_MS,
    },
  );
  return kind === 'prompt';
}
