import type { Server } from 'node:http';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { createApp } from '#server/http/app.ts';
import { holdContinue } from '#server/http/input/body.ts';
import { endpoints } from '#server/http/operations.ts';
import { answerProtocolErrors } from '#server/http/protocol-errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { type ComposeOptions, composePlatform } from './compose.ts';

/** Time in which the headers of a request must arrive, and the interval at which that is checked, in milliseconds. */
const HEADERS_MS = 15_000;
const CHECK_MS = 5000;

/** Composes a service: what a request needs, and an HTTP server that is not listening yet. */
export function composeService(parts: ComposeOptions) {
  const joined = composePlatform(parts);
  const { gate } = joined;
  const platform: Platform = {
    ...joined.platform,
    catalogue: endpoints,
    // Loaded on first use: the generator would slow every start.
    openApi: async (url) => {
      const { openApiFor, openApiText } = await import('#server/http/openapi/document.ts');
      return url === undefined ? openApiText() : openApiFor(url);
    },
  };
  const app = createApp({ db: parts.db, platform, gate });
  // Without TLS options the adaptor makes a plain HTTP server; its types also cover the others.
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, env as HttpBindings),
    serverOptions: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECK_MS },
  }) as Server;
  server.on('checkContinue', (incoming, outgoing) => {
    holdContinue(incoming, outgoing);
    server.emit('request', incoming, outgoing);
  });
  answerProtocolErrors(server, parts.log);
  return { ...joined, platform, server };
}
