import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import type { AppRouter } from '#routers/index.ts';

/**
 * A client that knows every procedure, what it takes and what it answers. Calls that are made at the same time travel
 * as one request; the service takes up to 20 in one.
 *
 * @param url    where the service is, without a path
 * @param token  what `signIn` gave; without it only public procedures answer
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

/** @returns the token of a new session */
export const signIn = (url: string, username: string, password: string): Promise<string> =>
  connect(url).session.signIn.mutate({ user: { username, password } });

/** Whether an error is a refusal or fault that the service told, with the members of `data` typed. */
export const isApiError = (error: unknown): error is TRPCClientError<AppRouter> =>
  error instanceof TRPCClientError;

/** One line for a person; what a program does about an error depends on `data.code` alone. */
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

/** Sign in, list, read several things in one request, and meet errors: what docs/client/README.md shows. */
export async function tour(url: string, username: string, password: string): Promise<string[]> {
  const stranger = connect(url);
  const refused = await stranger.health.getVersion.query({}).catch(explain);

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
    `without a token: ${refused}`,
    `release ${version}, ${total} account: ${account.username} of ${account.provenance}`,
    `an account that nobody has: ${missing}`,
    `signed out: ${ended}`,
  ];
}
