import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import type { AppRouter } from '#routers/index.ts';

/**
 * Returns a client with every procedure, typed by its input and answer. Calls that are made at the same time travel as one
 * request; the service accepts up to 20 in one.
 *
 * @param url    address of the service, without a path
 * @param token  what `signIn` returned; without it only public procedures answer
 */
export const connect = (url: string, token?: string) =>
  createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${url}/trpc`,
        maxItems: 20,
        headers: () => (token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      }),
    ],
  });

/** Signs in. @returns the token of a new session */
export const signIn = (url: string, username: string, password: string): Promise<string> =>
  connect(url).session.signIn.mutate({ user: { username, password } });

/** Returns whether an error is one that the service answered with; the fields of its `data` are then typed. */
export const isApiError = (error: unknown): error is TRPCClientError<AppRouter> =>
  error instanceof TRPCClientError;

/** Returns an error as one line for a user; what a program does about it depends on `data.code` alone. */
export function explain(error: unknown): string {
  if (!isApiError(error) || !error.data) return `the service did not answer: ${error}`;
  const { code, issues, requestId } = error.data;
  switch (code) {
    case 'BAD_REQUEST':
      return (issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    case 'UNAUTHORIZED':
      return 'sign in first';
    case 'FORBIDDEN':
      return `this account may not: ${error.message}`;
    case 'INTERNAL_SERVER_ERROR':
      return `a fault of the service; its log has it under ${requestId}`;
    default:
      return `${code}: ${error.message}`;
  }
}

/**
 * Signs in, lists, reads several things in one request, and meets errors.
 *
 * @returns the lines that docs/client/README.md shows
 */
export async function tour(url: string, username: string, password: string): Promise<string[]> {
  const stranger = connect(url);
  const denied = await stranger.health.getVersion.query({}).catch(explain);

  const token = await signIn(url, username, password);
  const client = connect(url, token);
  const { results, total } = await client.authorization.listAccounts.query({
    queryOptions: { limit: 1, equals: username, equalsField: 'username' },
  });
  const [found] = results;
  if (!found) throw new Error(`${username} is signed in and not among the accounts`);
  const [account, version] = await Promise.all([
    client.authorization.getAccount.query({ accountId: found._id }),
    client.health.getVersion.query({}),
  ]);
  const missing = await client.authorization.getAccount.query({ accountId: 'f'.repeat(24) }).catch(explain);

  await client.session.signOut.mutate({});
  const ended = await client.health.getVersion.query({}).catch(explain);
  return [
    `without a token: ${denied}`,
    `release ${version}, ${total} account: ${account.username} of ${account.provenance}`,
    `an account that nobody has: ${missing}`,
    `signed out: ${ended}`,
  ];
}
