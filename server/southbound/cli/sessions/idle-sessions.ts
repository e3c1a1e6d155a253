import type { CliTarget } from '../ports.ts';
import type { OpenSession } from './open-session.ts';

/** Time without a use after which a session is closed, in milliseconds. */
const IDLE_MS = 60_000;
/** Age after which a session is not used again, in milliseconds, and the number of commands after which it is not. */
const AGE_MS = 15 * 60_000;
const COMMANDS = 500;
/** After this idle time in milliseconds, a session must show its prompt before it is used again. */
const DOUBTED_MS = 5000;
const SHOW_MS = 1000;

/** A session that waits for its next use; times as of `performance.now()`. */
export type IdleSession = OpenSession & { born: number; idleSince: number; timer: NodeJS.Timeout };

/** The sessions that wait for their next use, by pool key. */
export type IdleSessions = {
  /** Returns a session that is still at its prompt, and no longer waits, or null. */
  take: (key: string, target: CliTarget) => Promise<IdleSession | null>;
  /** Adds a session. @param born when it was opened */
  keep: (key: string, born: number, open: OpenSession) => void;
  count: () => number;
  /** Closes the session that has been idle longest. */
  closeOldest: () => void;
  closeAll: () => void;
};

/** Opens the store of idle sessions. */
export function openIdleSessions(): IdleSessions {
  const idle = new Map<string, IdleSession[]>();
  let count = 0;

  const remove = (key: string, kept: IdleSession) => {
    clearTimeout(kept.timer);
    const all = idle.get(key) ?? [];
    const others = all.filter((one) => one !== kept);
    if (others.length === all.length) return;
    count -= 1;
    if (others.length > 0) idle.set(key, others);
    else idle.delete(key);
  };
  const discard = (key: string, kept: IdleSession) => {
    remove(key, kept);
    kept.session.terminal.close();
  };

  return {
    async take(key, { hostKey }) {
      for (;;) {
        const kept = idle.get(key)?.at(-1);
        if (!kept) return null;
        remove(key, kept);
        const { terminal } = kept.session;
        terminal.onStray(() => undefined);
        const now = performance.now();
        // The expected host key may have been changed since.
        const other = hostKey.fingerprint !== null && hostKey.fingerprint !== kept.facts.host_key.fingerprint;
        const old = other || now - kept.born > AGE_MS || kept.session.count >= COMMANDS;
        if (!terminal.isClosed() && !old && (now - kept.idleSince < DOUBTED_MS || (await showsPrompt(kept))))
          return kept;
        terminal.close();
      }
    },
    keep(key, born, open) {
      const kept: IdleSession = {
        ...open,
        born,
        idleSince: performance.now(),
        timer: setTimeout(() => discard(key, kept), IDLE_MS),
      };
      kept.timer.unref();
      count += 1;
      idle.set(key, [...(idle.get(key) ?? []), kept]);
      // A device that sends unrequested output or ends the session is no longer at its prompt.
      open.session.terminal.onStray(() => discard(key, kept));
    },
    count: () => count,
    closeOldest() {
      let oldest: [string, IdleSession] | null = null;
      for (const [key, all] of idle) {
        const [first] = all;
        if (first && (!oldest || first.idleSince < oldest[1].idleSince)) oldest = [key, first];
      }
      if (oldest) discard(...oldest);
    },
    closeAll() {
      for (const [key, all] of [...idle]) for (const kept of all) discard(key, kept);
    },
  };
}

/** Returns whether an idle session answers a newline with its prompt. */
async function showsPrompt({ session: { terminal, prompt, driver } }: OpenSession): Promise<boolean> {
  terminal.take();
  terminal.wipe();
  terminal.write(driver.enter);
  const { kind } = await terminal.wait(
    (line) => (prompt.is(line) ? { kind: 'prompt' as const, quietMs: 20 } : null),
    { ms: SHOW_MS },
  );
  return kind === 'prompt';
}
