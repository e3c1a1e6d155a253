import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  TRPCClientError,
} from '@trpc/client';

/** The largest number of calls in one request that the service accepts. */
const MAX_BATCH = 20;

export function createClient({ url, token, fetch, EventSource }) {
  const address = `${url.replace(/\/+$/, '')}/trpc`;
  const authorization = async () => {
    const value = typeof token === 'function' ? await token() : token;
    return value === undefined ? {} : { Authorization: `Bearer ${value}` };
  };
  // An EventSource sends no headers of its own: one that takes a fetch sends them by it.
  const fetchEvents = async (address, init) =>
    (fetch ?? globalThis.fetch)(address, {
      ...init,
      headers: { ...init?.headers, ...(await authorization()) },
    });
  return createTRPCClient({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({
          url: address,
          eventSourceOptions: { fetch: fetchEvents },
          ...(EventSource && { EventSource }),
        }),
        false: httpBatchLink({
          url: address,
          maxItems: MAX_BATCH,
          methodOverride: 'POST',
          ...(fetch && { fetch }),
          headers: authorization,
        }),
      }),
    ],
  });
}

export const signIn = (url, username, password, options = {}) =>
  createClient({ ...options, url }).session.signIn.mutate({ user: { username, password } });

export const isSwitchyardError = (error) => error instanceof TRPCClientError;
