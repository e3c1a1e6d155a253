import { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { fieldIn, isObject, type JsonObject } from '#server/kernel/json/objects.ts';
import { plainIssuesOf } from '#server/kernel/validation/zod-issues.ts';

/** The models of adapters and their purposes (contract/lifecycle#9). */
export const MODELS = {
  Gateway: 'Commands and traces on the hosts of the inventory',
  Orchestrator: 'A network orchestrator over RESTCONF',
  Rest: 'A service that offers a REST API',
  local_aaa: 'Accounts and groups of this platform',
} as const;
export type Model = keyof typeof MODELS;

/** Returns whether a name is that of a built-in model of adapters. */
export const isModel = (name: string): name is Model => Object.hasOwn(MODELS, name);

/** Built-in adapters by name, with their models. */
export const BUILT_IN: Readonly<Record<string, Model>> = { gateway: 'Gateway', local_aaa: 'local_aaa' };

/** Returns whether a package such as `@vendor/adapter-orchestrator`, or `Orchestrator` itself, belongs to this model. */
export const isPackageOf = (model: Model, name: string): boolean =>
  /(?:^|\/)(?:adapter-)?(\w+)$/.exec(name)?.[1]?.toLowerCase() === model.toLowerCase();

/** Path of the connection in an adapter's document. */
export const AT = ['properties', 'properties'] as const;

/**
 * Returns the connection of an adapter, as stored or sent.
 *
 * @param properties of the adapter; its connection is their field `properties`
 */
export const connectionOf = (properties: { properties?: JsonObject | undefined } | undefined): JsonObject =>
  properties?.properties ?? {};

const NAME_OR_ADDRESS = /^[A-Za-z0-9_.-]{1,253}$|^[0-9A-Fa-f:.]{2,45}$/;
const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*\/?$/;
const PEM = /^\s*-----BEGIN [A-Z0-9 ]+-----/;
const VISIBLE = /^[\x21-\x7e]+$/;

const LIMITS = { connect: [50, 60_000], request: [50, 600_000] } as const;

/**
 * Returns all issues of a connection, with paths relative to the connection.
 *
 * @param connection with secrets as they were sent
 * @param targetFault returns why an adapter may not use a host, or null
 */
export function connectionIssues(
  connection: JsonObject,
  targetFault: (host: string) => string | null,
): Issue[] {
  const parsed = OrchestratorConnection.safeParse(connection);
  if (!parsed.success) return plainIssuesOf(parsed.error);
  const { host, protocol, base_path, authentication, tls, timeouts, maxConcurrent } = parsed.data;
  const issues: Issue[] = [];
  const say: Say = (path, message) => void issues.push({ path, message, code: 'custom' });
  const hostFault =
    host && NAME_OR_ADDRESS.test(host) ? targetFault(host) : 'must be the name or address of a host';
  if (hostFault) say(['host'], hostFault);
  if (base_path !== undefined && (!BASE_PATH.test(base_path) || /\/\.{1,2}(\/|$)/.test(base_path)))
    say(['base_path'], 'must be a path such as /restconf');
  tlsIssues(tls, protocol, say);
  const { username, token } = authentication ?? {};
  if (username?.includes(':')) say(['authentication', 'username'], 'must not contain a colon');
  if (token && !isMask(token) && !VISIBLE.test(token))
    say(['authentication', 'token'], 'must be letters, digits and symbols without spaces');
  for (const [field, [least, most]] of Object.entries(LIMITS)) {
    const value = timeouts?.[field];
    if (typeof value === 'number' && (value < least || value > most))
      say(['timeouts', field], `must be ${least} to ${most} milliseconds`);
  }
  if (
    maxConcurrent !== undefined &&
    !(Number.isInteger(maxConcurrent) && maxConcurrent >= 1 && maxConcurrent <= 64)
  )
    say(['maxConcurrent'], 'must be 1 to 64');
  return issues;
}

type Say = (path: string[], message: string) => void;

function tlsIssues(tls: OrchestratorConnection['tls'], protocol: string | undefined, say: Say): void {
  if (protocol === 'http' && tls?.enabled === true)
    say(['tls', 'enabled'], 'must not be true when the protocol is http');
  if (protocol === 'https' && tls?.enabled === false)
    say(['tls', 'enabled'], 'must not be false when the protocol is https');
  for (const field of ['ca', 'cert', 'key'] as const) {
    const text = tls?.[field];
    if (text && !isMask(text) && !PEM.test(text)) say(['tls', field], 'must be PEM text');
  }
}

/** Returns whether a secret is masked; its text was checked when it was first sent. */
const isMask = (text: string) => /^\*+$|^<[A-Z_]+>$/.test(text);

/** Fields that determine where secrets are sent, and whether they are encrypted. */
const PLACE: readonly (readonly string[])[] = [['host'], ['port'], ['protocol'], ['tls', 'enabled']];

const memberAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, step) => fieldIn(at, step), value);

/**
 * Returns the dotted names of the fields that change the destination of a connection.
 *
 * @param before stored connection
 * @param after connection that is to replace it
 * @param place the fields that determine it
 */
export const movedBy = (before: JsonObject, after: JsonObject, place = PLACE): string[] =>
  place.filter((path) => memberAt(before, path) !== memberAt(after, path)).map((path) => path.join('.'));

/** Returns the dotted names of the fields that differ between two documents, at the innermost level. */
export function changedFields(before: unknown, after: unknown, at: readonly string[] = []): string[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changedFields(memberAt(before, [name]), memberAt(after, [name]), [...at, name]),
    );
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [at.join('.')];
}

/**
 * Applies the nulls in a connection: a secret becomes "", any other field is removed (contract/lifecycle#0.7).
 *
 * @param isSecret returns whether the field at this path is a secret
 */
export function withoutNulls(
  connection: JsonObject,
  isSecret: (path: readonly string[]) => boolean,
  at: readonly string[] = [],
): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(connection)) {
    const here = [...at, name];
    if (isObject(field)) kept.push([name, withoutNulls(field, isSecret, here)]);
    else if (field !== null) kept.push([name, field]);
    else if (isSecret(here)) kept.push([name, '']);
  }
  return Object.fromEntries(kept);
}

/**
 * Returns the paths of sealed texts that are the same in both documents: secrets that were not sent again.
 *
 * @param before stored document
 * @param after document that is to replace it, with sealed secrets
 * @param at path of both documents, to which the paths are appended
 */
export function unchangedSecrets(
  before: unknown,
  after: unknown,
  at: readonly string[] = [],
): (readonly string[])[] {
  if (isObject(before) && isObject(after)) {
    return Object.keys(after).flatMap((name) =>
      unchangedSecrets(memberAt(before, [name]), after[name], [...at, name]),
    );
  }
  return typeof after === 'string' && after.startsWith('sealed:') && after === before ? [at] : [];
}
