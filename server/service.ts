import type { Server } from 'node:http';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { Config } from './config.ts';
import { durable } from './durable/engine.ts';
import { openAccess, principalOf } from './engines/access/service.ts';
import { recordDeed } from './engines/audit/service.ts';
import { openGoverning } from './engines/platform/governing.service.ts';
import { measureDatabase } from './engines/platform/health.service.ts';
import { openRunning } from './engines/platform/running.service.ts';
import { createApp } from './http/app.ts';
import { operations } from './http/operations.ts';
import type { Gate } from './http/request.ts';
import { openMetrics } from './metrics.ts';
import type { Audit, Platform } from './platform.ts';
import { openOrchestrator } from './southbound/orchestrator/orchestrator.ts';
import type { Vault } from './vault.ts';

type Parts = {
  config: Config;
  db: Database;
  vault: Vault;
  log: Logger;
  now?: () => Date;
};

/** The channel on which the database tells every process that rights, profiles or applications changed. */
export const ACCESS_CHANGED = 'access_changed';

/**
 * Join the parts into a service: what a request needs, and an HTTP server that is not listening yet.
 *
 * @returns `accessChanged`, to be called whenever rights, profiles or applications change anywhere
 */
export function joinService({ config, db, vault, log, now = () => new Date() }: Parts) {
  const metrics = openMetrics(() => measureDatabase(db));
  const startLevel = log.level;
  const governing = openGoverning(db, ({ logLevel }) => {
    const level = logLevel ?? startLevel;
    if (log.level !== level) log.level = level;
  });
  const running = openRunning(db);
  const access = openAccess({
    db,
    tokenKey: vault.derive('oauth access tokens'),
    rules: governing.get,
    now,
    signIn: metrics.signIn,
  });
  const accessChanged = () => {
    access.callers.forget();
    governing.forget();
    running.forget();
    // The log cannot ask for its level as requests ask for theirs. While the database is away the next request will.
    governing.get().catch(() => undefined);
  };
  const platform: Platform = {
    config,
    log,
    now,
    vault,
    metrics,
    access,
    accessChanged,
    audit: auditTo(db, now),
    catalogue: operations.map(({ name, permission, method, path, meta }) => ({
      name,
      permission,
      method,
      path,
      audience: meta.audience ?? 'public',
    })),
    profileAtNextStart: governing.atNextStart,
    // Loaded at its first use: the generator would slow every start.
    openApi: async (url) => {
      const { openApiFor, openApiText } = await import('./http/openapi.ts');
      return url === undefined ? openApiText() : openApiFor(url);
    },
    assertRunning: running.assert,
    durable,
    orchestrator: openOrchestrator({
      allowNear: config.allowPrivateTargets,
      unreleased: (adapter, step) =>
        log.warn({ adapter, step }, 'the orchestrator did not take back a session'),
    }),
  };
  const gate: Gate = {
    principalOf: (credential, from) => principalOf(access, credential, from),
    cookieName: async () => (await governing.get()).cookieName,
    allowedOrigins: async () => {
      const { allowedOrigin } = await governing.get();
      return allowedOrigin ? [...config.allowedOrigins, allowedOrigin] : config.allowedOrigins;
    },
    trustProxy: config.trustProxy,
  };
  const app = createApp({ db, platform, gate });
  // Without TLS options the adaptor makes a plain HTTP server; its types also cover the others.
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, env as HttpBindings),
  }) as Server;
  return { server, platform, accessChanged };
}

function auditTo(db: Database, now: () => Date): Audit {
  return {
    success: (tx, ctx, caller, operation, changes) =>
      recordDeed(
        tx,
        {
          account: caller.username,
          accountId: caller.id,
          address: ctx.request.address,
          operation,
          requestId: ctx.request.id,
          outcome: 'ok',
          status: ctx.answer.status ?? 200,
          changes,
        },
        now(),
      ),
    refusal: (ctx, caller, operation, failure) =>
      recordDeed(
        db,
        {
          account: caller.username,
          accountId: caller.id,
          address: ctx.request.address,
          operation,
          requestId: ctx.request.id,
          outcome: failure.code === 'INTERNAL_SERVER_ERROR' ? 'failed' : 'refused',
          status: getHTTPStatusCodeFromError(failure),
          changes: [],
        },
        now(),
      ),
  };
}
