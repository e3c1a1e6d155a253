import type { Server } from 'node:http';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { createApp } from './http/app.ts';
import { joinPlatform, type Parts } from './join.ts';

/** Join the parts into a service: what a request needs, and an HTTP server that is not listening yet. */
export function joinService(parts: Parts) {
  const joined = joinPlatform(parts);
  const { platform, gate } = joined;
  const app = createApp({ db: parts.db, platform, gate });
  // Without TLS options the adaptor makes a plain HTTP server; its types also cover the others.
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, env as HttpBindings),
  }) as Server;
  return { ...joined, server };
}
