import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Gate } from './request.ts';
import type { Env } from './rest.ts';

/** Lets pages of the configured origins read and write from a browser; all others get no permission (decisions §1). */
export function crossOrigin(gate: Gate): MiddlewareHandler<Env> {
  return cors({
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
  });
}
