import { type ErrorHandler, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Gate } from './input/request.ts';
import type { Env, Fetch } from './rest.ts';

/**
 * Lets pages of the configured origins read and write from a browser; all other origins get no permission
 * (contract/decisions#methods). Requests without an `Origin` header bypass CORS handling.
 *
 * @param answerError answers when the configured origins cannot be read
 */
export function crossOrigin(gate: Gate, fetch: Fetch, answerError: ErrorHandler<Env>): Fetch {
  const app = new Hono<Env>();
  app.onError(answerError);
  app.use(
    cors({
      origin: async (origin) => {
        const allowed = await gate.allowedOrigins();
        if (allowed.includes(origin)) return origin;
        // With `*` configured, any page may read what needs no cookie; a browser then sends no cookie.
        return allowed.includes('*') ? '*' : null;
      },
      credentials: true,
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: ['Authorization', 'Content-Type', 'If-Match', 'X-Request-Id', 'X-Background'],
      exposeHeaders: ['X-Request-Id', 'X-Total-Count', 'X-Batch-Status', 'Retry-After'],
      maxAge: 600,
    }),
  );
  app.all('*', (c) => fetch(c.req.raw, c.env));
  return (request, env) =>
    env.incoming.headers.origin === undefined ? fetch(request, env) : app.fetch(request, env);
}
