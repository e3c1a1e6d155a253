import type { IntegrationConnection } from '#db/schemas/network/integration-connection.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { withoutFinal } from '#server/kernel/text/without-final.ts';
import type { ApiOperation, CallEffect, Paging } from '../api-operation.ts';
import { noAnswer } from './failures.ts';
import { DEFAULT_RETRY, type RetrySettings } from './retry.ts';
import type { Credentials } from './security.ts';

/** Defaults of a connection. */
const DEFAULTS = { connect: 10_000, request: 60_000, maxConcurrent: 8, answerMiB: 8 };
const MIB = 1024 * 1024;

/** Sent with every request unless the connection says otherwise. */
const STANDARD_HEADERS = { Accept: 'application/json, */*;q=0.5', 'User-Agent': 'switchyard' };

/** The settings of a connection that a call reads, with their defaults. */
export type CallSettings = {
  timeouts: { connect: number; request: number };
  maxConcurrent: number;
  maxBytes: number;
  retry: RetrySettings;
};

/** Returns the settings of a connection, with the defaults for those that it lacks. */
export const settingsOf = ({
  timeouts,
  maxConcurrent,
  maxAnswerMiB,
  retry,
}: IntegrationConnection): CallSettings => ({
  timeouts: {
    connect: timeouts?.connect ?? DEFAULTS.connect,
    request: timeouts?.request ?? DEFAULTS.request,
  },
  maxConcurrent: maxConcurrent ?? DEFAULTS.maxConcurrent,
  maxBytes: (maxAnswerMiB ?? DEFAULTS.answerMiB) * MIB,
  retry: {
    attempts: retry?.attempts ?? DEFAULT_RETRY.attempts,
    statuses: retry?.statuses ?? DEFAULT_RETRY.statuses,
    maxDelayMs: retry?.maxDelayMs ?? DEFAULT_RETRY.maxDelayMs,
  },
});

/** Returns the credentials of a connection. */
export const credentialsOf = ({ authentication, tls, security }: IntegrationConnection): Credentials => ({
  authentication: authentication ?? {},
  hasCertificate: Boolean(tls?.cert && tls.key),
  fallback: security ?? [],
});

/** Returns whether a connection uses TLS, which is the default. */
const isSecure = ({ server, tls }: IntegrationConnection): boolean =>
  server?.protocol ? server.protocol === 'https' : tls?.enabled !== false;

/** Returns the origin of a connection, `https://netbox.example.net:8443`; null when no host is set. */
export function originOf(connection: IntegrationConnection): string | null {
  const { host, port } = connection.server ?? {};
  if (!host) return null;
  const authority = `${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`;
  return new URL(`${isSecure(connection) ? 'https' : 'http'}://${authority}`).origin;
}

/**
 * Returns the URL below which an operation is. An operation with a server of its own is below the path of that server,
 * which must be the integration's host: a document cannot send the credentials of an integration elsewhere.
 *
 * @param integration name, for messages
 * @throws ServiceError CONFLICT when no host is set; BAD_GATEWAY when the operation's server is another host
 */
export function baseUrl(
  integration: string,
  connection: IntegrationConnection,
  operation: ApiOperation,
): string {
  const origin = originOf(connection);
  if (origin === null) {
    throw new ServiceError(
      'CONFLICT',
      `Integration ${integration} has no host: set properties.server.host of its connection`,
    );
  }
  const own = operation.server;
  if (own === undefined) return `${origin}${trimmed(connection.server?.base_path ?? '')}`;
  const written = own.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = connection.variables?.[name];
    return value === undefined || value === null || typeof value === 'object' ? whole : String(value);
  });
  const url = URL.canParse(written, `${origin}/`) ? new URL(written, `${origin}/`) : null;
  if (url?.hostname === new URL(origin).hostname && !url.pathname.includes('%7B'))
    return `${origin}${trimmed(url.pathname)}`;
  throw noAnswer(
    { adapter: integration, host: url?.hostname ?? '', stage: 'connect' },
    'TARGET_DENIED',
    `${operation.name} is served by ${url ? url.host : 'a server whose variables have no values'}, not by the host of this integration: make an integration for that host`,
  );
}

const trimmed = (path: string) => {
  const whole = path === '' || path.startsWith('/') ? path : `/${path}`;
  return withoutFinal(whole, '/');
};

/** Returns the headers that are sent with every request of a connection. */
export const headersOf = ({ headers }: IntegrationConnection): Record<string, string> => ({
  ...STANDARD_HEADERS,
  ...Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]) =>
      value === null || value === undefined || isObject(value) ? [] : [[name, String(value)]],
    ),
  ),
});

/** Returns the class of an operation with the settings of an integration: they can make a write repeatable. */
export function effectOf(operation: ApiOperation, connection: IntegrationConnection): CallEffect {
  if (connection.reads?.includes(operation.name)) return 'read';
  return operation.effect === 'unsafe' && connection.idempotencyHeader ? 'keyed' : operation.effect;
}

/** Returns how the pages of an operation are found; the document knows better than the integration. */
export const pagingOf = (operation: ApiOperation, { paging }: IntegrationConnection): Paging | undefined =>
  // The schema of the connection has the same fields.
  operation.paging ?? (paging as Paging | undefined);
