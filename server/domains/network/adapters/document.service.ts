import type { Adapter } from '#db/schemas/network/adapter.ts';
import { loggerIssues } from '#server/domains/operations/index.ts';
import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { ambiguousIssues, keepSecrets, MASK, type Path, secretAt } from '#server/kernel/secrets/redact.ts';
import { isReference } from '#server/kernel/secrets/references.ts';
import { type RowOfSecrets, sealingFor, withFreshSeals } from '#server/kernel/secrets/seals.ts';
import { isSet } from '#server/kernel/secrets/secret-names.ts';
import { isSealed } from '#server/kernel/secrets/vault.ts';
import type { AdapterType, MovedSecret } from './adapter-type.ts';
import {
  AT,
  BUILT_IN,
  connectionIssues,
  connectionOf,
  isModel,
  isPackageOf,
  MODELS,
  movedBy,
  unchangedSecrets,
  withoutNulls,
} from './connection.ts';

/**
 * Validates an adapter for storage, and seals its secrets or keeps the stored ones.
 *
 * @param inRequest maps a path in the document to its path in the request, for issues
 * @param type of an adapter that is of no built-in model
 * @returns `unset`: masked secrets for which none is stored
 * @throws ServiceError BAD_REQUEST with all issues, including a masked secret whose host has changed
 */
export function takeAdapter(
  { vault, orchestrator }: Pick<Platform, 'vault' | 'orchestrator'>,
  sent: Adapter,
  stored: Adapter | undefined,
  inRequest: (path: Path) => Path,
  type?: AdapterType,
): { document: Adapter; unset: Path[] } {
  const connection = withoutNulls(
    connectionOf(sent.properties),
    (path) => secretAt([...AT, ...path]) !== null && !(type?.virtual && isScheme(path)),
  );
  const merged = { ...sent, properties: { ...sent.properties, properties: connection } };
  const seal = sealingFor(vault, rowOf(sent.name));
  const { document: kept, unset, ambiguous } = keepSecrets(merged, stored, seal);
  const document = (type?.secretPaths ?? []).reduce<unknown>(
    (one, path) => sealedAt(one, [...AT, ...path], seal),
    kept,
  );
  const issues: Issue[] = [...identityIssues(merged, stored, type), ...loggerIssues(merged.loggerProps)];
  const issuesOf = takesConnection(merged) ? connectionIssues : type?.connectionIssues;
  for (const issue of issuesOf?.(connection, orchestrator.targetFault) ?? [])
    issues.push({ ...issue, path: [...AT, ...issue.path] });
  issues.push(...ambiguousIssues(ambiguous));
  // keepSecrets returns the same fields that it received.
  const adapter = document as Adapter;
  if (stored) issues.push(...movedIssues(stored, adapter, type));
  if (issues.length > 0)
    throw invalidRequest(issues.map((issue) => ({ ...issue, path: [...inRequest(issue.path)] })));
  return { document: withFreshSeals(vault, rowOf(sent.name), adapter), unset };
}

/**
 * Returns a document with the secret at a path sealed, where its name does not say that it is one. What is sealed already
 * stays; a mask that nothing is stored for is dropped.
 */
function sealedAt(
  value: unknown,
  path: readonly string[],
  seal: (plain: string, at: Path) => string,
  at: Path = [],
): unknown {
  const [name, ...rest] = path;
  if (name !== undefined) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return value;
    return { ...value, [name]: sealedAt(value[name], rest, seal, [...at, name]) };
  }
  if (!isSet(value) || isReference(value) || (typeof value === 'string' && isSealed(value))) return value;
  return value === MASK.password ? '' : seal(JSON.stringify(value), at);
}

/** Returns the row that an adapter's secrets are bound to; its name never changes. */
export const rowOf = (name: string): RowOfSecrets => ['adapters', name];

/** Maps a path for requests with the document in `properties`. */
export const inDocument = (path: Path): Path => ['properties', ...path];

/** Maps a path for requests with only the connection in `properties`. */
export const inConnection = (path: Path): Path => path.slice(1);

/** Returns whether an adapter connects to a host; built-in adapters do not. */
export const takesConnection = ({ properties }: Adapter): boolean =>
  properties.type === 'Orchestrator' || properties.type === 'Rest';

/** Returns whether a path in a connection is that of a security scheme, whose name says nothing about its value. */
const isScheme = (path: Path): boolean => path.length === 2 && path[0] === 'authentication';

function identityIssues(
  { name, model, properties }: Adapter,
  stored: Adapter | undefined,
  other: AdapterType | undefined,
): Issue[] {
  const issues: Issue[] = [];
  const say = (path: string[], message: string, code: string) => void issues.push({ path, message, code });
  if (stored && name !== stored.name) say(['name'], `is ${stored.name} and cannot be changed`, 'read_only');
  if (properties.id !== name) say(['properties', 'id'], `must be the adapter's name, ${name}`, 'custom');
  const { type } = properties;
  if (other) {
    if (!other.isModel(model))
      say(['model'], `does not belong to the type ${type}: use ${other.model}`, 'custom');
  } else if (!isModel(type)) {
    const models = Object.keys(MODELS).join(', ');
    say(
      ['properties', 'type'],
      `must be one of the models ${models}, or the type of an integration model`,
      'custom',
    );
    return issues;
  } else if (!isPackageOf(type, model)) {
    say(
      ['model'],
      `is not the package of the model ${type}: use @vendor/adapter-${type.toLowerCase()}`,
      'custom',
    );
  }
  if (stored && type !== stored.properties.type) {
    say(['properties', 'type'], `is ${stored.properties.type} and cannot be changed`, 'read_only');
  } else if (!stored && isModel(type) && Object.values(BUILT_IN).includes(type)) {
    say(['properties', 'type'], `${type} is built in and cannot be added again`, 'custom');
  }
  return issues;
}

/** Returns an issue for each stored secret whose host has changed: a user who may set hosts need not know the secret. */
function movedIssues(stored: Adapter, adapter: Adapter, type: AdapterType | undefined): Issue[] {
  const before = connectionOf(stored.properties);
  const after = connectionOf(adapter.properties);
  const movedSecrets = type?.movedSecrets ?? movedSecretsWithHost;
  return movedSecrets(before, after).map(({ path, moved }) => ({
    path: [...AT, ...path],
    message: `must be sent again, or null: ${moved.join(', ')} changed, and the secret belongs to the previous host`,
    code: 'secret_required',
  }));
}

/** Returns the sealed secrets that a changed connection would send to another host. */
export function movedSecretsWithHost(before: Connection, after: Connection): MovedSecret[] {
  const moved = movedBy(before, after);
  return moved.length === 0 ? [] : unchangedSecrets(before, after).map((path) => ({ path, moved }));
}

type Connection = Readonly<Record<string, unknown>>;
