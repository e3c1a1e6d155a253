import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { HttpPort } from '../http/ports.ts';
import { type Issued, openVaultCalls, type Token } from './vault-calls.ts';

/** How long a dynamic secret is kept without a use, in seconds, unless the provider says otherwise. */
const IDLE_SECONDS = 900;
/** How long a lease is trusted before a request checks whether it was revoked, in seconds, unless the provider says otherwise. */
const TRUSTED_SECONDS = 30;
/** A secret is not used for its last tenth, at most this long in milliseconds: a session that begins then could not sign in. */
const MOST_MARGIN_MS = 30_000;
/** Shortest and longest pause between two looks at the leases, in milliseconds. */
const LEAST_PAUSE_MS = 200;
const MOST_PAUSE_MS = 3_600_000;
/** A token that counts is not replaced by another one more often than this, in milliseconds, when it is denied. */
const SIGN_IN_PAUSE_MS = 30_000;
/** Pause after a renewal for which the server could not be reached, in milliseconds. */
const RENEWAL_PAUSE_MS = 10_000;

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

/** What a session reports of leases; ids of leases are no secrets. */
export type LeaseLog = { warn: (about: object, message: string) => void };

type SessionParts = {
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  log: LeaseLog;
  /** Called with the outcome of each request for a secret: why the server cannot be used, null when it can. */
  report: (fault: string | null) => Promise<void>;
};

/**
 * Opens a session with a Vault or OpenBao server: its token, and the dynamic secrets that were made with it. While a secret is in
 * use its lease and the token are renewed in time, without a request that waits for it.
 *
 * @param provider provider with opened secrets
 * @returns functions that sign in, read secrets, lease dynamic ones, and end the session
 */
