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
  const bearer = async () => (typeof token === 'function' ? await token() : token);
  return createTRPCClient({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({ url: address, ...(EventSource && { EventSource }) }),
        false: httpBatchLink({
          url: address,
          maxItems: MAX_BATCH,
          methodOverride: 'POST',
          ...(fetch && { fetch }),
          headers: async () => {
            const value = await bearer();
            return value === undefined ? {} : { Authorization: `Bearer ${value}` };
          },
        }),
      }),
    ],
  });
}

export const signIn = (url, username, password, options = {}) =>
  createClient({ ...options, url }).session.signIn.mutate({ user: { username, password } });

export const isSwitchyardError = (error) => error instanceof TRPCClientError;
