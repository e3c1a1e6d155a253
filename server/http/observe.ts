import type { MiddlewareHandler } from 'hono';
import type { Platform } from '#server/platform.ts';
import type { Env } from './rest.ts';

/** One log line and one measurement a request, by route pattern: never by its path's values, never with its query. */
export function observe({ log, metrics }: Platform): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    await next();
    const ms = performance.now() - started;
    const route = c.get('route') ?? 'unknown';
    const { method } = c.req;
    const { status } = c.res;
    metrics.request(method, route, status, ms / 1000);
    const line = { requestId: c.get('requestId'), method, route, status, ms: Math.round(ms * 10) / 10 };
    if (status >= 500) log.warn(line, 'request');
    else log.info(line, 'request');
  };
}
