import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import type { Issued, VaultCalls } from './vault-calls.ts';
import { RENEWAL_PAUSE_MS, type VaultToken } from './vault-token.ts';

/** How long a dynamic secret is kept without a use, in seconds, unless the provider says otherwise. */
const IDLE_SECONDS = 900;
/** How long a lease is trusted before a request checks whether it was revoked, in seconds, unless the provider says otherwise. */
const TRUSTED_SECONDS = 30;
/** A secret is not used for its last tenth, at most this long in milliseconds: a session that begins then could not sign in. */
const MOST_MARGIN_MS = 30_000;
/** Shortest and longest pause between two looks at the leases, in milliseconds. */
const LEAST_PAUSE_MS = 200;
const MOST_PAUSE_MS = 3_600_000;

/** A dynamic secret that is kept. Times are milliseconds since 1970. */
export type KeptSecret = Issued & {
  token: string;
  /** How long it was valid when it was made, in milliseconds. */
  fullMs: number;
  renewAt: number;
  endsAt: number;
  /** When the server last said that the lease is valid. */
  confirmedAt: number;
  usedAt: number;
};

/** Log of a session's leases; ids of leases are no secrets. */
export type LeaseLog = { warn: (about: object, message: string) => void };

/**
 * Opens the dynamic secrets of a session. While a secret is in use, its lease and the token are renewed in time, without a
 * request that waits for it; an idle one is revoked.
 *
 * @param now returns the time in milliseconds since 1970
 * @returns functions that lease a secret, and that revoke all of them
 */
