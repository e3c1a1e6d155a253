import { connectionOf, getAdapterRow, rowOfSecrets } from '#server/domains/network/index.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { conflict, invalidRequest, notFound } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { isReference } from '#server/kernel/secrets/references.ts';
import { openedDocument } from '#server/kernel/secrets/seals.ts';
import { isSealed } from '#server/kernel/secrets/vault.ts';
import type { PackageInstance } from '#server/southbound/packages/ports.ts';
import type { AdapterCall } from '../adapter-task.ts';
import type { CallEffect } from '../api-operation.ts';
import { argumentsOf } from './arguments.ts';
import { errorResultOf, failureResultOf, type PackageResult, resultOf } from './package-outcome.ts';
import { findPackage, installedPackage } from './packages.service.ts';

type Call = Extract<AdapterCall, { provider: 'package' }>;

type PackageCallOptions = {
  /** Whether an interrupted call is repeated: one that reads, or is safe to repeat, is. */
  effect: CallEffect;
  signal?: AbortSignal | undefined;
};

/** Most attempts of a call whose process died, where it can be repeated. */
const ATTEMPTS = 3;

/**
 * Calls a method of an adapter package through an adapter. Values that do not fit are rejected before the call. When the
 * process of the package dies during the call, that is decided here and at once, as after the loss of a process of this
 * service.
 *
 * @param adapter name of an adapter of the package's type
 * @param values of the task by name
 * @returns the result; what fails in the package or on its way is a result too
 * @throws ServiceError NOT_FOUND for the adapter or its package; CONFLICT when the adapter is stopped; BAD_REQUEST with all
 *   issues of the values
 */
export async function callPackage(
  { db, platform }: SystemContext,
  adapter: string,
  { method, inputs, output }: Pick<Call, 'method' | 'inputs' | 'output'>,
  values: Readonly<Record<string, unknown>>,
  { effect, signal }: PackageCallOptions,
): Promise<PackageResult> {
  const taken = argumentsOf(inputs, values);
  if ('issues' in taken) throw invalidRequest(taken.issues);
  const instance = await packageInstance({ db, platform }, adapter);
  const timeoutMs = timeoutOf(instance.properties);
  const origin = `${adapter}-${method}`;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await platform.packages.call({
      ...instance,
      method,
      args: taken.args,
      timeoutMs,
      signal,
    });
    if ('data' in outcome) return resultOf(output, outcome.data);
    if ('error' in outcome) return errorResultOf(origin, outcome.error);
    const { failure } = outcome;
    const isRepeatable = effect !== 'unsafe' && failure.reason === 'ADAPTER_DIED' && attempt < ATTEMPTS;
    if (!isRepeatable || signal?.aborted) return failureResultOf(origin, failure);
  }
}

/**
 * Returns an adapter in the form that the host of packages expects, with decrypted secrets.
 *
 * @throws ServiceError NOT_FOUND for the adapter or its package; CONFLICT when it is stopped
 */
export async function packageInstance(
  { db, platform }: SystemContext<'vault' | 'secrets' | 'config'>,
  name: string,
): Promise<PackageInstance> {
  const { doc, active } = await getAdapterRow(db, name);
  const found = await findPackage(db, doc.properties.type);
  if (!found) throw notFound('Package', doc.properties.type);
  if (!active) throw conflict(`Adapter ${name} is stopped`);
  const opened = openedDocument(platform.vault, rowOfSecrets(doc.name), doc);
  const use = { kind: 'adapters', name, account: null };
  const { properties } = await platform.secrets.resolve(opened, use);
  const connection = connectionOf(properties);
  return {
    instance: name,
    properties: connection,
    secrets: secretsIn(connectionOf(doc.properties), connection),
    package: installedPackage(platform.config, found),
  };
}

/** Returns the texts that are sealed where they are stored, or stored elsewhere. */
function secretsIn(stored: unknown, opened: unknown): string[] {
  if (typeof stored === 'string')
    return (isSealed(stored) || isReference(stored)) && typeof opened === 'string' ? [opened] : [];
  if (Array.isArray(stored) && Array.isArray(opened))
    return stored.flatMap((one, index) => secretsIn(one, opened[index]));
  if (!isObject(stored) || !isObject(opened)) return [];
  return Object.keys(stored).flatMap((name) => secretsIn(stored[name], opened[name]));
}

/** Shortest and longest time for a call, in milliseconds. */
const TIMES = { least: 1000, most: 600_000 };

/** Returns the time for a call that a connection sets; undefined: it sets none. */
function timeoutOf({ timeout }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof timeout !== 'number' || !Number.isFinite(timeout)) return undefined;
  return Math.min(TIMES.most, Math.max(TIMES.least, timeout));
}
