import { getTRPCErrorShape, type TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { Hono, Context as HonoContext } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { appRouter } from '#routers/index.ts';
import { ServiceError } from '#server/errors.ts';
import { type Context, failureOf } from '#server/trpc.ts';
import { assertLength, assertType } from './body.ts';
import { takeToken } from './credential.ts';
import { headersOf } from './failure.ts';
import { procedures } from './operations.ts';
import { type Env, type Face, standing } from './rest.ts';

/** Most calls in one batch (decisions §3). */
const BATCH = 20;
const ALLOW = 'GET, HEAD, POST, OPTIONS';

/**
 * The typed face at `/trpc`: what tRPC's own handler does, and before it what that does not look at: the method, the
 * type and the length of a body. Whatever is refused, a typed client finds the one error shape.
 */
export function mountTrpc(app: Hono<Env>, { contextOf, limits }: Face) {
  app.all('/trpc/*', async (c) => {
    c.env.route = '/trpc';
    const { token } = takeToken(c.req.url.split('?')[1] ?? '');
    const context = () => contextOf(c, 'trpc', token);
    // tRPC answers HEAD without looking for a procedure, and without our headers.
    if (c.req.method === 'OPTIONS' || c.req.method === 'HEAD') {
      return c.body(null, 204, { ...standing(c.env.requestId), Allow: ALLOW });
    }
    try {
      assertReadable(c, limits);
    } catch (error) {
      return tell(c, failureOf(error), context());
    }
    let early: TRPCError | undefined;
    const answer = await fetchRequestHandler({
      endpoint: '/trpc',
      req: c.req.raw,
      router: appRouter,
      maxBatchSize: BATCH,
      allowMethodOverride: true,
      createContext: context,
      onError: ({ error, ctx }) => {
        if (!ctx) early = error;
      },
      responseMeta: ({ ctx, errors }) => ({
        headers: new Headers({
          ...standing(c.env.requestId),
          ...Object.assign({}, ...errors.map(headersOf)),
          ...ctx?.answer.headers,
        }),
      }),
    });
    // Refused before there was a context: tRPC then knows neither the request's id nor that this is JSON.
    return early ? tell(c, failureOf(early), context()) : answer;
  });
}

function assertReadable(c: HonoContext<Env>, limits: Face['limits']) {
  const { method } = c.req;
  if (method === 'GET') return;
  if (method !== 'POST') {
    throw new ServiceError('METHOD_NOT_SUPPORTED', `Procedures are called by ${ALLOW}`, {
      headers: { Allow: ALLOW },
    });
  }
  assertType(c.env.incoming, ['application/json']);
  assertLength(c.env.incoming, batchLimit(c.req.path, limits));
}

/** Bytes that a body may have: an import's limit when the batch holds an import. */
function batchLimit(path: string, limits: Face['limits']): number {
  const names = path.slice('/trpc/'.length).split(',');
  const imports = names.some((name) => procedures[name]?._def.meta?.bodyLimit === 'import');
  return imports ? limits.import : limits.body;
}

/** A refusal in tRPC's envelope; a client of a batch takes it as the answer of each call. */
function tell(c: HonoContext<Env>, error: TRPCError, ctx: Context): Response {
  if (error.code === 'INTERNAL_SERVER_ERROR') {
    ctx.platform.log.error({ err: error.cause, requestId: ctx.request.id }, 'internal error');
  }
  const shape = getTRPCErrorShape({
    config: appRouter._def._config,
    error,
    type: 'unknown',
    path: undefined,
    input: undefined,
    ctx,
  });
  return c.json({ error: shape }, getHTTPStatusCodeFromError(error) as ContentfulStatusCode, {
    ...standing(ctx.request.id),
    ...headersOf(error),
  });
}