export function openVaultSession(
  http: Pick<HttpPort, 'send'>,
  provider: SecretProvider,
  { now, log, report }: SessionParts,
) {
  const calls = openVaultCalls(http, provider, now);
  const idleMs = (provider.leaseIdleSeconds ?? IDLE_SECONDS) * 1000;
  const trustedMs = (provider.cacheSeconds ?? TRUSTED_SECONDS) * 1000;
  /** A token that Switchyard signed in for belongs to it alone; a given one may have other users. */
  const ownsToken = provider.auth?.method === 'approle';
  const held = new Map<string, KeptSecret>();
  const issuing = new Map<string, Promise<KeptSecret>>();
  /** When each token ends that dynamic secrets were made with: they end with it. */
  const tokenEnds = new Map<string, number>();
  let current: Promise<Token> | undefined;
  let renewTokenAt = Number.POSITIVE_INFINITY;
  /** How long the token was valid when it was new, in milliseconds, and when that was. */
  let fullMs = 0;
  let signedInAt = 0;
  /** Own tokens that others replaced while they counted. */
  let replaced: Token[] = [];
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Number.POSITIVE_INFINITY;
  let isClosed = false;

  const keep = (next: Promise<Token>): Promise<Token> => {
    current = next;
    next.then(
      ({ token, endsAt, renewAt }) => {
        tokenEnds.set(token, endsAt);
        renewTokenAt = renewAt;
      },
      () => {
        if (current === next) current = undefined;
      },
    );
    return next;
  };
  const newToken = async (): Promise<Token> => {
    const fresh = await calls.signIn();
    fullMs = fresh.endsAt - now();
    signedInAt = now();
    return fresh;
  };
  const signIn = () => keep(newToken());

  const renewed = async (known: Token): Promise<Token> => {
    const next = await calls.renew(known).catch((error: unknown) => {
      // A server that is away for a moment does not end a token that is valid.
      if (now() >= known.endsAt) throw error;
      return { ...known, renewAt: now() + Math.min(RENEWAL_PAUSE_MS, (known.endsAt - now()) / 3) };
    });
    if (next?.endsAt === known.endsAt) return next;
    // Towards its last possible moment a token is renewed for less and less time: a new one replaces it while it is valid.
    if (next && (!ownsToken || next.endsAt - now() >= fullMs / 2)) return next;
    replaced.push(known);
    return newToken();
  };

  const token = async (): Promise<Token> => {
    const asked = current;
    if (!asked) return signIn();
    const known = await asked;
    if (now() < known.renewAt) return known;
    if (current !== asked) return token();
    if (!known.isRenewable || now() >= known.endsAt) return signIn();
    return keep(renewed(known));
  };

  /**
   * Calls with the token, and once more with a new one when it is denied: the token may have been revoked, or its role may have
   * got another policy. One that is new and counts is not replaced.
   */
  const withToken = async <Answer>(
    call: (token: Token) => Promise<Answer | 'denied'>,
    what: string,
  ): Promise<Answer> => {
    let answer: Answer | 'denied';
    try {
      const first = await token();
      answer = await call(first);
      if (answer === 'denied' && (await isReplaceable(first))) answer = await call(await token());
      await report(null);
    } catch (error) {
      if (isFault(error)) await report(error.message);
      throw error;
    }
    // The server accepts the token: only this path is not allowed.
    if (answer === 'denied') throw calls.denied(what);
    return answer as Answer;
  };

  const isReplaceable = async (denied: Token): Promise<boolean> => {
    if ((await current?.catch(() => undefined)) !== denied) return true;
    const counts = await calls.accepts(denied);
    if (counts && now() - signedInAt < SIGN_IN_PAUSE_MS) return false;
    if (counts) replaced.push(denied);
    current = undefined;
    return true;
  };

  const endOf = (lease: KeptSecret) => Math.min(lease.endsAt, tokenEnds.get(lease.token) ?? lease.endsAt);
  const isUsable = (lease: KeptSecret) =>
    now() < endOf(lease) - Math.min(MOST_MARGIN_MS, lease.fullMs / 10) && !isOneTime(lease);

  const forget = (path: string, lease: KeptSecret) => {
    if (held.get(path) === lease) held.delete(path);
  };

  /** Returns whether the server still knows a lease. A server that cannot be reached does not end a lease that is valid. */
  const isConfirmed = async (lease: KeptSecret): Promise<boolean> => {
    if (now() - lease.confirmedAt < trustedMs) return true;
    const known = await token()
      .then(async (valid) => {
        const answer = await calls.isLeased(valid, lease.id);
        return answer === 'denied' ? isAlive(valid) : answer;
      })
      .catch(() => true);
    if (known) lease.confirmedAt = now();
    return known;
  };

  /** Returns whether the server still accepts a token: leases end with theirs. A new sign-in follows otherwise. */
  const isAlive = async (valid: Token): Promise<boolean> => {
    if (await calls.accepts(valid)) return true;
    if ((await current?.catch(() => undefined)) === valid) current = undefined;
    return false;
  };

  const issue = async (path: string, address: string | undefined): Promise<KeptSecret> => {
    let used = '';
    const issued = await withToken((valid) => {
      used = valid.token;
      return calls.issue(valid, path, address);
    }, `the secret ${path}`);
    const lease: KeptSecret = {
      ...issued,
      token: used,
      fullMs: issued.lastsMs,
      renewAt: now() + (issued.lastsMs * 2) / 3,
      endsAt: now() + issued.lastsMs,
      confirmedAt: now(),
      usedAt: now(),
    };
    if (isClosed) {
      // Nobody would end it.
      await revoke(lease);
      return lease;
    }
    // A password for one sign-in ends with it; it is kept so that it is revoked when nobody used it.
    held.set(isOneTime(lease) ? `${path} ${lease.id}` : path, lease);
    wakeAt(Math.min(momentOf(lease), renewTokenAt));
    return lease;
  };

  const revoke = async (lease: KeptSecret): Promise<void> => {
    const isRevoked = await token()
      .then((valid) => calls.revokeLease(valid, lease.id))
      .catch(() => false);
    if (!isRevoked)
      log.warn(
        { provider: provider.name, lease: lease.id },
        'a lease could not be revoked: it ends by itself',
      );
  };

  const renewLease = async (path: string, lease: KeptSecret): Promise<void> => {
    try {
      const valid = await token();
      const lasts = await calls.renewLease(valid, lease.id);
      if (lasts === 'gone') return forget(path, lease);
      if (lasts === 'denied') {
        lease.isRenewable = false;
        if (!(await isAlive(valid))) forget(path, lease);
        return;
      }
      lease.endsAt = now() + lasts;
      lease.confirmedAt = now();
      lease.renewAt = now() + (lasts * 2) / 3;
      // The longest time that the server allows is nearly over: the next use requests a new secret.
      if (lasts < lease.fullMs / 2) lease.isRenewable = false;
    } catch {
      lease.renewAt = now() + Math.min(RENEWAL_PAUSE_MS, Math.max(0, endOf(lease) - now()) / 3);
    }
  };

  const tend = async (): Promise<void> => {
    // The token first: leases end with it. One that cannot be renewed now is requested again at the next use.
    await token().catch(() => {
      renewTokenAt = now() + RENEWAL_PAUSE_MS;
    });
    for (const [path, lease] of [...held]) {
      if (now() >= endOf(lease)) forget(path, lease);
      else if (now() - lease.usedAt >= idleMs) {
        forget(path, lease);
        await revoke(lease);
      } else if (lease.isRenewable && now() >= lease.renewAt) await renewLease(path, lease);
    }
    const inUse = new Set([...held.values()].map((lease) => lease.token));
    const own = (await current?.catch(() => undefined))?.token;
    for (const known of tokenEnds.keys()) if (known !== own && !inUse.has(known)) tokenEnds.delete(known);
    replaced = replaced.filter(({ endsAt }) => endsAt > now());
    wakesAt = Number.POSITIVE_INFINITY;
    for (const lease of held.values()) wakeAt(momentOf(lease));
    wakeAt(renewTokenAt);
  };

  /** Looks at the leases at a time, unless it does so earlier. */
  const wakeAt = (time: number) => {
    if (held.size === 0 || isClosed || time >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = time;
    const pause = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, time - now()));
    timer = setTimeout(() => void tend(), pause);
    timer.unref();
  };

  /** Returns when something has to be done for a lease. */
  const momentOf = (lease: KeptSecret) =>
    Math.min(
      endOf(lease),
      lease.usedAt + idleMs,
      lease.isRenewable ? lease.renewAt : Number.POSITIVE_INFINITY,
    );

  return {
    /**
     * Signs in, unless there is a token that counts.
     *
     * @throws ServiceError
     */
    signIn: async (): Promise<void> => void (await token()),

    /**
     * Reads the newest version of a secret of the KV engine.
     *
     * @param path path in the engine
     * @returns its values by name
     * @throws ServiceError
     */
    read: (path: string): Promise<Record<string, unknown>> =>
      withToken((valid) => calls.read(valid, path), `the secret ${path}`),

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

    /** Ends the leases, and the token if Switchyard signed in for it. A server that does not answer ends them by itself. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      const known = await current?.catch(() => undefined);
      // The leases of an own token end with it.
      const own = ownsToken ? [...replaced, ...(known ? [known] : [])] : [];
      const left = [...held.values()].filter((lease) => !own.some((one) => one.token === lease.token));
      held.clear();
      if (known) await Promise.all(left.map(revoke));
      await Promise.all(own.map((one) => calls.revokeToken(one).catch(() => false)));
    },
  };
}

/** Returns whether a system cannot be used, unlike a path or a name that it does not have. */
const isFault = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.extra?.reason !== 'SECRET_NOT_FOUND';

/** Returns whether a secret opens one session only. */
const isOneTime = ({ data }: Issued) => data.key_type === 'otp';
