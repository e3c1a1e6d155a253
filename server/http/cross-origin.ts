import { Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Gate } from './input/request.ts';
import type { Env, Fetch } from './rest.ts';

/**
 * Lets pages of the configured origins read and write from a browser; all others get no permission
 * (contract/decisions#methods). What names no origin goes straight on.
 */
export function crossOrigin(gate: Gate, fetch: Fetch): Fetch {
  const app = new Hono<Env>();
  app.use(
    cors({
      origin: async (origin) => {
        const allowed = await gate.allowedOrigins();
        if (allowed.includes(origin)) return origin;
        // Named as `*`, any page may read what needs no cookie; a browser then sends none along.
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
