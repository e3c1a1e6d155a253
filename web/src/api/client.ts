import { QueryCache, QueryClient } from '@tanstack/react-query';
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { AppRouter } from '../../../routers/index.ts';
import { problemOf } from './problem.ts';
import { reportSignedOut } from './signed-out.ts';
import { isUserIdle } from './user-activity.ts';

/** What the procedures answer, by area and name: `Outputs['operationsManager']['listJobs']`. */
export type Outputs = inferRouterOutputs<AppRouter>;
/** What the procedures accept, by area and name. */
export type Inputs = inferRouterInputs<AppRouter>;

/**
 * Queries are sent as POST so that long filters and configurations never meet the limit of an address; the server still
 * treats them as reads. Each call is a request of its own: a slow one holds up no other.
 */
const client = createTRPCClient<AppRouter>({
  links: [
    httpLink({
      url: '/trpc',
      methodOverride: 'POST',
      headers: ({ op }) => ({
        ...(op.context.background || (op.type === 'query' && isUserIdle()) ? { 'X-Background': '1' } : {}),
        ...(typeof op.context.ifMatch === 'string' && { 'If-Match': op.context.ifMatch }),
      }),
    }),
  ],
});

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: watchSession }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // The server answered: asking again changes nothing, unless it said that it is overloaded or cannot be reached.
      retry: (count, error) => count < 2 && [0, 429, 502, 503, 504].includes(problemOf(error).status),
    },
    mutations: { onError: watchSession },
  },
});

function watchSession(error: Error): void {
  if (error instanceof TRPCClientError && problemOf(error).status === 401) reportSignedOut();
}

/** Query and mutation options of every procedure: `useQuery(trpc.operationsManager.listJobs.queryOptions({…}))`. */
export const trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient });

/** Options of a query that is also read again by a timer: none of its requests extends the session. */
export const IN_BACKGROUND = { trpc: { context: { background: true } } };

/** The plain client, for calls outside of React Query: `api.search.search.query({…})`. */
export const api = client;
