import { QueryClient } from '@tanstack/react-query';
import { createTRPCClient, httpLink, type TRPCLink } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { tap } from '@trpc/server/observable';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { AppRouter } from '../../../routers/index.ts';
import { noteTime } from './live/clock.ts';
import { assertOwnAnswer, problemOf } from './problem.ts';
import { reportSignedOut } from './signed-out.ts';
import { isUserIdle } from './user-activity.ts';

/** What the procedures answer, by area and name: `Outputs['operationsManager']['listJobs']`. */
export type Outputs = inferRouterOutputs<AppRouter>;
/** What the procedures accept, by area and name. */
export type Inputs = inferRouterInputs<AppRouter>;

/** Hands the ETag of an answer to the caller whose context asks for it: some documents have their stamp only there. */
const stamps: TRPCLink<AppRouter> = () => (call) => {
  const { onStamp } = call.op.context as { onStamp?: (stamp: string | undefined) => void };
  const answers = call.next(call.op);
  return onStamp
    ? answers.pipe(
        tap({
          next: ({ context }) =>
            onStamp((context?.response as Response | undefined)?.headers.get('ETag') ?? undefined),
        }),
      )
    : answers;
};

/** How long an answer that only reads may take, in milliseconds: a configuration of a slow device takes minutes. Afterwards it can be asked for again. */
const READ_MS = 300_000;

/** Ends a query whose answer never comes: its page would load for ever. */
const endless: TRPCLink<AppRouter> = () => (call) => {
  const { op } = call;
  return call.next(op.type === 'query' ? { ...op, signal: op.signal ?? AbortSignal.timeout(READ_MS) } : op);
};

/**
 * Queries are sent as POST so that long filters and configurations never meet the limit of an address; the server still
 * treats them as reads. Each call is a request of its own: a slow one holds up no other.
 */
const client = createTRPCClient<AppRouter>({
  links: [
    stamps,
    endless,
    httpLink({
      url: '/trpc',
      methodOverride: 'POST',
      fetch: async (address, options) => {
        const response = await fetch(address, options as RequestInit);
        noteTime(response.headers.get('Date'));
        if (response.status === 401) checkSession(response.url);
        assertOwnAnswer(response);
        return response;
      },
      headers: ({ op }) => ({
        ...(op.context.background || (op.type === 'query' && isUserIdle()) ? { 'X-Background': '1' } : {}),
        ...(typeof op.context.ifMatch === 'string' && { 'If-Match': op.context.ifMatch }),
      }),
    }),
  ],
});

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // The server answered: asking again changes nothing, unless it said that it is overloaded or cannot be reached.
      retry: (count, error) =>
        count < 2 &&
        // A read that took too long (READ_MS) is asked for again by its user alone.
        (error.cause as Error | undefined)?.name !== 'AbortError' &&
        [0, 429, 502, 503, 504].includes(problemOf(error).status),
    },
  },
});

/** Asks again for everything that the page shows and that has failed: what failed one part has failed others. */
export const retryFailed = (): void =>
  void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });

/** The procedure that says who is signed in. */
const WHO_AM_I = '/trpc/session.whoAmI';

/** After a 401, which a wrong password or code has as well, finds out whether the session has ended. */
function checkSession(address: string): void {
  if (new URL(address).pathname === WHO_AM_I) reportSignedOut();
  // An answer of 401 comes back here; any other failure says nothing about the session.
  else void client.session.whoAmI.query({}).catch(() => undefined);
}

/** Query and mutation options of every procedure: `useQuery(trpc.operationsManager.listJobs.queryOptions({…}))`. */
export const trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient });

/** Options of a query that is also read again by a timer: none of its requests extends the session. */
export const IN_BACKGROUND = { trpc: { context: { background: true } } };

/** The plain client, for calls outside of React Query: `api.search.search.query({…})`. */
export const api = client;