export function openVaultLeases(
  calls: VaultCalls,
  token: VaultToken,
  { provider, now, log }: { provider: SecretProvider; now: () => number; log: LeaseLog },
) {
  const idleMs = (provider.leaseIdleSeconds ?? IDLE_SECONDS) * 1000;
  const trustedMs = (provider.cacheSeconds ?? TRUSTED_SECONDS) * 1000;
  const held = new Map<string, KeptSecret>();
  const issuing = new Map<string, Promise<KeptSecret>>();
  let isClosed = false;

  const endOf = (lease: KeptSecret) => Math.min(lease.endsAt, token.endOf(lease.token) ?? lease.endsAt);
  const isUsable = (lease: KeptSecret) =>
    now() < endOf(lease) - Math.min(MOST_MARGIN_MS, lease.fullMs / 10) && !isOneTime(lease);
  /** Returns when something has to be done for a lease. */
  const dueAt = (lease: KeptSecret) =>
    Math.min(
      endOf(lease),
      lease.usedAt + idleMs,
      lease.isRenewable ? lease.renewAt : Number.POSITIVE_INFINITY,
    );
  const forget = (path: string, lease: KeptSecret) => {
    if (held.get(path) === lease) held.delete(path);
  };

  /** Returns whether the server still knows a lease. A server that cannot be reached does not end a lease that is valid. */
  const isConfirmed = async (lease: KeptSecret): Promise<boolean> => {
    if (now() - lease.confirmedAt < trustedMs) return true;
    const known = await token
      .get()
      .then(async (valid) => {
        const answer = await calls.isLeased(valid, lease.id);
        return answer === 'denied' ? token.isAccepted(valid) : answer;
      })
      .catch(() => true);
    if (known) lease.confirmedAt = now();
    return known;
  };

  const revoke = async (lease: KeptSecret): Promise<void> => {
    const isRevoked = await token
      .get()
      .then((valid) => calls.revokeLease(valid, lease.id))
      .catch(() => false);
    if (!isRevoked)
      log.warn(
        { provider: provider.name, lease: lease.id },
        'a lease could not be revoked: it ends by itself',
      );
  };

  const issue = async (path: string, address: string | undefined): Promise<KeptSecret> => {
    let used = '';
    const issued = await token.use((valid) => {
      used = valid.token;
      return calls.issue(valid, path, address);
    }, `the secret ${path}`);
    const lease = keptSecret(issued, used, now());
    if (isClosed) {
      // Nobody would end it.
      await revoke(lease);
      return lease;
    }
    // A password for one sign-in ends with it; it is kept so that it is revoked when nobody used it.
    held.set(isOneTime(lease) ? `${path} ${lease.id}` : path, lease);
    alarm.setAt(Math.min(dueAt(lease), token.renewAt()));
    return lease;
  };

  const renew = async (path: string, lease: KeptSecret): Promise<void> => {
    try {
      const valid = await token.get();
      const lastsMs = await calls.renewLease(valid, lease.id);
      if (lastsMs === 'gone') return forget(path, lease);
      if (lastsMs === 'denied') {
        lease.isRenewable = false;
        if (!(await token.isAccepted(valid))) forget(path, lease);
        return;
      }
      lease.endsAt = now() + lastsMs;
      lease.confirmedAt = now();
      lease.renewAt = now() + (lastsMs * 2) / 3;
      // The longest time that the server allows is nearly over: the next use requests a new secret.
      if (lastsMs < lease.fullMs / 2) lease.isRenewable = false;
    } catch {
      lease.renewAt = now() + Math.min(RENEWAL_PAUSE_MS, Math.max(0, endOf(lease) - now()) / 3);
    }
  };

  /** Renews, revokes or forgets each lease as needed. @returns when to do so again */
  const tend = async (): Promise<number> => {
    // The token first: leases end with it.
    await token.renewIfDue();
    for (const [path, lease] of [...held]) {
      if (now() >= endOf(lease)) forget(path, lease);
      else if (now() - lease.usedAt >= idleMs) {
        forget(path, lease);
        await revoke(lease);
      } else if (lease.isRenewable && now() >= lease.renewAt) await renew(path, lease);
    }
    await token.forgetUnused(new Set([...held.values()].map((lease) => lease.token)));
    if (held.size === 0 || isClosed) return Number.POSITIVE_INFINITY;
    return Math.min(...[...held.values()].map(dueAt), token.renewAt());
  };
  const alarm = openAlarm(now, tend);

  return {
    /**
     * Returns a dynamic secret: the one in use while its lease is valid, otherwise a new one.
     *
     * @param path path on the server with a leading `/`
     * @param address address of the host that it is for, where it is for one
     * @returns its values by name, and the id of its lease
     * @throws ServiceError
     */
    async lease(path: string, address?: string): Promise<Pick<KeptSecret, 'id' | 'data'>> {
      const known = held.get(path);
      if (known && isUsable(known) && (await isConfirmed(known))) {
        known.usedAt = now();
        return known;
      }
      if (known) forget(path, known);
      // Hosts that need it at the same time share one, unless it opens one session only.
      const shared = issuing.get(path);
      if (shared && !isOneTime(await shared)) return shared;
      const made = issue(path, address).finally(() => issuing.delete(path));
      issuing.set(path, made);
      return made;
    },

    /** Ends the leases, except those that end with an own token. A server that does not answer ends them by itself. */
    async close(): Promise<void> {
      isClosed = true;
      alarm.clear();
      const own = new Set((await token.owned()).map((one) => one.token));
      const left = [...held.values()].filter((lease) => !own.has(lease.token));
      held.clear();
      // Without a token, revoking would have to wait for a sign-in.
      if (await token.current()) await Promise.all(left.map(revoke));
    },
  };
}

/** Returns a secret as it is kept. @param now when it was made, in milliseconds since 1970 */
const keptSecret = (issued: Issued, token: string, now: number): KeptSecret => ({
  ...issued,
  token,
  fullMs: issued.lastsMs,
  renewAt: now + (issued.lastsMs * 2) / 3,
  endsAt: now + issued.lastsMs,
  confirmedAt: now,
  usedAt: now,
});

/** Returns whether a secret opens one session only. */
const isOneTime = ({ data }: Issued) => data.key_type === 'otp';

/**
 * Opens an alarm that runs a function at the earliest of the times that are set, and never twice at the same time.
 *
 * @param run returns when it has to run again
 */
function openAlarm(now: () => number, run: () => Promise<number>) {
  let timer: NodeJS.Timeout | undefined;
  let setFor = Number.POSITIVE_INFINITY;
  const setAt = (time: number): void => {
    if (time >= setFor) return;
    clearTimeout(timer);
    setFor = time;
    const pauseMs = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, time - now()));
    timer = setTimeout(async () => {
      const next = await run();
      setFor = Number.POSITIVE_INFINITY;
      setAt(next);
    }, pauseMs);
    timer.unref();
  };
  return { setAt, clear: () => clearTimeout(timer) };
}
