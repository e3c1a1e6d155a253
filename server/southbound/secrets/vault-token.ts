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

/**
 * The token of a session with a Vault or OpenBao server: it is requested at the first use, renewed in time, and replaced when
 * the server no longer accepts it.
 */
export class VaultToken {
  readonly #calls: VaultCalls;
  readonly #options: TokenOptions;
  #latest: Promise<Token> | undefined;
  /** When the token is renewed, in milliseconds since 1970. */
  #renewAt = Number.POSITIVE_INFINITY;
  /** How long the token was valid when it was new, in milliseconds, and when that was. */
  #fullMs = 0;
  #signedInAt = 0;
  /** When each token ends that dynamic secrets were made with: they end with it. */
  readonly #ends = new Map<string, number>();
  /** Own tokens that others replaced while they counted. */
  #replaced: Token[] = [];

  constructor(calls: VaultCalls, options: TokenOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  /** Returns the token: the current one while it is valid, otherwise a new one. @throws ServiceError */
  async get(): Promise<Token> {
    const requested = this.#latest;
    if (!requested) return this.#keep(this.#signIn());
    const known = await requested;
    const now = this.#options.now();
    if (now < known.renewAt) return known;
    if (this.#latest !== requested) return this.get();
    return this.#keep(known.isRenewable && now < known.endsAt ? this.#renewed(known) : this.#signIn());
  }

  /**
   * Calls with the token, and once more with a new one when it is denied: the token may have been revoked, or its role may
   * have got another policy.
   *
   * @param what what is requested, for the message of an error
   * @throws ServiceError
   */
  async use<Answer>(call: (token: Token) => Promise<Answer | 'denied'>, what: string): Promise<Answer> {
    const { report } = this.#options;
    let answer: Answer | 'denied';
    try {
      const first = await this.get();
      answer = await call(first);
      if (answer === 'denied' && (await this.#isReplaceable(first))) answer = await call(await this.get());
      await report(null);
    } catch (error) {
      if (isFault(error)) await report(error.message);
      throw error;
    }
    // The server accepts the token: only this path is not allowed.
    if (answer === 'denied') throw this.#calls.denied(what);
    return answer as Answer;
  }

  /** Returns whether the server still accepts a token: leases end with theirs. A new sign-in follows otherwise. */
  async isAccepted(token: Token): Promise<boolean> {
    if (await this.#calls.accepts(token)) return true;
    if ((await this.current()) === token) this.#latest = undefined;
    return false;
  }

  /** Renews the token if it is time. One that cannot be renewed now is requested again at the next use. */
  async renewIfDue(): Promise<void> {
    await this.get().catch(() => {
      this.#renewAt = this.#options.now() + RENEWAL_PAUSE_MS;
    });
  }

  /** Returns when the token is renewed next, in milliseconds since 1970. */
  renewAt(): number {
    return this.#renewAt;
  }

  /** Returns when a token ends, in milliseconds since 1970; undefined: unknown. */
  endOf(token: string): number | undefined {
    return this.#ends.get(token);
  }

  /** Forgets tokens that ended, or that no lease uses. @param used tokens of leases */
  async forgetUnused(used: ReadonlySet<string>): Promise<void> {
    const own = (await this.current())?.token;
    for (const token of this.#ends.keys()) if (token !== own && !used.has(token)) this.#ends.delete(token);
    this.#replaced = this.#replaced.filter(({ endsAt }) => endsAt > this.#options.now());
  }

  /** Returns the token without requesting one. */
  async current(): Promise<Token | undefined> {
    return this.#latest?.catch(() => undefined);
  }

  /** Returns the tokens that this session signed in for and that may still count. */
  async owned(): Promise<Token[]> {
    const known = await this.current();
    return this.#options.ownsToken ? [...this.#replaced, ...(known ? [known] : [])] : [];
  }

  /** Ends the tokens that this session signed in for. A server that does not answer ends them by itself. */
  async close(): Promise<void> {
    await Promise.all((await this.owned()).map((token) => this.#calls.revokeToken(token).catch(() => false)));
  }

  #keep(next: Promise<Token>): Promise<Token> {
    this.#latest = next;
    next.then(
      ({ token, endsAt, renewAt }) => {
        this.#ends.set(token, endsAt);
        this.#renewAt = renewAt;
      },
      () => {
        if (this.#latest === next) this.#latest = undefined;
      },
    );
    return next;
  }

  async #signIn(): Promise<Token> {
    const { now } = this.#options;
    const fresh = await this.#calls.signIn();
    this.#fullMs = fresh.endsAt - now();
    this.#signedInAt = now();
    return fresh;
  }

  async #renewed(known: Token): Promise<Token> {
    const { now, ownsToken } = this.#options;
    const next = await this.#calls.renew(known).catch((error: unknown) => {
      // A server that is away for a moment does not end a token that is valid.
      if (now() >= known.endsAt) throw error;
      return { ...known, renewAt: now() + Math.min(RENEWAL_PAUSE_MS, (known.endsAt - now()) / 3) };
    });
    if (next?.endsAt === known.endsAt) return next;
    // Towards its last possible moment a token is renewed for less and less time: a new one replaces it while it is valid.
    if (next && (!ownsToken || next.endsAt - now() >= this.#fullMs / 2)) return next;
    this.#replaced.push(known);
    return this.#signIn();
  }

  /** Returns whether a denied token can be replaced. One that is new and counts is not. */
  async #isReplaceable(denied: Token): Promise<boolean> {
    if ((await this.current()) !== denied) return true;
    const counts = await this.#calls.accepts(denied);
    if (counts && this.#options.now() - this.#signedInAt < SIGN_IN_PAUSE_MS) return false;
    if (counts) this.#replaced.push(denied);
    this.#latest = undefined;
    return true;
  }
}

/** Returns whether a system cannot be used, unlike a path or a name that it does not have. */
const isFault = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.extra?.reason !== 'SECRET_NOT_FOUND';
