import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { Hono, type Context as HonoContext } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { appRouter } from '#routers/index.ts';
import type { Config } from '#server/config.ts';
import type { Platform } from '#server/platform.ts';
import { type Context, failureOf } from '#server/trpc.ts';
import { assertLength } from './body.ts';
import { takeToken } from './credential.ts';
import { crossOrigin } from './cross-origin.ts';
import { docsRoutes } from './docs.ts';
import { describeFailure } from './failure.ts';
import { observe } from './observe.ts';
import { openApiText } from './openapi.ts';
import { operations, procedures } from './operations.ts';
import { type Gate, requestOf } from './request.ts';
import { type Env, JSON_TYPE, mountRest, standing } from './rest.ts';

export type Deps = {
  db: Context['db'];
  platform: Platform;
  gate: Gate;
};

/** Most calls in one tRPC batch (decisions §3). */
const BATCH = 20;

/**
 * The service's HTTP face: REST at the documented paths, tRPC at `/trpc`, the OpenAPI document and its page.
 * Opens no port.
 */
export function createApp({ db, platform, gate }: Deps) {
  const app = new Hono<Env>({ strict: false });
  const { config } = platform;

  const contextOf = (c: HonoContext<Env>, face: 'rest' | 'trpc', token: string | null): Context => ({
    db,
    platform,
    request: requestOf(c.env.incoming, gate, { id: c.get('requestId'), face, token }),
    answer: { headers: {} },
  });

  app.use(observe(platform, crossOrigin(gate)));

  app.all('/trpc/*', (c) => {
    c.set('route', '/trpc');
    assertLength(c.env.incoming, batchLimit(c.req.path, config));
    const { token } = takeToken(c.req.url.split('?')[1] ?? '');
    return fetchRequestHandler({
      endpoint: '/trpc',
      req: c.req.raw,
      router: appRouter,
      maxBatchSize: BATCH,
      allowMethodOverride: true,
      createContext: () => contextOf(c, 'trpc', token),
      responseMeta: ({ ctx }) => ({
        headers: new Headers({ ...standing(c.get('requestId')), ...ctx?.answer.headers }),
      }),
    });
  });

  app.get('/openapi.json', (c) => {
    c.set('route', '/openapi.json');
    return c.body(openApiText(), 200, { ...standing(c.get('requestId')), 'Content-Type': JSON_TYPE });
  });
  app.route('/docs', docsRoutes());

  mountRest(app, {
    operations,
    contextOf,
    limits: { body: config.bodyLimit, import: config.importLimit },
  });

  app.onError((error, c) => {
    const failure = describeFailure(failureOf(error), c.get('requestId'));
    if (failure.status === 500) {
      platform.log.error({ err: error.cause ?? error, requestId: c.get('requestId') }, 'internal error');
    }
    return c.body(failure.body, failure.status as ContentfulStatusCode, {
      ...standing(c.get('requestId')),
      ...failure.headers,
      'Content-Type': JSON_TYPE,
    });
  });
  return app;
}

/** Bytes that a tRPC body may have: an import's limit when the batch holds an import. */
function batchLimit(path: string, config: Config): number {
  const names = path.slice('/trpc/'.length).split(',');
  const imports = names.some((name) => procedures[name]?._def.meta?.bodyLimit === 'import');
  return imports ? config.importLimit : config.bodyLimit;
}
