import { z } from 'zod';
import { IntegrationConnection } from '#db/schemas/network/integration-connection.ts';
import { type MovedSecret, movedBy, unchangedSecrets } from '#server/domains/network/index.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { isObject, type JsonObject } from '#server/kernel/json/objects.ts';
import { plainIssuesOf } from '#server/kernel/validation/zod-issues.ts';
import type { SecurityScheme } from '../api-operation.ts';
import { headerNameFault, headerValueFault } from '../calls/request/header-rules.ts';
import type { SecuritySchemes } from '../calls/security.ts';

type TargetFault = (host: string) => string | null;
type Say = (path: readonly (string | number)[], message: string) => void;

const NAME_OR_ADDRESS = /^[A-Za-z0-9_.-]{1,253}$|^[0-9A-Fa-f:.]{2,45}$/;
const BASE_PATH = /^\/?([A-Za-z0-9._~!$&'()*+,;=:@%-]+(\/|$))*$/;
const PEM = /^\s*-----BEGIN [A-Z0-9 ]+-----/;
const LONGEST = 2000;

/** Returns whether a secret is masked; its text was checked when it was first sent. */
const isMask = (text: string) => /^\*+$/.test(text);

/** Returns all issues of the connection of an integration, with paths relative to it. */
export function integrationIssues(
  connection: JsonObject,
  schemes: SecuritySchemes,
  targetFault: TargetFault,
): Issue[] {
  const parsed = IntegrationConnection.safeParse(connection);
  const issues = parsed.error ? plainIssuesOf(parsed.error) : [];
  const say: Say = (path, message) => void issues.push({ path: [...path], message, code: 'custom' });
  // Fields of the wrong type were reported above; the others are checked all the same.
  const { server, tls, authentication, headers, query, idempotencyHeader, security } = connection;
  if (isObject(server)) serverIssues(server, tls, targetFault, say);
  if (isObject(tls)) tlsIssues(tls, say);
  if (isObject(authentication)) authenticationIssues(authentication, schemes, targetFault, say);
  if (isObject(headers)) headersIssues(headers, say);
  if (isObject(query)) queryIssues(query, schemes, say);
  if (typeof idempotencyHeader === 'string' && idempotencyHeader !== '' && headerNameFault(idempotencyHeader))
    say(['idempotencyHeader'], 'is not a header that a request may set');
  for (const [at, name] of (Array.isArray(security) ? security : []).entries())
    if (!Object.hasOwn(schemes, String(name))) say(['security', at], knownSchemes(schemes));
  return issues;
}

function serverIssues(server: JsonObject, tls: unknown, targetFault: TargetFault, say: Say) {
  const { host, protocol, base_path } = server;
  // A document may name no host: it must be set before the first call.
  if (typeof host === 'string' && host !== '') {
    const fault = NAME_OR_ADDRESS.test(host)
      ? targetFault(host)
      : 'must be a name or address, without protocol, port or path';
    if (fault) say(['server', 'host'], fault);
  }
  if (
    typeof base_path === 'string' &&
    (!BASE_PATH.test(base_path) || /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(base_path))
  )
    say(['server', 'base_path'], 'must be a path: /api');
  // The protocol decides. Integrations of other systems say false beside https where they have no settings of their own.
  if (protocol === 'http' && isObject(tls) && tls.enabled === true)
    say(['tls', 'enabled'], 'is true, but the protocol is http');
}

function tlsIssues(tls: JsonObject, say: Say) {
  for (const name of ['ca', 'cert', 'key'] as const) {
    const text = tls[name];
    if (typeof text === 'string' && text !== '' && !isMask(text) && !PEM.test(text))
      say(['tls', name], 'must be PEM text');
  }
  const { serverName } = tls;
  if (typeof serverName === 'string' && serverName !== '' && !NAME_OR_ADDRESS.test(serverName))
    say(['tls', 'serverName'], 'must be a name');
}

const knownSchemes = (schemes: SecuritySchemes) => {
  const names = Object.keys(schemes);
  return names.length === 0
    ? 'is no security scheme: the model has none'
    : `is no security scheme of the model: ${names.slice(0, 20).join(', ')}`;
};

const URLS = ['token_url', 'refresh_url'] as const;

function authenticationIssues(
  authentication: JsonObject,
  schemes: SecuritySchemes,
  targetFault: TargetFault,
  say: Say,
) {
  for (const [name, credential] of Object.entries(authentication)) {
    const at = ['authentication', name];
    if (!Object.hasOwn(schemes, name)) say(at, knownSchemes(schemes));
    if (isObject(credential))
      credentialIssues(credential, schemes[name], targetFault, (path, message) =>
        say([...at, ...path], message),
      );
  }
}

function credentialIssues(
  credential: JsonObject,
  scheme: SecurityScheme | undefined,
  targetFault: TargetFault,
  say: Say,
) {
  for (const field of TEXTS) {
    const value = credential[field];
    if (value !== undefined && typeof value !== 'string') say([field], 'must be text');
  }
  const { username } = credential;
  if (scheme?.type === 'http' && typeof username === 'string' && username.includes(':'))
    say(['username'], 'must not hold a colon');
  for (const field of IN_HEADERS) {
    const text = credential[field];
    if (typeof text === 'string' && headerValueFault(text))
      say([field], 'has characters that a header cannot contain');
  }
  for (const field of URLS) {
    const url = credential[field];
    const fault = typeof url === 'string' ? urlFault(url, targetFault) : null;
    if (fault) say([field], fault);
  }
}

/** Fields of a credential that signs requests; all but the secret key are sent in headers. */
const AWS_TEXTS = ['accessKeyId', 'secretAccessKey', 'sessionToken', 'region', 'service'] as const;

const IN_HEADERS = ['value', 'token', ...AWS_TEXTS] as const;

const TEXTS = [
  'value',
  'username',
  'password',
  'client_id',
  'client_secret',
  'token_url',
  'refresh_url',
  'scope',
  'access_token',
  'auth_method',
  ...AWS_TEXTS,
] as const;

function urlFault(text: string, targetFault: TargetFault): string | null {
  if (text === '') return null;
  const url = text.length <= LONGEST && URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'must be a URL that begins with https:// or http://';
  if (url.username || url.password) return 'must not hold a credential';
  return targetFault(url.hostname.replace(/^\[|\]$/g, ''));
}

function headersIssues(headers: JsonObject, say: Say) {
  for (const [name, value] of Object.entries(headers)) {
    const isText = ['string', 'number', 'boolean'].includes(typeof value);
    const fault = headerNameFault(name) ?? (isText ? headerValueFault(String(value)) : 'must be text');
    if (fault) say(['headers', name.slice(0, 100)], fault);
  }
}

function queryIssues(query: JsonObject, schemes: SecuritySchemes, say: Say) {
  for (const scheme of Object.values(schemes)) {
    if (scheme.type === 'apiKey' && scheme.in === 'query' && Object.hasOwn(query, scheme.name))
      say(['query', scheme.name], 'is a credential: set it in authentication');
  }
}

/** Fields that determine where all secrets are sent, and whether they are encrypted. */
const PLACE: readonly (readonly string[])[] = [
  ['server', 'host'],
  ['server', 'port'],
  ['server', 'protocol'],
  ['tls', 'enabled'],
  ['tls', 'rejectUnauthorized'],
];

/**
 * Returns the sealed secrets that a changed connection would send elsewhere: they must be given again.
 *
 * @param before the connection as stored
 * @param after the connection as it would be
 */
export function movedSecretsOf(before: JsonObject, after: JsonObject): MovedSecret[] {
  const kept = unchangedSecrets(before, after);
  if (kept.length === 0) return [];
  const moved = movedBy(before, after, PLACE);
  if (moved.length > 0) return kept.map((path) => ({ path, moved }));
  return kept.flatMap((path): MovedSecret[] => {
    const [section, scheme = ''] = path;
    if (section !== 'authentication') return [];
    const urls = URLS.map((field) => ['authentication', scheme, field]);
    const elsewhere = movedBy(before, after, urls);
    return elsewhere.length === 0 ? [] : [{ path, moved: elsewhere }];
  });
}

const text = { type: 'string' } as const;

/** Returns the JSON schema of the credential of one security scheme. */
function credentialSchema(scheme: SecurityScheme): JsonObject {
  const object = (properties: JsonObject, description: string) => ({
    type: 'object',
    description,
    properties,
  });
  switch (scheme.type) {
    case 'apiKey':
      return scheme.sigV4
        ? object(
            {
              accessKeyId: text,
              secretAccessKey: text,
              sessionToken: text,
              region: text,
              service: text,
            },
            'Access key whose signature each request carries (AWS Signature Version 4)',
          )
        : object({ value: text }, `API key, sent as ${scheme.in} ${scheme.name}`);
    case 'http':
      return scheme.scheme.toLowerCase() === 'basic'
        ? object({ username: text, password: text }, 'Username and password (RFC 7617)')
        : object({ token: text }, 'Bearer token (RFC 6750)');
    case 'mutualTLS':
      return object({}, 'The certificate and key of tls');
    default:
      return object(
        {
          client_id: text,
          client_secret: text,
          username: text,
          password: text,
          token_url: text,
          refresh_url: text,
          scope: text,
          auth_method: { enum: ['basic', 'post'] },
          token: { type: 'object', properties: { access_token: text, refresh_token: text } },
        },
        'Client that requests tokens, or a token',
      );
  }
}

/** Returns the JSON schema of the connection of a model's integrations. @param schemes security schemes of the model by name */
export function connectionSchemaOf(schemes: SecuritySchemes): JsonObject {
  const schema = z.toJSONSchema(z.looseObject(IntegrationConnection.shape), { io: 'input' }) as {
    properties?: Record<string, unknown>;
  };
  const authentication = {
    type: 'object',
    description: 'Credentials by the name of the security scheme',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(schemes).map(([name, scheme]) => [name, credentialSchema(scheme)]),
    ),
  };
  return { ...schema, properties: { ...schema.properties, authentication } };
}
