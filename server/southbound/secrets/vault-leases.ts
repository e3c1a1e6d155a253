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
type KeptSecret = Issued & {
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

type LeaseOptions = {
  provider: SecretProvider;
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  log: LeaseLog;
};

/**
 * The dynamic secrets of a session. While a secret is in use, its lease and the token are renewed in time, without a request
 * that waits for it; an idle one is revoked.
 */
export class VaultLeases {
  readonly #calls: VaultCalls;
  readonly #token: VaultToken;
  readonly #options: LeaseOptions;
  readonly #idleMs: number;
  readonly #trustedMs: number;
  readonly #alarm: Alarm;
  readonly #held = new Map<string, KeptSecret>();
  readonly #issuing = new Map<string, Promise<KeptSecret>>();
  #isClosed = false;

  constructor(calls: VaultCalls, token: VaultToken, options: LeaseOptions) {
    const { leaseIdleSeconds, cacheSeconds } = options.provider;
    this.#calls = calls;
    this.#token = token;
    this.#options = options;
    this.#idleMs = (leaseIdleSeconds ?? IDLE_SECONDS) * 1000;
    this.#trustedMs = (cacheSeconds ?? TRUSTED_SECONDS) * 1000;
    this.#alarm = openAlarm(options.now, () => this.#tend());
  }

  /**
   * Returns a dynamic secret: the one in use while its lease is valid, otherwise a new one.
   *
   * @param path path on the server with a leading `/`
   * @param address address of the host that it is for, where it is for one
   * @returns its values by name, and the id of its lease
   * @throws ServiceError
   */
  async lease(path: string, address?: string): Promise<Pick<KeptSecret, 'id' | 'data'>> {
    const known = this.#held.get(path);
    if (known && this.#isUsable(known) && (await this.#isConfirmed(known))) {
      known.usedAt = this.#options.now();
      return known;
    }
    if (known) this.#forget(path, known);
    // Hosts that need it at the same time share one, unless it opens one session only.
    const shared = this.#issuing.get(path);
    if (shared && !isOneTime(await shared)) return shared;
    const made = this.#issue(path, address).finally(() => this.#issuing.delete(path));
    this.#issuing.set(path, made);
    return made;
  }

  /** Ends the leases, except those that end with an own token. A server that does not answer ends them by itself. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#alarm.clear();
    const own = new Set((await this.#token.owned()).map(({ token }) => token));
    const left = [...this.#held.values()].filter(({ token }) => !own.has(token));
    this.#held.clear();
    // Without a token, revoking would have to wait for a sign-in.
    if (await this.#token.current()) await Promise.all(left.map((lease) => this.#revoke(lease)));
  }

  #endOf({ token, endsAt }: KeptSecret): number {
    return Math.min(endsAt, this.#token.endOf(token) ?? endsAt);
  }

  #isUsable(lease: KeptSecret): boolean {
    const marginMs = Math.min(MOST_MARGIN_MS, lease.fullMs / 10);
    return this.#options.now() < this.#endOf(lease) - marginMs && !isOneTime(lease);
  }

  /** Returns when something has to be done for a lease. */
  #dueAt(lease: KeptSecret): number {
    const renewAt = lease.isRenewable ? lease.renewAt : Number.POSITIVE_INFINITY;
    return Math.min(this.#endOf(lease), lease.usedAt + this.#idleMs, renewAt);
  }

  #forget(path: string, lease: KeptSecret): void {
    if (this.#held.get(path) === lease) this.#held.delete(path);
  }

  /** Returns whether the server still knows a lease. A server that cannot be reached does not end a lease that is valid. */
  async #isConfirmed(lease: KeptSecret): Promise<boolean> {
    const { now } = this.#options;
    if (now() - lease.confirmedAt < this.#trustedMs) return true;
    const isKnown = await this.#token
      .get()
      .then(async (valid) => {
        const answer = await this.#calls.isLeased(valid, lease.id);
        return answer === 'denied' ? this.#token.isAccepted(valid) : answer;
      })
      // A vault that does not answer has not said that the lease is gone.
      .catch(() => true);
    if (isKnown) lease.confirmedAt = now();
    return isKnown;
  }

  async #issue(path: string, address: string | undefined): Promise<KeptSecret> {
    let used = '';
    const issued = await this.#token.use((valid) => {
      used = valid.token;
      return this.#calls.issue(valid, path, address);
    }, `the secret ${path}`);
    const lease = keptSecret(issued, used, this.#options.now());
    if (this.#isClosed) {
      // Nobody would end it.
      await this.#revoke(lease);
      return lease;
    }
    // A password for one sign-in ends with it; it is kept so that it is revoked when nobody used it.
    this.#held.set(isOneTime(lease) ? `${path} ${lease.id}` : path, lease);
    this.#alarm.setAt(Math.min(this.#dueAt(lease), this.#token.renewAt()));
    return lease;
  }

  async #revoke(lease: KeptSecret): Promise<void> {
    const { log, provider } = this.#options;
    const isRevoked = await this.#token
      .get()
      .then((valid) => this.#calls.revokeLease(valid, lease.id))
      .catch(() => false);
    if (!isRevoked)
      log.warn(
        { provider: provider.name, lease: lease.id },
        'a lease could not be revoked: it ends by itself',
      );
  }

  async #renew(path: string, lease: KeptSecret): Promise<void> {
    const { now } = this.#options;
    try {
      const valid = await this.#token.get();
      const lastsMs = await this.#calls.renewLease(valid, lease.id);
      if (lastsMs === 'gone') this.#forget(path, lease);
      else if (lastsMs === 'denied') {
        lease.isRenewable = false;
        if (!(await this.#token.isAccepted(valid))) this.#forget(path, lease);
      } else {
        lease.endsAt = now() + lastsMs;
        lease.confirmedAt = now();
        lease.renewAt = now() + (lastsMs * 2) / 3;
        // The longest time that the server allows is nearly over: the next use requests a new secret.
        if (lastsMs < lease.fullMs / 2) lease.isRenewable = false;
      }
    } catch {
      lease.renewAt = now() + Math.min(RENEWAL_PAUSE_MS, Math.max(0, this.#endOf(lease) - now()) / 3);
    }
  }

  /** Renews, revokes or forgets each lease as needed. @returns when to do so again */
  async #tend(): Promise<number> {
    const { now } = this.#options;
    const held = this.#held;
    // The token first: leases end with it.
    await this.#token.renewIfDue();
    for (const [path, lease] of [...held]) {
      if (now() >= this.#endOf(lease)) this.#forget(path, lease);
      else if (now() - lease.usedAt >= this.#idleMs) {
        this.#forget(path, lease);
        await this.#revoke(lease);
      } else if (lease.isRenewable && now() >= lease.renewAt) await this.#renew(path, lease);
    }
    await this.#token.forgetUnused(new Set([...held.values()].map(({ token }) => token)));
    if (held.size === 0 || this.#isClosed) return Number.POSITIVE_INFINITY;
    return Math.min(...[...held.values()].map((lease) => this.#dueAt(lease)), this.#token.renewAt());
  }
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

/** Runs a function at a set time. */
type Alarm = {
  /** Sets the time, in milliseconds since 1970, unless it is set to an earlier one. */
  setAt: (time: number) => void;
  clear: () => void;
};

/**
 * Opens an alarm that runs a function at the earliest of the times that are set, and never twice at the same time.
 *
 * @param run returns when it has to run again
 */
function openAlarm(now: () => number, run: () => Promise<number>): Alarm {
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
