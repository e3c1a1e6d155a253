import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { measureDatabase } from '#server/domains/health/index.ts';
import {
  openAccess,
  openDirectories,
  principalOf,
  sessionLimitsOf,
  sourceOf,
} from '#server/domains/identity/index.ts';
import {
  callForDevice,
  followPackages,
  openStateRecord,
  SLOT_FREED,
  slotFreed,
} from '#server/domains/integrations/index.ts';
import { learnDeviceTypes, withoutConfigurationSecrets } from '#server/domains/network/index.ts';
import {
  noteProviderState,
  openGoverning,
  openPartLogs,
  openProvider,
  openRunning,
  recordUse,
} from '#server/domains/operations/index.ts';
import { openFeed } from '#server/domains/workflow/index.ts';
import { durable } from '#server/durable/requests.ts';
import type { Gate } from '#server/http/input/request.ts';
import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import { openDenialLog } from '#server/kernel/audit/denial-log.service.ts';
import type { Config } from '#server/kernel/config.ts';
import { openMetrics } from '#server/kernel/observability/metrics.ts';
import { observedPort } from '#server/kernel/observability/observed-port.ts';
import { count } from '#server/kernel/observability/shared-figures.ts';
import type { Audit, InternalGet, LogOf, WorkPlatform } from '#server/kernel/platform.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { readDrivers } from '#server/southbound/cli/added-drivers.ts';
import type { CliRun } from '#server/southbound/cli/ports.ts';
import { openCliInThread } from '#server/southbound/cli/sessions/cli-in-thread.ts';
import { openGit } from '#server/southbound/git/git.ts';
import { openGnoi } from '#server/southbound/gnoi/gnoi.ts';
import { openHttp } from '#server/southbound/http/http.ts';
import { openOutboundProxy } from '#server/southbound/http/outbound-proxy.ts';
import { openLdap } from '#server/southbound/ldap/ldap.ts';
import { openMail } from '#server/southbound/mail/mail.ts';
import { openOrchestrator } from '#server/southbound/orchestrator/orchestrator.ts';
import { openPackages } from '#server/southbound/packages/packages.ts';
import { openRest } from '#server/southbound/rest/rest.ts';
import { openSecrets } from '#server/southbound/secrets/secrets.ts';

export type ComposeOptions = {
  config: Config;
  db: Database;
  vault: Vault;
  log: Logger;
  now?: () => Date;
};

/** Purpose for which the keys that sign access tokens are derived. */
const OF_TOKENS = 'oauth access tokens';

/** The notification channel on which the database announces changes of rights, profiles, applications or adapters. */
const ACCESS_CHANGED = 'access_changed';

/** The notification channel on which the database announces new events (`sequence_events`). */
export const EVENTS_CHANNEL = 'events';

/** The notification channel that carries the events that are not stored. */
const TRANSIENT_EVENTS = 'transient_events';

/**
 * Composes the parts that requests and durable work need. What is derived from the endpoints is added by the service
 * (open-service.ts): loading all endpoints takes half a second, and a process that only works answers no requests.
 *
 * @returns `accessChanged`, to be called whenever rights, profiles, applications or adapters change anywhere
 */
export function composePlatform({ config, db, vault, log, now = () => new Date() }: ComposeOptions) {
  const metrics = openMetrics(() => measureDatabase(db));
  const startLevel = log.level;
  const partLogs = openPartLogs(db, log);
  const governing = openGoverning(db, ({ logLevel }) => {
    const level = logLevel ?? startLevel;
    if (log.level !== level) log.level = level;
    // While the database is away they keep their levels; the next change reads them.
    partLogs.follow().catch(() => undefined);
  });
  const running = openRunning(db);
  const access = openAccess({
    db,
    tokenKeys: [vault.derive(OF_TOKENS), vault.derivePrevious(OF_TOKENS)].filter((one) => one !== null),
    rules: governing.get,
    now,
    signIn: metrics.signIn,
    directories: openDirectories(() => ({ db, platform })),
  });
  const events = openFeed({
    db,
    log,
    perCaller: config.events.streams,
    sessionLimits: async () => sessionLimitsOf(await governing.get()),
  });
  // The log cannot wait for its levels as requests can. While the database is away, the next request reads them.
  const takeLevels = () => void governing.get().catch(() => undefined);
  takeLevels();
  const accessChanged = () => {
    access.callers.forget();
    governing.forget();
    running.forget();
    events.accessChanged();
    takeLevels();
    followPackages({ db, packages: platform.packages }).catch((err: unknown) =>
      log.warn({ err }, 'processes of adapter packages not compared with their adapters'),
    );
  };
  const ports = openPorts({ config, db, log, logOf: partLogs.logOf });
  let internal: InternalGet | undefined;
  const platform: WorkPlatform = {
    ...ports,
    // Loaded on first use: processes that only work load no endpoints otherwise.
    internalGet: async (...request) => {
      const { openInternal } = await import('#server/http/internal.ts');
      internal ??= openInternal({ db, platform });
      return internal(...request);
    },
    config,
    log,
    logOf: partLogs.logOf,
    now,
    vault,
    maskConfiguration: withoutConfigurationSecrets,
    secrets: openSecrets({
      http: ports.http,
      local: config.secrets,
      log,
      findProvider: (name) => openProvider(db, vault, name),
      record: (reference, provider, use, outcome, lease) =>
        recordUse(db, { reference, provider, use, outcome, lease }, now()),
      noteState: (provider, fault) => noteProviderState(db, provider, fault),
    }),
    metrics,
    access,
    accessChanged,
    audit: auditTo({ db, log, now }),
    profileAtNextStart: governing.atNextStart,
    retries: async () => (await governing.get()).retries,
    assertRunning: running.assert,
    durable,
    callForDevice: (adapter, method, device) => callForDevice({ db, platform }, adapter, method, device),
    events,
  };
  // Behind a proxy that does not pass the header Host, requests do not name the origin of the console.
  const configuredOrigins = [...config.allowedOrigins, ...(config.publicUrl ? [config.publicUrl] : [])];
  const gate: Gate = {
    principalOf: (credential, from) => principalOf(access, credential, from),
    cookieName: async () => (await governing.get()).cookieName,
    allowedOrigins: async () => {
      const { allowedOrigin } = await governing.get();
      return allowedOrigin ? [...configuredOrigins, allowedOrigin] : configuredOrigins;
    },
  };
  return {
    platform,
    gate,
    accessChanged,
    /** Handlers of the database's notification channels. */
    channels: {
      [ACCESS_CHANGED]: accessChanged,
      [EVENTS_CHANNEL]: events.catchUp,
      [TRANSIENT_EVENTS]: events.passOn,
      [SLOT_FREED]: () => slotFreed(db),
    },
  };
}

