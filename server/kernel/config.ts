import { join, resolve } from 'node:path';
import { z } from 'zod';
import { addressFault } from '#db/connections/address.ts';
import './validation/messages.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { SIGN_IN_VARIABLES, signInOf } from './config-sign-in.ts';
import { TELEMETRY_VARIABLES, telemetryOf } from './config-telemetry.ts';
import { listedHostFault } from './targets/listed-targets.ts';
import { isNetwork } from './targets/networks.ts';

/** The calendar version that `GET /version` and health return (contract/decisions#versioning). */
export const RELEASE = packageJson.version;

/** Default lowest scores for pass and review (contract/endpoints#4.6). */
export const DEFAULT_BENCHMARKS = { pass: 90, review: 80 };

const MIB = 1024 * 1024;

const count = (least: number, most: number) =>
  z.string().regex(/^\d+$/, 'must be an integer').transform(Number).pipe(z.number().min(least).max(most));

const points = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number')
  .transform(Number)
  .pipe(z.number().max(100));

const flag = z
  .enum(['0', '1', 'true', 'false'], 'must be 0 or 1')
  .transform((value) => value === '1' || value === 'true');

const key = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64');

/** Texts separated by commas. */
const separated = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

const networks = separated.refine(
  (all) => all.every(isNetwork),
  'must be addresses or networks separated by commas, such as 192.0.2.1,10.0.0.0/8',
);

const hosts = separated.refine(
  (all) => all.every((host) => listedHostFault(host) === null),
  'must be names, addresses, networks or * with a domain separated by commas, such as *.example.net,10.0.0.0/8',
);

const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: 'must start with postgres:// or postgresql://', abort: true })
  .superRefine((url, check) => {
    const fault = addressFault(url);
    if (fault !== null) check.addIssue({ code: 'custom', message: fault });
  });

/** The environment variables of docs/operations.md, and those that this implementation adds. */
const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: count(0, 65535).prefault('3000'),
  DATABASE_URL: databaseUrl.optional(),
  /** A pooler of the same database in transaction mode, for requests and short statements of work. */
  DATABASE_POOLER_URL: databaseUrl.optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  ADMIN_PASSWORD: z.string().min(12, 'must have at least 12 characters').optional(),
  SECRET_KEY: key.optional(),
  /** The previous SECRET_KEY, while secrets sealed with it are stored. */
  SECRET_KEY_PREVIOUS: key.optional(),
  /** First characters of the variables that secret providers may read, and the folder of files that they may read. */
  SECRET_ENV_PREFIX: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{3,}_$/, 'must be upper-case letters, digits and _, and end with _')
    .refine(
      (text) => !'SECRET_KEY_PREVIOUS'.startsWith(text) && !text.startsWith('SECRET_KEY'),
      'must not begin like SECRET_KEY',
    )
    .default('SWITCHYARD_SECRET_'),
  SECRET_FILES: z.string().startsWith('/', 'must be an absolute path').optional(),
  /** Folder of scheduled backups, how often they are made, and how many are kept. */
  BACKUP_DIR: z.string().min(1).optional(),
  BACKUP_EVERY_HOURS: count(1, 720).prefault('24'),
  BACKUP_KEEP: count(1, 1000).prefault('7'),
  /** Folder in which retention runs archive what they delete; DATA_DIR/archive unless set. */
  RETENTION_DIR: z.string().min(1).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  ALLOW_PRIVATE_TARGETS: flag.prefault('0'),
  WORKERS: count(0, 1024).prefault('16'),
  /** How long a process that stops still accepts requests, while its readiness answers 503, in seconds. */
  DRAIN_SECONDS: count(0, 60).prefault('0'),
  /** Largest request body, and largest import, in MiB. */
  BODY_LIMIT_MIB: count(1, 1024).prefault('16'),
  IMPORT_LIMIT_MIB: count(1, 1024).prefault('256'),
  /** Other origins that may write with a cookie and read across origins, separated by commas. */
  ALLOWED_ORIGINS: z.string().default(''),
  /** Default lowest scores for pass and review, when a request names none (contract/endpoints#4.6). */
  GRADE_PASS: points.prefault(String(DEFAULT_BENCHMARKS.pass)),
  GRADE_REVIEW: points.prefault(String(DEFAULT_BENCHMARKS.review)),
  /** Most event streams of one account in one process. */
  EVENT_STREAMS: count(1, 100_000).prefault('100'),
  /** How many events are kept for readers that reconnect, and for how many hours. */
  EVENTS_KEPT: count(1, 10_000_000).prefault('200000'),
  EVENTS_KEPT_HOURS: count(1, 8760).prefault('168'),
  /** 1 when a proxy in front sets X-Forwarded-For and X-Forwarded-Proto. */
  TRUST_PROXY: flag.prefault('0'),
  /** Addresses and networks of the proxies in front, separated by commas; only their X-Forwarded-* headers count. */
  TRUSTED_PROXIES: networks.prefault(''),
  /** Files of the certificate chain and its key, PEM: serves HTTPS; changed files are loaded without a restart. */
  TLS_CERT: z.string().min(1).optional(),
  TLS_KEY: z.string().min(1).optional(),
  /** File with drivers for device types without a built-in driver (docs/devices.md). */
  CLI_DRIVERS: z.string().min(1).optional(),
  /** Most concurrent sessions with devices: in total, and per host. */
  CLI_SESSIONS: count(1, 10_000).prefault('200'),
  CLI_SESSIONS_PER_HOST: count(1, 100).prefault('2'),
  /** Folder of the adapter packages of this host (docs/adapters.md); DATA_DIR/adapters unless set. */
  ADAPTERS_DIR: z.string().min(1).optional(),
  /** Origin under which browsers reach the platform, where that is not what their requests name. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an origin such as https://nms.example.net' })
    .transform((url) => new URL(url).origin)
    .optional(),
  ...TELEMETRY_VARIABLES,
  ...SIGN_IN_VARIABLES,
  /** The proxy through which requests to other systems leave, with its name and password, and hosts reached without it. */
  OUTBOUND_PROXY: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as http://proxy.example.net:3128' })
    .transform((url) => new URL(url))
    .optional(),
  OUTBOUND_PROXY_EXCEPT: hosts.prefault(''),
  /** Whether their processes get no network of their own: 1 needs that, 0 does without; unset: where it can be had. */
  ADAPTER_NETNS: flag.optional(),
});

