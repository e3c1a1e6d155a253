import { DigestError, treeDigest } from '#server/kernel/files/tree-digest.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { Message } from './frames.ts';
import type {
  PackageCall,
  PackageFailure,
  PackageFailureReason,
  PackageInstance,
  PackageOutcome,
  PackageState,
} from './ports.ts';

type Failure = (reason: PackageFailureReason, message: string, begun?: boolean) => PackageFailure;

/** Returns the outcome that a reply reports. @param mask replaces secrets, which errors of packages may quote */
export function outcomeOf(
  reply: Message,
  { method }: Pick<PackageCall, 'method'>,
  failure: Failure,
  mask: (text: string) => string,
): PackageOutcome {
  if ('error' in reply) return { error: JSON.parse(mask(JSON.stringify(reply.error))) };
  switch (reply.failure) {
    case undefined:
      return { data: reply.data ?? null };
    case 'UNKNOWN_METHOD':
      return { failure: failure('UNKNOWN_METHOD', `its class has no method ${method}`) };
    case 'OUTPUT_LIMIT':
      return { failure: failure('OUTPUT_LIMIT', `the result of ${method} is larger than 8 MiB`, true) };
    default:
      return { failure: failure('UNSENDABLE', `the result of ${method} is not JSON`, true) };
  }
}

/** Returns the connection that an event of a package reports; undefined for other events. */
export function connectionOf(event: string): PackageState['connection'] | undefined {
  switch (event) {
    case 'ONLINE':
    case 'FIXED':
      return 'ONLINE';
    case 'OFFLINE':
    case 'DEGRADED':
      return event;
  }
}

/**
 * Returns the idle time of `idleStopMinutes` in milliseconds; 0: never; undefined: not set.
 *
 * @param properties connection of the adapter; undefined: it has none
 */
export function idleMsOf(properties: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const minutes = properties?.idleStopMinutes;
  return typeof minutes === 'number' && minutes >= 0 ? Math.min(minutes * 60_000, 2 ** 31 - 1) : undefined;
}

/**
 * Returns the account of a connection, with which its password may be found encoded.
 *
 * @param authentication property of the connection, of any type
 */
export function usernameOf({ authentication }: Readonly<Record<string, unknown>>): string {
  return isObject(authentication) && typeof authentication.username === 'string'
    ? authentication.username
    : '';
}

/** Returns why a package may not be loaded here; null when it may. */
export async function packageFault({ package: { type, directory, digest } }: PackageInstance) {
  try {
    if ((await treeDigest(directory)) === digest) return null;
    return `the files of the package ${type} are not those that were added: npm run adapter -- add stores them again`;
  } catch (error) {
    if (error instanceof DigestError) return error.message;
    return `the package ${type} is not installed here`;
  }
}
