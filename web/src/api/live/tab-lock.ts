/*
 * One tab of a browser at a time does something for all of them. Browsers have locks for that, though only at addresses that they
 * trust: with TLS, or on the same machine. At others, such as `http://192.0.2.7:3000`, the tabs share a lease that they store.
 */

/** How long a lease lasts after it was last renewed, and how often it is renewed, in milliseconds. */
const LEASE_MS = 4000;
const RENEW_MS = 1000;
/** How long a tab waits before it believes its lease: another one may have written its own at the same moment. */
const SETTLE_MS = 100;

/** Returns an id that no other tab has; `crypto.randomUUID` exists only at addresses that the browser trusts. */
export const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Identifies this tab to the others. */
export const OWN_TAB = randomId();

/**
 * Runs a function while no other tab runs one under the same name; waits for its turn. When the tab closes, another one has its
 * turn.
 *
 * @param signal ends the wait; the function has to end by it as well
 * @param run its signal ends when another tab has taken over, or with `signal`
 */
export function inOneTab(
  name: string,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): void {
  const turn = navigator.locks
    ? navigator.locks.request(name, { signal }, () => run(signal))
    : takeTurns(name, signal, run);
  // A browser that blocks what pages store has neither locks nor leases: each tab then acts for itself.
  turn.catch(() => (signal.aborted ? undefined : run(signal)));
}

type Lease = { tab: string; until: number };

function readLease(name: string): Lease | undefined {
  try {
    const lease = JSON.parse(localStorage.getItem(name) ?? '') as Lease;
    return lease.until > Date.now() ? lease : undefined;
  } catch {
    return undefined;
  }
}

const isOwn = (name: string) => readLease(name)?.tab === OWN_TAB;
const writeLease = (name: string, until: number) =>
  localStorage.setItem(name, JSON.stringify({ tab: OWN_TAB, until } satisfies Lease));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function takeTurns(name: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<void>) {
  window.addEventListener('pagehide', () => isOwn(name) && localStorage.removeItem(name), { signal });
  while (!signal.aborted) {
    const lease = readLease(name);
    if (!lease || lease.tab === OWN_TAB) {
      writeLease(name, Date.now() + LEASE_MS);
      await pause(SETTLE_MS);
      if (isOwn(name) && !signal.aborted) await runWithLease(name, signal, run);
    } else await pause(RENEW_MS / 2);
  }
}

async function runWithLease(name: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<void>) {
  const lost = new AbortController();
  const renewal = setInterval(() => {
    // A tab in the background may have slept for longer than its lease: then another one runs already.
    if (!isOwn(name) && readLease(name)) lost.abort();
    else writeLease(name, Date.now() + LEASE_MS);
  }, RENEW_MS);
  try {
    await run(AbortSignal.any([signal, lost.signal]));
  } finally {
    clearInterval(renewal);
    if (isOwn(name)) localStorage.removeItem(name);
  }
}