const namespaceOf = (netns: boolean | undefined) =>
  netns === undefined ? ('auto' as const) : netns ? ('on' as const) : ('off' as const);

/** The configuration of the process, parsed once at its start. */
export type Config = ReturnType<typeof readConfig>;

/** Thrown when variables have invalid values; the message names each one. */
export class ConfigError extends Error {}

/**
 * Parses the environment.
 *
 * @param env variables by name; an empty one counts as missing
 * @returns the configuration, with defaults for what the environment does not set
 * @throws ConfigError naming every invalid variable, for the operator; never with the value of a secret
 * @see docs/operations.md
 */
export function readConfig(env: Record<string, string | undefined>) {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new ConfigError(`configuration: ${wrong.join('; ')}`);
  }
  const value = parsed.data;
  if ((value.TLS_CERT === undefined) !== (value.TLS_KEY === undefined))
    throw new ConfigError('configuration: TLS_CERT and TLS_KEY must be set together');
  if (value.DATABASE_POOLER_URL !== undefined && value.DATABASE_URL === undefined)
    throw new ConfigError('configuration: DATABASE_POOLER_URL needs DATABASE_URL, the database itself');
  return {
    host: value.HOST,
    port: value.PORT,
    /** Whether PORT is set: a process that only works then answers probes there. */
    hasPort: given.PORT !== undefined,
    tls:
      value.TLS_CERT !== undefined && value.TLS_KEY !== undefined
        ? { cert: value.TLS_CERT, key: value.TLS_KEY }
        : undefined,
    databaseUrl: value.DATABASE_URL,
    poolerUrl: value.DATABASE_POOLER_URL,
    drainMs: value.DRAIN_SECONDS * 1000,
    // Programs that the service starts work in folders of their own.
    dataDir: resolve(value.DATA_DIR),
    adminPassword: value.ADMIN_PASSWORD,
    secretKey: value.SECRET_KEY,
    secretKeyPrevious: value.SECRET_KEY_PREVIOUS,
    secrets: { envPrefix: value.SECRET_ENV_PREFIX, folder: value.SECRET_FILES },
    retentionDirectory: resolve(value.RETENTION_DIR ?? join(value.DATA_DIR, 'archive')),
    backups: { directory: value.BACKUP_DIR, everyHours: value.BACKUP_EVERY_HOURS, keep: value.BACKUP_KEEP },
    logLevel: value.LOG_LEVEL,
    allowPrivateTargets: value.ALLOW_PRIVATE_TARGETS,
    workers: value.WORKERS,
    bodyLimit: value.BODY_LIMIT_MIB * MIB,
    importLimit: value.IMPORT_LIMIT_MIB * MIB,
    allowedOrigins: value.ALLOWED_ORIGINS.split(',')
      .map((origin) => origin.trim().replace(/\/$/, ''))
      .filter(Boolean),
    benchmarks: { pass: value.GRADE_PASS, review: value.GRADE_REVIEW },
    events: {
      streams: value.EVENT_STREAMS,
      kept: { most: value.EVENTS_KEPT, hours: value.EVENTS_KEPT_HOURS },
    },
    outboundProxy: value.OUTBOUND_PROXY && {
      url: value.OUTBOUND_PROXY,
      except: value.OUTBOUND_PROXY_EXCEPT,
    },
    trustProxy: value.TRUST_PROXY,
    trustedProxies: value.TRUSTED_PROXIES,
    cli: {
      drivers: value.CLI_DRIVERS,
      sessions: value.CLI_SESSIONS,
      sessionsPerHost: value.CLI_SESSIONS_PER_HOST,
    },
    publicUrl: value.PUBLIC_URL,
    signIn: signInOf(value),
    telemetry: telemetryOf(value),
    adapters: {
      directory: resolve(value.ADAPTERS_DIR ?? join(value.DATA_DIR, 'adapters')),
      namespace: namespaceOf(value.ADAPTER_NETNS),
    },
  };
}
