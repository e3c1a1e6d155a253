import type { TRPCClient, TRPCClientError } from '@trpc/client';
import type { AppRouter } from './routers/index.js';

export type { AppRouter };

/** A client with every procedure of the service: `client.<area>.<name>.query(input)` or `.mutate(input)`. */
export type SwitchyardClient = TRPCClient<AppRouter>;

export type ClientOptions = {
  /** Where the service is, without a path: `https://switchyard.example`. */
  url: string;
  /** The token of a session or a personal token, or a function that returns it; absent: only public procedures answer. */
  token?: string | (() => string | Promise<string>);
  /** Another `fetch`, for instance one that trusts an authority of your own. */
  fetch?: typeof globalThis.fetch;
  /**
   * A class like the browser's EventSource, for subscriptions with a token: that of the npm package `eventsource`, whose option
   * `fetch` sends it. Absent: the built-in one, which sends a cookie of the same origin and no token.
   */
  EventSource?: unknown;
};

/**
 * Creates a client. Calls made at the same time travel in one request.
 *
 * @param options address of the service, and the credential of the caller
 * @returns the client; its calls throw `TRPCClientError`
 */
export function createClient(options: ClientOptions): SwitchyardClient;

/**
 * Signs in with a name and a password.
 *
 * @returns the token of a new session
 * @throws TRPCClientError UNAUTHORIZED; TOO_MANY_REQUESTS after many failures
 */
export function signIn(
  url: string,
  username: string,
  password: string,
  options?: Pick<ClientOptions, 'fetch'>,
): Promise<string>;

/** Returns whether the service answered with an error, whose `data` has `code`, `httpStatus`, `issues` and `requestId`. */
export function isSwitchyardError(error: unknown): error is TRPCClientError<AppRouter>;
