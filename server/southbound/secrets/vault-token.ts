import { ServiceError } from '#server/kernel/errors.ts';
import type { Token, VaultCalls } from './vault-calls.ts';

/** A token that counts is not replaced by another one more often than this, in milliseconds, when it is denied. */
const SIGN_IN_PAUSE_MS = 30_000;
/** Pause after a renewal for which the server could not be reached, in milliseconds. */
export const RENEWAL_PAUSE_MS = 10_000;

type TokenOptions = {
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  /** A token that Switchyard signed in for belongs to it alone; a given one may have other users. */
  ownsToken: boolean;
  /** Called with the outcome of each request for a secret: why the server cannot be used, null when it can. */
  report: (fault: string | null) => Promise<void>;
};

export type VaultToken = ReturnType<typeof openVaultToken>;

/**
 * Opens the token of a session with a Vault or OpenBao server: it is requested at the first use, renewed in time, and
 * replaced when the server no longer accepts it.
 *
 * @returns functions that use the token and end it
 */
export function openVaultToken(calls: VaultCalls, { now, ownsToken, report }: TokenOptions) {
  let latest: Promise<Token> | undefined;
  /** When the token is renewed, in milliseconds since 1970. */
  let renewAt = Number.POSITIVE_INFINITY;
  /** How long the token was valid when it was new, in milliseconds, and when that was. */
  let fullMs = 0;
  let signedInAt = 0;
  /** When each token ends that dynamic secrets were made with: they end with it. */
  const ends = new Map<string, number>();
  /** Own tokens that others replaced while they counted. */
  let replaced: Token[] = [];

  const keep = (next: Promise<Token>): Promise<Token> => {
    latest = next;
    next.then(
      (known) => {
        ends.set(known.token, known.endsAt);
        renewAt = known.renewAt;
      },
      () => {
        if (latest === next) latest = undefined;
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

  const get = async (): Promise<Token> => {
    const requested = latest;
    if (!requested) return keep(newToken());
    const known = await requested;
    if (now() < known.renewAt) return known;
    if (latest !== requested) return get();
    if (!known.isRenewable || now() >= known.endsAt) return keep(newToken());
    return keep(renewed(known));
  };

  const current = async (): Promise<Token | undefined> => latest?.catch(() => undefined);

  /** Returns whether a denied token can be replaced. One that is new and counts is not. */
  const isReplaceable = async (denied: Token): Promise<boolean> => {
    if ((await current()) !== denied) return true;
    const counts = await calls.accepts(denied);
    if (counts && now() - signedInAt < SIGN_IN_PAUSE_MS) return false;
    if (counts) replaced.push(denied);
    latest = undefined;
    return true;
  };

  /** Returns the tokens that this session signed in for and that may still count. */
  const owned = async (): Promise<Token[]> => {
    const known = await current();
    return ownsToken ? [...replaced, ...(known ? [known] : [])] : [];
  };

  return {
    /** Returns the token: the current one while it is valid, otherwise a new one. @throws ServiceError */
    get,

    /**
     * Calls with the token, and once more with a new one when it is denied: the token may have been revoked, or its role may
     * have got another policy.
     *
     * @param what what is requested, for the message of an error
     * @throws ServiceError
     */
    async use<Answer>(call: (token: Token) => Promise<Answer | 'denied'>, what: string): Promise<Answer> {
      let answer: Answer | 'denied';
      try {
        const first = await get();
        answer = await call(first);
        if (answer === 'denied' && (await isReplaceable(first))) answer = await call(await get());
        await report(null);
      } catch (error) {
        if (isFault(error)) await report(error.message);
        throw error;
      }
      // The server accepts the token: only this path is not allowed.
      if (answer === 'denied') throw calls.denied(what);
      return answer as Answer;
    },

    /** Returns whether the server still accepts a token: leases end with theirs. A new sign-in follows otherwise. */
    async isAccepted(token: Token): Promise<boolean> {
      if (await calls.accepts(token)) return true;
      if ((await current()) === token) latest = undefined;
      return false;
    },

    /** Renews the token if it is time. One that cannot be renewed now is requested again at the next use. */
    async renewIfDue(): Promise<void> {
      await get().catch(() => {
        renewAt = now() + RENEWAL_PAUSE_MS;
      });
    },

    /** Returns when the token is renewed next, in milliseconds since 1970. */
    renewAt: () => renewAt,

    /** Returns when a token ends, in milliseconds since 1970; undefined: unknown. */
    endOf: (token: string): number | undefined => ends.get(token),

    /** Forgets tokens that ended, or that no lease uses. @param used tokens of leases */
    async forgetUnused(used: ReadonlySet<string>): Promise<void> {
      const own = (await current())?.token;
      for (const token of ends.keys()) if (token !== own && !used.has(token)) ends.delete(token);
      replaced = replaced.filter(({ endsAt }) => endsAt > now());
    },

    /** Returns the token without requesting one. */
    current,

    owned,

    /** Ends the tokens that this session signed in for. A server that does not answer ends them by itself. */
    async close(): Promise<void> {
      await Promise.all((await owned()).map((token) => calls.revokeToken(token).catch(() => false)));
    },
  };
}

/** Returns whether a system cannot be used, unlike a path or a name that it does not have. */
const isFault = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.extra?.reason !== 'SECRET_NOT_FOUND';
