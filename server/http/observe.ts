import type { MiddlewareHandler } from 'hono';
import type { Platform } from '#server/platform.ts';
import { requestIdOf } from './request.ts';
import type { Env } from './rest.ts';

/**
 * Gives every request its id, and leaves one log line and one measurement of it, by route pattern: never by its
 * path's values, never with its query. One middleware around all, because each costs every request.
 *
 * @param crossOrigin answers browsers that ask whether another origin may read
 */
export function observe(
  { log, metrics }: Platform,
  crossOrigin: MiddlewareHandler<Env>,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    const requestId = requestIdOf(c.env.incoming);
    c.set('requestId', requestId);
    let early: Response | undefined;
    // What `next` gives is Hono's own context, which is no answer.
    if (c.env.incoming.headers.origin === undefined) await next();
    else early = (await crossOrigin(c, next)) ?? undefined;
    const status = early ? early.status : c.res.status;
    const ms = performance.now() - started;
    const route = c.get('route') ?? 'unknown';
    const { method } = c.req;
    metrics.request(method, route, status, ms / 1000);
    if (status >= 500 || log.isLevelEnabled('info')) {
      const line = { requestId, method, route, status, ms: Math.round(ms * 10) / 10 };
      if (status >= 500) log.warn(line, 'request');
      else log.info(line, 'request');
    }
    return early;
  };
}
