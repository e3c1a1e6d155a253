import { type ErrorHandler, Hono, type Context as HonoContext } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { failureOf } from '#server/kernel/call-failures.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import type { Context } from '#server/kernel/procedures.ts';
import { crossOrigin } from './cross-origin.ts';
import { describeFailure } from './failure.ts';
import { type Gate, requestOf } from './input/request.ts';
import { observed } from './observe.ts';
import { operations } from './operations.ts';
import { consoleRoutes } from './pages/console.ts';
import { docsRoutes } from './pages/docs.ts';
import { baseHeaders, type Env, type Face, JSON_TYPE, mountRest } from './rest.ts';
import { mountTrpc } from './trpc.ts';

export type Deps = {
  db: Context['db'];
  platform: Platform;
  gate: Gate;
};

/**
 * Creates the HTTP app: REST at the documented paths, tRPC at `/trpc`, the console at `/console`, the OpenAPI document and its
 * page. Opens no port.
 *
 * @returns the app, which `fetch` of a server calls
 */
export function createApp({ db, platform, gate }: Deps) {
  const app = new Hono<Env>({ strict: false });
  const { config } = platform;

  const contextOf = (c: HonoContext<Env>, face: 'rest' | 'trpc', token: string | null): Context => ({
    db,
    platform,
    request: requestOf(c.env, gate, { face, token }),
    answer: { headers: {} },
  });

  const face: Face = { contextOf, limits: { body: config.bodyLimit, import: config.importLimit } };
  mountTrpc(app, face);
  app.route('/', docsRoutes());
  app.route('/', consoleRoutes());

  mountRest(app, { ...face, operations });

  const answerError: ErrorHandler<Env> = (error, c) => {
    const failure = describeFailure(failureOf(error), c.env.requestId);
    // A ServiceError is meant for the caller, whatever its status, and the procedure's guard has logged it.
    const isFault = !(error.cause instanceof ServiceError || error instanceof ServiceError);
    if (failure.status === 500 && isFault) {
      platform.log.error({ err: error.cause ?? error, requestId: c.env.requestId }, 'internal error');
    }
    return c.body(failure.body, failure.status as ContentfulStatusCode, {
      ...baseHeaders(c.env),
      ...failure.headers,
      'Content-Type': JSON_TYPE,
    });
  };
  app.onError(answerError);
  return { fetch: observed(platform, crossOrigin(gate, app.fetch, answerError)) };
}
