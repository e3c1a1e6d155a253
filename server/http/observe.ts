import type { HttpBindings } from '@hono/node-server';
import { describeSpan, inSpan, isTracing } from '#server/kernel/observability/trace.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { openForwarded } from './input/proxies.ts';
import { originOf, requestIdOf } from './input/request.ts';
import type { Bindings, Fetch } from './rest.ts';

/**
 * Gives every request its id, and writes one log line and one measurement by route pattern, never with path values or
 * the query. The line names the account, where known, and the client's address. It wraps the app instead of being a
 * middleware: for a path with a single handler, Hono skips composing middlewares, which costs as much as the rest of
 * its work (bench/http).
 *
 * @returns a function for requests in place of that of the app
 */
export function observed({ log: own, logOf, metrics, config }: Platform, fetch: Fetch) {
  const forwarded = openForwarded(config.trustedProxies, config.trustProxy);
  return async (request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> => {
    const started = performance.now();
    const requestId = requestIdOf(incoming);
    const env: Bindings = {
      incoming,
      outgoing,
      requestId,
      ...originOf(incoming, forwarded),
      route: 'unknown',
    };
    const response = isTracing() ? await traced(fetch, request, env) : await fetch(request, env);
    const { status } = response;
    const { route, application, account, address } = env;
    const log = application === undefined ? own : logOf('application', application);
    const { method } = request;
    const ms = performance.now() - started;
    metrics.request(method, route, status, ms / 1000);
    if (status >= 500 || log.isLevelEnabled('info')) {
      const line = { requestId, method, route, status, ms: Math.round(ms * 10) / 10, account, address };
      if (status >= 500) log.warn(line, 'request');
      else log.info(line, 'request');
    }
    return response;
  };
}

/** Answers a request as a span, which continues the trace of the client that sends a `traceparent`. */
function traced(fetch: Fetch, request: Request, env: Bindings): Promise<Response> {
  const { method } = request;
  const parent = request.headers.get('traceparent') ?? undefined;
  return inSpan(method, { kind: 'server', parent }, async () => {
    const response = await fetch(request, env);
    const { route, account, requestId } = env;
    const { status } = response;
    describeSpan(
      {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'switchyard.request.id': requestId,
        'switchyard.account': account,
        ...(status >= 500 && { 'error.type': String(status) }),
      },
      `${method} ${route}`,
    );
    return response;
  });
}