/** Opens the ports to devices and other systems. */
function openPorts({ config, db, log, logOf }: { config: Config; db: Database; log: Logger; logOf: LogOf }) {
  const { allowPrivateTargets } = config;
  const cli = openCliInThread({
    allowPrivateTargets,
    added: readDrivers(config.cli.drivers),
    limits: { sessions: config.cli.sessions, perHost: config.cli.sessionsPerHost },
    insecure: (host) => log.warn({ host }, 'the key of a host was not checked: its policy is insecure'),
    lost: (error) =>
      log.error({ err: error }, 'the thread of the device sessions ended; the next call starts a new one'),
  });
  learnDeviceTypes(cli.drivers);
  const findProxy = openOutboundProxy(config.outboundProxy);
  return {
    cli: observedPort(
      { kind: 'ssh', span: 'device session' },
      cli,
      ['run', 'probe'],
      ({ name, deviceType }) => ({ 'switchyard.device': name, 'switchyard.device.type': deviceType }),
      (result) => {
        const { session } = result as Pick<CliRun, 'session'>;
        if (session) count('ssh', session.reused ? 'reused' : 'opened');
      },
    ),
    http: observedPort(
      { kind: 'http', span: 'http' },
      openHttp({ allowPrivateTargets, findProxy }),
      ['send', 'connect'],
      ({ adapter }) => ({ 'switchyard.adapter': adapter }),
    ),
    gnoi: observedPort(
      { kind: 'gnoi', span: 'gnoi' },
      openGnoi({ allowPrivateTargets }),
      ['traceroute', 'time'],
      ({ name }) => ({ 'switchyard.device': name }),
    ),
    rest: openRest({ allowPrivateTargets }),
    packages: openPackages({
      allowPrivateTargets,
      ...config.adapters,
      logOf: (instance) => logOf('adapter', instance),
      onState: openStateRecord({ db, log }),
    }),
    git: openGit({ allowPrivateTargets, findProxy }),
    mail: openMail({ allowPrivateTargets }),
    ldap: openLdap({ allowPrivateTargets }),
    orchestrator: openOrchestrator({
      allowPrivateTargets,
      unreleased: (adapter, step) =>
        logOf('adapter', adapter).warn({ step }, 'a session of the orchestrator could not be released'),
    }),
  };
}

/** Audit rows per kind of denied request and minute; further ones are only counted. */
const ROWS = { ofWrites: 20, ofReads: 1 };

function auditTo(parts: { db: Database; log: Logger; now: () => Date }): Audit {
  const { now } = parts;
  const denials = openDenialLog(parts, sourceOf);
  return {
    flush: denials.flush,
    success: (tx, ctx, caller, operation, changes) =>
      writeAuditRecord(
        tx,
        {
          account: caller.username,
          accountId: caller.id,
          credential: caller.credential ?? null,
          address: ctx.request.address,
          operation,
          requestId: ctx.request.id,
          outcome: 'ok',
          status: ctx.answer.status ?? 200,
          changes,
        },
        now(),
      ),
    denial: (ctx, caller, operation, failure, isWrite) =>
      denials.record(
        {
          account: caller?.username ?? null,
          accountId: caller?.id ?? null,
          credential: caller?.credential ?? null,
          address: ctx.request.address,
          operation,
          requestId: ctx.request.id,
          outcome: failure.code === 'INTERNAL_SERVER_ERROR' ? 'failed' : 'refused',
          status: getHTTPStatusCodeFromError(failure),
        },
        isWrite && caller ? ROWS.ofWrites : ROWS.ofReads,
      ),
  };
}
