import { isObject, textOrEmpty } from '#server/kernel/json/objects.ts';
import { withoutFinal } from '#server/kernel/text/without-final.ts';
import type { SecurityScheme } from '../../api-operation.ts';

type Server = { protocol: 'http' | 'https'; host: string; port?: number; base_path: string };

/**
 * Returns the connection that an integration of the document begins with: its first server, and an entry with empty
 * values for each security scheme. The host is empty where the document names none.
 *
 * @param variables defaults of the variables of servers that operations have of their own
 */
export function connectionTemplate(
  document: Record<string, unknown>,
  isPlain: boolean,
  version: string,
  schemes: Readonly<Record<string, SecurityScheme>>,
  variables: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const server = isPlain ? plainServer(document) : serverOf(firstServer(document));
  return {
    authentication: Object.fromEntries(
      Object.entries(schemes)
        .filter(([, scheme]) => scheme.type !== 'mutualTLS')
        .map(([name, scheme]) => [name, emptyValues(scheme)]),
    ),
    server,
    tls: { enabled: server.protocol === 'https', rejectUnauthorized: true },
    version,
    ...(Object.keys(variables).length > 0 && { variables }),
  };
}

function emptyValues(scheme: SecurityScheme): Record<string, unknown> {
  switch (scheme.type) {
    case 'apiKey':
      return scheme.sigV4 ? { accessKeyId: '', secretAccessKey: '', region: '', service: '' } : { value: '' };
    case 'http':
      if (scheme.scheme === 'bearer') return { token: '' };
      return scheme.scheme === 'basic' ? { username: '', password: '' } : { value: '' };
    case 'oauth2':
      return oauthValues(scheme.flows);
    case 'openIdConnect':
      return { client_id: '', client_secret: '' };
    case 'mutualTLS':
      return {};
  }
}

/** Flows that need nobody at a browser, the preferred one first. */
const UNATTENDED = ['clientCredentials', 'password'];

function oauthValues(flows: Extract<SecurityScheme, { type: 'oauth2' }>['flows']): Record<string, unknown> {
  const name = [...UNATTENDED, ...Object.keys(flows)].find((one) => Object.hasOwn(flows, one)) ?? '';
  const flow = flows[name];
  return {
    client_id: '',
    client_secret: '',
    ...(Object.hasOwn(flows, 'password') && { username: '', password: '' }),
    token_url: flow?.tokenUrl ?? '',
    ...(flow?.refreshUrl !== undefined && { refresh_url: flow.refreshUrl }),
  };
}

/** Returns the URL of a document's first server, with the defaults of its variables. */
function firstServer({ servers }: Record<string, unknown>): string {
  const first = Array.isArray(servers) ? servers[0] : undefined;
  if (!isObject(first)) return '';
  const defaults = variablesOf(first);
  return textOrEmpty(first.url).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => defaults[name] ?? whole);
}

/** Returns the defaults of a server's variables. */
export const variablesOf = ({ variables }: Record<string, unknown>): Record<string, string> =>
  isObject(variables)
    ? Object.fromEntries(
        Object.entries(variables).flatMap(([name, one]) =>
          isObject(one) && one.default !== undefined && one.default !== null
            ? [[name, String(one.default)]]
            : [],
        ),
      )
    : {};

/** Scheme, authority and path of a URL; each may be missing (RFC 3986 appendix B). */
const PARTS = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)/i;

function serverOf(url: string): Server {
  const [, scheme = '', authority = '', path = ''] = PARTS.exec(url.trim()) ?? [];
  return server(scheme.toLowerCase() === 'http' ? 'http' : 'https', authority, path);
}

/** Returns the server of a document of Swagger 2.0. */
function plainServer({ host, basePath, schemes }: Record<string, unknown>): Server {
  const offered = Array.isArray(schemes) ? schemes : [];
  const isPlainText = offered.includes('http') && !offered.includes('https');
  return server(isPlainText ? 'http' : 'https', textOrEmpty(host), textOrEmpty(basePath));
}

function server(protocol: Server['protocol'], authority: string, path: string): Server {
  // A user in the authority is no part of a connection, and a variable without a default no host.
  const [, host = '', port] = /^(?:[^@]*@)?(\[[^\]]*\]|[^:{}]*)(?::(\d{1,5}))?$/.exec(authority) ?? [];
  const base = withoutFinal(path, '/');
  const number = Number(port ?? 0);
  return {
    protocol,
    host: host.replace(/^\[|\]$/g, ''),
    ...(number > 0 && number < 65_536 && { port: number }),
    base_path: base === '' || base.startsWith('/') ? base : `/${base}`,
  };
}
