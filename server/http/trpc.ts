import { getTRPCErrorShape, type TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { Hono, Context as HonoContext } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { appRouter } from '#routers/index.ts';
import { failureOf } from '#server/kernel/call-failures.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { Context } from '#server/kernel/procedures.ts';
import { withoutOuterSlashes } from '#server/kernel/text/without-final.ts';
import { headersOf } from './failure.ts';
import {
  assertLength,
  assertType,
  assertValues,
  type BodyLimit,
  bodyLimitOf,
  readText,
} from './input/body.ts';
import { takeToken } from './input/credential.ts';
import { procedures } from './operations.ts';
import { baseHeaders, type Env, type Face } from './rest.ts';

/** Most calls in one batch (contract/decisions#3). */
const BATCH = 20;
const ALLOW = 'GET, HEAD, POST, OPTIONS';

/**
 * Mounts the typed face at `/trpc`: tRPC's own handler, preceded by checks that it lacks: the method, and the type and
 * length of a body. Every rejection has the one error shape.
 */
export function mountTrpc(app: Hono<Env>, { contextOf, limits }: Face): void {
  app.all('/trpc/*', async (c) => {
    c.env.route = '/trpc';
    const { token } = takeToken(c.req.url.split('?')[1] ?? '');
    const context = () => contextOf(c, 'trpc', token);
    // tRPC answers HEAD without looking for a procedure, and without our headers.
    if (c.req.method === 'OPTIONS' || c.req.method === 'HEAD') {
      return c.body(null, 204, { ...baseHeaders(c.env), Allow: ALLOW });
    }
    try {
      const limit = limitOf(c, limits);
      // tRPC reads the body once a procedure's guard has accepted the caller, and without any limit of its own.
      Object.defineProperty(c.req.raw, 'text', {
        value: async () => {
          const text = await readText(c.env.incoming, ['application/json'], limit);
          assertValues(text, limit);
          return text;
        },
      });
    } catch (error) {
      return errorResponse(c, failureOf(error), context());
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
          ...baseHeaders(c.env),
          ...Object.assign({}, ...errors.map(headersOf)),
          ...ctx?.answer.headers,
        }),
      }),
    });
    // Rejected before a context existed: tRPC then knows neither the request id nor the content type.
    return early ? errorResponse(c, failureOf(early), context()) : answer;
  });
}

/**
 * Returns the limit of the body: the smallest of the procedures that the request calls.
 *
 * @throws ServiceError for a method or body type that procedures do not accept, or a batch that is not allowed
 */
function limitOf(c: HonoContext<Env>, limits: Face['limits']): BodyLimit {
  const { method } = c.req;
  if (method !== 'GET' && method !== 'POST') {
    throw new ServiceError('METHOD_NOT_SUPPORTED', `Procedures can be called with ${ALLOW}`, {
      headers: { Allow: ALLOW },
    });
  }
  if (method === 'POST') assertType(c.env.incoming, ['application/json']);
  const metas = calledNames(c.req.url).map((name) =>
    Object.hasOwn(procedures, name) ? procedures[name]?._def.meta : undefined,
  );
  if (metas.length > 1 && metas.some((meta) => meta?.audience === 'public')) {
    throw new ServiceError(
      'BAD_REQUEST',
      'A procedure that needs no credential cannot be part of a batch: call it in a request of its own',
    );
  }
  const each = metas.map((meta) => bodyLimitOf(meta, limits));
  const least = each.reduce((least, one) => (one.bytes < least.bytes ? one : least));
  // The limit of values of an import applies to a batch only if it calls nothing else.
  const limit = { ...least, isImport: each.every(({ isImport }) => isImport === true) };
  assertLength(c.env.incoming, limit);
  return limit;
}

/** Returns the procedures that a request calls, parsed from its URL as tRPC does. */
function calledNames(address: string): string[] {
  const { pathname, searchParams } = new URL(address);
  const path = withoutOuterSlashes(pathname.slice('/trpc'.length));
  try {
    const names = decodeURIComponent(path);
    if (searchParams.get('batch') !== '1') return [names];
    const all = names.split(',');
    if (all.length > BATCH) {
      throw new ServiceError('BAD_REQUEST', `A batch may have at most ${BATCH} calls (got ${all.length})`);
    }
    return all;
  } catch (error) {
    if (error instanceof URIError)
      throw new ServiceError('BAD_REQUEST', 'The path is not valid URL encoding');
    throw error;
  }
}

/** Returns an error in tRPC's envelope; a client of a batch treats it as the response of each call. */
function errorResponse(c: HonoContext<Env>, error: TRPCError, ctx: Context): Response {
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
    ...baseHeaders(c.env),
    ...headersOf(error),
  });
}
